"""Image files from strangers."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from core.errors import UnreadableImage
from pipelines.images.pictures import OCR_PIXELS, for_model, for_ocr
from tests.pipelines.images.drawing import drawn, huge

PIXELS = 25_000_000


def opened(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_every_usual_format_is_opened(kind: str) -> None:
    assert opened(for_ocr(drawn(kind=kind), PIXELS)).mode == "L"
    media_type, file = for_model(drawn(kind=kind), PIXELS)
    assert media_type == ("image/jpeg" if kind == "JPEG" else "image/png")
    assert opened(file).size == (640, 140)


def test_a_file_that_is_not_an_image_is_reported() -> None:
    for data in (b"", b"hello", b"%PDF-1.7", b"<svg xmlns='http://www.w3.org/2000/svg'/>", drawn(kind="TIFF")):
        with pytest.raises(UnreadableImage, match=r"not an image in a supported format \(BMP, GIF, JPEG, PNG, WEBP\)"):
            for_ocr(data, PIXELS)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_file_that_ends_early_is_broken(kind: str) -> None:
    data = drawn(kind=kind)
    with pytest.raises(UnreadableImage, match="the file is broken"):
        for_model(data[: len(data) // 2], PIXELS)


def test_too_many_pixels_are_refused_before_they_are_unpacked() -> None:
    data = huge()
    assert len(data) < 20_000
    with pytest.raises(UnreadableImage, match="it has 50,000,000 pixels, and at most 25,000,000 are read"):
        for_ocr(data, PIXELS)
    with pytest.raises(UnreadableImage, match="more than 25,000,000 pixels"):
        for_ocr(huge(60_000, 10_000), PIXELS)
    width, height = opened(for_ocr(huge(8_000, 3_000), PIXELS)).size
    assert 0.99 * OCR_PIXELS < width * height <= OCR_PIXELS
    assert width / height == pytest.approx(8 / 3, rel=0.01)


def test_a_picture_is_made_upright_small_and_free_of_its_metadata() -> None:
    photo = Image.new("RGB", (4000, 2000), "white")
    exif = photo.getexif()
    exif[0x0112] = 6  # turned by 90 degrees
    exif[0x010E] = "at home"
    file = BytesIO()
    photo.save(file, "JPEG", exif=exif)
    shown = opened(for_model(file.getvalue(), PIXELS)[1])
    assert shown.size == (1414, 2828)
    assert not shown.getexif()


def test_transparent_ground_becomes_white() -> None:
    grey = opened(for_ocr(drawn(mode="RGBA", ground="#00000000"), PIXELS))
    assert grey.getpixel((0, 0)) == 255


def test_of_an_animation_the_first_frame_is_read() -> None:
    frames = [Image.new("RGB", (30, 30), colour) for colour in ("white", "black")]
    file = BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:])
    assert opened(for_ocr(file.getvalue(), PIXELS)).getpixel((5, 5)) == 255


@given(st.binary(max_size=60), st.integers(0, 400))
def test_a_damaged_file_is_read_or_refused(junk: bytes, at: int) -> None:
    data = drawn("x")
    with suppress(UnreadableImage):
        for_ocr(data[:at] + junk + data[at + len(junk) :], PIXELS)
