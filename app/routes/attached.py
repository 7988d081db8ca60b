"""Pictures that were attached to a page's form."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Annotated

from fastapi import File, UploadFile

from app.answering.homework import demand_picture
from app.edge.bodies import MAX_FORM_FILES
from app.schemas import ImageIn
from app.wiring import Services
from core.errors import InvalidInput

Attached = Annotated[list[UploadFile], File()]


async def pictures_in(services: Services, attached: Sequence[UploadFile]) -> list[ImageIn]:
    """The attached pictures. Raises `InvalidInput` naming a file that is too large, or no picture."""
    files = [file for file in attached if file.filename]
    if len(files) > MAX_FORM_FILES:
        raise InvalidInput(f"At most {MAX_FORM_FILES} pictures can be attached.")
    most = services.settings.max_image_bytes
    images = []
    for file in files:
        name, data = str(file.filename)[:100], await file.read()
        if len(data) > most:
            size, limit = len(data) / 2**20, most / 2**20
            raise InvalidInput(f"{name} is too large ({size:.1f} MB); at most {limit:.0f} MB. Send a smaller picture.")
        await demand_picture(name, data, services.assistant.reader)
        images.append(ImageIn(media_type="image/png", data=base64.b64encode(data).decode()))
    return images
