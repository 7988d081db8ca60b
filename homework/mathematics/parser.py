"""Parses the pieces of one expression, from LaTeX or plain text, by recursive descent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from homework.mathematics.pieces import Piece, UnitPiece
from homework.mathematics.tokens import MathToken, TokenKind
from homework.mathematics.trees import (
    LIST,
    Name,
    Number,
    Operation,
    Tree,
    UnitFactor,
    UnreadableMathematics,
    as_number,
    brackets_of,
    has_operator,
    leaves_of,
)
from homework.mathematics.units import Unit, unit_of_word

MAX_PIECES = 150
MAX_DEPTH = 12

_COMMAND_TEXTS = {"frac": "", "Omega": "Ω", "pi": "π", "theta": "θ", "mu": "μ", "sigma": "σ"}
_CLOSING = {"(": (")", "]"), "[": ("]", ")"), "{": ("}",), "\\{": ("\\}",), "]": ("[", "]")}
_PI = Operation("pi", ())


@dataclass(frozen=True)
class Expression:
    """A parsed expression. `readings` are its trees, the likeliest first: `1/2x` is (1/2)x, or else 1/(2x).

    `number` is set where the whole is one, with a sign, a power of ten, a unit or a percent sign. `bare_unit` tells
    that a single letter was read as a unit.
    """

    text: str
    readings: tuple[Tree, ...]
    number: Number | None = None
    bare_unit: bool = False
    plain_numbers: tuple[float, ...] = ()
    """Numbers that have no unit and are no exponent."""

    @property
    def tree(self) -> Tree:
        """As it is most likely meant."""
        return self.readings[0]

    @cached_property
    def names(self) -> frozenset[str]:
        """Its variables."""
        return frozenset(leaf.text for leaf in leaves_of(self.tree) if isinstance(leaf, Name))

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Its distinct units in order."""
        return tuple(dict.fromkeys(leaf.unit for leaf in leaves_of(self.tree) if isinstance(leaf, UnitFactor)))

    @cached_property
    def decimals(self) -> tuple[Number, ...]:
        """Its numbers with a decimal point."""
        return tuple(leaf for leaf in leaves_of(self.tree) if isinstance(leaf, Number) and leaf.is_decimal)

    @cached_property
    def has_two_values(self) -> bool:
        """Whether there is a ± in it."""
        return has_operator(self.tree, "±")

    @property
    def brackets(self) -> str:
        """What encloses the whole if it is a list, behind which a unit may stand; else nothing."""
        tree = self.tree
        while isinstance(tree, Operation) and tree.operator == "*" and isinstance(tree.parts[1], UnitFactor):
            tree = tree.parts[0]
        return brackets_of(tree)

    @property
    def name(self) -> str | None:
        """The variable that the whole expression is, if it is one."""
        return self.tree.text if isinstance(self.tree, Name) else None


def expression_of(pieces: Sequence[Piece]) -> Expression:
    """Parse the pieces. Raises `UnreadableMathematics`."""
    if not pieces or len(pieces) > MAX_PIECES:
        raise UnreadableMathematics
    text = text_of(pieces)
    called = _called_name(pieces)
    if called is not None:
        pieces = [MathToken(TokenKind.name, called)]
    elif _is_point(pieces):
        pieces = pieces[1:]
    tree = _Parser(pieces).parse()
    others = [_Parser(pieces, grouped=True).parse(), _Parser(pieces, swapped=True).parse(), *_loose(pieces)]
    return Expression(
        text,
        (tree, *(other for other in dict.fromkeys(others) if other != tree)),
        _number(pieces),
        any(isinstance(piece, UnitPiece) and piece.bare for piece in pieces),
        tuple(_plain_numbers(pieces)),
    )


def text_of(pieces: Sequence[Piece]) -> str:
    """The pieces as one can read them."""
    shown = [
        (" " if piece.spaced and at else "")
        + (piece.unit.text if isinstance(piece, UnitPiece) else _COMMAND_TEXTS.get(piece.text, piece.text))
        for at, piece in enumerate(pieces)
    ]
    joined = re.sub(r"\{(\w|[\d.]+)\}", r"\1", "".join(shown).replace("}{", ")/("))
    return joined.replace("{", "(").replace("}", ")").strip()


def _text(piece: Piece) -> str:
    return piece.text if isinstance(piece, MathToken) else ""


def _is_operator(piece: Piece, signs: str) -> bool:
    return isinstance(piece, MathToken) and piece.kind is TokenKind.operator and piece.text in signs


def _loose(pieces: Sequence[Piece]) -> Iterator[Tree]:
    """The tree of `a - b / c` read as (a - b)/c: one division, spaced, behind a sum."""
    divisions = [at for at, piece in enumerate(pieces) if _is_operator(piece, "/")]
    if len(divisions) != 1 or any(isinstance(piece, MathToken) and piece.kind is TokenKind.open for piece in pieces):
        return
    at = divisions[0]
    if pieces[at].spaced and any(_is_operator(piece, "+-") for piece in pieces[1:at]):
        yield _Parser(
            [MathToken(TokenKind.open, "("), *pieces[:at], MathToken(TokenKind.close, ")"), *pieces[at:]]
        ).parse()


def _plain_numbers(pieces: Sequence[Piece]) -> Iterator[float]:
    for at, piece in enumerate(pieces):
        after = pieces[at + 1] if at + 1 < len(pieces) else None
        has_unit = isinstance(after, UnitPiece) or (after is not None and _is_operator(after, "°"))
        is_number = isinstance(piece, MathToken) and piece.kind is TokenKind.number
        if (
            isinstance(piece, MathToken)
            and is_number
            and not has_unit
            and not (at and _is_operator(pieces[at - 1], "^"))
        ):
            yield as_number(piece).value


def _called_name(pieces: Sequence[Piece]) -> str | None:
    """`P(A)`, `f(x)`, `Var(X)`: a name with its argument is a name, if nothing else stands there."""
    tokens = [piece for piece in pieces if isinstance(piece, MathToken)]
    if (
        len(tokens) != len(pieces)
        or len(tokens) < 4
        or tokens[0].kind is not TokenKind.name
        or tokens[1].text not in "(["
    ):
        return None
    inner = tokens[2:-1]
    closed = tokens[-1].kind is TokenKind.close and not any(
        token.kind in (TokenKind.open, TokenKind.close) for token in inner
    )
    if not closed or tokens[1].spaced:
        return None
    has_name = any(
        token.kind in (TokenKind.name, TokenKind.comma, TokenKind.bar, TokenKind.relation) for token in inner
    )
    is_sum = any(_is_operator(token, "+-") for token in inner)
    return "".join(token.text for token in tokens) if (has_name or tokens[0].text in "fghPEF") and not is_sum else None


def _is_point(pieces: Sequence[Piece]) -> bool:
    """`V(3, -4)`: a capital letter names a point."""
    first = pieces[0]
    is_named = (
        isinstance(first, MathToken) and first.kind is TokenKind.name and len(first.text) == 1 and first.text.isupper()
    )
    kinds = [piece.kind if isinstance(piece, MathToken) else None for piece in pieces[1:]]
    return (
        is_named
        and len(kinds) > 3
        and kinds[0] is TokenKind.open
        and TokenKind.comma in kinds
        and TokenKind.name not in kinds
    )


def _number(pieces: Sequence[Piece]) -> Number | None:
    """The number that the pieces are: with a sign, a power of ten, a unit or a percent sign, but no other operation."""
    shown = [piece for piece in pieces if isinstance(piece, MathToken)]
    sign = 1.0
    while shown and shown[0].text in ("-", "+"):
        sign = -sign if shown[0].text == "-" else sign
        shown = shown[1:]
    if not shown or shown[0].kind is not TokenKind.number:
        return None
    number = as_number(shown[0])
    scale = 1.0
    rest = [piece.text for piece in shown[1:]]
    if rest[:3] == ["*", "10", "^"] and (exponent := "".join(rest[3:]).strip("{}()")).lstrip("-+").isdigit():
        scale, rest = 10.0 ** max(-300, min(300, int(exponent))), []
    elif rest == ["%"]:
        scale, rest = 0.01, []
    if rest:
        return None
    return Number(sign * number.value * scale, number.half_digit * scale, number.digits, number.is_decimal)


class _Parser:
    """Parses one expression.

    `grouped` reads `1/2x` as 1/(2x). A unit behind a division belongs to the whole, `5/4 h`, unless there is one before
    it, `12 V/4 A`; `swapped` reads that the other way.
    """

    def __init__(self, pieces: Sequence[Piece], *, grouped: bool = False, swapped: bool = False) -> None:
        self._pieces = pieces
        self._grouped = grouped
        self._swapped = swapped
        self._position = 0
        self._depth = 0

    def parse(self) -> Tree:
        """The tree. Raises `UnreadableMathematics`."""
        tree = self._sum()
        if self._position < len(self._pieces):
            raise UnreadableMathematics
        return tree

    def _peek(self) -> Piece | None:
        return self._pieces[self._position] if self._position < len(self._pieces) else None

    def _shown(self) -> str:
        piece = self._peek()
        return piece.text if isinstance(piece, MathToken) else ""

    def _accept(self, *texts: str) -> str:
        """The text of the next piece if it is one of these, which is passed then; else nothing."""
        shown = self._shown()
        if not shown or shown not in texts:
            return ""
        self._position += 1
        return shown

    def _sum(self) -> Tree:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise UnreadableMathematics
        tree = self._signed(self._product)
        while sign := self._accept("+", "-", "±", "∪"):
            tree = Operation(sign, (tree, self._signed(self._product)))
        self._depth -= 1
        return tree

    def _signed(self, parse: Callable[[], Tree]) -> Tree:
        sign = self._accept("+", "-", "±")
        if not sign:
            return parse()
        tree = self._signed(parse)
        if sign == "±":
            return Operation("±", (Number(0.0), tree))
        return Operation("neg", (tree,)) if sign == "-" else tree

    def _product(self) -> Tree:
        tree = self._factors()
        while operator := self._accept("*", "/"):
            is_negative = self._accept("+", "-") == "-"
            divides = operator == "/"
            factor = self._divisor(tree) if divides and not self._grouped else self._factors()
            while self._grouped and divides and self._accept("*"):
                # "240 / 2*0.80" may mean that both factors divide.
                factor = Operation("*", (factor, self._factors()))
            factor = Operation("neg", (factor,)) if is_negative else factor
            tree = Operation(operator, (tree, factor))
            while not self._grouped and self._starts_factor():
                tree = Operation("*", (tree, self._power()))
        return tree

    def _factors(self) -> Tree:
        """Factors side by side."""
        tree = self._power()
        while self._starts_factor():
            tree = Operation("*", (tree, self._power()))
        return tree

    def _divisor(self, above: Tree) -> Tree:
        """One factor, with its units if they belong to it."""
        tree = self._power()
        has_units = any(isinstance(leaf, UnitFactor) for leaf in leaves_of(above))
        while has_units != self._swapped and isinstance(self._peek(), UnitPiece):
            tree = Operation("*", (tree, self._power()))
        return tree

    def _starts_factor(self) -> bool:
        piece = self._peek()
        if piece is None or isinstance(piece, UnitPiece):
            return piece is not None
        if piece.kind in (TokenKind.close, TokenKind.comma, TokenKind.bar, TokenKind.relation):
            return False
        return piece.kind is not TokenKind.operator or piece.text in "√°%"

    def _power(self) -> Tree:
        tree = self._atom()
        while sign := self._accept("^", "!", "'", "°", "%"):
            if sign == "'":
                raise UnreadableMathematics  # The derivative of a term.
            if sign == "^":
                exponent = self._exponent()
                is_transposed = brackets_of(tree) and exponent == Name("T")
                tree = tree if is_transposed else Operation("^", (tree, exponent))
            elif sign == "%":
                tree = Operation("/", (tree, Number(100.0)))
            else:
                tree = Operation("!", (tree,)) if sign == "!" else self._in_degrees(tree)
        return tree

    def _in_degrees(self, tree: Tree) -> Tree:
        unit = unit_of_word("degree")
        return Operation("*", (tree, UnitFactor(unit))) if unit else tree

    def _exponent(self) -> Tree:
        return self._signed(self._atom)

    def _atom(self) -> Tree:
        piece = self._peek()
        if piece is None:
            raise UnreadableMathematics
        self._position += 1
        if isinstance(piece, UnitPiece):
            return UnitFactor(piece.unit)
        if piece.kind is TokenKind.number:
            return as_number(piece)
        if piece.kind is TokenKind.name:
            return self._name(piece.text)
        if piece.kind is TokenKind.open:
            return self._group(piece.text)
        if piece.kind is TokenKind.function:
            return self._function(piece.text)
        if piece.kind is TokenKind.command:
            return self._command(piece.text)
        if piece.kind is TokenKind.bar:
            return self._absolute()
        if piece.kind is TokenKind.operator and piece.text == "√":
            return Operation("sqrt", (self._atom(),))
        raise UnreadableMathematics

    def _name(self, text: str) -> Tree:
        if text == "pi":
            return _PI
        if text == "e" and self._accept("^"):
            return Operation("exp", (self._exponent(),))
        return Name(text)

    def _group(self, opened: str) -> Tree:
        """What stands in brackets; separated by commas it is a list."""
        parts = [self._sum()]
        while self._accept(",", ";"):
            parts.append(self._sum())
        closed = self._accept(*_CLOSING[opened])
        if not closed:
            raise UnreadableMathematics
        is_list = len(parts) > 1 or opened == "\\{"
        return Operation(f"{LIST}{opened}{closed}", tuple(parts)) if is_list else parts[0]

    def _absolute(self) -> Tree:
        inner = self._sum()
        if not self._accept("|"):
            raise UnreadableMathematics
        return Operation("abs", (inner,))

    def _function(self, name: str) -> Tree:
        base: Tree | None = None
        power: Tree | None = None
        while sign := self._accept("_", "^"):
            if sign == "_":
                base = self._atom()
            else:
                power = self._exponent()
        argument = self._argument()
        if power == Operation("neg", (Number(1.0, 0.5, 1),)) and not name.startswith("arc"):
            return Operation(f"arc{name}", (argument,))
        tree = Operation(name, (argument, base) if base else (argument,))
        return Operation("^", (tree, power)) if power else tree

    def _argument(self) -> Tree:
        """What a function is applied to: a parenthesis, or the factors up to the next sign."""
        if self._shown() in _CLOSING or self._shown() == "|":
            tree = self._atom()
            return self._in_degrees(tree) if self._accept("°") else tree
        if self._accept("-"):
            return Operation("neg", (self._argument(),))
        tree = self._power()
        while self._starts_factor() and not self._is_function_or_group():
            tree = Operation("*", (tree, self._power()))
        return tree

    def _is_function_or_group(self) -> bool:
        piece = self._peek()
        return isinstance(piece, MathToken) and piece.kind in (TokenKind.function, TokenKind.open, TokenKind.command)

    def _command(self, name: str) -> Tree:
        if name == "frac":
            return Operation("/", (self._operand(), self._operand()))
        if name == "binom":
            return Operation("binomial", (self._operand(), self._operand()))
        if name == "sqrt":
            root = self._group("[") if self._accept("[") else None
            radicand = self._operand()
            return (
                Operation("^", (radicand, Operation("/", (Number(1.0), root))))
                if root
                else Operation("sqrt", (radicand,))
            )
        raise UnreadableMathematics

    def _operand(self) -> Tree:
        """An operand of a command: braces, or a single digit or letter (`\\frac12`)."""
        piece = self._peek()
        if (
            isinstance(piece, MathToken)
            and piece.kind is TokenKind.number
            and len(piece.text) > 1
            and piece.text.isdigit()
        ):
            digits = [
                MathToken(TokenKind.number, text, piece.spaced, piece.math) for text in (piece.text[0], piece.text[1:])
            ]
            self._pieces = [*self._pieces[: self._position], *digits, *self._pieces[self._position + 1 :]]
        return self._atom()
