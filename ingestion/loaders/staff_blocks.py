"""Solutions that Markdown sets apart by elements, fenced divisions, directives or comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingestion.document import Edge, LineKind
from ingestion.loaders.inline import edge_in_comment
from ingestion.loaders.staff_elements import attributes_of, block_says_solution, is_solution_title, says_solution
from ingestion.loaders.unseen import Hidden, hidden_by, is_unseen
from ingestion.solutions.marks import is_solution_marker

_CODE_SPAN = re.compile(r"(`{1,2})[^`\n]++\1")
_MARK = re.compile(
    r"<!--(?P<comment>[^<>\n]{0,80}?)-->"
    r"""|<(?P<close>/)?(?P<name>[A-Za-z][A-Za-z0-9]*)(?P<attributes>(?:\s(?:[^<>"'\n]|"[^"\n]*+"|'[^'\n]*+')*+)?)/?>"""
)
_SUMMARY = re.compile(r"\s*<summary\b[^<>]*>(.{0,200}?)</summary>", re.IGNORECASE | re.DOTALL)
_STYLE = re.compile(r"<style\b[^<>]*>([^<]*)</style>", re.IGNORECASE)
_WITHOUT_END = frozenset(("img", "input", "br", "hr", "meta", "link", "source", "wbr", "col"))
_TAG = re.compile(r"<[^<>]*>")
_MAX_CHARS = 400
_GATE = re.compile(r"\{?solution-(start|end)\b")
_OPTION = re.compile(r"\s*(?:#\|\s*|:)(?:label|tags?|name|class[\w.-]*)\s*:(?P<value>.*)$")
_MAX_OPTIONS = 8
_OUTPUTS = ("output", "cell-output", "stdout")
"""What a block of printed output is named in place of a language."""


@dataclass(frozen=True, slots=True)
class Planned:
    """The future of one source line; fields as in `Line`."""

    text: str
    kind: LineKind = LineKind.PROSE
    level: int = 0
    solution: bool = False
    closed: bool = False
    edge: Edge = ""
    staff: bool = False


def with_solutions(lines: Sequence[Planned]) -> list[Planned]:
    """The lines with solutions marked, each on lines of its own."""
    marked = _Splitter().split(lines) if any("<" in line.text for line in lines) else list(lines)
    return _mark_divisions(marked) if any(":::" in line.text for line in marked) else marked


def code_block(info: str, code: Sequence[str]) -> list[Planned]:
    """The lines of a block of code, or of a directive that is written like one."""
    if gate := _GATE.match(info.strip()):
        return [Planned("", edge=_gate(gate))]
    options = (match["value"] for line in code[:_MAX_OPTIONS] if (match := _OPTION.match(line)))
    is_solution = block_says_solution(info) or any(block_says_solution(f"{{{value}}}") for value in options)
    kind = LineKind.OUTPUT if info.strip(" {}.").casefold() in _OUTPUTS else LineKind.CODE
    return [Planned(line, kind, solution=is_solution, closed=is_solution) for line in code]


def _gate(match: re.Match[str]) -> Edge:
    return "begin" if match[1] == "start" else "end"


class _Splitter:
    """Cuts lines where elements that hold solutions, and comments that say so, begin and end."""

    def __init__(self) -> None:
        self._done: list[Planned] = []
        self._name = ""
        self._unseen = False
        self._hidden: Hidden = frozenset()
        self._depth = self._start = 0

    def split(self, lines: Sequence[Planned]) -> list[Planned]:
        self._hidden = hidden_by(_STYLE.findall("\n".join(line.text for line in lines)))
        for number, line in enumerate(lines):
            if line.kind is LineKind.PROSE and "<" in line.text:
                self._cut(line, "\n".join(below.text[:_MAX_CHARS] for below in lines[number + 1 : number + 3]))
            else:
                self._done.append(replace(line, solution=True, closed=True, staff=self._unseen) if self._name else line)
        return self._done if not self._name else self._reopen()

    def _reopen(self) -> list[Planned]:
        """An element that is never closed begins a solution, whose end is not known."""
        first, *rest = self._done[self._start :]
        open_again = [replace(line, solution=False, closed=False, staff=False) for line in rest]
        return [*self._done[: self._start], replace(first, closed=False), *open_again]

    def _cut(self, line: Planned, below: str) -> None:
        text, position, count = line.text, 0, len(self._done)
        plain = _CODE_SPAN.sub(lambda match: "`" * len(match.group()), text)
        for match in _MARK.finditer(plain):
            if (comment := match["comment"]) is not None:
                if not self._name and (edge := edge_in_comment(comment)):
                    self._add(text[position : match.start()])
                    self._done.append(Planned("", edge=edge))
                    position = match.end()
            elif not self._name:
                unseen = _is_unseen(match, self._hidden)
                if unseen or _opens(match, below):
                    self._unseen = unseen
                    self._add(text[position : match.start()])
                    position, self._start = match.start(), len(self._done)
                    self._name, self._depth = match["name"].casefold(), 1
            elif match["name"].casefold() == self._name:
                self._depth += -1 if match["close"] else 1
                if not self._depth:
                    self._add(text[position : match.end()])
                    position, self._name = match.end(), ""
        self._add(text[position:], needed=len(self._done) == count)
        if line.level:
            self._done[count] = replace(self._done[count], level=line.level)

    def _add(self, text: str, *, needed: bool = False) -> None:
        if needed or text.strip():
            self._done.append(
                Planned(
                    text, solution=bool(self._name), closed=bool(self._name), staff=bool(self._name) and self._unseen
                )
            )


def _opens(match: re.Match[str], below: str) -> bool:
    if match["close"] or match.group().endswith("/>"):
        return False
    name = match["name"].casefold()
    if name == "details":
        behind = match.string[match.end() : match.end() + _MAX_CHARS]
        summary = _SUMMARY.match(f"{behind}\n{below}")
        if summary and is_solution_title(_TAG.sub("", summary[1])):
            return True
    return bool(match["attributes"]) and says_solution(name, attributes_of(match["attributes"]))


def _is_unseen(match: re.Match[str], hidden: Hidden) -> bool:
    if match["close"] or match.group().endswith("/>") or match["name"].casefold() in _WITHOUT_END:
        return False
    return is_unseen(match["name"].casefold(), attributes_of(match["attributes"] or ""), hidden)


@dataclass
class _Division:
    """A fenced division that is open."""

    start: int
    is_solution: bool
    titled: bool = False
    is_gate: bool = False


def _mark_divisions(lines: Sequence[Planned]) -> list[Planned]:
    marked = list(lines)
    stack: list[_Division] = []
    solutions: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        text = line.text.strip()
        info = text.strip(": ")
        if line.kind is not LineKind.PROSE or not text.startswith(":::"):
            _read_title(stack, line)
        elif gate := _GATE.match(info):
            marked[number] = Planned("", edge=_gate(gate))
            stack.append(_Division(number, False, is_gate=True))
        elif info:
            stack.append(_Division(number, block_says_solution(info)))
        elif stack:
            _close(marked, solutions, stack.pop(), number)
    for number in (number for start, end in solutions for number in range(start, end + 1)):
        marked[number] = replace(marked[number], solution=True, closed=True)
    for division in stack:
        if division.is_solution:
            marked[division.start] = replace(marked[division.start], solution=True)
    return marked


def _close(marked: list[Planned], solutions: list[tuple[int, int]], division: _Division, end: int) -> None:
    """End a division. Of solutions inside each other, the first and the last line of the outermost stay noted."""
    if division.is_gate:
        marked[end] = Planned("")
    elif division.is_solution:
        while solutions and solutions[-1][0] > division.start:
            solutions.pop()
        solutions.append((division.start, end))


def _read_title(stack: Sequence[_Division], line: Planned) -> None:
    if stack and not stack[-1].titled and line.text.strip():
        stack[-1].titled = True
        stack[-1].is_solution |= line.level > 0 and is_solution_marker(line.text)
