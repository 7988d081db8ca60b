"""The programs in docs/doors.md work as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.app.people.actors import ACTORS, made_key

GUIDE = Path(__file__).parents[3] / "docs" / "doors.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_guide_prints_what_the_course_says(client: httpx.Client, home: Path, program: str) -> None:
    made = made_key(home, *ACTORS["ta"], name="guide")
    text = program.replace("http://127.0.0.1:8000", str(client.base_url).rstrip("/")).replace("KEY", made)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "February" in done.stdout
