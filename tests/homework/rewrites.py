"""Changes to right work that leave its meaning: order of parts, units, forms, notation, and words around it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from fractions import Fraction

Rewrite = Callable[[str, random.Random], str]

_INLINE = re.compile(r"(?<![\\$])\$(?!\$)([^$\n]+?)\$(?!\$)")
_DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]+)\}\{([^{}]+)\}")
_DECIMAL = re.compile(r"(?<![\w.,^{])0\.(\d{1,4})(?![\d.,}])")
_PART = re.compile(r"^(?:\*\*)?\(?([a-h])\)(?:\*\*)?\s", re.MULTILINE)
_RESTATED = re.compile(
    r"=\s*(?P<value>-?\d{1,6}(?:\.\d{1,4})?)\s*(?:\\[,;: ]|~)?\s*(?P<tail>(?:\\text|\\mathrm)?\{?"
    r"(?P<unit>km/h|m/s|kJ|kW|kg|km|cm|mA|min|m|s|g|J|W|A)\}?)(?P<end>\$?\.?)$",
    re.MULTILINE,
)
_CHAIN = re.compile(r"[^\W\d_]\w{0,3}(?: = (?:(?! or | and )[^=,;:$\\])*?[\w²³)])+")
_LAST_FORMULA = re.compile(r"(?<![\\$])\$(?!\$)([^$\n]+?)\$\.?\s*$")
_EQUATION = re.compile(r"^(?P<name>[a-zA-Z](?:_\w)?) = (?P<value>[^=$\n\\,;:()]{1,40}?[\w²³])$", re.MULTILINE)
UNITS = {
    "km": ("m", 1000), "m": ("cm", 100), "cm": ("mm", 10), "kg": ("g", 1000), "g": ("mg", 1000), "kJ": ("J", 1000),
    "J": ("mJ", 1000), "kW": ("W", 1000), "W": ("mW", 1000), "A": ("mA", 1000), "mA": ("µA", 1000), "s": ("ms", 1000),
    "min": ("s", 60), "m/s": ("km/h", Fraction(18, 5)), "km/h": ("m/h", 1000),
}  # fmt: skip
OPENINGS = (
    "Here is my solution.", "I start from what is given.", "My work for this exercise:",
    "Hi! I worked on this with my group.",
    "Let me go step by step.", "Lösung:", "Solution :", "## My answer",
)  # fmt: skip
CLOSINGS = (
    "I hope that this is what was asked.", "That seems reasonable to me.", "Done.", "(Checked with a friend.)",
    "Please tell me whether my explanation is clear.", "Das war alles.", "q.e.d.", "Thanks for reading!",
)  # fmt: skip


def put_parts_in_another_order(text: str, rng: random.Random) -> str:
    starts = [match.start() for match in _PART.finditer(text)]
    labels = [match[1] for match in _PART.finditer(text)]
    if len(starts) < 2 or len(set(labels)) < len(labels):
        return text
    parts = [text[start:end].strip("\n") for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    # A later part may refer to an earlier one, but its values stand in it.
    rng.shuffle(parts)
    return text[: starts[0]] + "\n\n".join(parts)


def restate_in_another_unit(text: str, rng: random.Random) -> str:
    """The last result is given a second time: "= 2.5 m = 250 cm"."""
    matches = list(_RESTATED.finditer(text))
    if not matches:
        return text
    match = matches[-1]
    unit, factor = UNITS[match["unit"]]
    value = Fraction(match["value"]) * factor
    if value.denominator != 1 and Fraction(str(float(value))) != value:
        return text
    number = str(float(value)) if value.denominator != 1 else str(int(value))
    at = match.start("end")
    return f"{text[:at]} = {number} {match['tail'].replace(match['unit'], unit)}{text[at:]}"


def write_fractions_with_a_slash(text: str, rng: random.Random) -> str:
    return _FRACTION.sub(r"((\1)/(\2))", text)


def write_fractions_larger(text: str, rng: random.Random) -> str:
    return text.replace(r"\frac{", r"\dfrac{")


def leave_out_leading_zeros(text: str, rng: random.Random) -> str:
    return _DECIMAL.sub(r".\1", text)


def multiply_by_a_cross(text: str, rng: random.Random) -> str:
    return text.replace(r"\cdot", r"\times").replace("·", "×")


def multiply_by_an_asterisk(text: str, rng: random.Random) -> str:
    return text.replace("·", "*") if "**" not in text else text


def raise_small_digits(text: str, rng: random.Random) -> str:
    return re.sub(r"(?<=[a-zA-Z0-9)])\^([23])(?![\d.{])", lambda match: "²³"[int(match[1]) - 2], text)


def lower_small_digits(text: str, rng: random.Random) -> str:
    return re.sub("(?<![⁻⁰¹²³⁴-⁹])([²³])(?![⁰¹²³⁴-⁹])", lambda match: f"^{'23'['²³'.index(match[1])]}", text)


def use_the_minus_sign(text: str, rng: random.Random) -> str:
    return re.sub(r"(?<=[\s(={$])-(?=[\d\s(a-zA-Z\\])(?!\s*$)(?!-)", "−", text)


def use_the_hyphen(text: str, rng: random.Random) -> str:
    return text.replace("−", "-")


def write_formulas_in_brackets(text: str, rng: random.Random) -> str:
    return _INLINE.sub(r"\\(\1\\)", _DISPLAY.sub(r"\\[\1\\]", text))


def write_formulas_in_dollars(text: str, rng: random.Random) -> str:
    text = text.replace(r"\[", "$$").replace(r"\]", "$$")
    return text.replace(r"\(", "$").replace(r"\)", "$")


def let_brackets_grow(text: str, rng: random.Random) -> str:
    if r"\left" in text:
        return text.replace(r"\left", "").replace(r"\right", "")
    return _INLINE.sub(lambda match: match[0].replace("(", r"\left(").replace(")", r"\right)"), text)


def space_equations_out(text: str, rng: random.Random) -> str:
    return re.sub(r"(?<=[\w)}])\s*=\s*(?=[\w\\(-])", "  =  ", text)


def close_equations_up(text: str, rng: random.Random) -> str:
    return re.sub(r"(?<=[\w)}])\s+=\s+(?=[\w(-])", "=", text)


def end_lines_as_windows_does(text: str, rng: random.Random) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def leave_empty_lines(text: str, rng: random.Random) -> str:
    return text.replace("\n\n", "\n\n\n\n")


def begin_with_words(text: str, rng: random.Random) -> str:
    return f"{rng.choice(OPENINGS)}\n\n{text}"


def end_with_words(text: str, rng: random.Random) -> str:
    return f"{text}\n\n{rng.choice(CLOSINGS)}"


def quote_the_lines(text: str, rng: random.Random) -> str:
    return "\n".join(f"> {line}" if line.strip() else ">" for line in text.split("\n"))


def restate_in_powers_of_ten(text: str, rng: random.Random) -> str:
    """The last number is given a second time: "= 2340 = 2.34e3", in TeX as 2.34\\cdot 10^{3}."""
    matches = list(_RESTATED.finditer(text))
    if not matches or not float(matches[-1]["value"]) or re.search(r"\d,\d", text):
        return text
    match = matches[-1]
    mantissa, exponent = f"{float(match['value']):.9e}".split("e")
    power = rf"\cdot 10^{{{int(exponent)}}}" if match["tail"].startswith("\\") else f"e{int(exponent)}"
    at = match.start("end")
    return f"{text[:at]} = {float(mantissa):g}{power} {match['tail']}{text[at:]}"


def turn_the_last_equation_around(text: str, rng: random.Random) -> str:
    """ "v = 5 m/s" becomes "5 m/s = v" on a line of its own."""
    matches = list(_EQUATION.finditer(text))
    if not matches:
        return text
    match = matches[-1]
    return f"{text[: match.start()]}{match['value']} = {match['name']}{text[match.end() :]}"


def box_the_last_result(text: str, rng: random.Random) -> str:
    match = _LAST_FORMULA.search(text)
    if match is None or match[1].count("=") != 1 or "boxed" in text:
        return text
    return f"{text[: match.start()]}$\\boxed{{{match[1]}}}${text[match.end() :]}"


def set_lines_as_a_list(text: str, rng: random.Random) -> str:
    return "\n".join(f"* {line}" if _EQUATION.fullmatch(line) else line for line in text.split("\n"))


def set_equations_in_bold(text: str, rng: random.Random) -> str:
    return "\n".join(f"**{line}**" if _EQUATION.fullmatch(line) else line for line in text.split("\n"))


def break_a_chain_over_lines(text: str, rng: random.Random) -> str:
    """ "a = b = c" becomes three lines of which two begin with the sign."""
    return "\n".join(line.replace(" = ", "\n= ") if _CHAIN.fullmatch(line) else line for line in text.split("\n"))


REWRITES: tuple[Rewrite, ...] = (
    put_parts_in_another_order, restate_in_another_unit, write_fractions_with_a_slash, write_fractions_larger,
    leave_out_leading_zeros, multiply_by_a_cross, multiply_by_an_asterisk, raise_small_digits, lower_small_digits,
    use_the_minus_sign, use_the_hyphen, write_formulas_in_brackets, write_formulas_in_dollars, let_brackets_grow,
    space_equations_out, close_equations_up, end_lines_as_windows_does, leave_empty_lines, begin_with_words,
    end_with_words, quote_the_lines, restate_in_powers_of_ten, turn_the_last_equation_around, box_the_last_result,
    set_lines_as_a_list, set_equations_in_bold, break_a_chain_over_lines,
)  # fmt: skip


def rewrite(text: str, rng: random.Random, most: int = 3) -> tuple[str, tuple[str, ...]]:
    """The text after one to `most` changes, and their names; changes that do not apply are left out."""
    names: list[str] = []
    for change in rng.sample(REWRITES, len(REWRITES)):
        changed = change(text, rng)
        if changed != text:
            names.append(change.__name__)
            text = changed
        if len(names) == most:
            break
    return text, tuple(names)
