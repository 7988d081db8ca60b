"""An expression of a submission as a SymPy tree: written anew from known tokens as LaTeX, then parsed by a library.

Every name, unit and number becomes a numbered symbol, and nothing but operators and known functions is passed on, so no
text of a student is parsed or evaluated as code, and expressions of one form are parsed once. The trees are not
evaluated either: `9^{9^9}` costs nothing until its value is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeGuard

from latex2sympy2_extended import latex2sympy
from latex2sympy2_extended.latex2sympy2 import ConversionConfig

from homework.mathematics.latex import Number, UnreadableMathematics, Writer, as_number
from homework.mathematics.pieces import Piece, UnitPiece
from homework.mathematics.tokens import Kind, Token
from homework.mathematics.units import Unit

MAX_PIECES = 150

_CONVERSION = ConversionConfig(interpret_as_mixed_fractions=False, lowercase_symbols=False)
_COMMAND_TEXTS = {"frac": "", "Omega": "Ω", "pi": "π", "theta": "θ", "mu": "μ", "sigma": "σ"}


@dataclass(frozen=True)
class Expression:
    """A parsed expression.

    `trees` has two for a `±`, otherwise one; `otherwise` holds the trees under the other reading of `1/2x`, where the
    juxtaposed factors are divided by, `loose` those where a sum before the only division is divided as a whole.
    `names`, `units` and `numbers` say what the trees' symbols `Q_{k}` stand for.
    """

    text: str
    trees: tuple[Any, ...]
    otherwise: tuple[Any, ...]
    names: dict[str, str] = field(default_factory=dict)
    units: dict[str, Unit] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)
    bare_unit: bool = False
    number: Number | None = None
    decimals: tuple[Number, ...] = ()
    loose: tuple[Any, ...] = ()
    plain_numbers: tuple[float, ...] = ()
    """Numbers that have no unit and are no exponent."""

    @property
    def is_numeric(self) -> bool:
        """Without variables."""
        return not self.names

    @property
    def name(self) -> str | None:
        """The variable that the whole expression is, if it is one."""
        return next(iter(self.names.values())) if len(self.names) == 1 and self._is_symbol else None

    @property
    def _is_symbol(self) -> bool:
        return len(self.trees) == 1 and bool(self.trees[0].is_Symbol) and not (self.units or self.numbers)


def expression_of(pieces: Sequence[Piece]) -> Expression:
    """Parse the pieces. Raises `UnreadableMathematics`."""
    if not pieces or len(pieces) > MAX_PIECES:
        raise UnreadableMathematics
    text = text_of(pieces)
    called = _called_name(pieces)
    if called is not None:
        pieces = [Token(Kind.name, called)]
    signs = ("+", "-") if any(_is_operator(piece, "±") for piece in pieces) else ("",)
    writers = [Writer(pieces, sign) for sign in signs]
    latex = [writer.write() for writer in writers]
    trees = tuple(_parsed(line) for line in latex)
    other = [Writer(pieces, sign, grouped=True).write() for sign in signs]
    return Expression(
        text=text,
        trees=trees,
        otherwise=tuple(_parsed(line) for line in other) if other != latex else (),
        names=writers[0].names,
        units=writers[0].units,
        numbers=writers[0].numbers,
        bare_unit=any(isinstance(piece, UnitPiece) and piece.bare for piece in pieces),
        number=_number(pieces),
        decimals=tuple(as_number(piece) for piece in pieces if _is_number(piece) and "." in piece.text),
        loose=_loose(pieces) if signs == ("",) else (),
        plain_numbers=tuple(_plain_numbers(pieces)),
    )


def _loose(pieces: Sequence[Piece]) -> tuple[Any, ...]:
    """The tree of `a - b / c` read as (a - b)/c: one division, spaced, behind a sum."""
    divisions = [at for at, piece in enumerate(pieces) if _is_operator(piece, "/")]
    if len(divisions) != 1 or any(isinstance(piece, Token) and piece.kind is Kind.open for piece in pieces):
        return ()
    at = divisions[0]
    is_sum = any(_is_operator(piece, sign) for piece in pieces[1:at] for sign in "+-")
    if not (is_sum and pieces[at].spaced):
        return ()
    grouped = [Token(Kind.open, "("), *pieces[:at], Token(Kind.close, ")"), *pieces[at:]]
    return (_parsed(Writer(grouped, "").write()),)


def text_of(pieces: Sequence[Piece]) -> str:
    """The pieces as one can read them."""
    shown: list[str] = []
    for piece in pieces:
        space = " " if piece.spaced and shown else ""
        shown.append(
            space + (piece.unit.text if isinstance(piece, UnitPiece) else _COMMAND_TEXTS.get(piece.text, piece.text))
        )
    joined = re.sub(r"\{(\w|[\d.]+)\}", r"\1", "".join(shown).replace("}{", ")/("))
    return joined.replace("{", "(").replace("}", ")").strip()


@lru_cache(maxsize=4096)
def _parsed(latex: str) -> Any:
    try:
        return latex2sympy(latex, normalization_config=None, conversion_config=_CONVERSION)
    except RecursionError:
        raise UnreadableMathematics from None
    except Exception as error:
        # The library raises bare exceptions, and SymPy's own from within.
        raise UnreadableMathematics(latex) from error


def _is_number(piece: Piece) -> TypeGuard[Token]:
    return isinstance(piece, Token) and piece.kind is Kind.number


def _plain_numbers(pieces: Sequence[Piece]) -> Iterator[float]:
    for at, piece in enumerate(pieces):
        has_unit = at + 1 < len(pieces) and (isinstance(pieces[at + 1], UnitPiece) or _is_operator(pieces[at + 1], "°"))
        if _is_number(piece) and not has_unit and not (at and _is_operator(pieces[at - 1], "^")):
            yield as_number(piece).value


def _is_operator(piece: Piece, sign: str) -> bool:
    return isinstance(piece, Token) and piece.kind is Kind.operator and piece.text == sign


def _called_name(pieces: Sequence[Piece]) -> str | None:
    """`P(A)`, `f(x)`, `Var(X)`: a name with its argument is a name, if nothing else stands there."""
    tokens = [piece for piece in pieces if isinstance(piece, Token)]
    if len(tokens) != len(pieces) or len(tokens) < 4 or tokens[0].kind is not Kind.name or tokens[1].text not in "([":
        return None
    inner = tokens[2:-1]
    closed = tokens[-1].kind is Kind.close and not any(token.kind in (Kind.open, Kind.close) for token in inner)
    is_product = all(token.kind is Kind.number for token in inner) and len(inner) == 1 and tokens[1].spaced
    if not closed or tokens[1].spaced or is_product:
        return None
    simple = (
        any(token.kind in (Kind.name, Kind.comma, Kind.bar, Kind.relation) for token in inner)
        or tokens[0].text in "fghPEF"
    )
    sums = sum(token.kind is Kind.operator and token.text in "+-" for token in inner)
    return "".join(token.text for token in tokens) if simple and not sums else None


def _number(pieces: Sequence[Piece]) -> Number | None:
    """The number that the pieces are: with a sign, a power of ten, a unit or a percent sign, but no other operation."""
    shown = [piece for piece in pieces if not isinstance(piece, UnitPiece)]
    sign = 1.0
    while shown and isinstance(shown[0], Token) and shown[0].text in ("-", "+"):
        sign = -sign if shown[0].text == "-" else sign
        shown = shown[1:]
    if not shown or not isinstance(shown[0], Token) or shown[0].kind is not Kind.number:
        return None
    number = as_number(shown[0])
    scale = 1.0
    rest = [piece.text for piece in shown[1:] if isinstance(piece, Token)]
    if rest[:3] == ["*", "10", "^"] and (exponent := "".join(rest[3:]).strip("{}()")).lstrip("-+").isdigit():
        scale, rest = 10.0 ** max(-300, min(300, int(exponent))), []
    elif rest == ["%"]:
        scale, rest = 0.01, []
    if rest:
        return None
    return Number(sign * number.value * scale, number.half_digit * scale, number.digits)
