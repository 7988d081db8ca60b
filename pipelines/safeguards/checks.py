"""What every written answer goes through before anybody sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from core.course import Unsupported, Writing
from core.text.marks import marked_sentences
from core.types import Answer, Doubt, Passage, Status, Visibility
from pipelines.safeguards import (
    NO_SECRETS,
    CourseSecrets,
    Prepare,
    PreparedText,
    open_texts,
    quoted,
    staff_texts,
    without_foreign,
    without_invisible,
    without_leaks,
)
from pipelines.safeguards.citations import numbers_in, verified
from pipelines.safeguards.statements import OWN_CODE, TASK_WORDING, Examined
from pipelines.tasks import WrittenAnswer

SHORT = 5000
"""Characters of an answer and its quotes that are checked in a few milliseconds, where no secrets are looked for."""
DEFAULT_WRITING = Writing()
_REFERENCE = re.compile(r"\[\d+\]")


def checked(
    examined: Examined,
    found: Sequence[Passage],
    writing: Writing = DEFAULT_WRITING,
    prepare: Prepare = PreparedText,
    secrets: CourseSecrets = NO_SECRETS,
) -> Answer:
    """The answer with its citations verified against the passages its writer was shown, and warnings for its reader.

    Statements without support are marked or left out. Invisible characters and opaque texts are removed. Sentences that
    repeat texts for staff alone, of all that was `found` and of the course, are withheld. Links and images that no
    cited passage has are removed. An answer of which nothing is left becomes an abstention. What is doubtful is named
    in warnings.
    """
    written, shown = examined.written, examined.shown
    known = open_texts(examined.question, found)
    public = partial(without_leaks, secret=staff_texts(found), known=known, prepare=prepare, course=secrets)
    whole = examined.markdown(writing)
    text, leaks = public(without_invisible(whole))
    is_cut = text != whole or bool(numbers_in(text) - set(range(1, len(shown) + 1)))
    answer = verified(written, shown, text)
    text, foreign = without_foreign(answer.markdown, _cited(answer, shown), known, lambda host: not public(host)[1])
    if text != answer.markdown:
        is_cut = True
        # What stood between two words may have kept them apart.
        text, more = public(text)
        leaks += more
        answer = answer.model_copy(update={"markdown": text})
    warnings = [*answer.warnings, *foreign]
    if leaks:
        warnings.append(f"{leaks} sentence(s) repeated a text for staff alone, such as a solution, and were withheld.")
    if answer.status is Status.ANSWERED and not re.search(r"\w", _REFERENCE.sub("", answer.markdown)):
        return Answer(status=Status.ABSTAINED, markdown="", warnings=(*warnings, "Nothing of the answer was left."))
    if answer.status is Status.ANSWERED:
        warnings += _doubts(examined, answer.markdown, writing)
    doubts = tuple(dict.fromkeys([*([Doubt.CUT] if is_cut else ()), *_typed_doubts(examined)]))
    mark = writing.mark if examined.unsupported and writing.unsupported is Unsupported.MARK else ""
    checked = {"warnings": tuple(warnings), "confidence": examined.confidence, "doubts": doubts, "mark": mark}
    return answer.model_copy(update=checked)


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
