"""What every text of a model goes through before anybody sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.course import Unsupported, Writing
from core.text.marks import marked_sentences
from core.types import Answer, Doubt, Passage, Question, Status, Visibility
from safeguards import (
    NO_SECRETS,
    CourseSecrets,
    Prepare,
    PreparedText,
    asker_texts,
    quoted,
    readable_texts,
    staff_texts,
    without_foreign,
    without_invisible,
    without_leaks,
    without_leaks_together,
)
from safeguards.citations import numbers_in, verified
from safeguards.solution_code import without_code
from safeguards.statements import OWN_CODE, TASK_WORDING, Examined
from tasks import WrittenAnswer

SHORT = 5000
"""Characters of an answer and its quotes that are checked in a few milliseconds, where no secrets are looked for."""
DEFAULT_WRITING = Writing()
_REFERENCE = re.compile(r"\[\d+\]")


@dataclass(frozen=True)
class Checked:
    """Texts that may be shown, how many sentences were withheld, and warnings about what was removed."""

    texts: list[str]
    withheld: int
    warnings: list[str]


@dataclass(frozen=True)
class Checks:
    """The checks of one run. `question` is as its asker wrote it, `found` what the run has found.

    `exercise` is the text that the work is for, `solution` the official solution.
    """

    question: Question
    found: Sequence[Passage] = ()
    exercise: str = ""
    solution: str = ""
    prepare: Prepare = PreparedText
    course: CourseSecrets = NO_SECRETS

    @property
    def holds_secrets(self) -> bool:
        """True if there are texts for staff to look for, which takes a while."""
        return bool(self.course or self._secret)

    def texts(self, texts: Sequence[str], cited: Sequence[str] = ()) -> Checked:
        """All checks of texts that are shown beside each other; `cited` are the texts that may name links."""
        left, withheld = self.withhold(texts)
        return self.remove_foreign(left, withheld, cited)

    def withhold(self, texts: Sequence[str]) -> tuple[list[str], int]:
        """The texts without invisible characters and without what repeats texts for staff; the count of the latter."""
        plain = [without_invisible(text) for text in texts]
        secret, known, asker = self._secret, self._known, asker_texts(self.question)
        if not (secret or self.course):
            return plain, 0
        if len(plain) == 1:
            text, withheld = without_leaks(plain[0], secret, known, self.prepare, self.course, asker)
            left = [text]
        else:
            left, withheld = without_leaks_together(plain, secret, known, self.prepare, self.course, asker)
        without = [without_code(text, secret, known, asker) for text in left]
        return [text for text, _ in without], withheld + sum(count for _, count in without)

    def remove_foreign(self, texts: Sequence[str], withheld: int, cited: Sequence[str]) -> Checked:
        """The texts without links, images and opaque tokens that no text backs, with `withheld` counted on."""
        known = [*self._known, *asker_texts(self.question)]
        pairs = [without_foreign(text, cited, known, self._is_public) for text in texts]
        left = [text for text, _ in pairs]
        if left != list(texts):
            # What stood between two words may have kept them apart.
            left, more = self.withhold(left)
            withheld += more
        return Checked(left, withheld, list(dict.fromkeys(warning for _, warnings in pairs for warning in warnings)))

    def _is_public(self, text: str) -> bool:
        return not self.withhold([text])[1]

    @property
    def _secret(self) -> list[str]:
        beside = (text for one in self.found for text in self.course.beside.get(one.block_id, ()))
        return [*dict.fromkeys([*staff_texts(self.found), *beside, *filter(None, [self.solution])])]

    @property
    def _known(self) -> list[str]:
        return [*readable_texts(self.found), *filter(None, [self.exercise])]


def withheld_warning(count: int) -> list[str]:
    """What a reviewer is told of so many sentences."""
    if not count:
        return []
    return [f"{count} sentence(s) repeated a text for staff alone, such as a solution, and were withheld."]


def checked(examined: Examined, checks: Checks, writing: Writing = DEFAULT_WRITING) -> Answer:
    """The answer with its citations verified against the passages its writer was shown, and warnings for its reader.

    Statements without support are marked or left out. Invisible characters and opaque texts are removed. Sentences that
    repeat texts for staff alone are withheld. Links and images that no cited passage has are removed. An answer of
    which nothing is left becomes an abstention. What is doubtful is named in warnings.
    """
    written, shown = examined.written, examined.shown
    whole = examined.markdown(writing)
    (text,), withheld = checks.withhold([whole])
    is_cut = text != whole or bool(numbers_in(text) - set(range(1, len(shown) + 1)))
    answer = verified(written, shown, text)
    left = checks.remove_foreign([answer.markdown], withheld, _cited(answer, shown))
    is_cut |= left.texts[0] != answer.markdown
    answer = answer.model_copy(update={"markdown": left.texts[0]})
    warnings = [*answer.warnings, *left.warnings, *withheld_warning(left.withheld)]
    if answer.status is Status.ANSWERED and not _says_something(answer.markdown, writing.mark):
        return Answer(status=Status.ABSTAINED, markdown="", warnings=(*warnings, "Nothing of the answer was left."))
    if answer.status is Status.ANSWERED:
        warnings += _doubts(examined, answer.markdown, writing)
    doubts = tuple(dict.fromkeys([*([Doubt.CUT] if is_cut else ()), *_typed_doubts(examined)]))
    mark = writing.mark if examined.unsupported and writing.unsupported is Unsupported.MARK else ""
    checked = {"warnings": tuple(warnings), "confidence": examined.confidence, "doubts": doubts, "mark": mark}
    return answer.model_copy(update=checked)


def _says_something(markdown: str, mark: str) -> bool:
    """Whether there is more than references and marks."""
    return bool(re.search(r"\w", _REFERENCE.sub("", markdown).replace(f"*{mark}*", "")))


def is_quick(written: WrittenAnswer) -> bool:
    """True where `checked` takes no longer than a change of threads under load, if no secrets are looked for."""
    return len(written.answer) + sum(len(source.quote) for source in written.citations) <= SHORT


def _cited(answer: Answer, shown: Sequence[Passage]) -> list[str]:
    """Texts of the passages that the answer cites and students may read."""
    cited = {citation.block_id for citation in answer.citations}
    return [one.text for one in shown if one.block_id in cited and one.visibility is Visibility.STUDENT]


def _doubts(examined: Examined, markdown: str, writing: Writing) -> Iterator[str]:
    """Warnings about what the answer states; they quote only what is left of it."""
    if count := len(examined.unsupported):
        if writing.unsupported is Unsupported.LEAVE_OUT:
            yield f"{count} statement(s) were left out: no quote from the material supports them."
        elif marked := _marked(markdown, writing.mark):
            first = quoted(marked[0])
            yield f"{len(marked)} statement(s) have no quote from the material that supports them, the first: “{first}”"
    problems = set(examined.problems.values())
    if TASK_WORDING in problems:
        yield "The answer repeats the wording of the task, where a hint was asked for."
    if OWN_CODE in problems:
        yield "The answer shows code for a task to hand in that is in no passage. Check that it gives no solution away."
    asked = len(examined.brief.parts)
    yield from (f"Question {n} of the {asked} in the post is not answered." for n in examined.open_parts)


def _typed_doubts(examined: Examined) -> Iterator[Doubt]:
    """What is doubtful about an answer before anything of it was cut."""
    if not examined.written.is_confidence_clear:
        yield Doubt.UNCLEAR_CONFIDENCE
    if examined.unsupported:
        yield Doubt.UNVERIFIED
    if examined.open_parts:
        yield Doubt.INCOMPLETE
    if {TASK_WORDING, OWN_CODE} & set(examined.problems.values()):
        yield Doubt.TASK


def _marked(markdown: str, mark: str) -> list[str]:
    """The sentences with the mark, without it and without references."""
    return [_REFERENCE.sub("", text).replace(" .", ".").strip() for text in marked_sentences(markdown, mark)]
