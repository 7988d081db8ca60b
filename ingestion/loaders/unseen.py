"""HTML elements that a page never shows; tabs and folded parts are shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

_CLASSES = frozenset(("hidden", "hide", "d-none", "is-hidden", "invisible", "display-none"))
_CHOSEN = re.compile(
    r"(?:^|[-_])(?:tab|tabs|tabpanel|pane|panes|carousel|slide|menu|katex|mathjax|mjx)(?:$|[-_])", re.IGNORECASE
)
"""In a class or role: what readers choose to see, or see in another form."""
_DECLARATION = re.compile(r"\s*([a-z-]+)\s*:\s*([^;!]*)", re.IGNORECASE)
_NOTHING = re.compile(r"0*\.?0+(?:px|em|rem|pt|%)?$|0$")
_FAR_AWAY = re.compile(r"-\d{3,}")
_NO_COLOR = re.compile(r"(?:transparent|white|\#fff(?:fff)?|rgba\(.*,\s*0(?:\.0+)?\))$")
_HIDES: Mapping[str, Callable[[str], bool]] = {
    "display": lambda value: value == "none",
    "visibility": lambda value: value in ("hidden", "collapse"),
    "opacity": lambda value: bool(_NOTHING.match(value)),
    "font-size": lambda value: bool(_NOTHING.match(value)),
    "left": lambda value: bool(_FAR_AWAY.match(value)),
    "top": lambda value: bool(_FAR_AWAY.match(value)),
    "text-indent": lambda value: bool(_FAR_AWAY.match(value)),
}
_AT_RULE = re.compile(r"@[^{}]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SELECTOR = re.compile(r"[\w*]*((?:[.#][\w-]+)+)")
_NAMES = re.compile(r"[.#][\w-]+")

Hidden = frozenset[frozenset[str]]
"""Names of elements that a style sheet hides: each set, as {".answer"}, must be there as a whole."""


def hidden_by(style_sheets: Iterable[str]) -> Hidden:
    """What style sheets hide by single classes and ids, rules for print left out."""
    rules = (rule for sheet in style_sheets for rule in _RULE.finditer(_AT_RULE.sub("", sheet)))
    selectors = (selector.strip() for rule in rules if _is_hiding(rule[2]) for selector in rule[1].split(","))
    return frozenset(frozenset(_NAMES.findall(match[1])) for one in selectors if (match := _SELECTOR.fullmatch(one)))


def is_unseen(name: str, attributes: Mapping[str, str], hidden: Hidden = frozenset()) -> bool:
    """Whether a page does not show an element."""
    classes = attributes.get("class", "").split()
    if any(_CHOSEN.search(word) for word in (*classes, attributes.get("role", ""))) or any(
        ":" in word for word in classes
    ):
        return False
    if name == "template" or "hidden" in attributes or not _CLASSES.isdisjoint(classes):
        return True
    own = {f".{word}" for word in classes} | {f"#{attributes.get('id', '')}"}
    return _is_hiding(attributes.get("style", "")) or any(names <= own for names in hidden)


def _is_hiding(style: str) -> bool:
    declarations = {match[1].casefold(): match[2].strip().casefold() for match in _DECLARATION.finditer(style)}
    has_background = any(name.startswith("background") for name in declarations)
    if not has_background and _NO_COLOR.match(declarations.get("color", "")):
        return True
    return any(name in _HIDES and _HIDES[name](value) for name, value in declarations.items())
