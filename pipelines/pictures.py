"""Image files from strangers: opened under limits, and made ready for OCR or for a model that sees.

Pillow is imported where it is used, since most questions bring no image.
"""

from __future__ import annotations

import base64
from io import BytesIO
from typing import TYPE_CHECKING

from core.errors import UnreadableImage
from core.llm.task import Image

if TYPE_CHECKING:
    import PIL.Image

FORMATS = ("BMP", "GIF", "JPEG", "PNG", "WEBP")
OCR_SIDE = 4000
"""Pixels of the longer side that OCR is given at most."""
SMALL_SIDE = 1800
"""Images up to this are enlarged for OCR, which reads letters of screenshots better at twice their size."""
MODEL_SIDE = 2048
"""Pixels of the longer side that a model is given at most; providers scale larger images down themselves."""


def for_ocr(data: bytes, max_pixels: int) -> bytes:
    """The picture as a PNG in grey. Raises `UnreadableImage`."""
    import PIL.Image

    _, picture = _opened(data, max_pixels, OCR_SIDE)
    grey = picture.convert("L")
    if max(grey.size) <= SMALL_SIDE:
        grey = grey.resize((2 * grey.width, 2 * grey.height), PIL.Image.Resampling.LANCZOS)
    return _file(grey, "PNG")


def for_model(data: bytes, max_pixels: int) -> Image:
    """The picture in a format that every server takes, without its metadata. Raises `UnreadableImage`."""
    kind, picture = _opened(data, max_pixels, MODEL_SIDE)
    kind = "JPEG" if kind == "JPEG" else "PNG"
    return Image(media_type=f"image/{kind.lower()}", data=base64.b64encode(_file(picture, kind)).decode())


def _opened(data: bytes, max_pixels: int, side: int) -> tuple[str, PIL.Image.Image]:
    """The file's format and its first frame: upright, on white, its longer side no longer than that."""
    import PIL.Image
    import PIL.ImageOps

    try:
        with PIL.Image.open(BytesIO(data), formats=FORMATS) as image:
            # From the header alone; nothing is unpacked before this is known.
            if (pixels := image.width * image.height) > max_pixels:
                raise UnreadableImage(
                    f"it has {pixels:,} pixels, and at most {max_pixels:,} are read (EDUMOD_MAX_IMAGE_PIXELS)"
                )
            image.draft("RGB", (side, side))
            picture = PIL.ImageOps.exif_transpose(image)
            kind, flat = image.format or "", _on_white(picture)
    except UnreadableImage:
        raise
    except PIL.UnidentifiedImageError:
        raise UnreadableImage(f"it is no image of a kind that is read ({', '.join(FORMATS)})") from None
    except PIL.Image.DecompressionBombError:
        raise UnreadableImage(f"it has more than {max_pixels:,} pixels (EDUMOD_MAX_IMAGE_PIXELS)") from None
    except Exception as error:
        # Decoders of broken files raise what they happen to trip over: OSError, SyntaxError, struct.error, ...
        raise UnreadableImage(f"the file is broken ({str(error) or type(error).__name__})") from error
    flat.thumbnail((side, side))
    return kind, flat


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
