"""Rewrites notations that mean the same: `½`, `13\\tfrac13`, `7 min 30 s`, `10 choose 3`, `\\SI{5}{m}`."""

from __future__ import annotations

import re
import unicodedata
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

_SUPERSCRIPTS = re.compile("[\u2070-\u207f²³¹\u02b0-\u02b8\u1d43-\u1d61]+")
_SUBSCRIPTS = re.compile("[\u2080-\u209c\u1d62-\u1d6a]+")
_VULGAR = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8"}
_MICRO = re.compile(r"(?<=[\d\s])(?:[μµ]|\\mu\s+)(?=[FCAHsmgVWLΩ](?![A-Za-z]))")
_DEGREES = re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ\b)")
_DEGREES_OF = re.compile(r"(?<=\d)\s*degrees?(?=\s+of\b)")
"""No angles: degrees of freedom."""
_BASE = re.compile(r"\blog(\d+)(?=\s*\()")
"""The base of a logarithm as programs write it: `log2(8)`."""
_BASE_TWO = re.compile(r"(?<![\w.])([01]{2,})_\{?2\}?(?!\d)")
_MIXED = re.compile(
    r"(?<![\w.^_{\\])(\d+)\s?(?:\\[dt]?frac\s*(?:(\d)(\d)|\{(\d+)\}\s*\{(\d+)\})|\s(\d+)/(\d+)(?![\w.]))"
)
"""A whole number with a fraction below one behind it: `13\\tfrac13`, `2 1/3`."""
_ACCENT_SIGNS = {"\u0302": "hat", "\u0304": "bar", "\u0305": "bar", "\u0303": "tilde"}
_LETTER_WITH_ACCENT = re.compile(r"(?<![^\W\d_])([A-Za-z])([\u0302\u0303\u0304\u0305])(?![^\W\d_])")
_CHOOSE = re.compile(r"\b(\d+)\s*(?:choose|nCr)\s*(\d+)\b", re.IGNORECASE)
_CHOICES = re.compile(r"(?<![\w.])(\d+)C(\d+)(?![\w.])")
_UNIT_FRACTION = re.compile(
    r"\\[td]?frac\s*\{\s*\\(?:text|mathrm)\s*\{([^{}]+)\}\s*\}\s*"
    r"\{\s*\\(?:text|mathrm)\s*\{([^{}]+)\}\s*(\^\s*\{?\d\}?)?\s*\}"
)
"""A unit as a fraction: `\\frac{\\text{m}}{\\text{s}}`."""
_RATIO = re.compile(r"(?<=[\d)])((?:\s?(?:€|[A-Za-z]{1,3}(?:/[a-z]{1,3})?))?)\s:\s(?=[\d(])")
_RATIO_OF_FRACTION = re.compile(r"(?<=\s):\s(\d+(?:\.\d+)?/\d+(?:\.\d+)?)(?![\w/])")
_NUMBERED = re.compile(r"^\W*[A-Za-z]+\s*\d+\s:")
"""A colon is a sign of division, but not behind "Step 1"."""
_COMPOUND = re.compile(
    r"(?<![\w.])(\d+)\s*(h|hours?|hrs?|min|minutes?|ft|feet)\s+(\d+(?:\.\d+)?)\s*(min|minutes?|s|sec|seconds?|in|inches)\b"
)
"""A quantity in two units: `7 min 30 s`."""
_CLOCK = re.compile(r"(?<![\d:.])(\d{1,3}):([0-5]\d)(?=\s*(?:min|h)(?![A-Za-z]))")
"""A time as on a clock: `4:45 min` are four and three quarters of a minute."""
_SHARE = re.compile(r"(?<![\w.])(\d{1,3})\s+(?:in|out\s+of)\s+(\d{1,3})(?=\s*(?:$|[.,;:)]|(?:for|and|that|to)\b))")
"""A share: `15 in 28`; not "60 out of 80 students", which may be a number of them."""
_BINARY = re.compile(r"(?<!\w)0b_?((?:[01]{1,64}_)*[01]{1,64})(?!\w)")
"""A binary number as programs write it: `0b1011_0111`."""
_MODULUS = re.compile(r"\\pmod\s*\{[^{}]*\}|\((?:\\mod|mod)\s+\d+\)")
"""What a congruence is taken by; no result."""
_REMAINDER = re.compile(r"(?:^|(?<=[=:,;])|(?<=[=:,;] ))(\d{1,9})\s*\\?mod\s+(\d{1,9})(?![\w.])")
"""What a division leaves: `190 mod 43`."""
_PER_UNIT = re.compile(r"(?<=\d)\s+1/([A-Za-z]{1,3})\b")
"""A unit such as that of `0.12 1/h`."""
_ABBREVIATION = re.compile(r"(?<![\w.])(?:[A-Za-z]\.\s?){2,4}(?=[\s,;:(]|$)")
"""No letters of mathematics: `i.e.`."""
_PERCENT = re.compile(r"(?<=[\d)])\s*(?:percent|per cent|Prozent|por ciento|pour cent|procent)\b", re.IGNORECASE)
_MICRO_BEFORE_TEXT = re.compile(r"\\mu\s*(\\(?:text|mathrm)\s*\{)(?=[A-Za-zΩ])")
_PRODUCT_RAISED = re.compile(r"(?<![A-Za-z])([kM]?N)(mm|cm|m)(?=\s*\^|[²³])")
"""Of `Nm^2` only the metre is squared."""
_CONTRACTION = re.compile(r"(?<=[A-Za-z]{2})['’](?:s|re|ll|ve|t|d|m)\b", re.IGNORECASE)
"""What is left out of a word; no prime: `it's 5 m`."""
_PER_TIME = re.compile(r"(?<=\d)\s+per\s+(second|minute|hour|day|year)\b", re.IGNORECASE)
"""A unit such as that of `0.12 per hour`."""
_PER = re.compile(r"(?<=[\w%€])\s+(?:pro|par|por)\s+(?=[A-Za-z])")
"""As `per` is said in other languages."""
_TIMES_IN_WORDS = re.compile(
    r"(?<=[\w)\]°%€}])\s+(?:times|mal|fois|maal|por)\s+(?=[\d(\\√]|(?:sin|cos|tan|log|ln|exp|sqrt)\b)"
)
_SHARE_OF = re.compile(r"(?<=%)\s*(?:of|von|de|di|du|van)\s+(?=[\d(][^=\n]{0,40}=)")
_SPACED_DOT = re.compile(r"(?<=\d)\s+\.\s+(?=\d)")
"""A sign of multiplication on the line, as scans and typewriters have it."""
_PERCENTAGE_POINTS = re.compile(r"(?<=\d)\s*(?:percentage points?|Prozentpunkte?n?|pp)\b", re.IGNORECASE)
_TIME_UNITS = {"second": "s", "minute": "min", "hour": "h", "day": "d", "year": "yr"}
_BARE_FRACTION = re.compile(r"\\[dtc]?frac\s*(\d|\{[^{}]*\})\s*(\d|\{[^{}]*\})")
"""A fraction whose operands need no braces: `\\frac14`, `\\frac1{12}`."""
_CUBE_ROOT = re.compile(r"∛\s*(\d+(?:\.\d+)?|\([^()]*\)|[A-Za-z])")
_MATRIX = re.compile(r"\\begin\{([pbvBV]?matrix)\}(.*?)\\end\{\1\}", re.DOTALL)
_POINT = re.compile(r"\((\s*[-−]?\d[^()|]*?)\s*(?:\||\\mid\b|∣)\s*([-−]?\d[^()|]*?)\)")
"""A point as German schools write it: `(2 | 1)`."""
_SIUNITX = re.compile(r"\\(?:SI|qty)\{([^{}]*)\}\{([^{}]*)\}")
_UNIT_MACROS = {
    "kilo": "k", "mega": "M", "giga": "G", "milli": "m", "micro": "µ", "nano": "n", "centi": "c", "per": "/",
    "ohm": "Ω", "metre": "m", "meter": "m", "second": "s", "gram": "g", "kilogram": "kg", "newton": "N", "joule": "J",
    "watt": "W", "volt": "V", "ampere": "A", "pascal": "Pa", "hertz": "Hz", "kelvin": "K", "mole": "mol", "litre": "L",
    "liter": "L", "squared": "^2", "cubed": "^3", "square": "", "farad": "F", "coulomb": "C", "tesla": "T",
}  # fmt: skip
"""Macros of siunitx, which stand side by side: `\\kilo\\ohm`."""
_REPEATING = re.compile(r"(?<![\w.])(\d+)\.(\d*)(?:\\overline|\\bar)\s*\{(\d+)\}")
"""A decimal with digits that repeat: `0.1\\overline{6}`."""
_OHMS = re.compile(r"(?<=\d)((?:\s|\\,|~)*)([kMGm])\s*(?:Ω|\\Omega(?![A-Za-z]))")
"""A prefix before the letter of ohms, which is none of its own words."""
_WHOLE = re.compile(r"\\l(floor|ceil)\s*(-?\d+(?:\.\d+)?)\s*\\r\1\b")
_UPRIGHT = re.compile(r"\\(?:text|mathrm|textbf|mathbf|textrm|operatorname)\{\s*(-?\d+(?:\.\d+)?|e)\s*\}")
"""A number, or Euler's, in an upright face."""


def in_one_notation(line: str) -> str:
    """The line as LaTeX and plain signs that the scanner knows. Never raises."""
    line = _DEGREES_OF.sub("", _DEGREES.sub("°", line))
    line = _UNIT_FRACTION.sub(r"\\text{\1/\2\3}", line)
    line = _PRODUCT_RAISED.sub(r"\1 \2", line)
    line = _ABBREVIATION.sub("; ", _CONTRACTION.sub("", line))
    line = _MICRO_BEFORE_TEXT.sub(r"\1µ", _PERCENT.sub(" %", line))
    line = _PER.sub(" per ", _TIMES_IN_WORDS.sub(" * ", _SHARE_OF.sub(" * ", _SPACED_DOT.sub(" * ", line))))
    line = _PERCENTAGE_POINTS.sub(" %", line)
    line = _PER_TIME.sub(lambda unit: f" 1/{_TIME_UNITS[unit[1].lower()]}", line)
    line = _PER_UNIT.sub(r" \\text{\1^{-1}}", line.replace("′", "'"))
    line = _REMAINDER.sub(_remainder, line)
    line = _COMPOUND.sub(r"(\1 \2 + \3 \4)", _CLOCK.sub(r"(\1+\2/60)", _MODULUS.sub("", line)))
    if not _NUMBERED.match(line):
        line = _RATIO.sub(r"\1 / ", _RATIO_OF_FRACTION.sub(r": (\1)", line))
    line = _MICRO.sub("u", line)
    line = _WHOLE.sub(_whole_number, _REPEATING.sub(_fraction_of_repeating, line))
    line = _OHMS.sub(r"\1\\text{\2Ω}", line)
    line = _UPRIGHT.sub(r"\1", line)
    line = _SIUNITX.sub(_quantity, line)
    if not line.isascii():
        line = _LETTER_WITH_ACCENT.sub(
            lambda found: f"\\{_ACCENT_SIGNS[found[2]]}{{{found[1]}}}", unicodedata.normalize("NFD", line)
        )
        line = unicodedata.normalize("NFC", line)
    for sign, fraction in _VULGAR.items():
        line = re.sub(rf"(?<![\w.])(\d+) ?{sign}", rf"(\1+{fraction})", line).replace(sign, f"({fraction})")
    line = _BASE_TWO.sub(r"\1", _BINARY.sub(lambda digits: digits[1].replace("_", ""), line))
    line = _SHARE.sub(_fraction_of_share, line)
    line = _BARE_FRACTION.sub(_braced_fraction, line)
    line = _CUBE_ROOT.sub(r"\\sqrt[3]{\1}", line)
    line = _MIXED.sub(_mixed_number, line)
    line = _CHOICES.sub(r"\\binom{\1}{\2}", _CHOOSE.sub(r"\\binom{\1}{\2}", line))
    line = _BASE.sub(r"log_{\1}", line)
    line = _SUPERSCRIPTS.sub(lambda run: f"^{{{_set_on_line(run[0])}}}", line)
    return _SUBSCRIPTS.sub(lambda run: f"_{{{_set_on_line(run[0])}}}", line)


def _quantity(found: re.Match[str]) -> str:
    unit = re.sub(r"\\([a-z]+)\s*", lambda macro: _UNIT_MACROS.get(macro[1], macro[0]), found[2])
    return rf"{found[1]}\,\text{{{unit}}}"


def _fraction_of_repeating(found: re.Match[str]) -> str:
    whole, before, period = found.groups()
    all_digits, fixed = int(whole + before + period), int(whole + before)
    return f"({all_digits - fixed}/{'9' * len(period)}{'0' * len(before)})"


def _remainder(found: re.Match[str]) -> str:
    return str(int(found[1]) % int(found[2])) if int(found[2]) else found[0]


def _fraction_of_share(found: re.Match[str]) -> str:
    return f"({found[1]}/{found[2]})" if int(found[1]) <= int(found[2]) else found[0]


def _whole_number(found: re.Match[str]) -> str:
    number = Decimal(found[2])
    return str(number.to_integral_value(ROUND_FLOOR if found[1] == "floor" else ROUND_CEILING))


def _set_on_line(text: str) -> str:
    """Raised or lowered characters as ordinary ones."""
    return unicodedata.normalize("NFKC", text).replace("\u2212", "-")


def _braced_fraction(found: re.Match[str]) -> str:
    return r"\frac" + "".join(part if part.startswith("{") else f"{{{part}}}" for part in found.groups())


def with_lists(text: str) -> str:
    """The text with matrices as lists of their rows, and points with a comma."""
    return _POINT.sub(r"(\1, \2)", _MATRIX.sub(_list_of_rows, text))


def _list_of_rows(found: re.Match[str]) -> str:
    rows = [row.replace("&", ",") for row in found[2].split("\\\\") if row.strip()]
    if len(rows) == 1 or not any("," in row for row in rows):
        return f"({', '.join(rows)})"
    return "[" + ", ".join(f"[{row}]" for row in rows) + "]"


def _mixed_number(found: re.Match[str]) -> str:
    above, below = (group for group in found.groups()[1:] if group)
    return f"({found[1]}+{above}/{below})" if 0 < int(above) < int(below) else found[0]
