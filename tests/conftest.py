"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from retrievers.embedding.minilm import MiniLM

settings.load_profile("ci")
"""The same examples on every run, and no deadline: whether a test passes must not depend on a machine's load."""
pytest_plugins = ["tests.servers.llama", "tests.servers.postgresql"]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real course files, kept next to the repository because of their size; tests that need them skip without."""
    folder = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no real course files: {folder} does not exist")
    return folder


@pytest.fixture(scope="session")
def model_folder(request: pytest.FixtureRequest) -> Path:
    """The real embedding model, exported once per machine: pytest keeps its cache folder from run to run."""
    assert request.config.cache is not None
    folder = Path(request.config.cache.mkdir("edumod-models"))
    MiniLM(folder).embed(["export"])
    return folder
