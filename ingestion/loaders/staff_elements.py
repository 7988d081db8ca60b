"""Elements, blocks and cells whose attributes say that they hold a solution."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ingestion.naming.names import NameKind, read_part, says_staff
from ingestion.naming.names import says_solution as says_solution_name
from ingestion.solutions.marks import is_solution_marker

CONTAINERS = frozenset(
    """
    div section details span p blockquote pre table tr td ul ol li dl dd figure fieldset dialog code em strong b i
    font mark aside article
    """.split()  # noqa: SIM905  (a list of words reads best as text)
)
"""Others, like `body`, hold whole pages; a heading says what follows it, by its words."""
_ELEMENTS = frozenset(("solution", "pl-answer-panel"))
"""Elements of PreTeXt and PrairieLearn."""
_OTHERWISE = frozenset(("with", "without", "has", "no", "not", "choice", "choices", "option", "options", "count"))
"""Beside one of the words: what has a solution, or may be chosen for an answer."""
_DATA_FLAG = re.compile(r"data-(?:is-)?(?:solutions?|answers?)$")
_DATA_KIND = re.compile(
    r"data-(?:type|kind|role|block|element|content|section|env|name|tags?|audience|for|visibility)$"
)
_AUDIENCES = frozenset(("data-audience", "data-for", "data-visibility"))
_MAX_CHARS = 300
_LETTERS = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-zäöüé])(?=[A-Z])")
_ATTRIBUTE = re.compile(r"""([A-Za-z_:@][\w:.\-]*+)(?:\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"'=<>`]++))?+""")

_REVEAL = re.compile(
    r"(?=.*\w)\W*(?:(?:click|tap|press)(?: here| me)?(?: to)?\W*)?"
    r"(?:show|reveal|expand|unfold|see|toggle|spoiler)?(?:\W*/?\W*hide)?"
    r"(?: (?:it|me|this|more|text|content))?\W*",
    re.IGNORECASE,
)
_DIRECTIVE = re.compile(r"^\s*\{(?P<name>[\w.:-]+)\}\s*(?P<title>.*)$")
_TITLE = re.compile(r"""\b(?:title|summary|caption)\s*=\s*["']([^"'{}]{1,80})["']""")
_QUIET = re.compile(r"content-hidden[^}]*\bwhen-|content-visible[^}]*\bunless-")
"""What only those see who do not see solutions."""


def says_solution(name: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element's class, id or data attributes say that it is a solution."""
    if name not in CONTAINERS:
        return name in _ELEMENTS
    return any(_attribute_says(key.casefold(), value.strip()[:_MAX_CHARS]) for key, value in attributes.items())


def is_solution_title(text: str) -> bool:
    """Whether a folded part's title announces a solution, or only how to open it."""
    return is_solution_marker(text) or bool(_REVEAL.fullmatch(text.strip()))


def attributes_of(tag: str) -> dict[str, str]:
    """The attributes in the source of a tag, without its name."""
    return {match[1]: (match[2] or "").strip("\"'") for match in _ATTRIBUTE.finditer(tag)}


def block_says_solution(info: str) -> bool:
    """Whether a block's opening announces a solution: "{solution}", "{dropdown} Solution", "{r q1-solution}"."""
    info = info[:_MAX_CHARS]
    if _QUIET.search(info):
        return False
    directive = _DIRECTIVE.match(info)
    if directive and is_solution_marker(directive["title"]):
        return True
    if any(is_solution_marker(match[1]) for match in _TITLE.finditer(info)):
        return True
    said = re.sub(r"""["'][^"']*\s[^"']*["']""", " ", info)
    braces = re.findall(r"\{([^{}]*)\}", said)
    # Without braces, "sol" is a language.
    names = _names(braces) if braces else (word for word in said.split()[:1] if word != "sol")
    return any(_is_solution_name(name) for name in names)


def _names(parts: Iterable[str]) -> Iterator[str]:
    return (word for part in parts for word in re.split(r"[\s,.#=\"']+", part) if word)


def _attribute_says(key: str, value: str) -> bool:
    if key == "class":
        return any(_is_solution_name(name) for name in value.split())
    if key == "id":
        # Made from a heading, it may hold the heading's other words: "solutions-of-linear-equations".
        words = re.sub(r"[-_:.]+", " ", _CAMEL.sub(" ", value))
        return is_solution_marker(words) or (len(words.split()) <= 3 and _is_solution_name(value))
    if _DATA_FLAG.match(key):
        return value.casefold() in ("", "true", "1", "yes")
    is_audience = key in _AUDIENCES and (evidence := read_part(value)) is not None and evidence.kind is NameKind.STAFF
    return is_audience or (bool(_DATA_KIND.match(key)) and _is_solution_name(value))


def _is_solution_name(name: str) -> bool:
    """ "solution", "q3-solution", "solutionBox", "answer_key", "staff-only"; not "has-solution" or "answer-choices"."""
    words = {word.casefold() for word in _LETTERS.findall(_CAMEL.sub("-", name))}
    return (says_solution_name(name) or says_staff(name)) and words.isdisjoint(_OTHERWISE)
