"""A student's work in numbered lines."""

from __future__ import annotations

from app.web.numbered import MAX_LINES, work_of
from core.code import CodeIssue, IssueKind
from core.homework import CRITERIA, CriterionFeedback, Feedback, Verdict


def feedback(**given: CriterionFeedback) -> Feedback:
    right = CriterionFeedback(verdict=Verdict.RIGHT, evidence="")
    return Feedback(criteria={name: given.get(name, right) for name in CRITERIA}, comment="")


def test_an_issue_stands_at_its_line_of_the_code() -> None:
    issue = CodeIssue(line=2, kind=IssueKind.OFF_BY_ONE, summary="One too few.", confidence=0.9)
    work = work_of("Why?", "for i in range(3):\n    print(i)\n", issue)
    assert work is not None
    assert (work.name, [line.number for line in work.lines]) == ("Code", [1, 2])
    assert [[(note.label, note.text) for note in line.notes] for line in work.lines] == [
        [],
        [("off by one", "One too few.")],
    ]


def test_an_unsure_issue_says_so_to_staff() -> None:
    issue = CodeIssue(line=1, kind=IssueKind.LOGIC, summary="Perhaps.", confidence=0.3, waits=True)
    work = work_of("Why?", "print(i)\n", issue)
    assert work is not None
    assert work.lines[0].notes[0].label == "logic, not sure"


def test_a_question_without_code_has_no_work() -> None:
    assert work_of("Why?", None) is None
    assert work_of("Why?", "") is None


def test_verdicts_stand_at_the_first_line_that_they_name() -> None:
    slip = CriterionFeedback(verdict=Verdict.WRONG, where="x = 3", evidence="It is 2.", hint="Again.")
    lost = CriterionFeedback(verdict=Verdict.WRONG, where="y = 1", evidence="It stands nowhere.")
    work = work_of("2x = 4\n  x = 3\nx = 3", None, feedback=feedback(arithmetic=slip, units=lost))
    assert work is not None
    assert work.name == "Submission"
    assert [len(line.notes) for line in work.lines] == [0, 1, 0]
    assert work.lines[1].notes[0].text == "It is 2. Again."


def test_of_long_work_the_first_lines_are_shown() -> None:
    work = work_of("", "x\r\n" * (MAX_LINES + 5))
    assert work is not None
    assert (len(work.lines), work.lines[0].text) == (MAX_LINES, "x")
