"""What stands under a numbered line: a task, a choice, or boilerplate."""

from __future__ import annotations

import re
from itertools import accumulate, pairwise
from statistics import mean

from ingestion.document import LineKind, LoadedDocument
from ingestion.solutions.marks import begins_solution
from ingestion.vocabulary import POINTS, any_of

MAX_LINES = 60
"""Lines of an item that are looked at."""
_SPACE = 0.8
"""White space between items, in heights of a line, from which on they are set apart."""

_VERBS = re.split(
    r",\s+",
    """
    explain, describe, define, derive, prove, show, compute, calculate, determine, find, give, state, name,
    discuss, compare, sketch, evaluate, solve, simplify, suppose, consider, let, assume, given, what, which,
    why, how, when, where, who, estimate, justify, interpret, identify, classify, verify, argue, construct,
    design, implement, plot, draw, list, is, are, does, do you, true or false, fill in, choose, select all,
    rewrite, express, obtain, predict, deduce, conclude, suggest, propose, outline, illustrate, circle, match,
    complete, factor, berechne, bestimme, zeige, beweise, erkläre, begründe, gib, geben, sei, seien, gegeben,
    beschreibe, warum, welche, wie, was, zeigen, berechnen, bestimmen, beweisen, erklären, calcule, calcula,
    calcular, demuestra, explica, halla, determina, soit, montrer, montrez, démontrer, calculer, déterminer,
    expliquer, expliquez, justifier, quelle, pourquoi, encuentra, докажите, найдите, вычислите, объясните,
    calcolare, dimostrare, trovare, prove, mostre
    """.strip(),
)
_ASKS = re.compile(
    r"[?？؟]|(?:^|[.:;!]\s+|\n\s*|\)\s*|\]\s*)(?:\(?[a-z]\)\s*)?"
    rf"(?:{'|'.join(sorted(_VERBS, key=len, reverse=True))})\b"
    rf"|\d\s*(?:{any_of(POINTS)})\b"
    r"|证明|證明|计算|計算|求|说明|說明|解释|解釋|写出|寫出|画出|判断|简述|試|试|述べよ|求めよ|示せ|答えよ|なさい|구하|설명|증명|계산",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"\b(?:your (?:full )?name|student (?:id|number)|exam(?:ination)?|minutes|calculators?|cheat ?sheets?|submit"
    r"|submission|gradescope|canvas|moodle|deadline|late|upload|honou?r code|closed[- ]book|open[- ]book|no credit"
    r"|partial credit|download|install|click|log ?in|sign up|restart|kernel|run all|save|pages?|instructions?"
    r"|terminal|pip|conda|git|github|repo\w*|browser|faq"
    r"|collaborat\w+|cheating|abgabe|name und matrikel\w*|hilfsmittel|taschenrechner|klausur"
    r"|姓名|学号|考试|学號)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:which (?:one )?of|choose|select|circle|tick|pick|multiple[- ]choice"
    r"|mark (?:all|one|the)|check (?:all|one|the)|best (?:answer|describes)|welche der|kreuze|cuál de|lequel|laquelle"
    r")\b|下列|以下哪|次のうち",
    re.IGNORECASE,
)
_LAST_SENTENCE = re.compile(r"[^.?!。？]*[.?!:：。？_…]*$")
_OF_EACH = re.compile(r"\b(?:each|every|following|these|below)\b|folgende|suivant|siguiente", re.IGNORECASE)
_UNFINISHED = re.compile(
    r"\b(?:is|are|was|were|because|by|equals|means|called|that|of|when|if|to)\s*(?:[:：]|_{2,}|…|\.{3})$", re.IGNORECASE
)
"""The beginning of a sentence that each of the items below may complete."""
_ENUMERATES = re.compile(
    r"\b(?:files?|layers?|architecture|steps|structure|components?|columns|variables|features|fields|attributes"
    r"|parameters|hyperparameters|settings|options|assumptions|properties|classes|categories|folders?|director(?:y|ies)"
    r"|packages|libraries|inputs?|outputs?|arguments|operations|notation|terms|definitions|tables|data ?sets?|items"
    r"|materials?|ingredients|reagents)\b[^.?!]{0,80}:$",
    re.IGNORECASE,
)
_LISTS = (
    "rubric|grading|instructions?|steps?|set-?up|installation|goals?|objectives?|outcomes?|you will (?:learn|know)"
    "|agenda|outline|topics|contents|requirements|deliverables|references|reading list|resources|tips|shortcuts"
    "|reminders|rules|hinweise|anleitung|ablauf|lernziele|instrucciones|objetivos|consignes|objectifs"
)
_LISTING = re.compile(
    rf"^\W*(?:\w+\s)?(?:{_LISTS})\W*$|\b(?:{_LISTS})\b[^.?!]{{0,60}}:$|注意事项|学习目标|步骤", re.IGNORECASE
)
POINTS_OR_ASKED = re.compile(rf"\d\s*(?:{any_of(POINTS)}|pkt)\b|\bpoints?\s*[:=]\s*\d|[?？]\s*$", re.IGNORECASE)
"""In the title of a heading, what tells a question: its points, or that it asks."""
_WORD = re.compile(r"[^\W\d_]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def asks(text: str) -> bool:
    """True if a text asks or tells somebody to do something."""
    return bool(_ASKS.search(text))


class Statements:
    """The lines under numbered lines of one document."""

    def __init__(self, document: LoadedDocument) -> None:
        self.document = document
        self._solutions = [
            line.solution or (line.kind is LineKind.PROSE and begins_solution(line)) for line in document.lines
        ]
        self._solutions_before = [*accumulate(self._solutions, initial=0)]
        opening = (found and not line.closed for found, line in zip(self._solutions, document.lines, strict=True))
        self._opened_before = [*accumulate(opening, initial=0)]

    def solution_within(self, start: int, end: int) -> bool:
        return self._solutions_before[end] > self._solutions_before[start]

    def in_solution(self, start: int, line: int) -> bool:
        """True if a solution begins between two lines and goes on."""
        return self._opened_before[line] > self._opened_before[start + 1]

    def of(self, start: int, end: int) -> list[str]:
        """The filled lines of an item, up to its solution."""
        texts: list[str] = []
        for number in range(start, min(end, start + MAX_LINES)):
            if self._solutions[number] and number > start:
                break
            if text := self.document.lines[number].text.strip():
                texts.append(text)
        return texts

    def content(self, borders: list[int]) -> float:
        """Mean number of lines of the items."""
        return mean(len(self.of(first, last)) for first, last in pairwise(borders))

    def asking(self, borders: list[int]) -> float:
        return mean(bool(_ASKS.search(self._words(first, last))) for first, last in pairwise(borders))

    def questioning(self, borders: list[int]) -> float:
        return mean(bool(re.search("[?？؟]", self._words(first, last))) for first, last in pairwise(borders))

    def boilerplate(self, borders: list[int]) -> float:
        """Share of items about exam, hand-in or computer."""
        return mean(bool(_BOILERPLATE.search(self._words(first, last))) for first, last in pairwise(borders))

    def sentences(self, borders: list[int]) -> float:
        """Share of items that are whole sentences."""
        return mean(_is_sentence(self._words(first, last)) for first, last in pairwise(borders))

    def longer_than(self, words: int, borders: list[int]) -> float:
        return mean(len(_WORD.findall(self._words(first, last))) > words for first, last in pairwise(borders))

    def introduces_list(self, line: int) -> bool:
        """True if the line above announces steps, rules, goals or the like."""
        above = (self.document.lines[n].text.strip() for n in range(line - 1, max(line - 4, -1), -1))
        return bool(_LISTING.search(next(filter(None, above), "")[-120:]))

    def offers_choice(self, start: int, end: int) -> bool:
        return bool(_CHOICE.search(self._before(start, end)))

    def asks_to_complete(self, start: int, end: int) -> bool:
        """True if the text before is one question, or a sentence that items complete."""
        last = _LAST_SENTENCE.search(self._before(start, end))
        if last is None or _OF_EACH.search(last[0]):
            return False
        return last[0].endswith(("?", "？")) or bool(_UNFINISHED.search(last[0]) and not _ASKS.search(last[0]))

    def enumerates(self, line: int) -> bool:
        """True if the line above announces things: "with the following layers:"."""
        above = (self.document.lines[n].text.strip() for n in range(line - 1, max(line - 4, -1), -1))
        return bool(_ENUMERATES.search(next(filter(None, above), "")[-160:]))

    def poses(self, start: int, end: int, *, needs_verb: bool) -> bool:
        """True if the text before sets a task for each item."""
        text = self._before(start, end)
        return text.endswith((":", ".", "：", "。")) and (not needs_verb or bool(_ASKS.search(text)))

    def _before(self, start: int, end: int) -> str:
        return "\n".join(self.of(max(start, 0), end))[-400:]

    def apart(self, borders: list[int]) -> bool:
        """True if most items have white space before them."""
        gaps = [self._gap(line) for line in borders[1:-1]]
        known = [gap for gap in gaps if gap is not None]
        # What fills a page each is apart.
        return 2 * sum(known) > len(known) if known else bool(gaps)

    def _gap(self, line: int) -> bool | None:
        """Whether there is white space before a line; None at the head of a page."""
        before, here = self.document.lines[line - 1], self.document.lines[line]
        if here.box is None or before.box is None:
            return not before.text.strip() or before.kind is not LineKind.PROSE
        if before.page != here.page:
            return None
        return here.box[1] - before.box[3] > _SPACE * (here.box[3] - here.box[1])

    def _words(self, first: int, last: int) -> str:
        # The number itself has been read; what it stands for begins behind it.
        text = "\n".join(self.of(first, last)[:12])
        return re.sub(r"^[\W_]*\w{1,4}[\W_]+", "", text, count=1)


def _is_sentence(text: str) -> bool:
    words, end = len(_WORD.findall(text)) + len(_WIDE.findall(text)) // 2, text.rstrip()[-1:]
    return (words >= 2 and end in tuple(".?!。？！")) or (words >= 4 and end in tuple(":);：；"))
