"""Pictures for tests, drawn when they are asked for."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

TRACEBACK = "Traceback (most recent call last):\n  File 'hw3.py', line 7\nKeyError: 'station'"


def drawn(text: str = TRACEBACK, kind: str = "PNG", *, mode: str = "RGB", ink: str = "black", ground: str = "white",
          **options: object) -> bytes:  # fmt: skip
    """A screenshot with that text, in letters as small as those of a terminal."""
    picture = Image.new("RGBA" if mode == "RGBA" else "RGB", (640, 140), ground)
    ImageDraw.Draw(picture).multiline_text((12, 12), text, fill=ink, font=ImageFont.load_default(15))
    file = BytesIO()
    picture.convert(mode).save(file, kind, **options)
    return file.getvalue()


def huge(width: int = 10_000, height: int = 5_000) -> bytes:
    """A whole PNG of one bit a pixel: few bytes, many pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = zlib.compress((b"\0" + bytes((width + 7) // 8)) * height)
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
