"""Formulas in HTML as TeX: KaTeX, MathJax and MathML."""

from __future__ import annotations

import re

from bs4.element import NavigableString, Tag

_RENDERINGS = frozenset(("katex-html", "MathJax_Preview", "MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_CHTML"))
"""Classes of what a script has drawn; the formula itself stands beside it."""
_TEX_SCRIPT = re.compile(r"math/tex\b(?P<display>.*mode\s*=\s*display)?")
_ROWS = frozenset(("mtr", "mlabeledtr"))
_OVER = {"^": "hat", "¯": "bar", "‾": "bar", "→": "vec", "~": "tilde", "˙": "dot", "ˆ": "hat", "⃗": "vec", "_": "bar"}
MAX_DEPTH = 40


def formula_of(tag: Tag) -> str | None:
    """The formula that an element draws, between dollar signs; None for other elements."""
    if tag.name == "script":
        kind = _TEX_SCRIPT.match(str(tag.get("type", "")))
        return _between(tag.get_text(), display=bool(kind["display"])) if kind else None
    if tag.name != "math":
        return None
    annotation = tag.find("annotation", encoding=re.compile(r"tex", re.IGNORECASE))
    tex = annotation.get_text() if isinstance(annotation, Tag) else str(tag.get("alttext", "")) or to_tex(tag)
    display = tag.get("display") == "block" or any("katex-display" in _classes(above) for above in tag.parents)
    return _between(tex, display=display)


def is_rendering(tag: Tag) -> bool:
    """Whether an element shows a formula that stands beside it in another form."""
    return not _RENDERINGS.isdisjoint(_classes(tag))


def to_tex(element: Tag, depth: int = 0) -> str:
    """The TeX of presentation MathML."""
    parts = [child for child in element.children if isinstance(child, Tag)]
    if not parts or depth > MAX_DEPTH:
        return _symbol(element)
    name = element.name.rpartition(":")[2]
    if name in _ROWS:
        return " & ".join(to_tex(part, depth + 1) for part in parts)
    texts = [to_tex(part, depth + 1) for part in parts]
    first, second, third = (*texts, "", "", "")[:3]
    match name:
        case "mfrac":
            return rf"\frac{{{first}}}{{{second}}}"
        case "msqrt":
            return rf"\sqrt{{{''.join(texts)}}}"
        case "mroot":
            return rf"\sqrt[{second}]{{{first}}}"
        case "msup":
            return f"{first}^{_group(second)}"
        case "msub" | "munder":
            return f"{first}_{_group(second)}"
        case "msubsup" | "munderover":
            return f"{first}_{_group(second)}^{_group(third)}"
        case "mover":
            return rf"\{_OVER[second]}{{{first}}}" if second in _OVER else f"{first}^{_group(second)}"
        case "mtable":
            return r"\begin{matrix}" + r" \\ ".join(texts) + r"\end{matrix}"
        case "mfenced":
            return f"{element.get('open', '(')}{', '.join(texts)}{element.get('close', ')')}"
        case "semantics":
            return first
    return "".join(texts)


def _symbol(element: Tag) -> str:
    text = "".join(str(child) for child in element.children if isinstance(child, NavigableString)).strip()
    if element.name == "mtext" and text:
        return rf"\text{{{text}}}"
    return rf"\{text} " if element.name == "mi" and len(text) > 1 and text.isascii() and text.isalpha() else text


def _group(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


def _between(tex: str, *, display: bool) -> str:
    words = " ".join(tex.split())
    if not words:
        return ""
    return f"$${words}$$" if display else f"${words}$"


def _classes(tag: Tag) -> list[str]:
    return [name for name in tag.get_attribute_list("class") if name]
