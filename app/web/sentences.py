"""A block of a draft as HTML in which each sentence can be struck: a sentence is a checkbox."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from app.web.markdown import markdown
from core.text.sentences import TextUnit, units
from safeguards.citations import numbers_in

_BEGIN, _END = "⸢", "⸣"
"""Around a sentence while it is rendered: punctuation, beside which emphasis begins and ends as beside a space."""
_MARKER = re.compile(r"(?:[ \t]*(?:[-*+]|\d+[.)]|#{1,6}|>)[ \t]+)*[ \t]*(?:\|[ \t]*)?")
"""What stands before the words of an item, a heading, a quotation or a row."""
_CELL = re.compile(r"(?:\\\||[^|])*")
_WORD = re.compile(r"\w")
_WORDS = re.compile(r"\w+")
MIN_QUOTED_WORDS = 4
"""Of fewer words it says nothing that they stand in a passage."""
_TAG = re.compile(r"<(/?)(\w+)[^>]*?(/?)>")
_VOID = ("br", "hr", "wbr", "input", "img")
_TAG_OF_SENTENCE = Markup(' <span class="tag warn">{}</span>')
_GROUNDS, _LINE, _CHECKED = Markup(' data-ev="{}"'), Markup(' data-line="{}"'), Markup(" checked")
_SENTENCE = Markup(
    '<label class="s"{}><input type="checkbox" name="strike" value="{}"{}><span class="say">{}{}</span></label>'
)
_PART = Markup(
    '<div class="unit"{}><input type="checkbox" name="strike" value="{}" aria-label="{}"{}>'
    '<div class="body">{}{}</div></div>'
)
_PLACES = re.compile(f"[{_BEGIN}{_END}]")


@dataclass(frozen=True)
class Notes:
    """What is said of a draft's sentences, by their texts, and the numbers of those that are struck in a block."""

    mark: str = ""
    unverified: Collection[str] = ()
    staff_mark: str = ""
    repeats_staff: Collection[str] = ()
    grounds: Mapping[str, tuple[str, int | None]] = field(default_factory=dict)
    """What a sentence rests on besides citations, and the line of the student's work that it is about."""
    struck: Collection[int] = ()
    passages: Mapping[int, str] = field(default_factory=dict)
    """The cited passages as `words_of` gives them, by number: a sentence that stands there word for word rests on it,
    also without a reference."""

    def tags(self, text: str) -> Markup:
        tags = [self.mark] * (text in self.unverified) + [self.staff_mark] * (text in self.repeats_staff)
        return Markup("").join(_TAG_OF_SENTENCE.format(tag) for tag in tags)

    def checked(self, numbers: Collection[int]) -> Markup:
        return _CHECKED if set(numbers) <= set(self.struck) else Markup("")

    def grounds_of(self, words: Sequence[str]) -> Markup:
        """As attributes of an element."""
        grounds = [self.grounds[text] for text in words if text in self.grounds]
        numbers = sorted(numbers_in("\n".join(words))) or self._quoted(words)
        names = [*map(str, numbers), *(name for name, _ in grounds)]
        attributes = _GROUNDS.format(" ".join(names))
        line = next((line for _, line in grounds if line is not None), None)
        return attributes if line is None else attributes + _LINE.format(line)

    def _quoted(self, sentences: Sequence[str]) -> list[int]:
        spelt = [text for text in map(words_of, sentences) if text.count(" ") > MIN_QUOTED_WORDS]
        return [number for number, passage in self.passages.items() if any(text in passage for text in spelt)]


def words_of(text: str) -> str:
    """Its words alone, each between spaces."""
    return f" {' '.join(_WORDS.findall(text.casefold()))} "


def block_html(text: str, block: int, notes: Notes) -> Markup:
    """The block of that number, with a checkbox `strike` for each of its sentences, or one for the whole where its
    sentences cannot be told apart in its HTML."""
    sentences = units(text)
    plain = markdown(text)
    if _PLACES.search(text):
        return _whole(plain, block, sentences, notes)
    spans = list(_spans(sentences))
    marked = str(markdown("".join(_marked(sentences, {number for number, _ in spans}))))
    pieces = _PLACES.split(marked)
    # Whatever the marks have changed besides being there, the block is shown as it is without them.
    if not spans or _PLACES.sub("", marked) != str(plain) or len(pieces) != 2 * len(spans) + 1:
        return _whole(plain, block, sentences, notes)
    html, numbers, words, inside = pieces[0], list[int](), list[str](), ""
    for (number, sentence), piece, after in zip(spans, pieces[1::2], pieces[2::2], strict=True):
        numbers, words, inside = [*numbers, number], [*words, sentence], inside + piece
        if _is_balanced(inside):
            html += _sentence(inside, block, numbers, words, notes) + after
            numbers, words, inside = [], [], ""
        else:  # Within an emphasis that spans sentences, they are struck together.
            inside += after
    return _whole(plain, block, sentences, notes) if inside else Markup(html)  # noqa: S704  (made of escaped HTML)


def _sentence(html: str, block: int, numbers: Sequence[int], words: Sequence[str], notes: Notes) -> str:
    tags = Markup("").join(map(notes.tags, words))
    inside = Markup(html)  # noqa: S704  (made of escaped HTML)
    return str(_SENTENCE.format(notes.grounds_of(words), _value(block, numbers), notes.checked(numbers), inside, tags))


def _whole(html: Markup, block: int, sentences: Sequence[TextUnit], notes: Notes) -> Markup:
    """One checkbox; struck together, its sentences are one value each, of which the page repeats the first."""
    numbers = [number for number, unit in enumerate(sentences, 1) if unit.text.strip()]
    if not numbers:
        return html
    words = [unit.text.strip() for unit in sentences]
    name = "code" if any(unit.is_code for unit in sentences) else "part"
    label = f"{name}: {' '.join(' '.join(words).split())[:60]}"
    tags = Markup("").join(map(notes.tags, words))
    return _PART.format(notes.grounds_of(words), _value(block, numbers), label, notes.checked(numbers), html, tags)


def _value(block: int, numbers: Sequence[int]) -> str:
    return " ".join(f"{block}.{number}" for number in numbers)


def _spans(sentences: Sequence[TextUnit]) -> Iterator[tuple[int, str]]:
    """Numbers and texts of the units that have words to strike: no line of a table's head or rule."""
    lines = ["" if unit.is_code else unit.text.strip() for unit in sentences]
    for number, line in enumerate(lines, 1):
        is_head = line.startswith("|") and number < len(lines) and not _WORD.search(lines[number])
        if _WORD.search(line) and not (is_head and lines[number].startswith("|")):
            yield number, line


def _marked(sentences: Sequence[TextUnit], numbers: Collection[int]) -> Iterator[str]:
    for number, unit in enumerate(sentences, 1):
        if number not in numbers:
            yield unit.text
            continue
        start = (_MARKER.match(unit.text) or [""])[0]
        rest = unit.text[len(start) :]
        words = (_CELL.match(rest) or [rest])[0] if start.rstrip().endswith("|") else rest
        bare = words.rstrip()
        yield f"{start}{_BEGIN}{bare}{_END}{rest[len(bare) :]}"


def _is_balanced(html: str) -> bool:
    """True if every tag in it ends in it."""
    opened: list[str] = []
    for close, name, empty in _TAG.findall(html):
        if name in _VOID or empty:
            continue
        if not close:
            opened.append(name)
        elif not opened or opened.pop() != name:
            return False
    return not opened
