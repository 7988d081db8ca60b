"""Runs the benchmarks named on the command line, or all, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys

BENCHMARKS = (
    "startup",
    "memory",
    "embedding",
    "ingestion",
    "retrieval",
    "pipelines",
    "databases",
    "observing",
    "reviewing",
    "authorisation",
    "sharing",
    "scenarios",
)


def main() -> int:
    names = sys.argv[1:] or BENCHMARKS
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        sys.stderr.write(f"There is no benchmark {', '.join(sorted(unknown))}. There are: {', '.join(BENCHMARKS)}.\n")
        return 2
    return max(subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode for name in names)


if __name__ == "__main__":
    sys.exit(main())
