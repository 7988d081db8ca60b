"""Joins tokens to pieces: units behind numbers, calls and names with an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from homework.mathematics.tokens import MathToken, TokenKind
from homework.mathematics.units import Unit, times, unit_of_text, unit_of_word

MAX_UNIT_FACTORS = 6
MAX_INDEX_DIGITS = 2

_ENDS_A_FACTOR = (TokenKind.number, TokenKind.close)
_STARTS_A_FACTOR = (TokenKind.number, TokenKind.name, TokenKind.function, TokenKind.command)
_SELDOM_UNITS = {"T", "F", "H", "M", "S", "d", "u", "B"}
_UNIT_LETTERS = {"Omega": "Ω"}


@dataclass(frozen=True)
class UnitPiece:
    """A unit behind a number. `bare` tells that it is one letter outside of `\\text{}`, which may be a variable."""

    unit: Unit
    bare: bool
    spaced: bool = True


Piece = MathToken | UnitPiece


def with_units(tokens: Sequence[MathToken], variables: frozenset[str] = frozenset()) -> list[Piece]:
    """The tokens with those that name a unit behind a number, parenthesis or root joined to one piece.

    `variables` are letters that stand for quantities elsewhere in the text: behind a number, they need not be units.
    """
    tokens = with_calls(tokens)
    here = free_names(tokens)
    is_sum = _is_sum(tokens)
    pieces: list[Piece] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        unit, length = None, 0
        if _is_name_of_text(tokens, position) and not _after_quantity(pieces):
            pieces.append(replace(token, kind=TokenKind.name))
            position += 1
            continue
        if token.kind is TokenKind.text or _after_quantity(pieces):
            unit, length = _unit_at(tokens, position)
        if unit is not None and unit.bare and _stands_for(tokens[position], here, variables, is_sum=is_sum):
            unit = None
        if unit is not None and _is_behind_fraction(tokens, position):
            names = [replace(tokens[position], kind=TokenKind.name, text=letter) for letter in tokens[position].text]
            tokens = [*tokens[:position], *names, *tokens[position + 1 :]]
            unit = None
        if unit is not None:
            pieces.append(unit)
            position += length
        elif token.kind is TokenKind.text:
            pieces.append(replace(token, kind=TokenKind.word, text=token.text or " "))
            position += 1
        elif token.kind is TokenKind.name and position + 1 < len(tokens) and tokens[position + 1].text == "'":
            primes = next((n for n in range(position + 1, len(tokens)) if tokens[n].text != "'"), len(tokens))
            pieces.append(replace(token, text=token.text + "'" * (primes - position - 1)))
            position = primes
        elif _has_index(tokens, position):
            pieces.append(replace(token, text=f"{token.text}_{tokens[position + 1].text}"))
            position += 2
        else:
            pieces.append(token)
            position += 1
    return pieces


def _has_index(tokens: Sequence[MathToken], position: int) -> bool:
    """`a3`, `v0`, `x12`: digits right behind a letter are its index."""
    name, index = tokens[position], tokens[position + 1] if position + 1 < len(tokens) else None
    return (
        name.kind is TokenKind.name
        and len(name.text) == 1
        and index is not None
        and index.kind is TokenKind.number
        and not index.spaced
        and index.text.isdigit()
        and len(index.text) <= MAX_INDEX_DIGITS
    )


def with_calls(tokens: Sequence[MathToken]) -> list[MathToken]:
    """The tokens with each call before a relation, `A(15) = ...`, `f''(1) = ...`, `n(CO2) = ...`, as one name."""
    merged: list[MathToken] = []
    position = 0
    while position < len(tokens):
        end = _end_of_call(tokens, position) if _begins_expression(merged) else None
        if end is None:
            merged.append(tokens[position])
            position += 1
        else:
            name = "".join(token.text for token in tokens[position:end])
            merged.append(replace(tokens[position], kind=TokenKind.name, text=name))
            position = end
    return merged


def _begins_expression(tokens: Sequence[MathToken]) -> bool:
    return not tokens or tokens[-1].kind in (TokenKind.arrow, TokenKind.comma, TokenKind.word, TokenKind.text)


def _end_of_call(tokens: Sequence[MathToken], start: int) -> int | None:
    """Where the call at `start` ends, if there is one and a relation follows."""
    if tokens[start].kind not in (TokenKind.name, TokenKind.word) or not tokens[start].text[0].isalpha():
        return None
    opening = start + 1
    while opening < len(tokens) and tokens[opening].text == "'":
        opening += 1
    if opening >= len(tokens) or tokens[opening].text != "(" or tokens[opening].spaced:
        return None
    closing = next((n for n in range(opening, len(tokens)) if tokens[n].kind is TokenKind.close), None)
    if closing is None or closing + 1 >= len(tokens) or tokens[closing + 1].kind is not TokenKind.relation:
        return None
    return closing + 1 if _is_argument(tokens[opening + 1 : closing]) else None


def _is_argument(inner: Sequence[MathToken]) -> bool:
    """Whether it is what something is called with, rather than a factor: a number, a name, or words."""
    plain = inner[1:] if inner and inner[0].text == "-" else inner
    is_one = len(plain) == 1 and plain[0].kind in (TokenKind.number, TokenKind.name)
    is_quantity = len(plain) == 2 and plain[0].kind is TokenKind.number and plain[1].spaced
    return is_one or is_quantity or any(token.kind is TokenKind.word for token in inner)


def _is_name_of_text(tokens: Sequence[MathToken], position: int) -> bool:
    """`\\mathrm{pH} = ...`: text before a relation is a name."""
    token, following = tokens[position], tokens[position + 1] if position + 1 < len(tokens) else None
    is_text = token.kind is TokenKind.text and token.text.isalpha()
    return is_text and following is not None and following.kind is TokenKind.relation


def _stands_for(token: MathToken, here: set[str], elsewhere: frozenset[str], *, is_sum: bool) -> bool:
    """Whether a letter behind a number is a variable of the line, or of another one where it is seldom a unit."""
    is_seldom = token.text in _SELDOM_UNITS
    if token.text in elsewhere and (is_seldom or (is_sum and not token.spaced)):
        return True
    return token.text in here and (is_seldom or not token.spaced)


def _after_quantity(pieces: list[Piece]) -> bool:
    """Whether a number or parenthesis comes before, which is no power of a name: in `T^2 g`, g is a name."""
    at = len(pieces) - 1
    last = pieces[at] if pieces else None
    if not isinstance(last, MathToken) or last.kind not in _ENDS_A_FACTOR:
        return False
    if last.text == "}":
        at = next((n for n in range(at, -1, -1) if _text(pieces[n]) == "{"), 0)
    raised = pieces[at - 2] if at >= 2 and _text(pieces[at - 1]) == "^" else None
    return not (isinstance(raised, MathToken) and raised.kind is TokenKind.name)


def _text(piece: Piece) -> str:
    return piece.text if isinstance(piece, MathToken) else ""


def free_names(tokens: Sequence[MathToken]) -> set[str]:
    """The letters that stand for quantities: those that are in no run of letters behind a number."""
    found: set[str] = set()
    is_behind = False
    for token in tokens:
        if token.kind is TokenKind.name:
            if not is_behind and len(token.text) == 1:
                found.add(token.text)
        else:
            is_product = token.kind is TokenKind.operator and token.text in "*/^"
            is_behind = token.kind in _ENDS_A_FACTOR or (is_behind and (is_product or token.kind is TokenKind.open))
    return found


def _is_sum(tokens: Sequence[MathToken]) -> bool:
    return any(token.kind is TokenKind.operator and token.text in "+-" for token in tokens)


def _is_behind_fraction(tokens: Sequence[MathToken], position: int) -> bool:
    """`½kA`: letters right behind a fraction in parentheses are names."""
    shown = [token.kind for token in tokens[max(position - 5, 0) : position]]
    is_fraction = shown == [TokenKind.open, TokenKind.number, TokenKind.operator, TokenKind.number, TokenKind.close]
    token = tokens[position]
    return is_fraction and token.kind is TokenKind.word and not token.spaced and tokens[position - 3].text == "/"


def _unit_at(tokens: Sequence[MathToken], start: int) -> tuple[UnitPiece | None, int]:
    """The longest unit that begins at `start`, and how many tokens it takes."""
    product: Unit | None = None
    bare, juxtaposed, words, position, sign = True, False, 0, start, 1
    end = start
    for _ in range(MAX_UNIT_FACTORS):
        factor = _factor_at(tokens, position, first=product is None)
        if factor is None:
            break
        unit, length, is_text = factor
        product = times(product or Unit("", 1.0, ()), unit, sign)
        bare = bare and not is_text and len(unit.text) == 1 and unit.text.isalpha()
        words += 1
        position += length
        end = position
        following = tokens[position] if position < len(tokens) else None
        if following is not None and following.kind is TokenKind.operator and following.text in "*/":
            sign = -1 if following.text == "/" else 1
            position += 1
            bare = bare and following.text == "*"
        elif following is not None and following.kind is TokenKind.word and following.text == "per":
            sign, bare = -1, False
            position += 1
        else:
            juxtaposed = juxtaposed or (words > 1 and sign == 1)
    if product is None or _is_variable(tokens, start, end, bare, words):
        return None, 0
    text = "".join((" " if token.spaced and at else "") + token.text for at, token in enumerate(tokens[start:end]))
    return UnitPiece(replace(product, text=text), bare and words == 1, tokens[start].spaced), end - start


def _factor_at(tokens: Sequence[MathToken], position: int, *, first: bool) -> tuple[Unit, int, bool] | None:
    """One factor of a unit with its power: unit, number of tokens, whether it stands in `\\text{}`."""
    if position >= len(tokens):
        return None
    token = tokens[position]
    if token.kind is TokenKind.operator and token.text == "°" and first:
        following = tokens[position + 1] if position + 1 < len(tokens) else None
        scale = {"C": "celsius", "F": "fahrenheit"}.get(following.text) if following and not following.spaced else None
        unit = unit_of_word(scale or "degree")
        return (unit, 2 if scale else 1, True) if unit else None
    if token.kind is TokenKind.text:
        unit = unit_of_text("yr" if token.text == "a" else token.text)  # Years, in upright print: "0.13 a".
    elif token.kind in (TokenKind.word, TokenKind.name):
        unit = unit_of_word(_UNIT_LETTERS.get(token.text, token.text))
        if (
            token.text == "in"
            and position + 1 < len(tokens)
            and tokens[position + 1].kind in (TokenKind.word, TokenKind.name)
        ):
            return None
    else:
        return None
    if unit is None:
        return None
    power, length = _power_at(tokens, position + 1)
    if power != 1 and token.kind is TokenKind.text and "/" in token.text:
        # The power of `\\text{m/s}^2` is that of its last factor.
        last = unit_of_text(f"{token.text}^{power}")
        return (last, 1 + length, True) if last else None
    raised = replace(times(Unit("", 1.0, ()), unit, power), text=unit.text) if power != 1 else unit
    return raised, 1 + length, token.kind is TokenKind.text


def _power_at(tokens: Sequence[MathToken], position: int) -> tuple[int, int]:
    """The integer power at `position`, such as `^2` or `^{-1}`, and the tokens that it takes."""
    shown = [token.text for token in tokens[position : position + 5]]
    if shown[:1] == ["squared"] or shown[:1] == ["cubed"]:
        return (2 if shown[0] == "squared" else 3), 1
    if shown[:1] in (["2"], ["3"]) and not tokens[position].spaced:
        # "5 m2", "9.8 m/s2"
        return int(shown[0]), 1
    if shown[:1] != ["^"]:
        return 1, 0
    for pattern, sign, at in (
        (("^", "{", "-"), -1, 3),
        (("^", "(", "-"), -1, 3),
        (("^", "{"), 1, 2),
        (("^", "-"), -1, 2),
        (("^",), 1, 1),
    ):
        if tuple(shown[: len(pattern)]) == pattern and len(shown) > at and shown[at].isdigit():
            closed = pattern[1:2] in (("{",), ("(",)) and shown[at + 1 : at + 2] in (["}"], [")"])
            return sign * int(shown[at]), at + 1 + closed
    return 1, 0


def _is_variable(tokens: Sequence[MathToken], start: int, end: int, bare: bool, words: int) -> bool:
    """Whether letters behind a number are variables: `2 m g h`, `3 h x`, but not `5 N m` or `5 m`."""
    if not bare:
        return False
    following = tokens[end] if end < len(tokens) else None
    if following is not None and following.kind in _STARTS_A_FACTOR:
        return True
    if following is not None and following.kind is TokenKind.operator and following.text in ("^", "_", "'", "!"):
        return True
    letters = [token.text for token in tokens[start:end]]
    return words > 1 and "*" not in letters and letters not in (["N", "m"], ["A", "h"], ["A", "s"])
