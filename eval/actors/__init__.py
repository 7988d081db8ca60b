"""Kinds of actors. To add one, write a module with its class, and add the class to `ACTOR_KINDS`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core.errors import InvalidInput, UnknownName
from eval.actors.answers import AnsweringActor
from eval.actors.answers_file import AnswersFile
from eval.actors.base import Actor, ActorKind
from eval.actors.calls_file import CallsFile
from eval.actors.limits import LimitActor
from eval.actors.pipeline import PipelineActor
from eval.actors.retriever import RetrieverActor
from eval.actors.run_file import RunFile

ACTOR_KINDS: tuple[type[ActorKind[Any]], ...] = (
    RetrieverActor,
    RunFile,
    PipelineActor,
    CallsFile,
    AnsweringActor,
    AnswersFile,
    LimitActor,
)


def actor_named(text: str, evaluation: str, setup: Any) -> Actor[Any]:
    """The actor written `KIND:SPEC`, for evaluations of that kind, which run on `setup`.

    Raises `UnknownName` listing the kinds, and `InvalidInput` for a wrong SPEC.
    """
    kinds = {kind.kind: kind for kind in ACTOR_KINDS if kind.evaluation == evaluation}
    kind, colon, spec = text.partition(":")
    if kind not in kinds:
        raise UnknownName("kind of actor", kind, [f"{one.kind}:{one.spec}" for one in kinds.values()])
    if not colon or not spec:
        raise InvalidInput(f"The actor {text!r} names nothing. Write {kind}:{kinds[kind].spec}.")
    return kinds[kind].made(spec, setup)


def located(text: str, folder: Path) -> str:
    """An actor as a file in that folder names it: its own files are relative to the folder."""
    kind, _, spec = text.partition(":")
    known = {one.kind: one for one in ACTOR_KINDS}
    return f"{kind}:{known[kind].located(spec, folder)}" if kind in known and spec else text


def distinct(actors: Iterable[Actor[Any]]) -> tuple[Actor[Any], ...]:
    """The distinct actors. Raises `InvalidInput` if two different ones have the same name."""
    found: dict[str, Actor[Any]] = {}
    for actor in actors:
        if found.setdefault(actor.name, actor).identity != actor.identity:
            raise InvalidInput(f"Two actors are called {actor.name!r}. Rename one of their files.")
    return tuple(found.values())
