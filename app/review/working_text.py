"""The text of a draft while a reviewer works on it: blocks that are edited, and sentences that are struck.

A form has for each block the fields `was` (as the page showed it) and `block` (as it was sent), and for each struck
sentence a field `strike`, which is the block's number and the sentence's number in `was`: "2.1".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from app.web.markdown import block_starts
from core.text.changes import extent
from core.text.strikes import matches, without

_STRIKE = re.compile(r"\b([0-9]{1,6})\.([0-9]{1,6})\b")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
MAX_BLOCKS = 500


@dataclass(frozen=True)
class WorkingBlock:
    """A paragraph, list, table or the like, the white space after it included; numbers of sentences from 1."""

    markdown: str
    struck: frozenset[int] = frozenset()

    @property
    def text(self) -> str:
        """Without the white space after it."""
        return self.markdown.rstrip()

    @property
    def final(self) -> str:
        """Without its struck sentences; empty where nothing is left."""
        left = without(self.markdown, self.struck) if self.struck else self.text
        return left + self.markdown[len(self.text) :] if left else ""


@dataclass(frozen=True)
class WorkingText:
    blocks: tuple[WorkingBlock, ...]

    @classmethod
    def of(cls, markdown: str) -> WorkingText:
        """The text in blocks; a text without words is one block."""
        return cls(tuple(WorkingBlock(block) for block in _blocks(markdown.strip())) or (WorkingBlock(""),))

    @classmethod
    def of_fields(cls, fields: Any) -> WorkingText:
        """What the fields of a form say."""
        shown, sent = ([_plain(text) for text in fields.getlist(name)][:MAX_BLOCKS] for name in ("was", "block"))
        struck: dict[int, set[int]] = {}
        for at, number in _STRIKE.findall(" ".join(map(str, fields.getlist("strike")))):
            struck.setdefault(int(at), set()).add(int(number))
        shown += [""] * (len(sent) - len(shown))
        return cls(
            tuple(
                _edited(WorkingBlock(was, frozenset(struck.get(number, ()))), text)
                for number, (was, text) in enumerate(zip(shown, sent, strict=False), 1)
            )
        )

    @property
    def markdown(self) -> str:
        """With the struck sentences."""
        return "".join(block.markdown for block in self.blocks).strip()

    @property
    def final(self) -> str:
        """What is sent."""
        return "".join(block.final for block in self.blocks).strip()

    @property
    def whole(self) -> WorkingText:
        """The same as one block, without the struck sentences."""
        return WorkingText((WorkingBlock(self.final),))

    def is_as(self, draft: str) -> bool:
        """True if what is sent has the words of the draft."""
        return extent(draft, self.final).edit_distance == 0


def fields_of(text: WorkingText) -> dict[str, list[str]]:
    """The fields of the form that shows the text."""
    blocks = [block.markdown for block in text.blocks]
    struck = [f"{at}.{number}" for at, block in enumerate(text.blocks, 1) for number in sorted(block.struck)]
    return {"was": blocks, "block": blocks, "strike": struck}


def _edited(shown: WorkingBlock, text: str) -> WorkingBlock:
    """The block with another text: a struck sentence that it still has stays struck."""
    if text.rstrip() == shown.text:
        return shown
    space = shown.markdown[len(shown.text) :] or "\n\n"
    struck = matches(shown.markdown, text)
    numbers = frozenset(struck[number] for number in shown.struck if number in struck)
    return WorkingBlock(text.rstrip() + space if text.strip() else "", numbers)


def _blocks(markdown: str) -> Iterator[str]:
    lines = _LINE.findall(markdown)
    starts: Iterable[int] = block_starts(markdown)
    ends = [*list(starts)[1:], len(lines)]
    begin = 0
    for end in ends:
        if block := "".join(lines[begin:end]):
            yield block
        begin = end


def _plain(text: object) -> str:
    return str(text).replace("\r\n", "\n")
