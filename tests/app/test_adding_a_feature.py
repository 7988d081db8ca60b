"""A feature is one entry in one list: a copy of the program gets one with a route, a page and a command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.features import FEATURES
from tests.app.copies import copy_program, edumod, replace_in, served

pytestmark = pytest.mark.slow

ROUTES = '''"""`/hello`, as a page and as JSON."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from app.people.rules import ANYONE, needs
from app.web.render import render
from core.access import Permission

router = APIRouter(tags=["hello"])


@router.get("/hello/page", response_class=HTMLResponse, include_in_schema=False, dependencies=[ANYONE])
async def page() -> HTMLResponse:
    return HTMLResponse(render("hello.html"))


@router.get("/hello", dependencies=[needs(Permission.ANSWER)])
async def hello() -> dict[str, str]:
    """Greets."""
    return {"hello": "students"}
'''
PAGE = """{% extends "base.html" %}
{% set here = "/hello/page" %}
{% block title %}Hello{% endblock %}
{% block main %}<p>Hello, students.</p>{% endblock %}
"""
COMMAND = '''"""`edumod hello`."""

from app.cli.output import output


def hello() -> None:
    """Greet the students."""
    output.print("Hello, students.")
'''
FEATURE = """    Feature(
        "hello",
        routes=("app.routes.hello",),
        commands=("hello",),
        navigation=(Link("Say hello", "/hello/page"),),
    ),
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with a route, a page and a command, and one entry in the list of features."""
    program = copy_program(tmp_path_factory.mktemp("program"))
    (program / "app" / "routes" / "hello.py").write_text(ROUTES, encoding="utf-8")
    (program / "app" / "web" / "templates" / "hello.html").write_text(PAGE, encoding="utf-8")
    (program / "app" / "cli" / "hello.py").write_text(COMMAND, encoding="utf-8")
    first = "FEATURES: tuple[Feature, ...] = (\n"
    replace_in(program / "app" / "features.py", first, first + FEATURE)
    return program


@pytest.fixture(scope="module")
def client(program: Path, home: Path) -> Iterator[httpx.Client]:
    with served(program, home) as client:
        yield client


def test_its_route_answers_and_is_described(client: httpx.Client) -> None:
    assert client.get("/hello").json() == {"hello": "students"}
    assert "/hello" in client.get("/openapi.json").json()["paths"]


def test_its_page_is_in_the_navigation_of_every_page(client: httpx.Client) -> None:
    own, asking = client.get("/hello/page").text, client.get("/").text
    assert '<a href="/hello/page" aria-current="page" data-go="">Say hello</a>' in own
    assert '<a href="/hello/page" data-go="">Say hello</a>' in asking
    assert '<a href="/" aria-current="page" data-go="a">Ask</a>' in asking


def test_its_command_runs_and_is_listed(program: Path, tmp_path: Path) -> None:
    assert edumod(program, tmp_path, "hello") == "Hello, students.\n"
    assert "Greet the students." in edumod(program, tmp_path, "--help")


def test_no_two_features_share_a_name_or_a_command() -> None:
    names = [feature.name for feature in FEATURES]
    commands = [command for feature in FEATURES for command in feature.commands]
    assert len(set(names)) == len(names)
    assert len(set(commands)) == len(commands)
