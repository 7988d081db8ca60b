"""Opens untrusted image files under limits, and prepares them for OCR or for a model that accepts images.

Done in a process of the pool. Pillow is imported where it is used, since most questions have no image.
"""

from __future__ import annotations

from io import BytesIO
from math import sqrt
from typing import TYPE_CHECKING

from core.errors import UnreadableImage

if TYPE_CHECKING:
    import PIL.Image

FORMATS = ("BMP", "GIF", "JPEG", "PNG", "WEBP")
OCR_PIXELS = 9_000_000
"""Maximum pixels for OCR: a page at 300 dots per inch."""
MODEL_PIXELS = 4_000_000
"""Maximum pixels for a model; providers scale larger images down."""
OCR_SCALE = 2
"""Enlargement for OCR if `OCR_PIXELS` allows it: it improves the recognition of small letters in screenshots."""


def for_ocr(data: bytes, max_pixels: int) -> bytes:
    """The image as a greyscale PNG. Raises `UnreadableImage`."""
    import PIL.Image

    _, picture = _opened(data, max_pixels, OCR_PIXELS)
    grey = picture.convert("L")
    if grey.width * grey.height * OCR_SCALE**2 <= OCR_PIXELS:
        grey = grey.resize((OCR_SCALE * grey.width, OCR_SCALE * grey.height), PIL.Image.Resampling.LANCZOS)
    return _file(grey, "PNG")


def demand_picture(data: bytes, max_pixels: int) -> None:
    """Raises `UnreadableImage` for a file that is no picture, or a broken one."""
    _opened(data, max_pixels, OCR_PIXELS)


def for_model(data: bytes, max_pixels: int) -> tuple[str, bytes]:
    """The image as JPEG or PNG, which every server accepts, without metadata, and its media type.

    Raises `UnreadableImage`.
    """
    kind, picture = _opened(data, max_pixels, MODEL_PIXELS)
    kind = "JPEG" if kind == "JPEG" else "PNG"
    return f"image/{kind.lower()}", _file(picture, kind)


def _opened(data: bytes, max_pixels: int, room: int) -> tuple[str, PIL.Image.Image]:
    """The file's format and its first frame: upright, on white, shrunk to `room` pixels."""
    import PIL.Image
    import PIL.ImageOps

    try:
        with PIL.Image.open(BytesIO(data), formats=FORMATS) as image:
            # From the header; nothing is decompressed before this check.
            if (pixels := image.width * image.height) > max_pixels:
                raise UnreadableImage(
                    f"it has {pixels:,} pixels, and at most {max_pixels:,} are read (EDUMOD_MAX_IMAGE_PIXELS)"
                )
            image.draft("RGB", _within(room, image.size))
            picture = PIL.ImageOps.exif_transpose(image)
            kind, flat = image.format or "", _on_white(picture)
    except UnreadableImage:
        raise
    except PIL.UnidentifiedImageError:
        raise UnreadableImage(f"it is not an image in a supported format ({', '.join(FORMATS)})") from None
    except PIL.Image.DecompressionBombError:
        raise UnreadableImage(f"it has more than {max_pixels:,} pixels (EDUMOD_MAX_IMAGE_PIXELS)") from None
    except Exception as error:
        # Decoders raise many kinds of exceptions for broken files: OSError, SyntaxError, struct.error, ...
        raise UnreadableImage(f"the file is broken ({str(error) or type(error).__name__})") from error
    flat.thumbnail(_within(room, flat.size))
    return kind, flat


def _within(room: int, size: tuple[int, int]) -> tuple[int, int]:
    """The size, scaled down to at most `room` pixels with the same proportions, so that long pages stay legible."""
    share = min(sqrt(room / (size[0] * size[1])), 1.0)
    return max(int(share * size[0]), 1), max(int(share * size[1]), 1)


def _on_white(picture: PIL.Image.Image) -> PIL.Image.Image:
    import PIL.Image

    if not picture.has_transparency_data:
        return picture.convert("RGB")
    seen = picture.convert("RGBA")
    flat = PIL.Image.new("RGB", seen.size, "white")
    flat.paste(seen, mask=seen.getchannel("A"))
    return flat


def _file(picture: PIL.Image.Image, kind: str) -> bytes:
    file = BytesIO()
    picture.save(file, kind, **({"quality": 90} if kind == "JPEG" else {"compress_level": 3}))
    return file.getvalue()
