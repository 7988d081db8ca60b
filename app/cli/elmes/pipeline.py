"""`edumod elmes pipeline`."""

from __future__ import annotations

from app.cli.elmes.evaluate import eval_
from app.cli.elmes.export import json_
from app.cli.elmes.generate import generate
from app.cli.elmes.options import CONFIG, ConfigPath


def pipeline(config: ConfigPath = CONFIG) -> None:
    """Generate dialogues, export them as JSON and have them judged, one after the other."""
    generate(config)
    json_(config)
    eval_(config)
