"""Homes with real course material, ingested by the command itself with the real embedding model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eval.datasets.corpus import read_dataset, write_markdown

EDUMOD = Path(sys.executable).with_name("edumod")


def edumod(home: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start the command with a home of its own and no other settings."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EDUMOD_")}
    environment = {**clean, "EDUMOD_HOME": str(home)}
    return subprocess.Popen([EDUMOD, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def new_home(folder: Path) -> Path:
    """An empty home that has the exported embedding model."""
    return folder


@pytest.fixture(scope="session")
def psychology(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Path:
    """A home with the course `psychology`: a book of 104 sections, as Markdown files."""
    folder = tmp_path_factory.mktemp("psychology")
    book, home = folder / "psychology", new_home(folder / "home")
    write_markdown(read_dataset(shared_data / "openstax_psychology"), book)
    assert edumod(home, "ingest", str(book), "-c", "psychology", "-s", "textbook").wait() == 0
    return home


@pytest.fixture(scope="session")
def worksheets(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Path:
    """A home with the course `ds100`: worksheets as PDFs with their solutions, notebooks as plain text."""
    home = new_home(tmp_path_factory.mktemp("worksheets") / "home")
    for folder in ("ds100_disc_pdf", "ds100_su19_headers/plain"):
        assert edumod(home, "ingest", str(shared_data / folder), "-c", "ds100", "-s", "assignment").wait() in (0, 1)
    return home
