"""Blocks of LaTeX: headings, questions, theorems, lists, tables, displayed formulas, solutions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.text.lines import tidy
from core.text.numerals import roman
from ingestion.document import Line, LineKind
from ingestion.loaders.staff_elements import block_says_solution
from ingestion.loaders.tex.inline import braces, plain

LEVELS = {
    "part": 1,
    "chapter": 2,
    "section": 3,
    "subsection": 4,
    "subsubsection": 5,
    "frametitle": 6,
    "paragraph": 6,
    "subparagraph": 0,
}
"""Of headings; 0 is a bold line."""
_THEOREMS = {
    name: name.capitalize()
    for name in (
        *("theorem", "lemma", "proposition", "corollary", "definition", "example", "remark", "claim", "fact", "note"),
        *("assumption", "conjecture", "proof", "algorithm", "exercise", "problem", "question", "task"),
    )
}
_COUNTED = frozenset(("Exercise", "Problem", "Question", "Task", "Homework", "Aufgabe"))
"""Theorems that are questions; their numbers are how students call them."""
_MATH = frozenset(("equation", "align", "gather", "multline", "displaymath", "eqnarray", "alignat", "flalign", "math"))
_ALIGNED = _MATH - {"equation", "displaymath", "math"}
_TABLES = frozenset(("tabular", "tabularx", "longtable", "tabulary", "tabu"))
_SOLUTION_MACROS = r"solution|sol|soln|answer|ans|sampleanswer|staffnote|instructornote"
_TOKEN = re.compile(
    r"\\begin\{(?P<begin>[A-Za-z]+)\*?\}|\\end\{(?P<end>[A-Za-z]+)\*?\}"
    rf"|\\(?P<heading>{'|'.join(LEVELS)})\*?(?:\[[^\]\n]{{0,200}}\])?\s?(?=\{{)"
    r"|\\(?P<item>item|question|titledquestion|part|subpart)\b(?:[ \t]*\[(?P<option>[^\[\]\n]{0,200})\])?"
    rf"|\\(?P<solution>{_SOLUTION_MACROS})(?=\{{)"
    r"|\\(?P<branch>if(?!f\b)[A-Za-z]+|else|fi)\b"
    r"|\\(?P<counting>set|addto)counter\{(?P<counter>[A-Za-z]{1,40})\}\{(?P<count>-?\d{1,4})\}"
)
_OPTION = re.compile(r"\s?\[(?P<option>[^\[\]\n]{0,200})\]")
_STAFF_CONDITION = re.compile(r"if\w*?(?:solution|answer|soln?s?$|staff|instructor|teacher)\w*", re.IGNORECASE)
_NEW_THEOREM = re.compile(r"\\newtheorem\*?\{(\w+)\}(?:\[\w+\])?\{([^{}\n]{1,60})\}")
_COUNTERS = {"enumi": 1, "enumii": 2, "enumiii": 3, "enumiv": 4}
_START = re.compile(r"\bstart\s*=\s*(\d{1,4})")
_RESUME = re.compile(r"\bresume\b")
_CELL = re.compile(r"(?<!\\)&")
_RULE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule)\b")
MAX_ROMAN_LABEL = 10
"""Items of the third level beyond it have a number."""
MAX_SOLUTION_DEPTH = 5


def theorem_names(preamble: str) -> dict[str, str]:
    """The names of environments for theorems, exercises and the like, with the word that is printed."""
    return {**_THEOREMS, **{match[1]: plain(match[2]).strip() for match in _NEW_THEOREM.finditer(preamble)}}


@dataclass
class _Environment:
    name: str
    solution: bool = False
    hidden: bool = False
    count: int = 0


@dataclass
class BlockWriter:
    """Writes lines. Texts come in order, and an environment may begin in one and end in another."""

    theorems: Mapping[str, str]
    lines: list[Line] = field(default_factory=list)
    _open: list[_Environment] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)
    _prefix: str = ""
    _frame: str = ""
    _depth: int = 0
    _last_list: int = 0
    """Items of the list that a resumed one continues."""

    def code(self, text: str) -> None:
        for row in text.strip("\n").split("\n"):
            self._write(tidy(row), LineKind.CODE)

    def prose(self, text: str) -> None:
        ends = braces(text)
        position = 0
        while match := _TOKEN.search(text, position):
            self._text(text[position : match.start()])
            position = self._token(match, ends)
        self._text(text[position:])

    def _token(self, match: re.Match[str], ends: Mapping[int, int]) -> int:
        if match["begin"]:
            return self._begin(match, ends)
        if match["end"]:
            self._end(match["end"])
        elif match["branch"]:
            self._branch(match["branch"])
        elif match["counter"]:
            self._count(match["counter"], int(match["count"]), is_set=match["counting"] == "set")
        elif match["heading"] and not (match["heading"] == "part" and self._within("parts")):
            return self._argument(match, ends, lambda words: self._heading(match["heading"], words))
        elif match["solution"]:
            return self._argument(match, ends, self._solution)
        else:
            self._item(match["item"] or "part", match["option"] or "")
        return match.end()

    def _argument(self, match: re.Match[str], ends: Mapping[int, int], use: Callable[[str], None]) -> int:
        end = ends.get(match.end())
        if end is None:
            return match.end()
        use(match.string[match.end() + 1 : end])
        return end + 1

    def _heading(self, name: str, words: str) -> None:
        title = " ".join(plain(words).replace("**", "").split())
        if name == "frametitle" and title == self._frame:
            return
        self._frame = title if name == "frametitle" else ""
        self._write(title, level=LEVELS[name], bold=not LEVELS[name])

    def _solution(self, words: str) -> None:
        self._open.append(_Environment("\\solution", solution=True))
        self._depth += 1
        self.prose(words) if self._depth <= MAX_SOLUTION_DEPTH else self._text(words)
        self._depth -= 1
        self._end("\\solution")

    def _begin(self, match: re.Match[str], ends: Mapping[int, int]) -> int:
        name, position = match["begin"], match.end()
        option = _OPTION.match(match.string, position)
        position = option.end() if option else position
        environment = _Environment(name, solution=block_says_solution(f"{{{name}}}"))
        self._open.append(environment)
        if name == "enumerate":
            environment.count = self._first_number(option["option"] if option else "")
        if name in _MATH:
            self._write("$$\\begin{aligned}" if name in _ALIGNED else "$$")
        elif name in self.theorems:
            self._theorem(self.theorems[name], option["option"] if option else "")
        elif name in _TABLES and (end := ends.get(position)) is not None:
            second = ends.get(end + 1)
            return (end if second is None else second) + 1
        elif name == "frame" and (end := ends.get(position)) is not None:
            self._heading("frametitle", match.string[position + 1 : end])
            return end + 1
        return position

    def _first_number(self, options: str) -> int:
        """The count before a list's first item, by the options of enumitem."""
        if start := _START.search(options):
            return int(start[1]) - 1
        return self._last_list if _RESUME.search(options) else 0

    def _theorem(self, word: str, option: str) -> None:
        title = f" ({plain(option).strip()})" if option else ""
        if word.capitalize() in _COUNTED:
            self._counts[word] += 1
            self._write(f"{word} {self._counts[word]}{title}", bold=True)
        else:
            self._write(f"{word}{title}.", bold=True)

    def _end(self, name: str) -> None:
        if not any(one.name == name for one in self._open):
            return
        if name in _MATH:
            self._write("\\end{aligned}$$" if name in _ALIGNED else "$$")
        while (environment := self._open.pop()).name != name:
            pass
        if name == "enumerate" and not self._within("enumerate"):
            self._last_list = environment.count

    def _branch(self, word: str) -> None:
        if word == "fi":
            self._end("\\if")
        elif word == "else":
            for environment in reversed(self._open):
                if environment.name == "\\if":
                    environment.solution, environment.hidden = False, False
                    return
        else:
            self._open.append(
                _Environment("\\if", solution=bool(_STAFF_CONDITION.fullmatch(word)), hidden=word == "iffalse")
            )

    def _item(self, kind: str, option: str) -> None:
        lists = [one for one in self._open if one.name in ("itemize", "enumerate", "description", "parts", "subparts")]
        if kind in ("question", "titledquestion"):
            self._counts["question"] += 1
            self._write(f"Question {self._counts['question']}.{_points(option)}", bold=True)
            return
        if not lists:
            return
        innermost = lists[-1]
        innermost.count += 1
        if kind in ("part", "subpart"):
            self._prefix = f"({_label(kind, innermost.count)}){_points(option)} "
            return
        depth = sum(one.name == "enumerate" for one in lists)
        indent = "  " * min(len(lists) - 1, 8)
        mark = (
            plain(option).strip()
            if option
            else ("-" if innermost.name != "enumerate" else _number(depth, innermost.count))
        )
        self._prefix = f"{indent}{mark} "

    def _count(self, counter: str, number: int, *, is_set: bool) -> None:
        depth = _COUNTERS.get(counter)
        if depth is None:
            counter = self.theorems.get(counter, counter)
            self._counts[counter] = number + (0 if is_set else self._counts[counter])
            return
        lists = [one for one in self._open if one.name == "enumerate"]
        if len(lists) >= depth:
            lists[depth - 1].count = number + (0 if is_set else lists[depth - 1].count)

    def _within(self, name: str) -> bool:
        return any(one.name == name for one in self._open)

    def _text(self, text: str) -> None:
        if not text.strip() and not text.count("\n") > 1:
            return
        if self._open and self._open[-1].name in _MATH:
            rows = [re.sub(r"\\label\{[^{}]*\}", "", row).strip() for row in text.split("\n")]
            for row in filter(None, rows):
                self._write(row)
            return
        if self._open and self._open[-1].name in _TABLES:
            text = _CELL.sub(" | ", _RULE.sub("", text))
            rows = [" ".join(row.split()) for row in plain(text.replace("\n", " ")).split("\n")]
            for row in filter(None, rows):
                self._write(row)
            return
        for row in plain(text).split("\n"):
            self._write(" ".join(tidy(row).split()))

    def _write(self, text: str, kind: LineKind = LineKind.PROSE, *, level: int = 0, bold: bool = False) -> None:
        if any(one.hidden for one in self._open):
            return
        if text and self._prefix and kind is LineKind.PROSE:
            text, self._prefix = self._prefix + text, ""
        if not text and (not self.lines or not self.lines[-1].text) and kind is LineKind.PROSE:
            return
        solution = any(one.solution for one in self._open)
        self.lines.append(
            Line(text, kind, level=0 if solution else level, bold=bold, solution=solution, closed=solution)
        )


def _points(option: str) -> str:
    return f" ({option} points)" if option.strip().isdecimal() else ""


def _number(depth: int, count: int) -> str:
    """How LaTeX numbers its lists: "1.", below it "(a)", below that "i."."""
    if depth == 2:
        return f"({_label('part', count)})"
    return f"{_label('subpart', count)}." if depth == 3 else f"{count}."


def _label(kind: str, count: int) -> str:
    if kind == "subpart":
        return roman(count) if count <= MAX_ROMAN_LABEL else str(count)
    return chr(ord("a") + (count - 1) % 26)
