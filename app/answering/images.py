"""The images of a request as files."""

from __future__ import annotations

import base64
import binascii

from app.schemas import ImageIn
from core.errors import InvalidInput


def decoded(images: list[ImageIn], max_bytes: int) -> tuple[bytes, ...]:
    """Each image's file. Raises `InvalidInput` naming the one that is not base64, or has more bytes than allowed."""
    return tuple(_file(image.data, f"question.images.{n}", max_bytes) for n, image in enumerate(images))


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
