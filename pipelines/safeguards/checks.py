"""What every written answer goes through before anybody sees it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from core.text.sentences import units
from core.types import Answer, Passage, Question, Status, Visibility
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
from pipelines.safeguards.citations import verified
from pipelines.tasks import WrittenAnswer

CLAIM_WORDS = 6
"""Shorter sentences, such as "Good luck!", seldom state a fact."""
SHORT = 5000
"""Characters of an answer and its quotes that are checked in a few milliseconds, where no secrets are looked for."""
_REFERENCE = re.compile(r"\[\d+\]")
_INTRODUCTION = re.compile(r"\[\d+\]\W*$")
_ASIDE = re.compile(r"\*[^*]+\*")
_NO_CLAIM = re.compile(
    r"\W*(hi|hello|hey|great|good|nice|thanks?|thank you|hope|i hope|let me|let us|feel free|please|try|think|consider|"
    r"check|look|see|start|remember|recall|compare|ask|if you (are|get|still|have)|could you|can you|what|which|"
    r"how|from)\b",
    re.IGNORECASE,
)


def checked(
    written: WrittenAnswer,
    shown: Sequence[Passage],
    found: Sequence[Passage],
    question: Question,
    prepare: Prepare = PreparedText,
    secrets: CourseSecrets = NO_SECRETS,
) -> Answer:
    """The answer with its citations verified against the passages its writer was shown, and warnings for its reader.

    Invisible characters go. Sentences that repeat texts for staff alone, of all that was `found` and of the
    course, are withheld. Opaque
    texts go, and links and images that no cited passage has. An answer of which nothing is left becomes an abstention.
    Statements without a reference are named in a warning.
    """
    known = open_texts(question, found)
    public = partial(without_leaks, secret=staff_texts(found), known=known, prepare=prepare, course=secrets)
    text, leaks = public(without_invisible(written.answer))
    answer = verified(written.model_copy(update={"answer": text}), shown)
    text, foreign = without_foreign(answer.markdown, _cited(answer, shown), known, lambda host: not public(host)[1])
    if text != answer.markdown:
        # What stood between two words may have kept them apart.
        text, more = public(text)
        leaks += more
        answer = answer.model_copy(update={"markdown": text})
    warnings = [*answer.warnings, *foreign]
    if leaks:
        warnings.append(f"{leaks} sentence(s) repeated a text for staff alone, such as a solution, and were withheld.")
    if answer.status is Status.ANSWERED and not re.search(r"\w", _REFERENCE.sub("", answer.markdown)):
        return Answer(status=Status.ABSTAINED, markdown="", warnings=(*warnings, "Nothing of the answer was left."))
    if answer.status is Status.ANSWERED and (claims := uncited(answer.markdown)):
        warnings.append(f"{len(claims)} statement(s) without a source, the first: “{quoted(claims[0])}”")
    return answer.model_copy(update={"warnings": tuple(warnings)})


def _cited(answer: Answer, shown: Sequence[Passage]) -> list[str]:
    """Texts of the passages that the answer cites and students may read."""
    cited = {citation.block_id for citation in answer.citations}
    return [one.text for one in shown if one.block_id in cited and one.visibility is Visibility.STUDENT]


def is_quick(written: WrittenAnswer) -> bool:
    """True where `checked` takes no longer than a change of threads under load, if no secrets are looked for."""
    return len(written.answer) + sum(len(quoted.quote) for quoted in written.citations) <= SHORT


def uncited(markdown: str) -> list[str]:
    """Sentences that state something and refer to no passage; questions, hints, headings, quotes and code do not."""
    lines = ("" if _states_nothing(line.strip(" \t")) else line for line in markdown.split("\n"))
    prose = (unit.text.strip() for unit in units("\n".join(lines)) if not unit.is_code)
    return [text for text in prose if _is_claim(text) and not _REFERENCE.search(text)]


def _states_nothing(line: str) -> bool:
    """True of quotes, headings, table rows, asides, and of what introduces a quote."""
    introduces = line.endswith(":") and _INTRODUCTION.search(line, 0, len(line) - 1)
    return bool(line.startswith((">", "#", "|")) or introduces or _ASIDE.fullmatch(line))


def _is_claim(text: str) -> bool:
    return len(text.split()) >= CLAIM_WORDS and not text.endswith(("?", ":")) and not _NO_CLAIM.match(text)
