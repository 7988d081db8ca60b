"""Writes pieces as LaTeX that leaves nothing open: every product has its sign, every operand its braces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from homework.mathematics.pieces import Piece, UnitPiece
from homework.mathematics.tokens import Kind, Token
from homework.mathematics.units import Unit, unit_of_word

MAX_DEPTH = 12
MAX_DIGITS = 40
MAX_POWER_DIGITS = 3

_CONSTANTS = {"pi": r"\pi"}


class UnreadableMathematics(Exception):
    """An expression that is not understood. It is never shown: the check that wanted it says "cannot tell"."""


@dataclass(frozen=True)
class Number:
    """A number as written: its value and half a unit of its last digit, both before the unit's factor."""

    value: float
    half_digit: float
    digits: int


def as_number(token: Token) -> Number:
    """The number of a token. Raises `UnreadableMathematics` for one of too many digits."""
    mantissa, _, exponent = token.text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    if len(mantissa) > MAX_DIGITS:
        raise UnreadableMathematics
    significant = len((whole + fraction).lstrip("0")) or 1
    trailing = 0 if fraction else len(whole) - len(whole.rstrip("0"))
    scale = 10.0 ** max(-300, min(300, int(exponent or 0)))
    return Number(float(mantissa) * scale, 0.5 * 10.0 ** (trailing - len(fraction)) * scale, significant - trailing)


class Writer:
    """Writes one expression, with `sign` for each ±; `grouped` reads `1/2x` as 1/(2x)."""

    def __init__(self, pieces: Sequence[Piece], sign: str, *, grouped: bool = False) -> None:
        self._pieces = pieces
        self._sign = sign
        self._grouped = grouped
        self._position = 0
        self._depth = 0
        self._raised = 0
        self.names: dict[str, str] = {}
        self.units: dict[str, Unit] = {}
        self.numbers: dict[str, float] = {}

    def write(self) -> str:
        written = self._sum()
        if self._position < len(self._pieces):
            raise UnreadableMathematics
        return written

    def _peek(self) -> Piece | None:
        return self._pieces[self._position] if self._position < len(self._pieces) else None

    def _shown(self, ahead: int = 0) -> str:
        at = self._position + ahead
        piece = self._pieces[at] if at < len(self._pieces) else None
        return piece.text if isinstance(piece, Token) else ""

    def _sum(self) -> str:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise UnreadableMathematics
        parts = [self._signed_product()]
        while (sign := self._sign_here()) is not None:
            parts.append(sign)
            parts.append(self._signed_product())
        self._depth -= 1
        return " ".join(parts)

    def _sign_here(self) -> str | None:
        piece = self._peek()
        if not isinstance(piece, Token) or piece.kind is not Kind.operator or piece.text not in "+-±":
            return None
        self._position += 1
        return self._sign if piece.text == "±" else piece.text

    def _signed_product(self) -> str:
        sign = ""
        while (here := self._sign_here()) is not None:
            sign = ("-" if sign == "" else "") if here == "-" else sign
        product = self._product()
        return f"(-{product})" if sign else product

    def _product(self) -> str:
        written = self._juxtaposed()
        while self._shown() in ("*", "/") and isinstance(self._peek(), Token):
            operator = self._shown()
            self._position += 1
            negative = self._sign_here() == "-"
            factor = self._juxtaposed()
            while self._grouped and operator == "/" and self._shown() == "*":
                # "240 / 2*0.80" may mean that both factors divide.
                self._position += 1
                factor = f"({factor}\\cdot {self._juxtaposed()})"
            factor = f"(-{factor})" if negative else factor
            written = f"\\frac{{{written}}}{{{factor}}}" if operator == "/" else f"{written}\\cdot {factor}"
            while not self._grouped and self._starts_factor():
                written = f"{written}\\cdot {self._power()}"
        return written

    def _juxtaposed(self) -> str:
        """Factors side by side. After a division they count as one operand only where `grouped`."""
        written = self._power()
        after_division = self._position >= 2 and not self._grouped
        factors = [written]
        while self._starts_factor() and not (after_division and self._is_divisor(factors)):
            factors.append(self._power())
        return factors[0] if len(factors) == 1 else "(" + "\\cdot ".join(factors) + ")"

    def _is_divisor(self, factors: list[str]) -> bool:
        """Whether the factors so far follow a "/": then `1/2x` reads as (1/2)x, but a unit stays with its number."""
        return self._divides and not isinstance(self._peek(), UnitPiece) and bool(factors)

    @property
    def _divides(self) -> bool:
        position = self._position - 1
        depth = 0
        while position >= 0:
            piece = self._pieces[position]
            if isinstance(piece, Token):
                depth += {Kind.close: 1, Kind.open: -1}.get(piece.kind, 0)
                if depth < 0 or (depth == 0 and piece.kind is Kind.operator and piece.text in "+-±*"):
                    return False
                if depth == 0 and piece.text == "/" and piece.kind is Kind.operator:
                    return True
            position -= 1
        return False

    def _starts_factor(self) -> bool:
        piece = self._peek()
        if isinstance(piece, UnitPiece):
            return True
        if piece is None or piece.kind in (Kind.close, Kind.comma, Kind.bar, Kind.relation):
            return False
        return piece.kind is not Kind.operator or piece.text in "√°%"

    def _power(self) -> str:
        base = self._atom()
        while self._shown() in ("^", "!", "'", "°", "%") and isinstance(self._peek(), Token):
            sign = self._shown()
            self._position += 1
            if sign == "^":
                base = (
                    f"{{{base}}}^{{{self._exponent()}}}"
                    if base.startswith("Q") or base.isdigit()
                    else f"({base})^{{{self._exponent()}}}"
                )
            elif sign == "!":
                base = f"({base})!"
            elif sign == "%":
                base = f"\\frac{{{base}}}{{100}}"
            elif sign == "'":
                # The derivative of a term.
                raise UnreadableMathematics
            elif sign == "°" and (unit := unit_of_word("degree")) is not None:
                base = f"({base}\\cdot {self._symbol(self.units, unit)})"
        return base

    def _exponent(self) -> str:
        negative = self._sign_here() == "-"
        self._raised += 1
        exponent = self._atom()
        self._raised -= 1
        return f"-{exponent}" if negative else exponent

    def _atom(self) -> str:
        piece = self._peek()
        if piece is None:
            raise UnreadableMathematics
        self._position += 1
        if isinstance(piece, UnitPiece):
            return self._symbol(self.units, piece.unit)
        if piece.kind is Kind.number:
            return self._number(piece)
        if piece.kind is Kind.name:
            return self._name(piece)
        if piece.kind is Kind.open:
            return self._group(piece.text)
        if piece.kind is Kind.function:
            return self._function(piece.text)
        if piece.kind is Kind.command:
            return self._command(piece.text)
        if piece.kind is Kind.bar:
            return self._absolute()
        if piece.kind is Kind.operator and piece.text == "√":
            return f"\\sqrt{{{self._atom()}}}"
        raise UnreadableMathematics

    def _symbol(self, table: dict[str, Any], value: Any) -> str:
        known = next((name for name, other in table.items() if other == value), None)
        if known is None:
            known = f"Q_{len(self.names) + len(self.units) + len(self.numbers) + 1}"
            table[known] = value
        return f"Q_{{{known[2:]}}}"

    def _number(self, piece: Token) -> str:
        """A symbol, so that expressions of one form are parsed once; a power, which decides dimensions, stays."""
        if self._raised and piece.text.isdigit() and len(piece.text) <= MAX_POWER_DIGITS:
            return piece.text
        return self._symbol(self.numbers, as_number(piece).value)

    def _name(self, piece: Token) -> str:
        if piece.text in _CONSTANTS:
            return _CONSTANTS[piece.text]
        if piece.text == "e" and self._shown() == "^":
            self._position += 1
            return f"e^{{{self._exponent()}}}"
        return self._symbol(self.names, piece.text)

    def _group(self, opened: str) -> str:
        inner = self._sum()
        closing = {"(": ")]", "[": "])", "{": "}", "\\{": "\\}"}[opened]
        if self._shown() not in tuple(closing) and self._shown() != closing:
            raise UnreadableMathematics
        self._position += 1
        return f"({inner})"

    def _absolute(self) -> str:
        inner = self._sum()
        if self._shown() != "|":
            raise UnreadableMathematics
        self._position += 1
        return f"|{inner}|"

    def _function(self, name: str) -> str:
        base = power = None
        while self._shown() in ("_", "^"):
            sign = self._shown()
            self._position += 1
            if sign == "_":
                base = self._atom()
            else:
                power = self._exponent()
        inverse = power is not None and power.strip("()") == "-1" and not name.startswith("arc")
        argument = self._argument()
        if inverse:
            return f"\\arc{name}({argument})" if name in ("sin", "cos", "tan") else self._unreadable()
        if name == "exp":
            return f"e^{{{argument}}}"
        written = f"\\{name}_{{{base or '10'}}}({argument})" if name == "log" else f"\\{name}({argument})"
        return f"({written})^{{{power}}}" if power else written

    def _unreadable(self) -> str:
        raise UnreadableMathematics

    def _argument(self) -> str:
        """What a function is applied to: a parenthesis, or the factors up to the next sign."""
        if self._shown() in ("(", "[", "{") or self._shown() == "|":
            return self._power_of_group()
        negative = self._sign_here() == "-"
        factors = [self._power()]
        while self._starts_factor() and not self._is_function_or_group():
            factors.append(self._power())
        written = "\\cdot ".join(factors)
        return f"-{written}" if negative else written

    def _power_of_group(self) -> str:
        atom = self._atom()
        while self._shown() == "°":
            self._position += 1
            unit = unit_of_word("degree")
            atom = f"{atom}\\cdot {self._symbol(self.units, unit)}"
        return atom

    def _is_function_or_group(self) -> bool:
        piece = self._peek()
        return isinstance(piece, Token) and piece.kind in (Kind.function, Kind.open, Kind.command)

    def _command(self, name: str) -> str:
        if name == "frac":
            above, below = self._operand(), self._operand()
            return f"\\frac{{{above}}}{{{below}}}"
        if name == "binom":
            return f"\\binom{{{self._operand()}}}{{{self._operand()}}}"
        if name == "sqrt":
            root = self._group("[") if self._open("[") else None
            radicand = self._operand()
            return f"\\sqrt[{root.strip('()')}]{{{radicand}}}" if root else f"\\sqrt{{{radicand}}}"
        raise UnreadableMathematics

    def _open(self, bracket: str) -> bool:
        if self._shown() != bracket:
            return False
        self._position += 1
        return True

    def _operand(self) -> str:
        """An operand of a command: braces, or a single digit or letter (`\\frac12`)."""
        piece = self._peek()
        if isinstance(piece, Token) and piece.kind is Kind.number and len(piece.text) > 1 and piece.text.isdigit():
            rest = _with_text(piece, piece.text[1:])
            self._pieces = [
                *self._pieces[: self._position],
                _with_text(piece, piece.text[0]),
                rest,
                *self._pieces[self._position + 1 :],
            ]
        return self._atom()


def _with_text(token: Token, text: str) -> Token:
    """The token with another text."""
    return Token(token.kind, text, token.spaced, token.math)
