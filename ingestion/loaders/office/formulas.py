"""Formulas of Word and PowerPoint (Office MathML) as TeX."""

from __future__ import annotations

from typing import Any

from ingestion.loaders.office.xml import child, local, value

_BRACKETS = {
    "⌊": r"\lfloor ", "⌋": r"\rfloor", "⌈": r"\lceil ", "⌉": r"\rceil", "⟨": r"\langle ", "⟩": r"\rangle",
    "〈": r"\langle ", "〉": r"\rangle", "‖": r"\|", "{": r"\{", "}": r"\}",
}  # fmt: skip
_ACCENTS = {
    "\u0302": "hat", "^": "hat", "\u0303": "tilde", "~": "tilde", "\u0304": "bar", "\u0305": "bar", "¯": "bar",
    "\u0307": "dot", "\u0308": "ddot", "\u20d7": "vec", "→": "vec", "\u030c": "check",
}  # fmt: skip
_PARTS = ("e", "sup", "sub", "num", "den", "deg", "fName", "lim")


def to_tex(element: Any) -> str:
    """The TeX of an element of a formula."""
    kind = local(element)
    if kind == "t":
        return element.text or ""
    if kind == "d":
        return _delimited(element)
    if kind == "m":
        return r"\begin{matrix}" + r" \\ ".join(_entries(row) for row in _all(element, "mr")) + r"\end{matrix}"
    if kind == "eqArr":
        return r" \\ ".join(to_tex(row) for row in _all(element, "e"))
    parts = {name: to_tex(below) for name in _PARTS if (below := child(element, name)) is not None}
    inside = parts.get("e", "")
    match kind:
        case "f":
            return _fraction(element, parts.get("num", ""), parts.get("den", ""))
        case "rad":
            degree = parts.get("deg", "").strip()
            return rf"\sqrt[{degree}]{{{inside}}}" if degree else rf"\sqrt{{{inside}}}"
        case "sSup" | "sSub" | "sSubSup":
            return inside + _scripts(parts)
        case "sPre":
            return "{}" + _scripts(parts) + inside
        case "nary":
            return f"{value(element, 'naryPr', 'chr') or '∫'} {_scripts(parts)} {inside}"
        case "func":
            return f"{_name(parts.get('fName', ''))}{inside}"
        case "limLow" | "limUpp":
            return f"{_name(inside).strip()}{'_' if kind == 'limLow' else '^'}{{{parts.get('lim', '')}}}"
        case "acc" | "bar":
            mark = value(element, "accPr", "chr") or "\u0302"
            return rf"\{'overline' if kind == 'bar' else _ACCENTS.get(mark, 'hat')}{{{inside}}}"
    return "".join(to_tex(below) for below in element if not local(below).endswith("Pr"))


def _all(element: Any, name: str) -> list[Any]:
    return [below for below in element if local(below) == name]


def _entries(row: Any) -> str:
    return " & ".join(to_tex(entry) for entry in _all(row, "e"))


def _scripts(parts: dict[str, str]) -> str:
    return "".join(f"{mark}{{{parts[name]}}}" for mark, name in (("_", "sub"), ("^", "sup")) if parts.get(name))


def _name(text: str) -> str:
    word = text.strip()
    return rf"\{word} " if word.isascii() and word.isalpha() and len(word) > 1 else text


def _fraction(element: Any, above: str, below: str) -> str:
    if value(element, "fPr", "type") == "noBar":
        return rf"{{{above} \atop {below}}}"
    return f"{above}/{below}" if value(element, "fPr", "type") == "lin" else rf"\frac{{{above}}}{{{below}}}"


def _delimited(element: Any) -> str:
    entries = _all(element, "e")
    begin, end = _bracket(element, "begChr", "("), _bracket(element, "endChr", ")")
    only = [below for below in entries[0] if not local(below).endswith("Pr")] if len(entries) == 1 else []
    if (begin, end) == ("(", ")") and [local(below) for below in only] == ["f"]:
        fraction = only[0]
        if value(fraction, "fPr", "type") == "noBar":
            above, below = (to_tex(part) if (part := child(fraction, name)) is not None else "" for name in _PARTS[3:5])
            return rf"\binom{{{above}}}{{{below}}}"
    separator = value(element, "dPr", "sepChr") or ", "
    return begin + separator.join(map(to_tex, entries)) + end


def _bracket(element: Any, name: str, default: str) -> str:
    # A bracket that is stated as nothing is not there.
    stated = child(element, "dPr", name)
    mark = default if stated is None else value(element, "dPr", name)
    return _BRACKETS.get(mark, mark)
