"""Withholds code that solves an exercise: expressions of the official solution, whatever their variables are called.

Code is compared by its tokens wherever it stands: in a block, a line, a list, a quotation or a formula. Parentheses and
commas say nothing, strings may have any text, and names are numbered in their order, those of the language aside.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from core.text.fences import code_blocks
from core.text.python_code import parsed_python, python_code
from core.text.sentences import units

MIN_NODES = 6
"""Nodes of an expression from which it says how to solve something: `total = 0` and `return x` have fewer."""
MAX_KEPT = 512
"""Texts whose code is kept in memory."""
_INLINE = re.compile(r"`([^`\n]{6,})`")
_HEADER = re.compile(r"^\s*(?:if|elif|else|for|while|def|with|try|except|class)\b.*:\s*$")
_TOKEN = re.compile(
    r"(?P<string>(?<!\w)[rbfuRBFU]{0,2}(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'))"
    r"|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<attribute>(?<=[\w\])]\.)[^\W\d]\w*)|(?P<name>[^\W\d]\w*)"
    r"|(?P<operator>\*\*|//|==|!=|<=|>=|<<|>>|->|:=|[-+*/%=<>!&|^~\[\]{}.:@])"
)
_FURNITURE = re.compile(r"^(?:[ \t]*>)+|^[ \t>]*(?:[-*+]|\d{1,3}[.)])(?=\s)|\\(?:left|right)(?![a-z])", re.MULTILINE)
"""Marks of quotations and lists at the beginning of a line, and LaTeX that only sets."""
_LATEX = ((re.compile(r"\\(?:cdot|times)(?![a-z])"), "*"), (re.compile(r"\\leq?(?![a-z])"), "<="))
_LIKE = str.maketrans({"×": "*", "·": "*", "−": "-", "–": "-", "∗": "*", "“": '"', "”": '"', "‘": "'", "’": "'"})
_OWN = frozenset({*keyword.kwlist, *dir(builtins)})
"""Names of the language, which nobody can change."""
_NAME = "\0"

Skeleton = str
"""Tokens in a row, all names alike."""
Shape = tuple[str, ...]
"""The same with names numbered in their order."""


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The tokens of a text, and where each begins and ends."""

    words: Sequence[str]
    is_name: Sequence[bool]
    spans: Sequence[tuple[int, int]]

    def shape(self, start: int, count: int) -> Shape:
        numbers: dict[str, str] = {}
        chosen = range(start, start + count)
        return tuple(
            numbers.setdefault(self.words[n], f"{_NAME}{len(numbers)}") if self.is_name[n] else self.words[n]
            for n in chosen
        )

    @property
    def skeleton(self) -> list[str]:
        return [_NAME if is_name else word for word, is_name in zip(self.words, self.is_name, strict=True)]


def without_solution_code(markdown: str, solution: str, known: Iterable[str]) -> tuple[str, int]:
    """The text without code that has an expression of the solution which is not known, and how much was withheld."""
    return without_code(markdown, [solution], known)


def discloses(markdown: str, solution: str, known: Iterable[str]) -> bool:
    """Whether an answer has code of the solution."""
    return without_solution_code(markdown, solution, known)[1] > 0


def without_code(
    markdown: str, secret: Iterable[str], known: Iterable[str], asker: Iterable[str] = ()
) -> tuple[str, int]:
    """The text without the code spans, and else the sentences, lines and blocks, that have an expression of a secret
    text, and how many were withheld.

    What a known text has under any names is no secret, and of the asker's texts what is repeated as it stands there.
    """
    spans = code_spans(markdown, secret, known, asker)
    return _without(markdown, spans) if spans else (markdown, 0)


def code_spans(
    markdown: str, secret: Iterable[str], known: Iterable[str], asker: Iterable[str] = ()
) -> list[tuple[int, int]]:
    """Where the text has an expression of a secret text that is not known."""
    expressions = frozenset[Shape]().union(*map(_expressions, secret))
    found = list(_occurrences(_tokens(markdown), expressions)) if expressions else []
    if found:
        texts = [_tokens(text) for text in known]
        found = [one for one in found if not any(_has(text, one.shape) for text in texts)]
    if found:
        own = [f" {' '.join(_tokens(text).words)} " for text in asker]
        found = [one for one in found if not any(f" {one.words} " in text for text in own)]
    return [one.span for one in found]


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """Where a text has an expression, as what tokens, and in which form it was looked for."""

    span: tuple[int, int]
    words: str
    shape: Shape


def _occurrences(text: _Tokens, expressions: Iterable[Shape]) -> Iterator[_Occurrence]:
    tokens = text.skeleton
    skeleton = _joined(tokens)
    starts = {at: n for n, at in enumerate(accumulate((len(token) + 1 for token in tokens), initial=0))}
    for shape in expressions:
        wanted = _joined([_NAME if word.startswith(_NAME) else word for word in shape])
        at = skeleton.find(wanted)
        while at >= 0:
            start = starts[at]
            if text.shape(start, len(shape)) == shape:
                first, last = text.spans[start], text.spans[start + len(shape) - 1]
                words = " ".join(text.words[start : start + len(shape)])
                yield _Occurrence((first[0], last[1]), words, shape)
            at = skeleton.find(wanted, at + 1)


def _joined(tokens: Iterable[str]) -> Skeleton:
    return f" {' '.join(tokens)} "


def _has(text: _Tokens, shape: Shape) -> bool:
    return next(_occurrences(text, [shape]), None) is not None


def _without(markdown: str, spans: Sequence[tuple[int, int]]) -> tuple[str, int]:
    """The text without what has one of the spans: its code span if that has it whole, else its sentence or block."""
    inline = [match.span() for match in _INLINE.finditer(markdown)]
    blocks = list(_code_lines(markdown))
    cut: dict[tuple[int, int], str] = {}
    start = 0
    parts = []
    for unit in units(markdown):
        parts.append((start, start + len(unit.text)))
        start += len(unit.text)
    for first, last in spans:
        within = next((span for span in inline if span[0] <= first and last <= span[1]), None)
        if within is not None and not any(a <= first < b for a, b in blocks):
            cut[within] = "`…`"
        else:
            cut |= {part: "" for part in parts if part[0] < last and first < part[1]}
    text, at, count = [], 0, 0
    for (first, last), instead in sorted(cut.items()):
        if first >= at:
            text += [markdown[at:first], instead]
            count += 1
        at = max(at, last)
    return "".join([*text, markdown[at:]]), count


def _code_lines(markdown: str) -> Iterator[tuple[int, int]]:
    """Where the code blocks begin and end."""
    starts = [0]
    for line in markdown.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    yield from ((starts[block.first], starts[min(block.end, len(starts) - 1)]) for block in code_blocks(markdown))


def _tokens(text: str) -> _Tokens:
    """The tokens of a text, which keep their positions in it."""
    plain = _FURNITURE.sub(lambda match: " " * len(match[0]), text.translate(_LIKE).replace("\\_", "_ "))
    for pattern, operator in _LATEX:
        plain = pattern.sub(lambda match, operator=operator: operator.ljust(len(match[0])), plain)  # type: ignore[misc]
    words, is_name, spans = [], [], []
    for match in _TOKEN.finditer(plain):
        kind = match.lastgroup
        words.append('""' if kind == "string" else match[0])
        is_name.append(kind == "name" and match[0] not in _OWN)
        spans.append(match.span())
    return _Tokens(words, is_name, spans)


@lru_cache(maxsize=MAX_KEPT)
def _expressions(text: str) -> frozenset[Shape]:
    """The expressions of the code in a text, fenced or not, inline, or a single line of it."""
    pieces = (*python_code(text), *_INLINE.findall(text), text)
    return frozenset(shape for piece in pieces for code in _parts(piece) if (shape := _shape(code)))


def _shape(code: str) -> Shape:
    tokens = _tokens(code)
    return tokens.shape(0, len(tokens.words))


def _parts(code: str) -> Iterator[str]:
    """What of each statement solves something: its value or condition, if that has enough nodes."""
    for statement in _statements(code):
        for part in _solving(statement):
            nodes = sum(not isinstance(node, (ast.expr_context, ast.operator, ast.cmpop)) for node in ast.walk(part))
            if nodes >= MIN_NODES:
                yield ast.unparse(part)


def _solving(statement: ast.stmt) -> Sequence[ast.AST]:
    if isinstance(statement, ast.For):
        return (statement.iter,)
    if isinstance(statement, (ast.If, ast.While)):
        return (statement.test,)
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)):
        return (statement.value,) if statement.value is not None else ()
    return ()


def _statements(code: str) -> Iterator[ast.stmt]:
    """All statements; of code that cannot be parsed as a whole, those of its lines."""
    plain = textwrap.dedent(code)
    if (tree := parsed_python(plain)) is None:
        for line in plain.splitlines():
            tree = parsed_python(f"{line.strip()} pass" if _HEADER.match(line) else line.strip())
            if tree is not None:
                yield from (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
        return
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
