"""Kinds of actors. Adding one: a module with a class of them, and its name in `ACTOR_KINDS`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.errors import InvalidInput, UnknownName
from eval.actors.base import Actor, ActorKind
from eval.actors.calls_file import CallsFile
from eval.actors.pipeline import PipelineActor
from eval.actors.retriever import RetrieverActor
from eval.actors.run_file import RunFile

ACTOR_KINDS: tuple[type[ActorKind[Any]], ...] = (RetrieverActor, RunFile, PipelineActor, CallsFile)


def actor_named(text: str, evaluation: str, setup: Any) -> Actor[Any]:
    """The actor written `KIND:SPEC`, for evaluations of that kind, which run on `setup`.

    Raises `UnknownName` naming the kinds there are, and `InvalidInput` for a wrong SPEC.
    """
    kinds = {kind.kind: kind for kind in ACTOR_KINDS if kind.evaluation == evaluation}
    kind, colon, spec = text.partition(":")
    if kind not in kinds:
        raise UnknownName("kind of actor", kind, [f"{one.kind}:{one.spec}" for one in kinds.values()])
    if not colon or not spec:
        raise InvalidInput(f"The actor {text!r} names nothing. Write {kind}:{kinds[kind].spec}.")
    return kinds[kind].made(spec, setup)


def distinct(actors: Iterable[Actor[Any]]) -> tuple[Actor[Any], ...]:
    """Each actor once. Raises `InvalidInput` where two different ones have the same name."""
    found: dict[str, Actor[Any]] = {}
    for actor in actors:
        if found.setdefault(actor.name, actor).identity != actor.identity:
            raise InvalidInput(f"Two actors are called {actor.name!r}. Rename one of their files.")
    return tuple(found.values())
