"""Questions about the sections of a course's material, for a quiz."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.concurrency import in_thread
from core.store.material import StoredBlock
from core.store.quizzes import NewQuestion
from core.types import Passage, Visibility
from retrievers.embedding.base import Embedder
from retrievers.locations import location_of
from teaching.teacher import TaughtQuestion, is_english, teach

BY_RULES = "rules"
NOT_ENGLISH = "not English prose, which questions are made from without a model"
EMPTY = "no text"
SectionKey = tuple[str, tuple[str, ...]]
"""Document and headings."""


@dataclass(frozen=True, slots=True)
class CourseSection:
    """What students may read in one document under the same headings."""

    document: str
    heading_path: tuple[str, ...]
    passages: tuple[Passage, ...]

    @property
    def key(self) -> SectionKey:
        return self.document, self.heading_path

    @property
    def text(self) -> str:
        """Without headings, which are in the paths."""
        return "\n\n".join(map(_without_heading, self.passages))

    @property
    def location(self) -> str:
        """As labels name it."""
        return location_of(self.document, self.heading_path)

    def passage_with(self, quote: str) -> Passage | None:
        """The passage that holds the sentence, white space aside."""
        words = " ".join(quote.split())
        return next((one for one in self.passages if words in " ".join(one.text.split())), None)


@dataclass(frozen=True, slots=True)
class TaughtSection:
    """The questions about a section, or why there are none."""

    section: CourseSection
    questions: tuple[NewQuestion, ...]
    problem: str | None = None


def public_sections(blocks: Iterable[StoredBlock]) -> list[CourseSection]:
    """The sections of released blocks, in their order, without what is for staff and without solutions."""
    public = [one.passage for one in blocks if one.passage.visibility is Visibility.STUDENT and not one.is_solution]
    found = ((key, tuple(group)) for key, group in groupby(public, key=lambda one: (one.document, one.heading_path)))
    return [CourseSection(*key, passages) for key, passages in found]


def lacks_questions(section: CourseSection, asked: Mapping[SectionKey, int], per_section: int) -> bool:
    """Whether there are to be more. A section that is a question itself, such as an exercise, has none."""
    return asked.get(section.key, 0) < per_section and not any(one.label for one in section.passages)


async def teach_sections(
    sections: Sequence[CourseSection], asked: Mapping[SectionKey, int], per_section: int, embedder: Embedder
) -> AsyncIterator[TaughtSection]:
    """Questions for sections that have fewer than `per_section`, by rules; `asked` counts those that they have."""
    for section in sections:
        if not lacks_questions(section, asked, per_section):
            yield TaughtSection(section, ())
            continue
        if not is_english(section.text):
            yield TaughtSection(section, (), EMPTY if not section.text.strip() else NOT_ENGLISH)
            continue
        taught = await in_thread(teach, section.text, per_section, embedder)
        yield TaughtSection(section, tuple(_new(section, one) for one in taught))


def _new(section: CourseSection, one: TaughtQuestion) -> NewQuestion:
    passage = section.passage_with(one.quote) or section.passages[0]
    return NewQuestion(
        document=section.document,
        heading_path=section.heading_path,
        block_id=passage.block_id,
        quote=one.quote,
        kind=one.kind.value,
        made_by=BY_RULES,
        question=one.question,
        answer=one.answer,
    )


def _without_heading(passage: Passage) -> str:
    first, _, rest = passage.text.partition("\n")
    is_heading = bool(passage.heading_path) and first.strip(" #*_") == passage.heading_path[-1].strip(" #*_")
    return rest.strip() if is_heading else passage.text
