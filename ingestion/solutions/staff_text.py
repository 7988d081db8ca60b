"""Finds lines of an assignment that are for staff, judged by the lines around them.

A proof may answer a question or be what the question is about; a rubric may be that of a question or of the whole
sheet; a solution that says where it ends hides nothing behind its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from unicodedata import normalize

from ingestion.document import Edge, Line, LineKind, LoadedDocument
from ingestion.matter import MATTER
from ingestion.numbering import read_heading_number, read_number
from ingestion.vocabulary import MARKING_SCHEMES, PROOFS, any_of

_PROOFS = any_of(PROOFS)
_PROOF = re.compile(
    rf"^[\W_]*(?:text(?:bf|it)\W+)?(?:{_PROOFS})(?:[ ](?:sketch|idea|outline))?(?:\s*\([^()]{{0,60}}\))?\s*"
    r"(?:[.:：。*_\]】}]|$)(?P<rest>.*)$"
    # "Proof of Theorem 2" begins a proof where it is set apart; in Chinese, "proof:" may say "prove:".
    rf"|^\W{{0,4}}(?P<mark>\*\*|__|\*|_)(?:(?:{_PROOFS})\s[^*_.:]{{1,60}}|证明|證明)[.:：。]?\s*(?P=mark)(?P<after>.*)$"
    r"|^\s*\\begin\{proof\}(?:\[[^\[\]]{0,60}\])?(?P<below>.*)$"
    r"|^(?:【(?:证明|證明)】|(?:证明|證明)[。:：]?$)(?P<behind>.*)$",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"^\W*(?:please |you |now )*(?:give|write|state|provide|prove|show|find|complete|fill|explain|describe|sketch"
    r"|outline|construct|present|supply|is|are|does|do|can|what|which|why|how|where|gib|geben|zeigen?|beweisen?|schreib\w*"
    r"|ergänzen?|führen?|donner|donnez|montrer|montrez|rédige[rz]?|complét\w+|écri\w+|da|dé|escrib\w+|demuestr\w+"
    r"|complet\w+|scriv\w+|dimostra\w*|докажите|приведите)\b",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"[=$\\<>≤≥∈]")
_MAX_TASK_WORDS = 15
_ON_A_PROOF = re.compile(
    rf"\b(?:following|this|below|given|incorrect|flawed|false|bogus|incomplete|student(?:'|’)?s|folgende\w*|diese\w*"
    rf"|suivante|cette|siguiente|esta|seguente)\b[^.?!]{{0,40}}\b(?:{_PROOFS}|argument\w*|reasoning)\b"
    rf"|\b(?:{_PROOFS})\b[^.?!]{{0,30}}\b(?:below|folgende\w*|suivante|siguiente|seguente|fehler\w*)\b"
    r"|\b(?:fill in|complete|critique|grade|correct|spot|read) (?:the|this|each)\b[^.?!]{0,40}\b(?:proofs?|argument)\b",
    re.IGNORECASE,
)
_ON_AN_ERROR = re.compile(
    r"^\W*(?:\(?\w{1,3}[.)]\s+)?(?:what|where|find|identify|explain|spot|which|is|was|wo|worin|finde\w*|où|trouve\w*|qué)\b"
    r".{0,60}\b(?:wrong|errors?|mistakes?|flaws?|flawed|incorrect|invalid|valid|fehler\w*|erreurs?|error(?:es)?)\b",
    re.IGNORECASE,
)
_LINES_BEFORE, _LINES_AFTER = 3, 40

_SCHEMES = any_of(MARKING_SCHEMES)
_SCHEME = re.compile(
    rf"^[\W_]*(?:text(?:bf|it)\W+)?(?:{_SCHEMES})"
    r"(?:\s+(?:for|to|of|zu|für|de|pour|para)\b[^.:：]{1,40})?\s*(?:[(\[][^()\[\]]{0,40}[)\]]\s*)?"
    r"(?:[:：.*_\]】}]|$|[–—-]+(?=\s|$))(?P<rest>.*)$",
    re.IGNORECASE,
)
_POINTS_ONLY = re.compile(r"^\W*(?:(?:points?|marks?|pts)\W*)?\d+(?:[.,]\d+)?\s*\w{0,8}\W*$")
_TO_STUDENTS = re.compile(
    r"\byour (?:final )?(?:grade|score|mark|work|report|project|submission|code|notebook|essay)s?\b"
    r"|\byou(?:(?:'|’)ll| will| can) (?:be|get|receive|earn)\b|\bIhr[e]?r? (?:Note|Abgabe)\b"
    r"|\bvotre (?:note|travail)\b",
    re.IGNORECASE,
)
_FOR_STAFF = re.compile(
    r"^[\W_]*(?:notes? (?:for|to) (?:the )?(?:graders?|markers?|tas?|tutors?|staff|instructors?)"
    r"|(?:graders?|markers?|tas?|tutors?|staff|instructors?) notes?|(?:for )?(?:staff|graders?|instructors?|tas?) only"
    r"|(?:hinweise? für|nur für) (?:die )?(?:korrektor\w*|tutor\w*|lehrende\w*))\s*(?:[:：.*_\])}]|$|[–—-]+(?=\s|$))"
    r"|^[\W_]*(?:hidden_tests?(?![a-z]).*|hidden tests?[\W_]*)$",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"^[\W_]*(?:(?:éléments?|proposition|indications) de )?correction(?:\s+(?:d[eu]|détaillée)\b[^.:]{0,40})?\s*"
    r"(?:[:.*_]|$)",
    re.IGNORECASE,
)
_FRENCH = re.compile(r"\b(?:le|la|les|des|une|est|soit|dans|que|pour|montrer|exercice|on)\b", re.IGNORECASE)
_ENGLISH = re.compile(r"\b(?:the|of|and|is|to|in|that|for|with)\b", re.IGNORECASE)

_EDGE = re.compile(
    r"^[\W_]*(?P<edge>begin|start|end)\s+(?P<kind>(?-i:SOL(?:UTIO)?N\b)|sol(?:utio)?ns?\W*$|hidden[ _]tests?\W*$"
    r"|mark scheme\W*$)"
    # Behind code, on its line.
    r"|^.*\S\s*(?:\#|//)+\s*(?P<behind>(?-i:BEGIN|START|END))\s+(?-i:SOLUTION)\s*$"
    r"|^\s*+(?:\#++|//++|%++|--)?\s*+(?P<otter>(?-i:BEGIN|END))\s+(?P<tests>(?-i:TESTS))\s*$"
    r"|^\s*\\(?P<latex>begin|end)\{(?P<environment>solution\w*|answer|soln?|ans|loesung|lösung|corrige|rubric)\*?\}",
    re.IGNORECASE,
)
_NAMED_HIDDEN_TESTS = re.compile(r"^\s*(?:\#|//|--)+\s*hidden[ _-]tests?\W*$", re.IGNORECASE)
_HIDDEN_TESTS = re.compile(rf"{_NAMED_HIDDEN_TESTS.pattern}|^\s*(?:\#|//|--)+\s*(?-i:HIDDEN)\s*$", re.IGNORECASE)
"""A comment above tests that students do not see."""
_ENDS_ON_LINE = re.compile(r"\\end\{(?:solution\w*|answer|soln?|ans|loesung|lösung|corrige|rubric)\*?\}", re.IGNORECASE)


def with_staff_text(document: LoadedDocument, *, assignment: bool = True) -> LoadedDocument:
    """The document with the lines marked that begin, or are, solutions by what stands around them.

    Other material than an assignment has proofs as text, and "# HIDDEN" leaves code out of a page, not out of sight.
    """
    lines = _Lines(document.lines)
    lines.close()
    lines.close_hidden_tests(_HIDDEN_TESTS if assignment else _NAMED_HIDDEN_TESTS)
    lines.open(proofs=assignment)
    return replace(document, lines=tuple(lines.now)) if lines.changed else document


class _Lines:
    """The lines of a document, and what has become of them."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self.now = list(lines)
        self.changed = False
        self._shut = 0
        """The line up to which the results of code are marked."""

    def close(self) -> None:
        """Mark what stands between the beginning and the end of a solution, and beginnings without an end."""
        begun: dict[str, int] = {}
        for number, line in enumerate(self._lines):
            edge, kind = _edge_of(line)
            if edge == "begin":
                # A beginning behind one that was never ended: the first is no more than a beginning.
                self._begin(begun.pop(kind, None), kind)
                begun[kind] = number
            if kind in begun and (edge == "end" or _ENDS_ON_LINE.search(line.text)):
                start = begun.pop(kind)
                self._mark(range(start, number + 1), closed=True)
                self._shut_results(number)
        for kind, number in begun.items():
            self._begin(number, kind)

    def _begin(self, number: int | None, kind: str) -> None:
        # Tests without an end are those that students run.
        if number is not None and kind != "tests":
            self._mark([number], closed=False)
            # To Markdown, "# BEGIN SOLUTION" is a heading, and the next questions would stand below it.
            self.now[number] = replace(self.now[number], level=0)

    def _shut_results(self, end: int) -> None:
        """What code prints behind a solution in code may be the answer, up to the next question."""
        if self._lines[end].kind is LineKind.PROSE:
            return
        for number in range(max(end + 1, self._shut), len(self._lines)):
            line, self._shut = self._lines[number], number
            if line.kind is not LineKind.PROSE:
                self._mark([number], closed=True)
            elif line.level or read_number(line.text) or _edge_of(line)[0]:
                return

    def close_hidden_tests(self, comment: re.Pattern[str]) -> None:
        """Mark code below a comment that says that its tests are hidden, up to the end of the code."""
        is_hidden = False
        for number, line in enumerate(self._lines):
            is_code = line.kind is not LineKind.PROSE and (number == 0 or line.cell == self._lines[number - 1].cell)
            is_hidden = (is_hidden and is_code) or (line.kind is LineKind.CODE and bool(comment.match(line.text)))
            if is_hidden:
                self._mark([number], closed=True)

    def open(self, *, proofs: bool) -> None:
        """Mark proofs, rubrics and corrections that answer a question."""
        schemes = [n for n, text in self._prose() if self._is_scheme(n, text)]
        proven = [n for n, text in self._prose() if proofs and self._is_proof(n, text)]
        corrections = [n for n, text in self._prose() if _CORRECTION.match(text)]
        self._mark((n for n, text in self._prose() if _FOR_STAFF.match(text)), closed=False)
        if corrections and self._is_french():
            self._mark(corrections, closed=False)
        if schemes or any(self._lines[n].level for n in proven):
            inside, any_question = self._inside()
            self._mark((n for n in schemes if n in inside or not (any_question or self._lines[n].level)), closed=False)
            proven = [n for n in proven if n in inside or not self._lines[n].level]
        self._mark(proven, closed=False)

    def _prose(self) -> Iterator[tuple[int, str]]:
        """What is not yet known to be a solution. Letters and their accents are one, as PDFs may not have them."""
        for number, line in enumerate(self.now):
            if line.kind is LineKind.PROSE and not line.solution:
                yield number, line.text if line.text.isascii() else normalize("NFC", line.text)

    def _is_french(self) -> bool:
        text = "\n".join(line.text for line in self._lines if line.kind is LineKind.PROSE)[:20_000]
        return len(_FRENCH.findall(text)) > len(_ENGLISH.findall(text))

    def _is_scheme(self, number: int, text: str) -> bool:
        match = _SCHEME.match(text)
        # "Grading scheme" heads what students read: what they are graded by.
        if match is None or MATTER.fullmatch(text.strip(" *_")) or _POINTS_ONLY.match(match["rest"] or " "):
            return False
        said = match["rest"].strip(" *_.:：") or next(self._texts(range(number + 1, len(self._lines))), "")
        return not _TO_STUDENTS.search(said)

    def _is_proof(self, number: int, text: str) -> bool:
        match = _PROOF.match(text)
        if match is None:
            return False
        following = self._texts(range(number + 1, len(self._lines)))
        rest = (match["rest"] or match["after"] or match["below"] or match["behind"] or "").strip(" *_.:：")
        if _is_task(rest or next(following, "")):
            return False
        before = " ".join(islice(self._texts(range(number - 1, -1, -1)), _LINES_BEFORE))
        after = islice(self._texts(range(number + 1, len(self._lines))), _LINES_AFTER)
        return not (_ON_A_PROOF.search(before) or _ON_AN_ERROR.search(before) or self._asks_for_error(after))

    def _asks_for_error(self, texts: Iterable[str]) -> bool:
        for text in texts:
            if (number := read_number(text)) and (number.named or number.question):
                return False
            if _ON_AN_ERROR.search(text):
                return True
        return False

    def _texts(self, numbers: Iterable[int]) -> Iterator[str]:
        return (text for n in numbers if (text := self._lines[n].text.strip()))

    def _inside(self) -> tuple[set[int], bool]:
        """The lines that stand in a question, and whether there is any question."""
        inside: set[int] = set()
        heading, question, any_question = 0, 0, False
        for number, line in enumerate(self._lines):
            if line.level:
                heading = line.level
                found = read_heading_number(line.text)
                if found and (found.named or found.question):
                    question, any_question = line.level, True
                elif line.level < question or (line.level == question and not _is_scheme_or_proof(line.text)):
                    question = 0
            elif line.kind is LineKind.PROSE and not question and read_number(line.text):
                question, any_question = heading + 1, True
            if question:
                inside.add(number)
        return inside, any_question

    def _mark(self, numbers: Iterable[int], *, closed: bool) -> None:
        for number in list(numbers):
            self.now[number] = replace(self.now[number], solution=True, closed=closed)
            self.changed = True


def _edge_of(line: Line) -> tuple[Edge, str]:
    """Whether a solution begins or ends at the line, and what kind of one."""
    if line.edge:
        return line.edge, "solution"
    match = _EDGE.match(line.text)
    if match is None:
        return "", ""
    word = (match["edge"] or match["behind"] or match["otter"] or match["latex"]).casefold()
    kind = "tests" if match["tests"] else (match["kind"] or "solution").split()[0].casefold().rstrip("s#->*_ ")
    kind = "hidden" if kind.startswith("hidden") else "solution" if kind.startswith("sol") else kind
    return ("end" if word == "end" else "begin"), kind


def _is_scheme_or_proof(text: str) -> bool:
    return bool(_SCHEME.match(text) or _PROOF.match(text))


def _is_task(text: str) -> bool:
    """True for a short sentence that asks for something. Proofs begin so too ("Write n = 2k"), with formulas."""
    return bool(_TASK.match(text)) and len(text.split()) <= _MAX_TASK_WORDS and not _FORMULA.search(text)
