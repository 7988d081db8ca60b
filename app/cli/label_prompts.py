"""Asks on the terminal for the parts of a label that were not given as options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TextIO

from rich.console import Console
from rich.markup import escape
from rich.prompt import Prompt

from core.errors import InvalidInput
from eval.datasets.answers import Expectation, MessageKind
from retrievers.locations import nearest_location


@dataclass(frozen=True)
class LabelParts:
    """The parts of a label given so far; None where one is missing."""

    expects: Expectation | None
    passages: tuple[str, ...]
    reference: str | None
    kind: MessageKind | None

    @property
    def needs_passages(self) -> bool:
        return self.expects is Expectation.ANSWER and not self.passages

    @property
    def needs_reference(self) -> bool:
        return self.expects is Expectation.ANSWER and not self.reference


@dataclass(frozen=True)
class Prompts:
    """Asks on `console`; `stream` replaces the keyboard."""

    console: Console
    known: Sequence[str]
    """Locations that a label may name."""
    suggested: Sequence[str]
    """Those of them that were found for the message, best first."""
    stream: TextIO | None = None

    def complete(self, entry: LabelParts) -> LabelParts:
        """The entry with answers for what is missing."""
        if entry.expects is None:
            expects = Expectation(self._ask("What is expected?", [*Expectation], Expectation.ANSWER))
            entry = replace(entry, expects=expects)
        if entry.needs_passages:
            entry = replace(entry, passages=self._passages())
        if entry.needs_reference:
            entry = replace(entry, reference=self.text("What would a teaching assistant send? (1 to 3 sentences)"))
        return entry

    def kind(self, default: MessageKind) -> MessageKind:
        return MessageKind(self._ask("What is it about?", [*MessageKind], default))

    def text(self, what: str) -> str:
        """A text that is not empty."""
        while not (text := Prompt.ask(what, console=self.console, stream=self.stream).strip()):
            pass
        return text

    def _ask(self, what: str, choices: list[str], default: str) -> str:
        return Prompt.ask(what, console=self.console, stream=self.stream, choices=choices, default=default)

    def _passages(self) -> tuple[str, ...]:
        for number, location in enumerate(self.suggested, 1):
            self.console.print(f"{number:3} {escape(location)}", soft_wrap=True, highlight=False)
        self.console.print("Which passages answer it? One number or location per line; an empty line ends the list.")
        chosen: dict[str, None] = {}
        while (
            line := Prompt.ask("passage", console=self.console, stream=self.stream, default="").strip()
        ) or not chosen:
            try:
                chosen.update(dict.fromkeys([choose_location(line, self.known, self.suggested)] if line else []))
            except InvalidInput as error:
                self.console.print(escape(str(error)), soft_wrap=True, highlight=False)
        return tuple(chosen)


def choose_location(text: str, known: Sequence[str], suggested: Sequence[str]) -> str:
    """The location of that name or of that number among the suggested. Raises `InvalidInput` with the nearest."""
    if text in known:
        return text
    if text.isdecimal() and 1 <= int(text) <= len(suggested):
        return suggested[int(text) - 1]
    nearest = nearest_location(text, known)
    hint = f" The nearest is {nearest}." if nearest else ""
    raise InvalidInput(f"There is no location {text!r} that students may read.{hint}")
