"""Units of measurement: which words of a text are units, their dimension and their factor to base units (pint)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

import pint

_SYMBOL_WORDS = (
    "m g s A K mol cd Hz N Pa J W C V F S Wb T H L l eV bar atm min h d ft in mi mph lb lbf cal rad deg rpm ohm Ω "
    "cc hr yr ha degC degF kWh Wh Btu psi Torr mmHg u amu Da sr lm lx Bq Gy Sv kat dB M cm km mm kg ms"
)
_SYMBOLS = _SYMBOL_WORDS.split()
_NAME_WORDS = (
    "meter metre gram second ampere amp kelvin mole candela hertz newton pascal joule watt coulomb volt farad siemens "
    "weber tesla henry liter litre electronvolt minute hour day week month year foot inch mile yard pound ounce "
    "calorie radian degree ohm atmosphere bar gallon celsius fahrenheit dollar euro cent revolution"
)
_NAMES = _NAME_WORDS.split()
_PAIRS = (
    "feet foot inches inch hertz hertz henries henry siemens siemens sec second secs second mins minute hrs hour "
    "yrs year yr year hr hour rev revolution euros euro € euro ct cent cc centimeter**3 Celsius celsius mL milliliter "
    "M molar C coulomb F farad T tesla H henry h hour u unified_atomic_mass_unit l liter d day in inch min minute "
    "lb pound g gram cal calorie degC celsius deg degree mph mile/hour rpm revolution/minute B byte USD dollar EUR "
    "euro ° degree dB count ha hectare £ dollar $ dollar ¥ dollar"
)
_CURRENCIES = "CHF GBP PLN CZK SEK NOK DKK HUF RON TRY JPY CNY INR BRL MXN CAD AUD NZD ZAR KRW".split()  # noqa: SIM905
_OTHER_WORDS = _PAIRS.split()
_OTHER_NAMES = {
    **dict(zip(_OTHER_WORDS[::2], _OTHER_WORDS[1::2], strict=True)),
    **dict.fromkeys(_CURRENCIES, "dollar"),
}
"""What pint calls units that are written otherwise."""
_PREFIXED = re.compile(
    r"^(?:[pnµμumcdhkMG])?(?:m|g|s|A|K|mol|Hz|N|Pa|J|W|C|V|F|S|T|H|L|l|eV|Ω|ohm|bar|cal|Wh|M|Bq|Gy|Sv|Wb|lm|lx|cd)$"
)
_PRODUCT = re.compile(r"^([kM]?N)(m|mm|cm)$|^([kMm]?A)(h)$|^([kM]?V)(A)$|^([kM]?W)(s)$")
"""Two units that are written as one word: `kNm`, `mAh`."""
_PREFIXES = "pico|nano|micro|milli|centi|deci|kilo|mega|giga"
_NAMED = re.compile(rf"^(?:{_PREFIXES})?(?:{'|'.join(_NAMES)})s?$", re.IGNORECASE)
_SEPARATED = re.compile(r"\s*([*·⋅×/]|\bper\b)\s*|\s+|(?<=\))(?=\()")
_FACTOR = re.compile(r"^(\d*)([A-Za-zµμΩ°€]+)(?:\^?\{?([+-]?\d)\}?)?$")

Dimension = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Unit:
    """A unit: its `factor` to base units and its dimension, such as `(("[length]", 1.0), ("[time]", -1.0))`."""

    text: str
    factor: float
    dimension: Dimension


@cache
def _registry() -> pint.UnitRegistry[float]:
    registry: pint.UnitRegistry[float] = pint.UnitRegistry(cache_folder=None)
    registry.define("dollar = [currency] = USD")
    registry.define("cent = dollar / 100")
    registry.define("euro = dollar = EUR")
    # A scale with an offset cannot be multiplied: Celsius and Fahrenheit are dimensions of their own here.
    registry.define("celsius = [celsius]")
    registry.define("fahrenheit = [fahrenheit]")
    return registry


@cache
def unit_of_word(word: str) -> Unit | None:
    """The unit that a single word names: `km`, `seconds`, `Ω`, `kNm`; None for any other word."""
    if both := _PRODUCT.match(word):
        first, second = (unit_of_word(part) for part in both.groups() if part)
        return replace(times(first, second), text=word) if first and second else None
    if not (word in _OTHER_NAMES or word in _SYMBOLS or _PREFIXED.match(word) or _NAMED.match(word)):
        return None
    name = _OTHER_NAMES.get(word) or (word.lower() if _NAMED.match(word) else word)
    name = name.replace("Ω", "ohm").replace("μ", "µ")
    # A name in the plural is tried in the singular first: "amps" could be attometres per second.
    for candidate in (name.removesuffix("s"), name) if _NAMED.match(word) else (name,):
        try:
            base = (1 * _registry().Unit(candidate)).to_base_units()
        except (pint.PintError, AttributeError, ValueError):
            continue
        dimension = {key: float(power) for key, power in base.dimensionality.items()}
        return Unit(word, float(base.magnitude), tuple(sorted(dimension.items())))
    return None


@cache
def unit_of_text(text: str) -> Unit | None:
    """The unit that a text such as `kg m/s^2` or `meters per second` names; None where it is not one."""
    if len(text) > 60:
        return None
    cleaned = re.sub(
        r"\\[,;: ]|~|\$|[{}]", " ", text.replace(r"\cdot", "*").replace(r"\Omega", "Ω").replace(r"\mu", "µ")
    )
    cleaned = (
        re.sub(r"\\(?:mathrm|text|rm|circ|,)?", " ", cleaned)
        .replace("²", "^2")
        .replace("³", "^3")
        .replace("⁻", "-")
        .replace("−", "-")
    )
    cleaned = re.sub(
        r"\bsquare (\w+)", r"\1^2", re.sub(r"\bcubic (\w+)", r"\1^3", re.sub(r"(\w+) squared\b", r"\1^2", cleaned))
    )
    cleaned = re.sub(r"\s*\^\s*", "^", cleaned).strip(" .()")
    product, sign = Unit(text, 1.0, ()), 1
    for position, piece in enumerate(_SEPARATED.split(cleaned)):
        if position % 2:
            sign = -1 if piece in ("/", "per") else sign if piece is None else 1
            continue
        factor = _FACTOR.match(piece.strip("() "))
        unit = unit_of_word(factor[2]) if factor and not factor[1] else None
        if factor is None or unit is None:
            return None
        product = times(product, unit, sign * int(factor[3] or 1))
    return product


def times(left: Unit, right: Unit, power: float = 1) -> Unit:
    """The product of a unit and a power of another."""
    dimension = dict(left.dimension)
    for key, exponent in right.dimension:
        dimension[key] = dimension.get(key, 0.0) + power * exponent
    kept = tuple(sorted((key, round(exponent, 6)) for key, exponent in dimension.items() if abs(exponent) > 1e-9))
    return Unit(f"{left.text} {right.text}".strip(), left.factor * right.factor**power, kept)


def dimension_words(dimension: Dimension) -> str:
    """A dimension as people write it: `length / time`."""
    above = [_power(key, power) for key, power in dimension if power > 0]
    below = [_power(key, -power) for key, power in dimension if power < 0]
    return (" * ".join(above) or "1") + "".join(f" / {part}" for part in below)


def _power(key: str, power: float) -> str:
    name = key.strip("[]")
    return name if power == 1 else f"{name}^{power:g}"
