"""The images of a request as files."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

from app.schemas import ImageIn
from core.errors import InvalidInput
from core.store.tables import PictureRow

_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"BM": "image/bmp",
}


def decoded(images: list[ImageIn], max_bytes: int) -> tuple[bytes, ...]:
    """Each image's file. Raises `InvalidInput` naming the one that is not base64, or has more bytes than allowed."""
    return tuple(_file(image.data, f"question.images.{n}", max_bytes) for n, image in enumerate(images))


def pictures_of(draft_id: str, images: Sequence[bytes]) -> list[PictureRow]:
    """The images as rows; a file of another format than browsers show is left out."""
    return [
        PictureRow(draft_id=draft_id, number=number, media_type=media_type, data=data)
        for number, data in enumerate(images, 1)
        if (media_type := _media_type(data)) is not None
    ]


def _media_type(data: bytes) -> str | None:
    """By what the file begins with: what a request says of it is not to be trusted."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((name for begin, name in _BEGINNINGS.items() if data.startswith(begin)), None)


def _file(data: str, where: str, max_bytes: int) -> bytes:
    # Four letters are three bytes; what is far too long is not decoded at all.
    if (size := len(data) // 4 * 3) > max_bytes + 3:
        raise _too_large(where, size, max_bytes)
    try:
        file = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(
            f"{where}.data is not base64 ({error}). Send base64 alone: no line breaks, no data: prefix."
        ) from error
    if len(file) > max_bytes:
        raise _too_large(where, len(file), max_bytes)
    return file


def _too_large(where: str, size: int, max_bytes: int) -> InvalidInput:
    return InvalidInput(
        f"{where} has {size:,} bytes; at most {max_bytes:,} are allowed. "
        "Send a smaller picture, or raise EDUMOD_MAX_IMAGE_BYTES."
    )
