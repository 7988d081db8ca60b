"""The models file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput, UnknownName
from core.llm.catalogue import Capability, Catalogue, ModelEntry, read_catalogue

WHOLE = """
default: fast
models:
  fast:
    base_url: https://api.example.com/v1
    api_key_env: EXAMPLE_KEY
    model: small-1
    parameters: {temperature: 0.2, seed: 7, top_p: 0.9, max_tokens: 900, extra: {reasoning_effort: low}}
    prices: {input: 0.4, output: 1.6}
    capabilities: [tools, vision]
    concurrency: 4
    deadline_seconds: 30
  local:
    base_url: http://127.0.0.1:8080/v1
    model: qwen
  words:
    base_url: http://127.0.0.1:8081/v1
    model: e5
    embedding: {dimension: 384, query_prefix: "query: ", passage_prefix: "passage: ", max_tokens: 256}
"""


def entry(lines: str) -> str:
    return f"models:\n  a:\n    base_url: http://h/v1\n    model: m\n    {lines}\n"


def read(tmp_path: Path, text: str) -> Catalogue:
    path = tmp_path / "models.yaml"
    path.write_text(text, encoding="utf-8")
    return read_catalogue(path)


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, WHOLE)
    fast = found.models["fast"]
    assert (found.default, list(found.chats), list(found.embeddings)) == ("fast", ["fast", "local"], ["words"])
    assert (fast.api_key_env, fast.model, fast.concurrency, fast.deadline_seconds) == ("EXAMPLE_KEY", "small-1", 4, 30)
    assert (fast.parameters.temperature, fast.parameters.seed, fast.parameters.extra) == (
        0.2,
        7,
        {"reasoning_effort": "low"},
    )
    assert fast.prices is not None
    assert (fast.prices.input, fast.prices.output) == (0.4, 1.6)
    assert fast.capabilities == (Capability.TOOLS, Capability.VISION)


def test_what_is_left_out_is_what_most_servers_can_do(tmp_path: Path) -> None:
    local = read(tmp_path, WHOLE).models["local"]
    assert local.capabilities == (Capability.TOOLS, Capability.JSON_SCHEMA, Capability.LOGPROBS)
    assert (local.api_key_env, local.prices, local.concurrency, local.embedding) == (None, None, None, None)


def test_an_embedding_has_its_dimension_prefixes_and_length(tmp_path: Path) -> None:
    words = read(tmp_path, WHOLE).embedding("words").embedding
    assert words is not None
    assert (words.dimension, words.query_prefix, words.passage_prefix, words.max_tokens) == (
        384,
        "query: ",
        "passage: ",
        256,
    )


@pytest.mark.parametrize("alias", ["fast", "word", ""])
def test_only_an_embedding_model_embeds(tmp_path: Path, alias: str) -> None:
    with pytest.raises(UnknownName, match="Allowed: words"):
        read(tmp_path, WHOLE).embedding(alias)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("models:\n  a:\n    base_url: http://h/v1\n    modell: m\n", 4, "Did you mean 'model'?"),
        ("models:\n  a:\n    base_url: http://h/v1\n", 2, "model"),
        ("models:\n  a:\n    base_url: h/v1\n    model: m\n", 3, "is not a URL"),
        ("models:\n  a:\n    base_url: http://u:sk-secret@h/v1\n    model: m\n", 3, "is not a URL"),
        (entry("api_key_env: sk-secret-123"), 5, "is not the name of an environment variable"),
        (entry("capabilities: [tools, vison]"), 5, "vision"),
        (entry("concurrency: 0"), 5, "greater than or equal to 1"),
        (entry("total_concurrency: 0"), 5, "greater than or equal to 1"),
        (entry("deadline_seconds: .inf"), 5, "finite"),
        (entry("prices: {input: 1}"), 5, "output"),
        (entry("prices: {input: .inf, output: 1}"), 5, "finite"),
        (entry("parameters: {temprature: 1}"), 5, "Did you mean 'temperature'?"),
        (entry("parameters: {extra: {messages: []}}"), 5, "cannot set messages"),
        (entry("parameters: {extra: {max_tokens: 3}}"), 5, "cannot set max_tokens"),
        (entry("embedding: {dimension: 0}"), 5, "dimension"),
        (entry("embedding: {}"), 5, "dimension"),
        (entry("embedding: {dimension: 4}\n    capabilities: [tools]"), 2, "remove capabilities"),
        (entry("model: n"), 5, "second time"),
        ("models:\n  4:\n    base_url: http://h/v1\n    model: m\n", 2, "quotes"),
        ("models:\n  'a b':\n    base_url: http://h/v1\n    model: m\n", 2, "alias"),
        ("models:\n  offline:\n    base_url: http://h/v1\n    model: m\n", 2, "without a model"),
        ("modles: {}\n", 1, "Did you mean 'models'?"),
        ("models: [a]\n", 1, "must be a mapping"),
        ("models:\n  a: http://h/v1\n", 2, "must be a mapping"),
        ("default: b\n" + entry(""), 1, "There is no model 'b'"),
        ("default: e\nmodels:\n  e: {base_url: http://h/v1, model: m, embedding: {dimension: 2}}\n", 1, "no model 'e'"),
        ("- a\n", 1, "mapping"),
        ("", 1, "mapping"),
        ("models: {\n", 2, "YAML"),
        ("? [a]\n: b\n", 1, "YAML"),
        ("models: &a\n  b: *a\n", 1, "hold itself"),
        (f"models: {'[' * 5_000}", 1, "too deeply"),
        ("models: 2026-13-45\n", 1, "YAML"),
    ],
)  # fmt: skip
def test_an_error_names_the_line_and_what_to_correct(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(tmp_path, text)
    assert f"models.yaml line {line}: " in str(caught.value)
    assert words in str(caught.value)
    assert "sk-secret" not in str(caught.value)


def test_the_example_in_the_documentation_is_a_valid_file_and_every_key_is_described(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "models.md").read_text(encoding="utf-8")
    example = page.partition("```yaml\n")[2].partition("```")[0]
    found = read(tmp_path, example)
    assert (list(found.chats), list(found.embeddings), found.default) == (["fast", "local"], ["multilingual"], "fast")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(ModelEntry.model_fields)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"models file .*models\.yaml cannot be read"):
        read_catalogue(tmp_path / "models.yaml")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates()
KEYS = st.sampled_from(("models", "default", "a", "base_url", "model", "parameters", "extra", "embedding", "prices"))
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | SCALARS, inner, max_size=4),
    max_leaves=12,
)


@given(content=st.dictionaries(KEYS, JUNK, max_size=4))
def test_any_content_is_a_catalogue_or_an_error_with_a_line(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any]
) -> None:
    _catalogue_or_error(tmp_path_factory, yaml.safe_dump(content, allow_unicode=True))


@given(text=st.text(alphabet="models:a{}[]&*!?|>-#'\"\n\t <%@`,0x.é", max_size=60))
def test_any_text_is_a_catalogue_or_an_error_with_a_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    _catalogue_or_error(tmp_path_factory, text)


def _catalogue_or_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "junk-models.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        read_catalogue(path)
    except InvalidInput as error:
        assert "line " in str(error)  # noqa: PT017


def test_a_small_model_has_limits_without_further_words(tmp_path: Path) -> None:
    limits = read(tmp_path, entry("profile: small")).models["a"].limits
    assert (limits.prompt_tokens, limits.passages) == (2_500, 5)
    assert read(tmp_path, entry("profile: small")).models["a"].reply_tokens == 700


@pytest.mark.parametrize(
    ("lines", "tokens"),
    [
        ("context: 4096", 4096 - 700),
        ("context: 8192\n    prompt_tokens: 3000", 3000),
        ("context: 2048\n    profile: small\n    parameters: {max_tokens: 400}", 2048 - 400),
        ("model: m2", None),
    ],
)
def test_a_prompt_is_as_long_as_the_context_leaves_or_as_is_wanted(
    tmp_path: Path, lines: str, tokens: int | None
) -> None:
    text = entry(lines).replace("    model: m\n", "" if "model: m2" in lines else "    model: m\n")
    assert read(tmp_path, text).models["a"].limits.prompt_tokens == tokens


def test_a_context_without_room_for_a_prompt_is_refused_by_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="leaves less than 512 for prompts"):
        read(tmp_path, entry("context: 1024"))
