r"""Numbers and units of siunitx as plain text: `\qty{3.6}{\kilo\metre}` is "3.6 km"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pint

_NUMBERS = {"num": 1, "numlist": 1, "numproduct": 1, "numrange": 2}
_UNITS = {"si": 0, "unit": 0, "SI": 1, "qty": 1, "SIlist": 1, "qtylist": 1, "SIrange": 2, "qtyrange": 2}
QUANTITIES = frozenset((*_NUMBERS, *_UNITS, "ang"))
"""Commands with numbers, units or both as arguments."""

_MACRO = re.compile(r"\\([A-Za-z]+)(?:\{([^{}]*)\})?|([^\\\s])")
_PREFIXES = frozenset(
    """
    quecto ronto yocto zepto atto femto pico nano micro milli centi deci deca hecto kilo mega giga tera peta exa zetta
    yotta ronna quetta kibi mebi gibi tebi
    """.split()  # noqa: SIM905  (a list of words reads best as text)
)
_POWERS = {"square": 2, "squared": 2, "cubic": 3, "cubed": 3}
_BEFORE = ("square", "cubic")
_SPELLINGS = {"electronvolt": "electron_volt", "celsius": "degree_Celsius", "degreeCelsius": "degree_Celsius"}
_SIGNS = {"percent": "%", "degree": "°", "arcminute": "′", "arcsecond": "″"}
"""Units that pint writes in other ways."""
_MANTISSA = re.compile(r"^\s*[eE]")


def read_quantity(macro: str, text: str, ends: Mapping[int, int], position: int) -> tuple[str, int]:
    """The words of a command whose first argument begins at `position`, and the offset behind its last one."""
    count = _NUMBERS.get(macro) or (1 if macro == "ang" else _UNITS[macro] + 1)
    arguments: list[str] = []
    while len(arguments) < count:
        start = position + len(text[position : position + 10]) - len(text[position : position + 10].lstrip())
        if (end := ends.get(start)) is None:
            break
        arguments.append(text[start + 1 : end])
        position = end + 1
    return _words(macro, arguments), position


def _words(macro: str, arguments: list[str]) -> str:
    if macro == "ang":
        parts = zip(arguments[0].split(";"), "°′″", strict=False)
        return "".join(f"{_number(part)}{sign}" for part, sign in parts if part.strip())
    has_unit = macro in _UNITS and len(arguments) > _UNITS[macro]
    unit = _unit(arguments[-1]) if has_unit else ""
    numbers = [_with_unit(_number(part), unit) for argument in arguments[: len(arguments) - has_unit]
               for part in re.split(r"\s*x\s*" if macro.endswith("product") else ";", argument)]  # fmt: skip
    if not numbers:
        return unit
    if macro.endswith("range") and len(numbers) == 2:
        return " to ".join(numbers)
    if macro.endswith("product"):
        return " × ".join(numbers)
    return numbers[0] if len(numbers) == 1 else f"{', '.join(numbers[:-1])} and {numbers[-1]}"


def _number(text: str) -> str:
    words = " ".join(text.split())
    return "1" + words if _MANTISSA.match(words) else words.replace("+-", "±").replace(r"\pm", "±")


def _with_unit(number: str, unit: str) -> str:
    return f"{number}{unit}" if unit in _SIGNS.values() and unit != "%" else f"{number} {unit}".strip()


def _unit(text: str) -> str:
    """The symbols of a unit; one that is written as text stays."""
    above: list[str] = []
    below: list[str] = []
    last = above
    prefix, power, is_below = "", 1, False
    for match in _MACRO.finditer(text):
        name, argument, sign = match.groups()
        if sign or name is None:
            continue
        if name == "per":
            is_below = True
        elif name in _PREFIXES:
            prefix = name
        elif name in _BEFORE:
            power = _POWERS[name]
        elif name in _POWERS or name in ("tothe", "raiseto"):
            exponent = str(_POWERS.get(name, argument or ""))
            if last:
                last[-1] = f"{last[-1]}^{exponent}"
        elif name not in ("of", "highlight", "cancel"):
            last = below if is_below else above
            last.append(_symbol(prefix + name) + (f"^{power}" if power > 1 else ""))
            prefix, power, is_below = "", 1, False
    if not above and not below:
        return " ".join(text.replace("~", " ").replace(".", " ").split())
    return "·".join(above or ["1"]) + "".join(f"/{part}" for part in below)


@cache
def _symbol(name: str) -> str:
    if name in _SIGNS:
        return _SIGNS[name]
    import pint  # takes a third of a second, for files with units alone

    for plain, spelling in _SPELLINGS.items():
        name = re.sub(rf"{plain}$", spelling, name)
    try:
        return str(_registry().get_symbol(name))
    except (pint.errors.PintError, AttributeError):
        return name


@cache
def _registry() -> pint.UnitRegistry[float]:
    import pint

    return pint.UnitRegistry(cache_folder=None)
