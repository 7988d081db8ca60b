"""Uses of decisions: past questions, labels for evaluations, pairs for tuning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.people.detectors import Detectors
from app.review.deciding import Reviewer
from core.concurrency import in_thread
from core.errors import NotDecidable
from core.privacy.masks import without_personal
from core.privacy.names import KnownPerson
from core.review import Outcome
from core.store.store import Store
from core.store.tables import DecisionRow, DraftRow, now
from core.types import BodyFormat, Message, Role
from ingestion.loaders.threads import ThreadQuestion
from ingestion.promotion import promote, withdraw
from retrievers.embedding.embeddings import Embeddings
from retrievers.embedding.encoder import Encoder

DRAFTS_READ_AT_ONCE = 200


@dataclass(frozen=True)
class Lesson:
    """A decided draft: the question, what the draft said, and what a person made of it."""

    draft: DraftRow
    decision: DecisionRow

    @property
    def question(self) -> dict[str, Any]:
        asked: dict[str, Any] = (self.draft.request or {}).get("question") or {"body": ""}
        return asked

    @property
    def response(self) -> dict[str, Any]:
        return self.draft.response or {}

    @property
    def citations_kept(self) -> list[dict[str, Any]]:
        """The citations the reviewer kept; all if she did not say."""
        cited: list[dict[str, Any]] = self.response.get("citations") or []
        kept = self.decision.kept
        return cited if kept is None else [one for one in cited if one["block_id"] in kept]

    def with_texts(self, text: Callable[[str], str]) -> Lesson:
        """With each text passed through `text`."""
        question = {
            name: text(value) if name in ("title", "body") and isinstance(value, str) else value
            for name, value in self.question.items()
        }
        response = {**self.response, "answer": text(self.response.get("answer", ""))} if self.response else None
        draft = DraftRow(
            **{**self.draft.model_dump(warnings=False), "request": {**(self.draft.request or {}), "question": question}}
            | {"response": response}
        )
        return Lesson(draft, DecisionRow(**{**self.decision.model_dump(), "text": text(self.decision.text)}))

    @property
    def pair(self) -> dict[str, Any]:
        """A record for evaluation and preference tuning."""
        question = {name: self.question[name] for name in ("title", "body", "category") if self.question.get(name)}
        return {
            "id": self.draft.id,
            "course": self.draft.course_id,
            "created_at": self.draft.created_at.isoformat(),
            "question": question,
            "passages": [location_of(one) for one in self.response.get("citations") or []],
            "kept": [location_of(one) for one in self.citations_kept],
            "draft": self.response.get("answer", ""),
            "final": self.decision.text,
            "outcome": self.decision.outcome.value,
            "reasons": self.decision.reasons,
            "scores": self.decision.scores,
            "configuration": (self.response.get("configuration") or {}).get("hash"),
        }


def location_of(citation: dict[str, Any]) -> str:
    """The location that a citation names, as labels do: `DOCUMENT > Heading > Sub-heading`."""
    return " > ".join((citation["document"], *citation["heading_path"]))


@dataclass(frozen=True)
class Learning:
    """What follows from decisions."""

    store: Store
    embeddings: Embeddings
    detectors: Detectors

    async def promote(self, draft_id: str, by: Reviewer) -> None:
        """Make a decided draft a past question without personal data.

        Raises `NotFound`, `NotDecidable`, and errors of the embedding.
        """
        draft = await self.store.drafts.get(draft_id, by.reach)
        decision = await self.store.decisions.of(draft_id)
        if decision is None or decision.outcome is Outcome.DISCARDED or not draft.request:
            raise NotDecidable("Only a question with a decided text becomes a past question of its course.")
        asked = draft.request["question"]
        text = await self.without_personal(draft)
        title, body, answer_text = await in_thread(
            lambda: [text(words) for words in (asked.get("title", ""), asked.get("body", ""), decision.text)]
        )
        question = ThreadQuestion(
            title=title,
            body=body,
            body_format=BodyFormat(asked.get("body_format", BodyFormat.MARKDOWN)),
            category=asked.get("category"),
        )
        answer = Message(role=Role.TA, body=answer_text, endorsed=True)
        await promote(self.store, await self.encoder(draft.course_id), draft.course_id, draft_id, question, answer)
        await self.store.decisions.note_promotion(decision.id, now())

    async def encoder(self, course_id: str) -> Encoder:
        """The course's own embedding, which may differ from the configured one."""
        record = (await self.store.courses.get(course_id)).embedding
        return self.embeddings.of(record) if record else self.embeddings.configured

    async def withdraw(self, draft_id: str, by: Reviewer) -> None:
        """Take a past question back: no later question finds it. Raises `NotFound`."""
        draft = await self.store.drafts.get(draft_id, by.reach)
        await withdraw(self.store, draft.course_id, draft_id)
        if (decision := await self.store.decisions.of(draft_id)) is not None:
            await self.store.decisions.note_promotion(decision.id, None)

    async def without_personal(self, draft: DraftRow) -> Callable[[str], str]:
        """Puts placeholders for personal data into texts about that draft."""
        course = await self.store.courses.read(draft.course_id)
        people = (draft.request or {}).get("people", ())
        detector = await self.detectors.of(course, tuple(KnownPerson.model_validate(one) for one in people))
        return lambda text: without_personal(text, detector)

    async def lessons(self, course_id: str) -> list[Lesson]:
        """Decided drafts without personal data, oldest first."""
        decisions = await self.store.decisions.of_course(course_id)
        drafts: dict[str, DraftRow] = {}
        for start in range(0, len(decisions), DRAFTS_READ_AT_ONCE):
            ids = [one.draft_id for one in decisions[start : start + DRAFTS_READ_AT_ONCE]]
            drafts |= await self.store.drafts.many(ids)
        decided = [Lesson(drafts[one.draft_id], one) for one in decisions if one.draft_id in drafts]
        return [await in_thread(one.with_texts, await self.without_personal(one.draft)) for one in decided]


def dev_and_test(lessons: Sequence[Lesson]) -> list[tuple[str, Lesson]]:
    """Split by time: the oldest two thirds for development, the newest third for tests, as in use."""
    border = (2 * len(lessons) + 2) // 3
    return [("dev" if n < border else "test", one) for n, one in enumerate(lessons)]
