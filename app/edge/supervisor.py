"""Several worker processes on one port."""

from __future__ import annotations

import os
import signal

from uvicorn.supervisors import Multiprocess


class ReloadingSupervisor(Multiprocess):
    """Hands SIGHUP on to the workers, which read the models file again, where uvicorn would start them anew."""

    def handle_hup(self) -> None:
        for process in self.processes:
            if process.pid is not None:
                os.kill(process.pid, signal.SIGHUP)
