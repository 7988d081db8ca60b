"""TeX to MathML, which browsers show without scripts."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, tostring

if TYPE_CHECKING:
    from latex2mathml.converter import Converter

MAX_DEPTH = 25
"""Braces and environments within each other."""
MAX_MARKUP_CHARS = 100_000

ENVIRONMENTS = {
    **{name: name for name in ("array", "cases", "matrix", "smallmatrix", "align*")},
    **{f"{letter}matrix": f"{letter}matrix" for letter in "pbBvV"},
    # Numbers of equations would start again in each formula.
    **dict.fromkeys(("align", "aligned", "alignedat", "split", "eqnarray", "eqnarray*", "flalign"), "align*"),
    **dict.fromkeys(("flalign*", "gather", "gather*", "gathered", "multline", "multline*"), "align*"),
    "equation": "",
    "equation*": "",
}
"""What of the library's each environment is shown with; an empty one adds nothing to what it holds."""
ELEMENTS = frozenset(
    """
    math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle mpadded mphantom menclose merror
    msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd
    """.split()  # noqa: SIM905
)
CHILDREN = {
    **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
"""How many parts an element has; with less, something is missing in the TeX."""
WORDS = frozenset(
    """
    display displaystyle scriptlevel mathvariant stretchy fence form separator symmetric largeop movablelimits accent
    accentunder columnalign rowalign columnspan rowspan columnlines rowlines frame linebreak notation
    """.split()  # noqa: SIM905
)
LENGTHS = frozenset(
    "width height depth lspace rspace voffset linethickness minsize maxsize rowspacing columnspacing".split()  # noqa: SIM905
)
_WORD = re.compile(r"[\w# -]{1,60}")
_SHORT = re.compile(r"[+-]?\d?(?:\.\d{1,4})?(?:em|ex|pt|px)?(?: [+-]?\d?(?:\.\d{1,4})?(?:em|ex|pt|px)?){0,9}")
"""Lengths below ten units: nothing is drawn over what stands around a formula."""
_REFUSED = re.compile(
    r"\\(?:def|gdef|edef|xdef|let|newcommand|renewcommand|providecommand|newenvironment|Declare\w+|unicode|mathchoice)\b"
)
"""Definitions, and what shows other letters than those that were compared with texts for staff."""
_SAYS_NOTHING = re.compile(r"\\(?:nonumber|notag)\b|\\(?:label|tag\*?)\{[^{}]*\}")
_ENVIRONMENT = re.compile(r"\\(?P<end>begin|end)\{(?P<name>[^{}]*)\}(?:(?<=at\})\{\d+\})?")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_UNKNOWN = re.compile(r"\\[A-Za-z]")
_ESCAPED = re.compile(r"\\([$%&#_{}])")


class BadTeX(Exception):
    """It cannot be shown as a formula."""


def mathml(tex: str, *, is_displayed: bool) -> str | None:
    """The formula as harmless MathML; None for unknown commands, open braces, missing arguments or definitions."""
    try:
        element = _converter("block" if is_displayed else "inline").convert_to_element(_prepare(tex))
        _clean(element)
    except Exception:  # The library raises errors of many types, IndexError among them, for TeX that it cannot read.
        return None
    markup = tostring(element, encoding="unicode")
    return markup if len(markup) <= MAX_MARKUP_CHARS else None


def _converter(display: str) -> Converter:
    from latex2mathml.converter import Converter  # answers without formulas do not need it

    return Converter(display=display)


def _prepare(tex: str) -> str:
    if _REFUSED.search(tex):
        raise BadTeX
    tex = _ENVIRONMENT.sub(_environment, _SAYS_NOTHING.sub("", tex))
    _check_depth(tex)
    return tex


def _environment(match: re.Match[str]) -> str:
    if match["name"] not in ENVIRONMENTS:
        raise BadTeX
    known = ENVIRONMENTS[match["name"]]
    return f"\\{match['end']}{{{known}}}" if known else ""


def _check_depth(tex: str) -> None:
    depth = 0
    for brace in _BRACE.findall(tex):
        depth += {"{": 1, "}": -1}.get(brace, 0)
        if not 0 <= depth <= MAX_DEPTH:
            raise BadTeX
    if depth or tex.count("\\left") > MAX_DEPTH or tex.count("\\begin{") > MAX_DEPTH:
        raise BadTeX


def _clean(root: Element) -> None:
    """Leaves those elements and attributes that only show something. Raises `BadTeX` for a command as text."""
    for element in root.iter():
        if element.tag not in ELEMENTS or len(element) != CHILDREN.get(element.tag, len(element)):
            raise BadTeX
        element.attrib = {name: value for name, value in element.attrib.items() if _is_harmless(name, value)}
        if element.text:
            element.text = _text_of(element)


def _is_harmless(name: str, value: str) -> bool:
    if name in LENGTHS:
        return _SHORT.fullmatch(value) is not None
    return name == "xmlns" or (name in WORDS and _WORD.fullmatch(value) is not None)


def _text_of(element: Element) -> str:
    # The library writes characters as references, for text that is not escaped again.
    text = html.unescape(element.text or "")
    if element.tag == "mtext":
        return _ESCAPED.sub(r"\1", text)
    if _UNKNOWN.match(text) or (text in ("{", "}", "&", "#") and element.tag == "mi"):
        raise BadTeX
    return text
