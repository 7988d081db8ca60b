"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests.tiny_bert import write_tiny_bert

settings.load_profile("ci")
"""The same examples on every run, and no deadline: whether a test passes must not depend on a machine's load."""
# The program is started hundreds of times, and not compiled each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background so, and the commands that tests interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
pytest_plugins = [f"tests.servers.{name}" for name in ("chromium", "embeddings", "llama", "postgresql", "receiver")]

LONGEST = ("tests/real/", "tests/app/eval/", "tests/app/models/", "tests/app/test_serve", "tests/app/review/")
SLOW_TO_COLLECT = ("test_description_holds.py",)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Modules that take seconds to collect and have slow tests alone are left out with these."""
    return True if collection_path.name in SLOW_TO_COLLECT and config.option.markexpr == "not slow" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first, so that no worker has a long file left when the others are done."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish() -> None:
    """Thousands of tests and what they imported stay to the end: no search for garbage has to look at them again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real course files, kept next to the repository because of their size; tests that need them skip without."""
    folder = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no real course files: {folder} does not exist")
    return folder


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence-transformers model of random weights, with prefixes of its own, in a folder."""
    folder = tmp_path_factory.mktemp("tiny-bert")
    return write_tiny_bert(folder, prompts={"query": "query: ", "document": "passage: "})
