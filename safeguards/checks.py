"""What every text of a model goes through before anybody sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from core.course import Unsupported, Writing
from core.text.marks import REPEATS_STAFF, marked_sentences, with_marks
from core.text.sentences import units
from core.types import Answer, Audience, Doubt, Passage, Question, Status, Visibility
from safeguards import (
    NO_SECRETS,
    CourseSecrets,
    asker_texts,
    quoted,
    readable_texts,
    staff_texts,
    without_foreign,
    without_invisible,
)
from safeguards.citations import cited_numbers, numbers_in, verified
from safeguards.repeats import StaffTexts, without_repeats
from safeguards.solution_code import code_spans, without_code
from safeguards.solution_numbers import parts_with_results
from safeguards.statements import OWN_CODE, TASK_WORDING, Examined
from tasks import WrittenAnswer

SHORT = 5000
"""Characters of an answer and its quotes that are checked in a few milliseconds, where no secrets are looked for."""
DEFAULT_WRITING = Writing()
_REFERENCE = re.compile(r"\[\d+\]")


@dataclass(frozen=True)
class CheckedTexts:
    """Texts that may be shown, how many sentences were withheld, and warnings about what was removed."""

    texts: list[str]
    withheld: int
    warnings: list[str]


@dataclass(frozen=True)
class Checks:
    """The checks of one run. `question` is as its asker wrote it, `found` what the run has found.

    `exercise` is the text that the work is for, `solution` the official solution. What is shown without a person
    having read it loses what repeats a text for staff; an answer in a run for staff is marked there (decision 0063).
    """

    question: Question
    found: Sequence[Passage] = ()
    exercise: str = ""
    solution: str = ""
    course: CourseSecrets = NO_SECRETS
    audience: Audience = Audience.STUDENTS

    @property
    def holds_secrets(self) -> bool:
        """True if there are texts for staff to look for, which takes a while."""
        return bool(self._staff)

    def texts(self, texts: Sequence[str], cited: Sequence[str] = ()) -> CheckedTexts:
        """All checks of texts that are shown beside each other; `cited` are the texts that may name links."""
        left, withheld = self.without_repeats([without_invisible(text) for text in texts])
        pairs = [self.without_foreign(text, cited) for text in left]
        if [text for text, _ in pairs] != left:
            # What stood between two words may have kept them apart.
            left, more = self.without_repeats([text for text, _ in pairs])
            withheld += more
        return CheckedTexts(
            left, withheld, list(dict.fromkeys(warning for _, warnings in pairs for warning in warnings))
        )

    def without_foreign(self, text: str, cited: Sequence[str]) -> tuple[str, list[str]]:
        """The text without invisible characters, and without links and images that no text backs; warnings."""
        return without_foreign(without_invisible(text), cited, lambda host: not self.without_repeats([host])[1])

    def without_repeats(self, texts: Sequence[str]) -> tuple[list[str], int]:
        """The texts without what repeats texts for staff; how many sentences that were."""
        left, withheld = without_repeats(texts, self._staff)
        pairs = [without_code(text, self._staff.secret, self._staff.known, self._staff.asker) for text in left]
        return [text for text, _ in pairs], withheld + sum(count for _, count in pairs)

    def with_marks(self, text: str) -> tuple[str, int]:
        """The text with marks where it repeats texts for staff, or states their results; how many sentences."""
        parts = [unit.text for unit in units(text)]
        spans = code_spans(text, self._staff.secret, self._staff.known, self._staff.asker)
        places = enumerate(zip(accumulate(map(len, parts), initial=0), accumulate(map(len, parts)), strict=False))
        with_code = {n for n, (start, end) in places if any(a < end and start < b for a, b in spans)}
        known = (*self._staff.known, *self._staff.asker)
        results = parts_with_results(parts, self._staff.secret, known)
        repeated = self._staff.repeated(parts) | with_code | results
        return with_marks(text, repeated, REPEATS_STAFF), len(repeated)

    @cached_property
    def _staff(self) -> StaffTexts:
        beside = (text for one in self.found for text in self.course.beside.get(one.block_id, ()))
        return StaffTexts(
            [*dict.fromkeys([*staff_texts(self.found), *beside, *filter(None, [self.solution])])],
            [*readable_texts(self.found), *filter(None, [self.exercise])],
            self.course,
            asker_texts(self.question),
        )


def withheld_warning(count: int) -> list[str]:
    """What a reviewer is told of so many sentences that were left out."""
    if not count:
        return []
    return [f"{count} sentence(s) repeated a text for staff alone, such as a solution, and were withheld."]


def marked_warning(count: int) -> list[str]:
    """What a reviewer is told of so many sentences that were marked."""
    if not count:
        return []
    return [f"{count} sentence(s) repeat a text for staff alone, such as a solution: see “{REPEATS_STAFF}”."]


def checked(examined: Examined, checks: Checks, writing: Writing = DEFAULT_WRITING) -> Answer:
    """The answer with its citations verified against the passages its writer was shown, and warnings for its reader.

    Statements without support are marked or left out. Invisible characters, and links and images that no cited passage
    has, are removed. Sentences that repeat texts for staff alone are withheld, or marked in a run for staff. An answer
    of which nothing is left becomes an abstention. What is doubtful is named in warnings.
    """
    written, shown = examined.written, examined.shown
    whole = examined.markdown(writing)
    cited = _cited(written, shown, whole)
    repeated = 0
    if checks.audience is Audience.STAFF:
        left, warnings = checks.without_foreign(whole, cited)
        text, repeated = checks.with_marks(left)
        warnings += marked_warning(repeated)
    else:
        public = checks.texts([whole], cited)
        text = left = public.texts[0]
        warnings = [*public.warnings, *withheld_warning(public.withheld)]
    is_cut = left != whole or bool(numbers_in(left) - set(range(1, len(shown) + 1)))
    answer = verified(written, shown, text)
    warnings = [*answer.warnings, *warnings]
    if answer.status is Status.ANSWERED and not _says_something(answer.markdown, writing.mark):
        return Answer(status=Status.ABSTAINED, markdown="", warnings=(*warnings, "Nothing of the answer was left."))
    if answer.status is Status.ANSWERED:
        warnings += _doubts(examined, answer.markdown, writing)
    typed = (Doubt.CUT,) * is_cut + (Doubt.STAFF_TEXT,) * bool(repeated)
    doubts = tuple(dict.fromkeys([*typed, *_typed_doubts(examined)]))
    mark = writing.mark if examined.unsupported and writing.unsupported is Unsupported.MARK else ""
    checked = {"warnings": tuple(warnings), "confidence": examined.confidence, "doubts": doubts, "mark": mark}
    return answer.model_copy(update=checked)


def _says_something(markdown: str, mark: str) -> bool:
    """Whether there is more than references and marks."""
    return bool(re.search(r"\w", _REFERENCE.sub("", markdown).replace(f"*{mark}*", "")))


def is_quick(written: WrittenAnswer) -> bool:
    """True where `checked` takes no longer than a change of threads under load, if no secrets are looked for."""
    return len(written.answer) + sum(len(source.quote) for source in written.citations) <= SHORT


def _cited(written: WrittenAnswer, shown: Sequence[Passage], markdown: str) -> list[str]:
    """Texts of the passages that the answer cites and students may read."""
    cited = (shown[number - 1] for number in cited_numbers(written, shown, markdown))
    return [one.text for one in cited if one.visibility is Visibility.STUDENT]


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
    if examined.unsupported or not examined.is_backed:
        yield Doubt.UNVERIFIED
    if examined.open_parts:
        yield Doubt.INCOMPLETE
    if {TASK_WORDING, OWN_CODE} & set(examined.problems.values()):
        yield Doubt.TASK


def _marked(markdown: str, mark: str) -> list[str]:
    """The sentences with the mark, without it and without references."""
    return [_REFERENCE.sub("", text).replace(" .", ".").strip() for text in marked_sentences(markdown, mark)]
