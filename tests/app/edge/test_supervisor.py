"""How a worker process ends."""

from __future__ import annotations

import subprocess
import sys

WORKER = """
import asyncio, signal
from app.edge.supervisor import end_quietly

async def end_service():
    signal.raise_signal(signal.SIGINT)  # As uvicorn does when it has served.

end_quietly()
signal.raise_signal(signal.SIGINT)  # While it starts.
asyncio.run(end_service())
signal.raise_signal(signal.SIGTERM)  # The supervisor's, while the process closes.
print("closed")
"""


def test_a_worker_whose_service_has_ended_closes_undisturbed() -> None:
    worker = subprocess.run([sys.executable, "-c", WORKER], capture_output=True, text=True)
    assert (worker.returncode, worker.stdout, worker.stderr) == (0, "closed\n", "")
