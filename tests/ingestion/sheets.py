"""Question sheets in several formats, and the questions that are found in them."""

from __future__ import annotations

import json

from ingestion.document import Line, LoadedDocument
from ingestion.loaders import load
from ingestion.questions.headers import QUESTION_RANK, detect_by_rule


def asked_in(document: LoadedDocument) -> list[str | None]:
    headers = detect_by_rule(document, questions=True)
    return [header.label for header in headers if header.label or header.rank >= QUESTION_RANK]


def asked(text: str) -> list[str | None]:
    """Labels of the questions in plain text."""
    return asked_in(load("sheet.txt", text.strip("\n").encode()))


def asked_markdown(text: str) -> list[str | None]:
    return asked_in(load("sheet.md", text.strip("\n").encode()))


def asked_notebook(*cells: tuple[str, str]) -> list[str | None]:
    built = [{"cell_type": kind, "source": source, "metadata": {}, "outputs": []} for kind, source in cells]
    return asked_in(load("lab.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": built}).encode()))


def page(*lines: tuple[float, float, str]) -> LoadedDocument:
    """A page of text set in 12 points: (left edge, top, text)."""
    return LoadedDocument(
        "sheet", tuple(Line(text, size=12.0, page=1, box=(x, y, x + 6.0 * len(text), y + 12.0)) for x, y, text in lines)
    )
