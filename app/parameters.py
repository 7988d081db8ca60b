"""Whether what a request chooses fits together."""

from __future__ import annotations

from app.answering import Answering
from app.schemas import AnswerParameters, AnswerRequest
from pipelines.configuration import demand_own, pipeline_parameters


async def check_parameters(answering: Answering, request: AnswerRequest, parameters: AnswerParameters) -> None:
    """Raises `InvalidInput` for a parameter that the pipeline does not have, be it chosen or the course's default.

    Course defaults are not asked about: they may hold for pipelines that a request is yet to choose.
    """
    given = [name for name in pipeline_parameters().model_fields if getattr(parameters, name) is not None]
    if given:
        course = await answering.course(request.course)
        demand_own(given, answering.configuration(course, parameters).pipeline)
