"""What is wrong with an installation is said before the service listens."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.operation.variables import unknown_variables
from app.start import check_start
from core.errors import EduModError, InvalidInput, SetupError
from tests.app.live import settings_in


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({"EDUMOD_HOME": "x", "edumod_llm_model": "m", "EDUMOD_LLM_PRICES__M__INPUT": "1", "HOME": "y"}, []),
        ({"EDUMOD_LLM_KEY": "k"}, [("EDUMOD_LLM_KEY", "EDUMOD_LLM_API_KEY")]),
        ({"EDUMOD_LOG_FORMATT": "json"}, [("EDUMOD_LOG_FORMATT", "EDUMOD_LOG_FORMAT")]),
        ({"EDUMOD_XYZ": "1"}, [("EDUMOD_XYZ", None)]),
    ],
)
def test_variables_that_are_no_settings_are_found_with_the_nearest_setting(
    variables: dict[str, str], found: list[tuple[str, str | None]]
) -> None:
    assert [tuple(one) for one in unknown_variables(variables)] == found


def test_a_variable_that_the_models_file_names_is_known(tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text("models: {a: {api_key_env: EDUMOD_LLM_KEY}}\n")
    variables = {"EDUMOD_MODELS_FILE": str(tmp_path / "models.yaml"), "EDUMOD_LLM_KEY": "k", "EDUMOD_LLM_KEYS": "k"}
    assert [one.name for one in unknown_variables(variables)] == ["EDUMOD_LLM_KEYS"]


async def test_a_misspelt_setting_stops_the_start_and_a_strange_variable_does_not(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"EDUMOD_MAX_ANSWER .* Did you mean EDUMOD_MAX_ANSWERS\?"):
        await check_start(settings_in(tmp_path), {"EDUMOD_MAX_ANSWER": "3"})
    await check_start(settings_in(tmp_path), {"EDUMOD_XYZ": "3"})


async def test_what_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    wrong: list[tuple[type[EduModError], str, dict[str, object]]] = [
        (InvalidInput, "models file", {"models_file": tmp_path / "none.yaml"}),
        (EduModError, "cannot be opened", {"home": tmp_path / "file"}),
        (EduModError, "127.0.0.1:1", {"database_url": "postgresql://user:secret@127.0.0.1:1/edumod"}),
    ]
    for kind, said, settings in wrong:
        with pytest.raises(kind, match=said) as raised:
            await check_start(settings_in(tmp_path).model_copy(update=settings), {})
        assert "secret" not in str(raised.value)
