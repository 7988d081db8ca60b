"""The list of commands says of each what its own help says."""

from __future__ import annotations

import inspect

import pytest

from app.cli import COMMANDS, Commands
from app.cli.summaries import summary_of


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_listed_with_its_own_help(command: str) -> None:
    assert summary_of(command) == inspect.cleandoc(Commands()[command].help)


def test_a_module_that_holds_no_command_is_refused() -> None:
    with pytest.raises(ValueError, match="output"):
        summary_of("output")
