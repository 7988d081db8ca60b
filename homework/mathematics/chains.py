"""Splits the pieces of a line into chains of expressions with relations between them; prose is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from homework.mathematics.pieces import Piece, UnitPiece
from homework.mathematics.tokens import MathToken, TokenKind

MAX_PRODUCT_LETTERS = 3

_NOT_NAMES = {"a", "I", "A"}
_JOINING = {"and", "or"}
_CUTTING = {"\\sum", "\\prod", "\\lim", "\\iint", "\\begin", "\\end", "\\overline", "\\det", "∑", "∏", "∫", "..."}
"""Signs of operations that are not read: of the expression with one of them nothing is known."""
_LEFT_OUT = MathToken(TokenKind.word, "…")
"""Stands for an expression that is not read."""


@dataclass(frozen=True)
class Chain:
    """Expressions with the relations between them: `v = 2 * 3 = 6 m/s` has three expressions and two relations.

    `joined` tells that only a comma, "and" or "or" stands before it; `boxed` that it is a marked answer; `continued`
    that it begins with a relation, so that its first expression is the last one of the chain before.
    """

    expressions: tuple[tuple[Piece, ...], ...]
    relations: tuple[str, ...]
    joined: bool = False
    boxed: bool = False
    continued: bool = False


def chains_of(pieces: Sequence[Piece]) -> list[Chain]:
    """The chains of a line in order; a single expression between words is a chain of one."""
    return _Splitter(pieces).chains()


class _Splitter:
    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self._chains: list[Chain] = []
        self._expressions: list[list[Piece]] = [[]]
        self._relations: list[str] = []
        self._depth = 0
        self._joined = False
        self._boxed = False
        self._is_cut = False

    def chains(self) -> list[Chain]:
        for position, piece in enumerate(self._pieces):
            self._step(position, piece)
        self._finish()
        return self._chains

    def _step(self, position: int, piece: Piece) -> None:
        if self._is_cut and not self._ends_cut(piece):
            return
        if isinstance(piece, UnitPiece):
            self._expressions[-1].append(piece)
        elif piece.kind is TokenKind.boxed:
            self._finish()
            self._boxed = True
        elif self._boxed and piece.text == "{" and self._follows_box(position):
            pass
        elif self._boxed and piece.text == "}" and self._depth == 0:
            self._finish()
            self._boxed = False
        elif piece.kind is TokenKind.relation and self._depth == 0:
            self._relations.append(piece.text)
            self._expressions.append([])
        elif piece.kind is TokenKind.arrow:
            self._finish()
        elif piece.kind is TokenKind.comma and self._depth == 0:
            self._finish(joined=piece.text == ",")
        elif piece.kind is TokenKind.word or self._is_prose(position, piece):
            self._word(position, piece)
        else:
            self._depth += {TokenKind.open: 1, TokenKind.close: -1}.get(piece.kind, 0)
            if self._depth < 0:
                self._finish()
            else:
                self._expressions[-1].append(piece)

    def _follows_box(self, position: int) -> bool:
        before = self._pieces[position - 1]
        return isinstance(before, MathToken) and before.kind is TokenKind.boxed

    def _is_prose(self, position: int, piece: MathToken) -> bool:
        """Whether a single letter outside a formula is a word: "a ball", "I think"."""
        if piece.kind is not TokenKind.name or piece.math or piece.text not in _NOT_NAMES:
            return False
        return not (self._binds(position - 1) or self._binds(position + 1) or self._is_argument(position))

    def _is_argument(self, position: int) -> bool:
        """Whether the piece stands at the edge of a parenthesis, as in `P(A)`."""
        before, after = self._pieces[max(position - 1, 0)], self._pieces[min(position + 1, len(self._pieces) - 1)]
        return _kind(before) is TokenKind.open or _kind(after) is TokenKind.close

    def _binds(self, position: int) -> bool:
        """Whether the piece at `position` joins what stands beside it into one expression."""
        if not 0 <= position < len(self._pieces):
            return False
        piece = self._pieces[position]
        return isinstance(piece, MathToken) and (
            piece.kind is TokenKind.relation or (piece.kind is TokenKind.operator and piece.text not in "%°!")
        )

    def _is_sign(self, position: int) -> bool:
        """Whether a minus belongs to the number behind it: "Result -1 + 2"."""
        shown = self._pieces[position : position + 2]
        return len(shown) == 2 and _text(shown[0]) == "-" and shown[0].spaced and not shown[1].spaced

    def _word(self, position: int, piece: MathToken) -> None:
        """A word ends the expression, unless a relation or operator makes it a name: `mean = 4`."""
        if piece.text in _CUTTING:
            self._cut()
            return
        bound = self._binds(position - 1)
        binds = self._binds(position + 1) and not self._is_sign(position + 1)
        if self._depth or not (binds or bound) or not piece.text.isalpha():
            self._finish(joined=piece.text in _JOINING and not self._depth)
            return
        if not bound:
            self._finish(joined=self._joined)
        started = bool(self._expressions[-1] or self._relations)
        letters = piece.text if started and len(piece.text) <= MAX_PRODUCT_LETTERS else [piece.text]
        # "mv^2" and "at" behind a sign are products; "KE" before one is a name.
        for at, letter in enumerate(letters):
            self._expressions[-1].append(MathToken(TokenKind.name, letter, piece.spaced and at == 0, piece.math))

    def _cut(self) -> None:
        """Leave out the expression around this place; its chain goes on behind the next relation."""
        self._is_cut = True
        self._expressions[-1] = [_LEFT_OUT]

    def _ends_cut(self, piece: Piece) -> bool:
        if isinstance(piece, UnitPiece):
            return False
        self._depth += {TokenKind.open: 1, TokenKind.close: -1}.get(piece.kind, 0)
        ends = piece.kind is TokenKind.arrow or (
            piece.kind in (TokenKind.relation, TokenKind.comma) and self._depth <= 0
        )
        self._is_cut = not ends
        if not self._is_cut:
            self._depth = 0
        return not self._is_cut

    def _finish(self, *, joined: bool = False) -> None:
        expressions = [tuple(_stripped(expression)) for expression in self._expressions]
        continued = bool(self._relations) and not expressions[0]
        if continued:
            expressions = expressions[1:]
        kept = bool(expressions) and any(expressions)
        if kept:
            relations = tuple(self._relations)
            self._chains.append(Chain(tuple(expressions), relations, self._joined, self._boxed, continued))
        self._expressions, self._relations, self._depth, self._is_cut = [[]], [], 0, False
        self._joined = joined or (not kept and self._joined)


def _kind(piece: Piece) -> TokenKind | None:
    return piece.kind if isinstance(piece, MathToken) else None


def _stripped(expression: list[Piece]) -> list[Piece]:
    """An expression without the punctuation that prose leaves at its ends."""
    pieces = [piece for piece in expression if piece == _LEFT_OUT or _kind(piece) is not TokenKind.word]
    while (
        pieces
        and isinstance(pieces[-1], MathToken)
        and pieces[-1].kind is TokenKind.operator
        and pieces[-1].text in "*-_^"
    ):
        pieces.pop()
    return pieces


def _text(piece: Piece) -> str:
    return piece.text if isinstance(piece, MathToken) else ""
