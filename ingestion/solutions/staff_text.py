"""Finds lines of an assignment that are for staff, by the lines around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from unicodedata import normalize

from ingestion.document import Edge, Line, LineKind, LoadedDocument
from ingestion.matter import MATTER
from ingestion.naming.names import announces_hidden
from ingestion.numbering import read_heading_number, read_number
from ingestion.solutions.marks import after_solution_marker, begins_solution, is_solution_marker
from ingestion.solutions.stubs import is_code_stub, is_placeholder
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
_COMMENT = re.compile(r"^\s*(?:\#|//|--|%|/\*|;)+(?P<text>.*)$")
_HIDDEN = re.compile(r"^\s*(?:\#|//|--)+\s*(?-i:HIDDEN)\s*$", re.IGNORECASE)
_TEST_SETTINGS = re.compile(r"^\W*BEGIN TEST CONFIG\b")
_HIDDEN_BY_SETTINGS = re.compile(r"^\W*hidden\s*:\s*(?:true|yes|on)\b", re.IGNORECASE)
_END_OF_SETTINGS = re.compile(r"\bEND TEST CONFIG\b")
_EXPRESSION = re.compile(r"^\s*\w+(?:\.[A-Za-z_]|\[|\s*=)")
_BEHIND_CODE = re.compile(r"^(?P<code>.*\w.*?)(?:\#|//)+\s*(?:BEGIN |START )?SOLUTION(?: NO PROMPT)?\s*$")
_LINE_TO_WRITE_ON = re.compile(r"^\s*(?:_{3,}\s*)+$")
_ENDS_ON_LINE = re.compile(r"\\end\{(?:solution\w*|answer|soln?|ans|loesung|lösung|corrige|rubric)\*?\}", re.IGNORECASE)


def with_staff_text(document: LoadedDocument, *, assignment: bool = True) -> LoadedDocument:
    """The document with solutions marked by what stands around them; elsewhere than in assignments, proofs are text."""
    lines = _Lines(document.lines)
    lines.close()
    lines.close_hidden_tests(by_word_alone=assignment)
    lines.close_in_code()
    lines.spare_places()
    lines.open(proofs=assignment)
    if not lines.changed:
        return document
    return replace(document, lines=tuple(lines.now), warnings=(*document.warnings, *lines.warnings))


class _Lines:
    """The lines of a document, and what has become of them."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self.now = list(lines)
        self.changed = False
        self.warnings: list[str] = []
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
        if number is None or kind == "tests":
            return
        line = self._lines[number]
        if line.kind is LineKind.PROSE:
            self._mark([number], closed=False)
            # To Markdown, "# BEGIN SOLUTION" is a heading, and the next questions would stand below it.
            self.now[number] = replace(self.now[number], level=0)
        else:
            end = self._end_of_code(number)
            self._mark(range(number, end), closed=True)
            self._shut_results(end - 1)
        if not line.edge:
            reach = "the next question" if line.kind is LineKind.PROSE else "the end of its code"
            self.warnings.append(f"{line.text.strip()[:60]!r} has no end: students see nothing up to {reach}.")

    def _end_of_code(self, number: int) -> int:
        """The line behind code that stands together, as in a cell or between fences."""
        first = self._lines[number]
        following = range(number + 1, len(self._lines))
        others = (n for n in following if (self._lines[n].kind, self._lines[n].cell) != (first.kind, first.cell))
        return next(others, len(self._lines))

    def _shut_results(self, end: int) -> None:
        """What code prints behind a solution in code may be the answer, up to the next question."""
        if self._lines[end].kind is LineKind.PROSE:
            return
        for number in range(max(end + 1, self._shut), len(self._lines)):
            line, self._shut = self._lines[number], number
            if line.kind is LineKind.OUTPUT:
                self._mark([number], closed=True)
            elif line.kind is LineKind.PROSE and (line.level or read_number(line.text) or _edge_of(line)[0]):
                return

    def close_hidden_tests(self, *, by_word_alone: bool) -> None:
        """Mark code below a comment or settings that hide its tests."""
        end = 0
        for number, line in enumerate(self._lines):
            if number >= end and line.kind is LineKind.CODE and self._hides_tests(number, by_word_alone):
                end = self._end_of_code(number)
                self._mark(range(number, end), closed=True)

    def _hides_tests(self, number: int, by_word_alone: bool) -> bool:
        text = self._lines[number].text
        if _TEST_SETTINGS.match(text):
            settings = (self._lines[n].text for n in range(number, self._end_of_code(number)))
            return any(
                map(_HIDDEN_BY_SETTINGS.match, takewhile(lambda one: not _END_OF_SETTINGS.search(one), settings))
            )
        comment = _COMMENT.match(text)
        is_named = comment is not None and announces_hidden(comment["text"])
        return is_named or (by_word_alone and bool(_HIDDEN.match(text)))

    def close_in_code(self) -> None:
        """Mark code below a comment that begins a solution, unless it is a stub."""
        end = 0
        for number, line in enumerate(self.now):
            if number < end or line.kind is not LineKind.CODE or not begins_solution(line) or line.solution:
                continue
            if _BEHIND_CODE.match(line.text):
                end = self._end_of_statement(number)
            elif _EXPRESSION.match(line.text) or self._heads_stub(number):
                self._spare(number)
                continue
            else:
                end = self._end_of_code(number)
            self._mark(range(number, end), closed=True)
            self._shut_results(end - 1)

    def _heads_stub(self, number: int) -> bool:
        below = "\n".join(self._lines[n].text for n in range(number + 1, self._end_of_code(number)))
        return not after_solution_marker(self._lines[number].text) and is_code_stub(below)

    def _end_of_statement(self, number: int) -> int:
        indent = _indent(self._lines[number].text)
        end = self._end_of_code(number)
        deeper = (
            n for n in range(number + 1, end) if (text := self._lines[n].text).strip() and _indent(text) <= indent
        )
        return next(deeper, end)

    def spare_places(self) -> None:
        """Titles of solutions above nothing but the place for one hide nothing."""
        for number, line in enumerate(self.now):
            is_title = (
                line.kind is LineKind.PROSE and not (line.solution or line.stub) and is_solution_marker(line.text)
            )
            if is_title and not after_solution_marker(line.text) and self._is_place(number + 1):
                self._spare(number)

    def _is_place(self, number: int) -> bool:
        """Whether the next text from a line on is the place for an answer, with nothing written in it."""
        start = next((n for n in range(number, len(self.now)) if self.now[n].text.strip()), None)
        if start is None:
            return False
        line, end = self.now[start], self._end_of_code(start)
        if line.kind is LineKind.CODE:
            return line.stub or is_code_stub("\n".join(one.text for one in self._lines[start:end]))
        if _LINE_TO_WRITE_ON.match(line.text):
            return True
        if not is_placeholder(line.text):
            return False
        behind = next((one for one in self.now[start + 1 :] if one.text.strip()), None)
        is_end = (
            behind is None
            or behind.kind is not LineKind.PROSE
            or (behind.cell is not None and behind.cell != line.cell)
        )
        return is_end or bool(behind and (behind.level or read_number(behind.text)))

    def _spare(self, number: int) -> None:
        self.now[number] = replace(self.now[number], stub=True)
        self.changed = True

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
        inside: set[int] = set()
        heading, question, any_question = 0, 0, False
        for number, line in enumerate(self._lines):
            if line.level:
                heading = line.level
                question_number = read_heading_number(line.text)
                if question_number and (question_number.named or question_number.question):
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
    if line.edge:
        return line.edge, "solution"
    match = _EDGE.match(line.text)
    if match is None:
        return "", ""
    word = (match["edge"] or match["behind"] or match["otter"] or match["latex"]).casefold()
    kind = "tests" if match["tests"] else (match["kind"] or "solution").split()[0].casefold().rstrip("s#->*_ ")
    kind = "hidden" if kind.startswith("hidden") else "solution" if kind.startswith("sol") else kind
    return ("end" if word == "end" else "begin"), kind


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _is_scheme_or_proof(text: str) -> bool:
    return bool(_SCHEME.match(text) or _PROOF.match(text))


def _is_task(text: str) -> bool:
    """True for a short sentence that asks for something. Proofs begin so too ("Write n = 2k"), with formulas."""
    return bool(_TASK.match(text)) and len(text.split()) <= _MAX_TASK_WORDS and not _FORMULA.search(text)
