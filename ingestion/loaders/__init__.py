"""One loader per file format: a pure function `load(name, data)` that raises `UnreadableDocument` or its kinds."""

from __future__ import annotations

from importlib import import_module
from pathlib import PurePosixPath
from typing import Protocol, cast

from core.errors import EmptyDocument, UnreadableDocument
from ingestion.document import LoadedDocument

CODE = (".c", ".h", ".cc", ".cpp", ".hpp", ".java", ".py", ".r")
DECLARATIONS = (".h", ".hpp")
"""Code that declares what other files define."""
LOADERS = {
    ".pdf": "pdf",
    ".ipynb": "notebook",
    ".md": "markdown",
    ".markdown": "markdown",
    ".qmd": "quarto",
    ".rmd": "quarto",
    ".rmarkdown": "quarto",
    ".tex": "tex.source",
    ".rst": "rst",
    ".org": "org",
    ".html": "html",
    ".htm": "html",
    ".txt": "text",
    ".jsonl": "threads",
    ".pptx": "office.pptx",
    ".docx": "office.docx",
    ".vtt": "transcript",
    ".srt": "transcript",
    ".csv": "schedules.csv_file",
    ".tsv": "schedules.csv_file",
    ".xlsx": "schedules.xlsx_file",
    ".yaml": "schedules.yaml_file",
    ".yml": "schedules.yaml_file",
    ".ics": "schedules.ics_file",
    **dict.fromkeys(CODE, "code"),
}
"""Suffix -> module in this package, imported when the first such file is loaded: pymupdf alone takes a second."""

SUFFIXES = tuple(LOADERS)


class Loader(Protocol):
    def __call__(self, name: str, data: bytes) -> LoadedDocument: ...


def loader_of(name: str) -> Loader:
    """The loader for a file name. Raises `UnreadableDocument` for an unknown suffix."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in LOADERS:
        problem = f"files ending in {suffix!r} cannot be read" if suffix else "the name has no suffix"
        raise UnreadableDocument(f"{name}: {problem}. Supported: {', '.join(SUFFIXES)}.")
    module = import_module(f"{__name__}.{LOADERS[suffix]}")
    return cast(Loader, module.load)


def load(name: str, data: bytes) -> LoadedDocument:
    """Read a file. Raises `UnreadableDocument`, `EncryptedDocument` or `EmptyDocument`."""
    loader = loader_of(name)
    if not data:
        raise EmptyDocument(f"{name}: the file has 0 bytes. Upload it again.")
    document = loader(name, data)
    if not any(line.text.strip() for line in document.lines):
        raise EmptyDocument(f"{name}: there is no text in it, only characters that cannot be shown.")
    return document
