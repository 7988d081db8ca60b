"""Freed memory is given back to the system."""

from __future__ import annotations

import sys

import pytest

from core.memory import release_free_memory, share_heaps


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc has it")
def test_asking_for_it_twice_does_no_harm() -> None:
    assert {share_heaps(), share_heaps()} <= {True, False}
    assert {release_free_memory(), release_free_memory()} <= {True, False}
