"""Opens Office packages; refuses other files and archives that would fill the memory."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import EduModError, EncryptedDocument, OversizedDocument, UnreadableDocument

MAX_PARTS = 20_000
MAX_XML_BYTES = 100 * 2**20
"""Unpacked. As a tree, XML takes about ten times its size."""
MAX_BYTES = 1_000 * 2**20
"""Unpacked, pictures and films included."""

_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
"""Namespaces of Strict Open XML, which the libraries do not know; those of the usual form have the same endings."""
_USUAL = rb"http://schemas.openxmlformats.org/\1/2006/"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


def open_package(name: str, data: bytes) -> io.BytesIO:
    """The package in the usual form of Open XML, once its stated sizes are checked.

    Raises `EncryptedDocument`, `OversizedDocument`, or `UnreadableDocument`.
    """
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise EncryptedDocument(f"{name}: the file asks for a password. Save it without one and ingest that.")
        raise UnreadableDocument(f"{name}: an Office file from before 2007. Save it in the current format.")
    with reading(name), zipfile.ZipFile(io.BytesIO(data)) as package:
        parts = package.infolist()
    unpacked = sum(part.file_size for part in parts)
    xml = sum(part.file_size for part in parts if part.filename.lower().endswith((".xml", ".rels")))
    if len(parts) > MAX_PARTS or unpacked > MAX_BYTES or xml > MAX_XML_BYTES:
        raise OversizedDocument(
            f"{name}: unpacked, its {len(parts):,} parts have {unpacked / 2**20:,.0f} MiB, {xml / 2**20:,.0f} of them "
            f"XML; {MAX_PARTS:,}, {MAX_BYTES // 2**20:,} and {MAX_XML_BYTES // 2**20:,} are allowed. Split the file."
        )

    with reading(name):
        return io.BytesIO(_in_usual_form(data))


def _in_usual_form(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        if "_rels/.rels" not in package.namelist() or not _STRICT.search(package.read("_rels/.rels")):
            return data
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as usual:
            for part in package.namelist():
                content = package.read(part)
                is_xml = part.lower().endswith((".xml", ".rels"))
                usual.writestr(part, _STRICT.sub(_USUAL, content) if is_xml else content)
    return buffer.getvalue()


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turns whatever a damaged package makes the libraries raise into `UnreadableDocument`."""
    try:
        yield
    except (EduModError, MemoryError):
        raise
    except Exception as error:
        # The libraries check little, so that any exception can come of a missing or misshapen part.
        raise UnreadableDocument(
            f"{name}: not an Office file, or too damaged to read ({type(error).__name__}: {error}). Save it again."
        ) from error
