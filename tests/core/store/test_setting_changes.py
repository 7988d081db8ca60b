"""Settings that people changed in the browser hold over the course file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from core.access import Person
from core.course import Course
from core.course.editing import EDITABLE, value_at
from core.errors import InvalidInput
from core.store.store import Store

ADA = Person("p1", "Ada")


def config(**values: Any) -> dict[str, Any]:
    return Course.model_validate({"id": "bio", **values}).model_dump(mode="json")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(f"sqlite:///{tmp_path / 'a.db'}")
    await opened.courses.put("bio", config(title="Biology"))
    yield opened
    await opened.aclose()


async def test_a_change_outlives_another_load_of_the_file(store: Store) -> None:
    assert await store.courses.change("bio", {"review.due_hours": 8, "title": "Biology"}, ADA) == 1
    await store.courses.put("bio", config(title="Life", review={"due_hours": 12}))
    course = await store.courses.read("bio")
    assert (course.title, course.review.due_hours) == ("Life", 8)
    held = await store.courses.held("bio")
    assert held["review.due_hours"].file_value == 12
    assert held["review.due_hours"].changed_by_name == "Ada"


async def test_a_change_is_over_when_the_file_says_the_same(store: Store) -> None:
    await store.courses.change("bio", {"title": "Life"}, ADA)
    await store.courses.put("bio", config(title="Life"))
    assert await store.courses.held("bio") == {}
    await store.courses.put("bio", config(title="Cells"))
    assert (await store.courses.read("bio")).title == "Cells"


async def test_a_change_taken_back_holds_no_longer_and_stays_in_the_history(store: Store) -> None:
    await store.courses.change("bio", {"title": "Life"}, ADA)
    await store.courses.change("bio", {"title": "Biology"}, Person("p2", "Grace"))
    assert await store.courses.held("bio") == {}
    history = [(row.changed_by_name, row.before, row.value) for row in await store.courses.changes("bio", 10)]
    assert history == [("Grace", "Life", "Biology"), ("Ada", "Biology", "Life")]


async def test_the_file_alone_can_be_wanted(store: Store) -> None:
    await store.courses.change("bio", {"title": "Life"}, ADA)
    await store.courses.put("bio", config(title="Biology"), as_file=True)
    assert (await store.courses.read("bio")).title == "Biology"
    assert await store.courses.held("bio") == {}


async def test_a_wrong_value_changes_nothing(store: Store) -> None:
    with pytest.raises(ValidationError):
        await store.courses.change("bio", {"title": "Life", "review.due_hours": -1}, ADA)
    assert (await store.courses.read("bio")).title == "Biology"


async def test_a_change_that_no_longer_fits_the_file_is_named(store: Store) -> None:
    await store.courses.put("bio", config(categories=["Labs", "Exams"]))
    await store.courses.change("bio", {"categories": ["Labs"]}, ADA)
    rules = {"rules": [{"when": {"category": "Exams"}, "call": ["qa_retrieval"]}]}
    with pytest.raises(InvalidInput, match=r"no category 'Exams'.*--as-file"):
        await store.courses.put("bio", config(categories=["Labs", "Exams"], edison=rules))


async def test_a_forums_settings_end_with_the_forum(store: Store) -> None:
    forum = {"kind": "ed", "url": "https://forum.example.edu"}
    await store.courses.put("bio", config(forum=forum))
    await store.courses.change("bio", {"forum.posts_a_day": 5}, ADA)
    await store.courses.put("bio", config())
    assert (await store.courses.read("bio")).forum is None
    assert await store.courses.held("bio") == {}


async def test_rules_of_an_export_leave_changes_as_they_are(store: Store) -> None:
    await store.courses.change("bio", {"title": "Life"}, ADA)
    await store.courses.put_documents("bio", [{"match": "a.md", "visibility": "staff"}])
    assert (await store.courses.read("bio")).documents[0].match == "a.md"
    assert list(await store.courses.held("bio")) == ["title"]


async def test_an_empty_sentence_is_the_usual_one(store: Store) -> None:
    await store.courses.change("bio", {"sentences.waiting": "Wait."}, ADA)
    await store.courses.change("bio", {"sentences.waiting": ""}, ADA)
    assert (await store.courses.read("bio")).sentences == {}
    assert await store.courses.held("bio") == {}


def test_every_setting_that_can_be_changed_is_one_of_the_course_file() -> None:
    schema = Course.model_json_schema()
    forum = config(forum={"kind": "ed", "url": "https://forum.example.edu"})
    for key in (key for keys in EDITABLE.values() for key in keys):
        name, _, part = key.partition(".")
        assert name in schema["properties"], key
        if part and name != "sentences":
            assert part in forum[name], key
            assert value_at(forum, key) == forum[name][part]


@pytest.mark.parametrize("key", ["forum.url", "forum.outgoing", "forum.place", "forum.account", "forum.staff_thread"])
def test_which_course_a_forums_token_opens_stays_in_the_file(key: str) -> None:
    """One token may be good for several courses of a forum; an instructor of one must not read another's."""
    assert key not in {own for keys in EDITABLE.values() for own in keys}


def test_a_setting_of_a_mapping_is_found_under_a_name_with_dots() -> None:
    config = {"calendar": {"Prof. Noether": {"removed": True}}, "review": {"due_hours": 4}}
    assert value_at(config, "calendar.Prof. Noether") == {"removed": True}
    assert (value_at(config, "review.due_hours"), value_at(config, "review"), value_at(config, "x.y")) == (
        4,
        {"due_hours": 4},
        None,
    )
