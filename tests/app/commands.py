"""The `edumod` command, as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.servers.homes import url_in

EDUMOD = Path(sys.executable).with_name("edumod")


def edumod(home: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EDUMOD_")}
    database = {"EDUMOD_DATABASE_URL": url} if (url := url_in(home)) else {}
    environment = {**clean, "EDUMOD_HOME": str(home), "COLUMNS": "120", **database, **settings}
    return subprocess.run(
        [EDUMOD, *arguments], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
