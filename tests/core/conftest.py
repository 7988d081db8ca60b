"""Fixtures of the tests of core."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture
def open_umask() -> Iterator[None]:
    """What new files get from most systems: everyone may read them."""
    before = os.umask(0o022)
    yield
    os.umask(before)
