"""Inline LaTeX, reduced to the words readers see; formulas stay. Linear in the text's length."""

from __future__ import annotations

import re
from unicodedata import normalize

from core.text.raised import lowered, raised
from ingestion.loaders.tex.quantities import QUANTITIES, read_quantity

_MATH = (
    r"\$\$[^$]{0,5000}\$\$|\$(?:\\.|[^$\\\n])+\$|\\\((?P<inline>(?:[^\\]|\\[^)]){0,2000}?)\\\)"
    r"|\\\[(?P<display>(?:[^\\]|\\[^\[\]]){0,5000}?)\\\]"
)
_TOKEN = re.compile(
    rf"(?P<math>{_MATH})|\\(?:verb|lstinline)\*?(?P<mark>[^\sA-Za-z*{{\[])(?P<verb>[^\n]{{0,500}}?)(?P=mark)"
    r"|\\(?P<accent>[\"'`^~=.]|[cHvuk](?=\{|\s[A-Za-z]))\s?\{?\\?(?P<letter>[A-Za-z])\}?"
    r"|\\(?P<macro>[A-Za-z@]+)\*?(?:[ \t]*\[[^\[\]\n]{0,200}\])?[ \t]*"
    r"|\\(?P<sign>[^A-Za-z])(?:(?<=\\\\)\*?\[-?[\d.]+ ?[a-z]{2}\])?"
    r"|(?P<brace>[{}])|(?P<quote>``|'')|(?P<dash>---?)|(?P<space>~)"
)
_ACCENTS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "H": "\u030b", "v": "\u030c", "u": "\u0306", "k": "\u0328",
}  # fmt: skip
_SIGNS = {"\\": "\n", ",": " ", ";": " ", ":": " ", "!": "", "/": "", "-": ""}
_SYMBOLS = {
    "ldots": "...", "dots": "...", "textbackslash": "\\", "LaTeX": "LaTeX", "TeX": "TeX", "ss": "ß", "o": "ø", "O": "Ø",
    "ae": "æ", "AE": "Æ", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "S": "§", "textendash": "–", "textemdash": "—",
    "textasciitilde": "~", "textasciicircum": "^", "quad": " ", "qquad": " ", "textbar": "|", "textless": "<",
    "textgreater": ">", "newline": "\n", "linebreak": "\n", "hfill": " ", "euro": "€", "pounds": "£", "copyright": "©",
    "textquotesingle": "'", "textdegree": "°", "checkmark": "✓", "par": "\n",
}  # fmt: skip
_WITHOUT_TEXT = frozenset(
    """
    label vspace hspace vskip hskip includegraphics bibliographystyle bibliography setcounter addtocounter setlength
    addtolength renewcommand newcommand providecommand usepackage documentclass input include includeonly pagestyle
    thispagestyle graphicspath lstset hypersetup geometry definecolor nocite phantom vphantom hphantom index
    pgfplotsset tikzset usetikzlibrary theoremstyle newtheorem newenvironment renewenvironment DeclareMathOperator
    addcontentsline rule cline cmidrule color textcolor pagecolor fontsize usetheme usecolortheme setbeamertemplate href
    title author date sout st
    """.split()  # noqa: SIM905  (a list of words reads best as text)
)
"""Their first argument is no text."""
_RAISED = {"textsuperscript": raised, "textsubscript": lowered}
_WRAPPED = {"texttt": ("`", "`"), "textbf": ("**", "**"), "footnote": (" (Footnote: ", ")"), "caption": ("\n", "\n")}


def plain(text: str) -> str:
    r"""The words of LaTeX, formulas between dollar signs; `\\\\` becomes a line break."""
    ends = braces(text)
    closings: dict[int, str] = {}
    parts: list[str] = []
    position = 0
    while match := _TOKEN.search(text, position):
        parts.append(text[position : match.start()])
        position = match.end()
        if macro := match["macro"]:
            end = ends.get(position)
            if macro in QUANTITIES and end is not None:
                words, position = read_quantity(macro, text, ends, position)
                parts.append(words)
            elif macro in _RAISED and end is not None:
                parts.append(_RAISED[macro](text[: match.start()][-20:], plain(text[position + 1 : end])))
                position = end + 1
            elif macro in _WITHOUT_TEXT and end is not None:
                position = end + 1
            elif macro in _WRAPPED and end is not None:
                parts.append(_WRAPPED[macro][0])
                closings[end] = _WRAPPED[macro][1]
            else:
                # Others mostly format their argument, which stays.
                parts.append(_SYMBOLS.get(macro, ""))
        else:
            parts.append(closings.get(match.start(), "") if match["brace"] else _text_of(match))
    parts.append(text[position:])
    return "".join(parts)


def braces(text: str) -> dict[int, int]:
    """The offset of each opening brace, with that of the one that closes it."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for match in re.finditer(r"\\.|[{}]", text, re.DOTALL):
        if match.group() == "{":
            opened.append(match.start())
        elif match.group() == "}" and opened:
            ends[opened.pop()] = match.start()
    return ends


def _text_of(match: re.Match[str]) -> str:
    if match["math"]:
        return _formula(match)
    if match["verb"] is not None:
        return f"`{match['verb']}`"
    if match["accent"]:
        return normalize("NFC", match["letter"] + _ACCENTS[match["accent"]])
    if sign := match["sign"]:
        return _SIGNS.get(sign, sign)
    if match["dash"]:
        return "—" if len(match["dash"]) == 3 else "–"
    return '"' if match["quote"] else " "


def _formula(match: re.Match[str]) -> str:
    if match["inline"] is not None:
        return f"${match['inline'].strip()}$"
    return f"$${match['display'].strip()}$$" if match["display"] is not None else match["math"]
