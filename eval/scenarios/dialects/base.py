"""What differs between the versions of ELMES."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from core.llm.task import ChatTurn
from core.store.tables import ResultRow
from eval.scenarios.dialogue import Dialogue, Turn
from eval.scenarios.files import ScenarioFile
from eval.scenarios.scenario import Agent, Evaluation, Scenario

JsonObject = dict[str, Any]


class DialectRules(ABC):
    """How files of one dialect are read, what agents and judges are sent, and the names and forms of result files."""

    url_key: ClassVar[str]
    """The key of a model's address in a file."""
    label_template: ClassVar[str]
    """Name of the file with Label Studio's template."""
    keeps_generated: ClassVar[bool]
    """Whether each dialogue is also written to a file when it is held."""

    @abstractmethod
    def read(self, file: ScenarioFile) -> Scenario:
        """The scenario that the file describes. Raises `InvalidInput`."""

    @abstractmethod
    def fill(self, template: str, texts: Mapping[str, str]) -> str:
        """The template with each `{name}` replaced by its text; other braces stay as they are."""

    @abstractmethod
    def history(self, agent: Agent, start: str | None, turns: Sequence[Turn]) -> list[ChatTurn]:
        """What was said so far, as the agent's model is sent it. `start` is the start prompt."""

    @abstractmethod
    def dialogue_stem(self, scenario: Scenario, item: str, seed: int) -> str:
        """The name of a dialogue's file without its ending: the same whenever the same dialogue is written."""

    @abstractmethod
    def dialogue_content(self, item: str, dialogue: Dialogue) -> JsonObject:
        """The content of a dialogue's file."""

    @abstractmethod
    def judge_messages(self, evaluation: Evaluation, dialogue: Dialogue) -> list[ChatTurn]:
        """What the judge is sent. Raises `InvalidInput` for a placeholder without a value."""

    @abstractmethod
    def judgement(self, scenario: Scenario, evaluation: Evaluation, row: ResultRow) -> tuple[str, Any]:
        """The name and the content of a judged dialogue's file."""

    @abstractmethod
    def table_stem(self, evaluation: Evaluation) -> str:
        """The name of the table of judged dialogues without its ending."""
