"""Imports and reads what most commands do, so that a process which has done it can be forked for each."""

from __future__ import annotations

from importlib import import_module

from app.cli import COMMANDS
from core.text.dates import read_moments
from core.text.language import language_of

ON_USE = (
    "alembic.context", "bm25s", "faiss", "jsonschema", "matplotlib.figure", "onnxruntime", "retrievers.tree",
    "rouge_score.rouge_scorer", "scipy.stats", "sklearn.metrics", "tokenizers",
)  # fmt: skip
"""What commands import when they come to need it. None of it starts a thread before it is used."""

for module in (*(f"app.cli.{command}" for command in COMMANDS), *ON_USE):
    import_module(module)

language_of("The model of languages is unpacked, which takes longer than most commands.")
read_moments("The names of months and days are due on March 10.")
