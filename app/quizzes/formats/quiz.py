"""A quiz as its files hold it."""

from __future__ import annotations

from pydantic import Field

from core.types import Source, Value


class ExportedQuestion(Value):
    """A question with its reference answer; texts are Markdown."""

    number: int = Field(description="Its number in the quiz, which it keeps.")
    question: str
    answer: str
    kind: str
    document: str
    heading_path: tuple[str, ...]
    block: str = Field(description="Id of the passage that answers it.")
    quote: str = Field(description="The sentence of the passage.")
    state: str = Field(description="open, kept or edited.")
    made_by: str = Field(description="`rules`, or the alias of a model.")

    @property
    def section(self) -> str:
        """The name of the section, for people."""
        return self.heading_path[-1] if self.heading_path else self.document


class ExportedQuiz(Value):
    """The questions of a quiz that were not dropped and whose sections students may read now."""

    course: str
    title: str = Field(description="Title of the course.")
    source: Source
    document: str = Field(description="The only document that it is about; empty for all.")
    questions: tuple[ExportedQuestion, ...]

    @property
    def name(self) -> str:
        """For people and for titles in other systems."""
        return f"{self.title}: {self.document}" if self.document else self.title
