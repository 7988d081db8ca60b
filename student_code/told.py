"""Findings in the words that a model reads."""

from __future__ import annotations

from student_code.catalogue import entries, told
from student_code.inspector import CodeReport


def as_told(report: CodeReport) -> tuple[str, ...]:
    """The findings, each with its line, its kind and how sure it is."""
    return tuple(
        f"line {one.line}, {entries()[one.mistake].kind}, {one.confidence:.0%} sure: {told(one).summary}"
        for one in report.findings
    )
