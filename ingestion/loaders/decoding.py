"""Decodes bytes to text, for every textual format."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.errors import EmptyDocument, UnreadableDocument
from core.text.lines import tidy, with_line_feeds

MARKS = (
    # UTF-32 first: its little-endian mark begins with UTF-16's.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
MAX_CONTROL_SHARE = 0.02
"""Compressed or random bytes hold about one control character in ten; text holds next to none."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text with line feeds only, and warnings about its encoding."""

    text: str
    warnings: tuple[str, ...] = ()


def decode(name: str, data: bytes) -> DecodedText:
    """Decode UTF-8, or UTF-16/32 with a byte order mark, else Windows-1252 with a warning.

    Raises `EmptyDocument`, and `UnreadableDocument` for binary data.
    """
    text, warnings = _decode(name, data)
    controls = len(_CONTROL.findall(text))
    if "\0" in text or controls > MAX_CONTROL_SHARE * len(text):
        raise UnreadableDocument(
            f"{name}: this is binary data, not text. Save it as UTF-8 text, or give the file the suffix of its format."
        )
    if not text.strip():
        raise EmptyDocument(f"{name}: there is no text in it.")
    return DecodedText(with_line_feeds(text), warnings)


def _decode(name: str, data: bytes) -> tuple[str, tuple[str, ...]]:
    encoding = next((encoding for mark, encoding in MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError as error:
        if encoding.startswith(("utf-16", "utf-32")):
            raise UnreadableDocument(
                f"{name}: begins like {encoding.upper()} but is not ({error.reason} at byte {error.start}). "
                "Save it as UTF-8."
            ) from error
        # A few bytes mean nothing in Windows-1252; they become U+FFFD so that the rest can be read.
        warning = (
            f"{name}: not UTF-8 (byte {error.start}); read as Windows-1252 (cp1252). "
            "If letters look wrong, save the file as UTF-8 and ingest it again."
        )
        return data.removeprefix(codecs.BOM_UTF8).decode("cp1252", errors="replace"), (warning,)


def title_from(name: str, *candidates: str | None) -> str:
    """The first candidate that says anything, else the file's name without folders and suffix. Never empty."""
    for candidate in candidates:
        if candidate and (title := " ".join(tidy(candidate).split())):
            return title
    return PurePosixPath(tidy(name)).stem.strip() or "untitled"
