"""The formats by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from app.quizzes.formats.gift import gift
from app.quizzes.formats.paper import paper
from app.quizzes.formats.qti import qti
from app.quizzes.formats.quiz import ExportedQuiz


class Format(StrEnum):
    JSON = "json"
    GIFT = "gift"
    QTI = "qti"
    MD = "md"


@dataclass(frozen=True)
class FormatSpec:
    """How a format is written. The first of its endings is that of new files."""

    write: Callable[[ExportedQuiz], str | bytes]
    endings: tuple[str, ...]
    media_type: str
    label: str

    def __call__(self, quiz: ExportedQuiz) -> bytes:
        written = self.write(quiz)
        return written if isinstance(written, bytes) else written.encode()


FORMATS: dict[Format, FormatSpec] = {
    Format.JSON: FormatSpec(lambda quiz: quiz.model_dump_json(indent=2) + "\n", (".json",), "application/json", "JSON"),
    Format.GIFT: FormatSpec(gift, (".gift",), "text/plain; charset=utf-8", "GIFT (Moodle)"),
    Format.QTI: FormatSpec(qti, (".zip", ".qti"), "application/zip", "QTI (Canvas)"),
    Format.MD: FormatSpec(paper, (".md", ".markdown"), "text/markdown; charset=utf-8", "Markdown"),
}
