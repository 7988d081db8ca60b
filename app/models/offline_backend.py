"""The offline backend: the rule for each task."""

from __future__ import annotations

from typing import Any

from core.llm.base import LLM
from core.llm.offline import OfflineLLM, Rule
from core.llm.task import Task
from homework.offline import write_feedback
from ingestion.offline_rules import detect_headers, extract_summary
from ingestion.tasks import DetectHeaders, Summarize
from judging.computed.verdicts import COMPUTED_RULES
from offline.extraction import CourseMatches, CourseWords, OfflineWriter
from offline.router import CourseAffinities, Router, shipped_weights
from offline.rules import Choosing, fill, keep_draft, read_image, review_draft
from retrievers.affinity import Affinities
from retrievers.index.indexes import Indexes
from retrievers.matches import Matches
from retrievers.offline import relevance, score_items
from retrievers.rarity import Rarities
from retrievers.tasks import IsRelevant, PickSections, ScoreParts
from tasks import (
    ChooseFunctions,
    FillArguments,
    MendAnswer,
    ReadImage,
    ReviewDraft,
    SelectFunctions,
    WriteAnswer,
    WriteFeedback,
)
from teaching.offline import needs_model
from teaching.tasks import GradeQuestion, WriteQuiz


def offline_rules(
    courses: CourseAffinities, words: CourseWords, matches: CourseMatches | None = None
) -> dict[type[Task[Any]], Rule]:
    """Every task with its offline rule. The arguments give them access to the courses' material."""
    choosing = Choosing(Router(courses, shipped_weights()))
    return {
        DetectHeaders: detect_headers,
        Summarize: extract_summary,
        ReadImage: read_image,
        ChooseFunctions: choosing.choose,
        SelectFunctions: choosing.select,
        FillArguments: fill,
        WriteAnswer: OfflineWriter(words, matches).write,
        MendAnswer: keep_draft,
        ReviewDraft: review_draft,
        WriteFeedback: write_feedback,
        WriteQuiz: needs_model,
        GradeQuestion: needs_model,
        PickSections: score_items,
        ScoreParts: score_items,
        IsRelevant: relevance,
        **COMPUTED_RULES,
    }


def build_offline(indexes: Indexes) -> LLM:
    """The offline backend, which also replaces an endpoint that fails."""
    return OfflineLLM(offline_rules(Affinities(indexes), Rarities(indexes), Matches(indexes)))
