"""Semantic retrieval, its best hits ordered by a language model."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from core.errors import ModelError
from retrievers.base import CourseRetriever, followed_by
from retrievers.index.lexical import Ranking
from retrievers.tasks import IsRelevant


class VectorGen(CourseRetriever):
    """The nearest passages by P("yes") to the question whether each is relevant (EduMod-LLM, `vector_gen`).

    All are asked about at the same time. A passage whose call failed keeps its rank by similarity below those that were
    judged, as do the ones too far down to be asked about. Where every call failed, the first error is raised.
    """

    asked: ClassVar[int] = 15

    async def rank(self, query: str) -> Ranking:
        nearest = await self.index.semantic(query, max(self.asked, self.top_k))
        answers = await asyncio.gather(*(self._relevance(query, position) for position, _ in nearest[: self.asked]))
        judged = [
            (position, answer)
            for (position, _), answer in zip(nearest, answers, strict=False)
            if not isinstance(answer, ModelError)
        ]
        errors = [answer for answer in answers if isinstance(answer, ModelError)]
        if errors and not judged:
            raise errors[0]
        judged.sort(key=lambda scored: -scored[1])
        return followed_by(judged, nearest, ceiling=judged[-1][1]) if judged else []

    async def _relevance(self, query: str, position: int) -> float | ModelError:
        passage = self.index.passages[position]
        task = IsRelevant(question=query, document=f"{passage.location}\n\n{passage.text}")
        try:
            return (await self.model.probability(task, self.options.sampling)).value
        except ModelError as error:
            return error
