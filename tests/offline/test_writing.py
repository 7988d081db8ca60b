"""Which passage an offline answer rests on, what it shows of it, and when it declines."""

from __future__ import annotations

from typing import Any

from core.facts import Fact, FactKind
from core.types import Answer, Match, Passage, Question, Source
from offline.evidence import Evidence
from offline.extraction import evidence_for
from offline.pieces import layout
from offline.quoting import SHORT_SECTION
from posts.parts import read_post
from safeguards.citations import verified
from safeguards.statements import Examined
from tasks import WriteAnswer
from tests.offline.writing import written
from tests.pipelines.runs import passage

GOOD, POOR = Match(words=0.6, meaning=0.6), Match(words=0.1, meaning=0.15)


def found(name: str, text: str, match: Match = GOOD, **more: Any) -> Passage:
    return passage(name, text, **more).model_copy(update={"match": match})


def answered(body: str, *passages: Passage, title: str = "", abstain_below: float | None = None) -> Answer:
    task = WriteAnswer(
        course="c", question=Question(title=title, body=body), passages=passages, abstain_below=abstain_below
    )
    return verified(written(task), passages)


def evidence(body: str, *passages: Passage) -> Evidence:
    question = Question(body=body)
    found = evidence_for(WriteAnswer(course="c", question=question, passages=passages), read_post(question), {})
    assert found
    return found


FAQ = found(
    "f",
    "How do I get a locker?\n\nFill in the form at the front desk and bring a deposit of ten euros.",
    source=Source.QA, title="FAQ", heading_path=("FAQ", "How do I get a locker?"),
)  # fmt: skip


def test_a_page_among_past_questions_is_quoted() -> None:
    answer = answered("where can I get a locker?", FAQ, abstain_below=0.0)
    assert "front desk" in answer.markdown
    assert answer.citations[0].verified


def test_a_page_of_questions_and_answers_is_quoted_and_a_thread_without_an_answer_is_not() -> None:
    page = found("p", "Question: where are lockers?\nAnswer: Lockers are in the cellar.", source=Source.QA)
    assert "in the cellar" in answered("where are the lockers", page, abstain_below=0.0).markdown
    thread = found("q", "lockers\nQuestion: where are lockers? I think in the cellar", source=Source.QA)
    assert answered("where are the lockers", thread, abstain_below=0.0).status == "abstained"


def test_a_heading_that_asks_the_question_counts_and_is_not_repeated() -> None:
    assert evidence("how do i get a locker", FAQ).missing == 0
    assert "> How do I get a locker?" not in answered("how do i get a locker", FAQ).markdown


def test_a_short_section_is_quoted_whole_with_its_lists_and_code() -> None:
    text = (
        "Two things are needed before a pull.\n\n- a clean tree\n- the name of the branch\n\n"
        "Then run it:\n\n```\ngit pull origin main\n```\n\nAsk if it fails."
    )
    shown = answered("how do I pull the branch?", found("g", text)).markdown
    assert "> - a clean tree\n> - the name of the branch\n" in shown
    assert "> ```\n> git pull origin main\n> ```" in shown
    assert "> Ask if it fails." in shown


def test_of_a_long_section_the_paragraphs_that_answer_are_quoted() -> None:
    filler = "\n\n".join(
        f"Paragraph {n} is on the history of the harbour and its many cranes and ships." for n in range(30)
    )
    text = f"{filler}\n\nThe **tide table** lists high water for each day of the month.\n\n{filler}"
    shown = answered("what does the tide table list?", found("t", text)).markdown
    assert "high water for each day" in shown
    assert len(shown) < SHORT_SECTION


def test_only_the_rows_of_a_table_that_answer_are_quoted_below_its_header() -> None:
    table = "| Lab | Due |\n|---|---|\n" + "\n".join(f"| Lab {n} | May {n} |" for n in range(1, 9))
    shown = answered("when is lab 3 due?", found("t", table, source=Source.LOGISTICS)).markdown
    assert "> | Lab | Due |\n> |---|---|\n> | Lab 3 | May 3 |" in shown
    assert "May 4" not in shown


def test_the_passage_that_the_search_ranks_first_stays_first_over_one_with_a_rare_word() -> None:
    first = found("a", "The median splits the sorted values in two halves.")
    rare = found("b", "A zeugma is no median.", Match(words=0.3, meaning=0.3))
    assert answered("what is the median, zeugma or not", first, rare).citations[0].block_id == "a"


def test_the_error_that_a_post_ends_with_decides_between_past_threads() -> None:
    wrong = found("w", "reading files\nQuestion: it fails\nAnswer (TA): Check the path of the file.", source=Source.QA)
    right = found(
        "r", "no column\nQuestion: KeyError: 'speed'\nAnswer (TA): That column has another name.", source=Source.QA
    )  # fmt: skip
    body = "what does it want from me\n```\nTraceback (most recent call last):\n  x\nKeyError: 'depth'\n```\nwhy?"
    assert answered(body, wrong, right).citations[0].block_id == "r"


TASK = found(
    "t",
    "Question 2b\n\nPlot the speed of each ship over time. Mark the fastest ship in red.\nax = ...\n"
    "_Type your answer here, replacing this text._",
    source=Source.ASSIGNMENT, label="2b", title="Homework 3", heading_path=("Homework 3", "Question 2b"),
)  # fmt: skip
THREAD = found(
    "q",
    "2b colours\nQuestion: stuck on 2b, how do I mark one ship in red\nAnswer (TA): Draw all ships first, then draw "
    "the one that you want to mark on top.",
    source=Source.QA, heading_path=("2b colours",),
)  # fmt: skip


def test_a_student_stuck_at_a_task_gets_what_it_says_on_that_and_a_past_thread() -> None:
    long = TASK.model_copy(update={"text": f"{TASK.text}\n\n" + "\n\n".join(["Save each chart as a file."] * 60)})
    answer = answered("hw3 2b: I'm stuck, my plot does not mark the fastest ship", long, THREAD)
    assert answer.citations[0].block_id == "t"
    assert "The step to read again" in answer.markdown
    assert "Mark the fastest ship in red" in answer.markdown
    assert "Save each chart" not in answer.markdown
    assert "draw the one that you want to mark on top" in answer.markdown


def test_the_rule_for_late_work_that_is_asked_for_is_quoted_however_little_it_shares_with_the_question() -> None:
    other = found("o", "Bring a charger for your laptop.", title="Laptops")
    rule = found("r", "Each day after the deadline costs a tenth.", Match(words=0.05, meaning=0.1), title="Policies")
    body = "My laptop died, how many points do I lose if I am a day late?"
    assert answered(body, other, rule, abstain_below=0.99).status == "abstained"
    known = rule.model_copy(update={"facts": (Fact(kind=FactKind.LATE, name="", quote=rule.text),)})
    answer = answered(body, other, known, abstain_below=0.3)
    assert answer.citations[0].location.startswith("Policies")
    assert answer.confidence >= 0.3


def test_what_stands_around_passages_is_in_the_language_that_is_asked_for() -> None:
    question = Question(body="hw3 2b: I'm stuck, my plot does not mark the fastest ship", language="nl-BE")
    task = WriteAnswer(course="c", question=question, passages=(TASK, THREAD))
    examined = Examined(written(task), task.passages, question)
    assert examined.written.answer.startswith("*Overgenomen uit het cursusmateriaal; niet door een model geschreven.*")
    assert "De stap om opnieuw te lezen, in **Homework 3 › Question 2b** [1]:" in examined.written.answer
    assert "Een eerdere vraag, uit **Doc › 2b colours** [2]:" in examined.written.answer
    assert not examined.problems


def test_what_a_task_asks_for_is_answered_by_its_words_without_the_places_to_fill_in() -> None:
    shown = answered("hw3 2b: do we have to mark the fastest ship?", TASK).markdown
    assert "Plot the speed of each ship" in shown
    assert "Type your answer" not in shown
    assert "ax =" not in shown


def test_a_task_that_is_a_formula_is_cited() -> None:
    task = found(
        "t", "2.4 I⁻ O⁺ Z⁺ / F′ I⁺ O⁺ Z⁻", source=Source.ASSIGNMENT, label="2.4", title="Problem Set 3",
        heading_path=("Problem Set 3", "2.4. I⁻ O⁺ Z⁺ / F′ I⁺ O⁺ Z⁻"),
    )  # fmt: skip
    assert [one.verified for one in answered("ps 3, 2.4: is the enzyme made or not?", task).citations] == [True]


def test_a_heading_without_a_text_is_no_answer() -> None:
    heading = found("h", "Ships", heading_path=("Ships",))
    assert answered("what is there on ships?", heading).status == "abstained"
    name = "Question 2b (4 points)"
    task = found("t", name, source=Source.ASSIGNMENT, label="2b", title="Homework 3", heading_path=(name,))
    assert answered("hw3 question 2b, what now?", task).status == "abstained"


def test_a_task_that_is_not_named_gives_way_to_a_passage_as_good() -> None:
    task = found("t", "Compute the speed of the ship.", source=Source.ASSIGNMENT, label="2b", title="Homework 3")
    page = found("p", "The speed of a ship is its way over its time.", Match(words=0.55, meaning=0.55))
    assert answered("how is the speed of a ship defined?", task, page).citations[0].block_id == "p"
    assert answered("hw3 2b: the speed of a ship?", task, page).citations[0].block_id == "t"


def test_who_says_only_where_they_are_stuck_gets_what_is_about_the_task() -> None:
    task = TASK.model_copy(update={"match": Match(words=0.1, meaning=0.1)})
    idea = found("i", "Ships\n\nThe speed of a ship over time is plotted as a line.", heading_path=("Ships",))
    other = found("o", "Ethics\n\nWho could be harmed if it starts wrong?", Match(words=0.1, meaning=0.2))
    answer = answered("stuck on hw3 2b, how do I even start?", idea, other, task)
    assert answer.citations[0].block_id == "t"
    assert "plotted as a line" in answer.markdown
    assert "harmed" not in answer.markdown


def test_of_two_questions_the_one_in_other_words_than_the_material_is_answered_too() -> None:
    rules = found("r", "Rules\n\nProjects are done alone.", heading_path=("Rules",))
    dates = found("d", "Dates\n\nProject 1 is due on May 3.", Match(words=0.3, meaning=0.3), heading_path=("Dates",))
    answer = answered("When is project 1 due, and can I have a partner?", rules, dates)
    assert "From **Doc › Rules**" in answer.markdown
    assert "From **Doc › Dates**" in answer.markdown


def test_the_name_of_a_work_alone_does_not_answer_a_part_about_it() -> None:
    table = "| Work | Due |\n|---|---|\n| Lab 1 | April 8 |\n| Lab 2 | May 1 |"
    dates = found("d", table, source=Source.LOGISTICS, heading_path=("Dates",))
    rules = found("r", "Pairs are allowed.", source=Source.LOGISTICS, heading_path=("Rules",))
    answer = answered("Can I do lab 2 with my friend, and when is it due?", rules, dates)
    assert "From **Doc › Rules**" in answer.markdown
    assert "From **Doc › Dates**" in answer.markdown
    assert "| Lab 2 | May 1 |" in answer.markdown
    assert "| Lab 1 |" not in answer.markdown


def test_two_questions_in_one_post_are_answered_one_by_one() -> None:
    parking = found("p", "Parking\n\nBicycles are parked behind the library.", heading_path=("Parking",))
    exam = found("e", "Exam\n\nThe exam lasts ninety minutes.", heading_path=("Exam",))
    answer = answered("Where are bicycles parked? And how many minutes does the exam last?", parking, exam)
    assert "From **Doc › Parking**" in answer.markdown
    assert "From **Doc › Exam**" in answer.markdown


def test_a_subject_that_the_course_only_shares_words_with_is_declined() -> None:
    course = found("a", "This chapter focuses our attention on the mean of a sample.", POOR)
    assert answered("how does attention work in transformers?", course).status == "abstained"


def test_what_the_router_takes_for_a_remark_gets_no_response_unless_it_asks() -> None:
    bikes = found("p", "Bicycles are parked behind the library.", POOR)

    def status(body: str) -> str:
        return written(
            WriteAnswer(course="c", question=Question(body=body), passages=(bikes,), nothing=0.8)
        ).status  # fmt: skip

    assert status("best lecture so far. that's the post") == "no_response_needed"
    assert status("best lecture so far, where are the slides?") == "abstained"


def test_a_staff_passage_is_neither_quoted_nor_named() -> None:
    secret = found("s", "Bicycles of staff are parked in the cellar.", visibility="staff")
    bikes = found("p", "Bicycles are parked behind the library.")
    answer = answered("where are bicycles parked?", secret, bikes)
    assert [citation.block_id for citation in answer.citations] == ["p"]
    assert "cellar" not in answer.markdown


def test_of_two_threads_with_one_error_the_one_with_its_message_answers() -> None:
    text = "window\nQuestion: OperationalError: near OVER\nAnswer (TA): Your version is too old."
    other = found("o", text, source=Source.QA)
    text = "locked\nQuestion: OperationalError: database is locked\nAnswer (TA): Close the other notebook."
    right = found("r", text, source=Source.QA)
    answer = answered("sqlite3.OperationalError: database is locked\n\nwhat now?", other, right)
    assert answer.citations[0].block_id == "r"


def test_each_of_two_questions_in_one_sentence_gets_its_passage() -> None:
    table = "| Work | Due |\n|---|---|\n| Problem Set 3 | March 28 |"
    calendar = found("c", table, source=Source.LOGISTICS, heading_path=("Calendar",))
    late = found("l", "A late token moves a deadline by a day.", source=Source.LOGISTICS, heading_path=("Late work",))
    shown = answered("When is PS3 due, and can I use a late token for it?", late, calendar).markdown
    assert "March 28" in shown
    assert "moves a deadline by a day" in shown


def test_rows_with_empty_cells_keep_their_header_and_a_sentence_of_numbers_is_quoted() -> None:
    page = "Week | Topic | Due\n1 | Tables |\n2 | Joins | Lab 2, May 2\nThe exam covers 1 to 6, 8 and 9."
    assert [piece.kind for piece in layout("Week | Topic | Due\n1 | Tables |\n2 | Joins | Lab 2")] == ["row", "row"]
    assert [piece.text for piece in layout("Chapters 1 to 6 and Homework 1 and 2.")]
    assert (
        "| 2 | Joins | Lab 2, May 2 |"
        in answered("when is lab 2 due?", found("t", page.rpartition("\n")[0], source=Source.LOGISTICS)).markdown
    )


def test_a_title_over_two_lines_is_not_repeated() -> None:
    title = "Storage and the trees of a database"
    text = "Storage and the trees\nof a database\n\nPages have eight kilobytes."
    page = found("t", text, title=title, heading_path=(title,))
    shown = answered("how large are pages?", page, abstain_below=0.0).markdown
    assert "> Pages have eight kilobytes." in shown
    assert "> Storage and the trees" not in shown


def test_cells_to_fill_in_and_their_tests_are_not_quoted_from_a_task() -> None:
    text = "Count the ships.\n```\n# YOUR CODE HERE\nraise NotImplementedError()\n```\n```\nassert n == 3\n```"
    task = found("t", text, source=Source.ASSIGNMENT, title="Homework 1")
    shown = answered("hw1 1: do we have to count the ships?", task).markdown
    assert "Count the ships." in shown
    assert "assert" not in shown
    assert "NotImplemented" not in shown


def test_a_task_that_is_no_more_than_its_heading_can_be_cited() -> None:
    wording = "(b) Which candidate keys does the relation have?"
    path = ("Problem Set 2", "Problem 1", wording)
    task = found("t", wording, source=Source.ASSIGNMENT, label="1b", title="Problem Set 2", heading_path=path)
    assert answered("ps2 1b: which keys are meant by candidate keys?", task).citations[0].block_id == "t"


def test_a_thread_on_another_task_than_the_one_that_is_named_is_no_help() -> None:
    other = THREAD.model_copy(update={"block_id": "o", "heading_path": ("hw1 1a colours",)})
    answer = answered("hw3 2b: I'm stuck, my plot does not mark the fastest ship", TASK, other)
    assert "draw the one that you want" not in answer.markdown


def test_bullets_of_slides_are_items() -> None:
    assert [piece.kind for piece in layout("· Single attributes\n· No superfluous ones")] == ["item", "item"]


def test_a_task_of_another_assignment_than_the_named_one_is_no_answer() -> None:
    assert answered("what does 2b of hw7 ask?", TASK).status == "abstained"
    assert answered("what does 2b of hw3 ask?", TASK).status == "answered"


def test_sentences_in_the_names_of_places_are_no_statements_without_a_source() -> None:
    heading = "2. Ships. The fastest ship of the harbour is painted red in the plot, and the slowest one is not"
    task = TASK.model_copy(update={"heading_path": ("Homework 3", heading), "title": "Homework 3"})
    other = found("o", "A ship in a plot is drawn over time.", heading_path=("Plots", heading))
    question = Question(body="hw3 2b: I'm stuck, how do I mark the fastest ship in the plot?")
    answer = written(WriteAnswer(course="c", question=question, passages=(task, THREAD, other), abstain_below=0.0))
    examined = Examined(answer, (task, THREAD, other), question)
    assert heading in answer.answer
    assert not examined.problems
    assert examined.confidence == answer.confidence


def test_a_sheet_is_known_by_its_file_where_its_headings_say_only_the_course() -> None:
    sheet = found(
        "s", "2. Dyes\nMix red and blue until the cloth is violet.", source=Source.ASSIGNMENT, label="2",
        title="COL101: Colours", heading_path=("COL101: Colours", "2. Dyes"),
    ).model_copy(update={"document": "hw4/sheet.pdf"})  # fmt: skip
    assert "violet" in answered("what does question 2 of hw4 ask us to mix?", sheet).markdown


def test_a_question_for_a_date_is_answered_by_the_sheet_that_has_it_in_its_heading() -> None:
    sheet = found(
        "s", "Hand in one file. Mix the dyes and describe the result.", source=Source.ASSIGNMENT,
        title="COL101: Colours", heading_path=("COL101: Colours", "Homework 4, due Friday May 12"),
    )  # fmt: skip
    rules = found("r", "Homework counts a fifth of the grade. It is graded within a week.", source=Source.LOGISTICS)
    draft = answered("when is homework 4 due?", rules, sheet)
    assert draft.status == "answered"
    assert "May 12" in draft.markdown.partition("See also")[0]


CODE = found("c", "```\nbroken_link = symlink(file)\nprint(broken_link)\n```", title="Broken links of a deleted file")
WORDS = found("w", "A broken link points to a deleted file; it is a link without a file.", title="Links")


def test_where_the_best_passage_is_code_alone_the_next_answers_in_words() -> None:
    answer = answered("why is the link of my deleted file broken", CODE, WORDS, abstain_below=0.0)
    assert "points to a deleted file" in answer.markdown


def test_what_is_not_answered_is_never_surer_than_what_is() -> None:
    answer = answered("why is the link of my deleted file broken", CODE, abstain_below=0.3)
    assert answer.status == "abstained"
    assert answer.confidence < 0.3
