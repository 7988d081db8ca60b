"""Going down the summary tree, with models that know the way and models that do not."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import BadReply, ModelError, ModelUnavailable, SetupError
from core.llm.base import Sampling
from core.llm.scripted import ScriptedLLM
from core.types import Audience, Passage, Source, Visibility
from retrievers.functions import retrieve
from retrievers.hier_gen import HierGen
from retrievers.index.indexes import Indexes
from retrievers.index.outline import GROUPED, MAX_CHILDREN
from retrievers.options import RetrieverOptions
from retrievers.tasks import PickSections, ScoredItem, ScoredItems, ScoreParts
from tests.core.llm.endpoint import served
from tests.retrievers.shelf import Shelf
from tests.retrievers.trees import Branches, Rounds, asked, guide, plant, scored, titles
from tests.servers.faults import said

BOOK: Branches = {
    "Probability": {"Dice": "Two dice are rolled.", "Coins": "A coin is tossed.", "Cards": "A card is drawn."},
    "Tables": {"Joins": "Merge two tables.", "Groups": "Split, apply, combine."},
}
SYLLABUS: Branches = {"Late work": "You have six slip days.", "Exams": "The midterm is in March."}
WAY = {"book": 0.9, "Probability": 0.8, "Dice": 1.0, "Coins": 0.3}
NOTHING = ScoredItems(items=())


@pytest.fixture
async def course(shelf: Shelf) -> None:
    await plant(shelf, "ds", "book", BOOK)
    await plant(shelf, "ds", "syllabus", SYLLABUS, Source.LOGISTICS)


async def found(indexes: Indexes, llm: Any, query: str = "two dice", top_k: int = 3, **options: Any) -> list[Passage]:
    index = await indexes.get("ds", audience=Audience.STAFF)
    made = HierGen(index, top_k=top_k, llm=llm, options=RetrieverOptions(**options))
    return await made.search(query)


def names(passages: list[Passage]) -> list[str]:
    return [passage.heading_path[-1] for passage in passages]


@pytest.mark.usefixtures("course")
async def test_the_model_is_asked_about_each_place_on_the_way_and_nowhere_else(indexes: Indexes) -> None:
    llm = guide(WAY)
    passages = await found(indexes, llm)
    assert list(asked(llm)) == [
        ("", ["syllabus", "book"]),
        ("book", ["Probability", "Tables"]),
        ("book › Probability", ["Dice", "Coins", "Cards"]),
    ]
    assert names(passages)[:2] == ["Dice", "Coins"]
    assert passages[0].score == pytest.approx((0.9 * 0.8 * 1.0) ** (1 / 3))


@pytest.mark.usefixtures("course")
async def test_the_path_tells_how_a_passage_was_come_to(indexes: Indexes) -> None:
    passages = await found(indexes, guide(WAY), top_k=9)
    assert passages[0].path == ("book (0.90)", "Probability (0.80)", "Dice (1.00)")
    assert {passage.path for passage in passages if passage.heading_path[0] == "Tables"} == {()}


async def test_no_path_to_a_passage_for_students_names_a_staff_only_document(indexes: Indexes, shelf: Shelf) -> None:
    for n in range(2 * MAX_CHILDREN):
        visibility = Visibility.STAFF if n % GROUPED in (0, GROUPED - 1) else Visibility.STUDENT
        await shelf.add("ds", f"{n:02} {visibility}", ["Two dice are rolled."], visibility=visibility)
    passages = await found(indexes, guide({}, otherwise=0.9), top_k=99, beam=9)
    open_ = [passage for passage in passages if passage.visibility is Visibility.STUDENT]
    assert len(open_) == 32
    assert {passage.path[0] for passage in open_} >= {"01 student – 08 student (0.90)"}
    assert not [passage.path for passage in open_ if "staff" in " ".join(passage.path)]


@pytest.mark.usefixtures("course")
async def test_the_path_survives_llama_index_and_the_index_is_not_touched(indexes: Indexes) -> None:
    index = await indexes.get("ds")
    node = (await HierGen(index, top_k=1, llm=guide(WAY)).aretrieve("two dice"))[0].node
    assert node.metadata["path"] == ["book (0.90)", "Probability (0.80)", "Dice (1.00)"]
    assert "path" in node.excluded_llm_metadata_keys
    assert all(one.metadata["path"] == [] for one in index.nodes)


@pytest.mark.usefixtures("course")
async def test_a_passage_deep_down_wins_against_a_worse_one_higher_up(indexes: Indexes) -> None:
    llm = guide({"book": 0.8, "Probability": 0.8, "Dice": 0.8, "syllabus": 0.7, "Exams": 0.7})
    passages = await found(indexes, llm)
    assert [(name, round(one.score, 3)) for name, one in zip(names(passages), passages, strict=True)][:2] == [
        ("Dice", 0.8), ("Exams", 0.7),
    ]  # fmt: skip


@pytest.mark.usefixtures("course")
async def test_the_sampling_of_the_request_reaches_every_call(indexes: Indexes) -> None:
    llm = guide(WAY)
    await found(indexes, llm, sampling=Sampling(model="m", seed=3))
    assert {(one.model, one.seed) for one in llm.samplings} == {("m", 3)}


@pytest.mark.usefixtures("course")
async def test_equal_scores_are_ordered_by_words_and_meaning(indexes: Indexes) -> None:
    for query, name in (("merge two tables", "Joins"), ("split apply combine", "Groups")):
        assert names(await found(indexes, guide({}, otherwise=0.5), query))[0] == name


async def test_a_model_that_gives_everything_the_same_score_is_led_by_words_and_meaning(
    shelf: Shelf, indexes: Indexes
) -> None:
    for topic in ("apples", "pears", "plums", "cherries"):
        await plant(shelf, "ds", topic, {f"Growing {topic}": f"how to grow {topic}", f"Eating {topic}": f"raw {topic}"})
    llm = guide({}, otherwise=0.5)
    assert names(await found(indexes, llm, "eating raw plums", beam=1, top_k=1)) == ["Eating plums"]
    assert [position for position, _ in asked(llm)] == ["", "plums"]


@pytest.mark.usefixtures("course")
async def test_what_is_missing_to_top_k_comes_from_hybrid_below_what_was_chosen(indexes: Indexes) -> None:
    passages = await found(indexes, guide(WAY), "how many slip days", top_k=3)
    assert names(passages) == ["Dice", "Coins", "Late work"]
    assert [one.score for one in passages] == sorted((one.score for one in passages), reverse=True)


@pytest.mark.usefixtures("course")
async def test_without_a_model_it_says_so(indexes: Indexes) -> None:
    with pytest.raises(SetupError, match="llm="):
        await found(indexes, None)


async def wide(shelf: Shelf, levels: int, children: int = 3) -> None:
    def grow(title: str, left: int) -> Branches | str:
        return {f"{title}.{n}": grow(f"{title}.{n}", left - 1) for n in range(children)} if left else f"text of {title}"

    await plant(shelf, "ds", "book", {f"{n}": grow(f"{n}", levels - 1) for n in range(children)})


@pytest.mark.parametrize(("beam", "sizes"), [(1, [1, 1, 1]), (2, [1, 2, 2]), (3, [1, 3, 3])])
async def test_a_round_asks_about_the_whole_beam_at_once(
    shelf: Shelf, indexes: Indexes, beam: int, sizes: list[int]
) -> None:
    await wide(shelf, 4)
    # The first call is about the nine places that the contents show of the one long document.
    llm = Rounds(guide({}, otherwise=0.5))
    await found(indexes, llm, beam=beam)
    assert llm.sizes == sizes


async def test_the_rounds_end_at_their_limit_and_the_places_reached_come_first(shelf: Shelf, indexes: Indexes) -> None:
    await wide(shelf, 6, children=2)
    llm = Rounds(guide({"1": 0.9, "1.1": 0.9, "1.1.1": 0.9}, otherwise=0.02))
    passages = await found(indexes, llm, "text of 0.0.0.0.0.0", top_k=8, beam=1, depth=1)
    assert len(llm.sizes) == 2
    assert [name.startswith("1.1.1") for name in names(passages)][:4] == [True] * 4


async def test_twelve_levels_are_gone_down_in_as_many_rounds(shelf: Shelf, indexes: Indexes) -> None:
    below: Branches | str = {"goal": "here it is", "other": "x"}
    for level in range(12, 1, -1):
        below = {f"right {level}": below, f"wrong {level}": {"a": "x", "b": "y"}}
    await plant(shelf, "ds", "deep", below)
    way = {f"right {level}": 0.9 for level in range(2, 13)} | {"goal": 1.0}
    llm = Rounds(guide(way, otherwise=0.1))
    passages = await found(indexes, llm, top_k=1, depth=20)
    assert names(passages) == ["goal"]
    assert max(llm.sizes) <= 3
    assert len(llm.sizes) <= 12


async def test_five_thousand_siblings_take_a_few_bounded_calls(shelf: Shelf, indexes: Indexes) -> None:
    await plant(shelf, "ds", "big", {f"Part {n}": f"text number {n}" for n in range(5_000)})

    def holds(task: PickSections | ScoreParts) -> ScoredItems:
        ranges = [[int(end.split()[-1]) for end in title.split(" › ")[-1].split(" – ")] for title in titles(task)]
        right = [one[0] <= 3_333 <= one[-1] for one in ranges]
        return ScoredItems(items=tuple(ScoredItem(n=n, score=0.9 * yes) for n, yes in enumerate(right, 1)))

    llm = ScriptedLLM({PickSections: [holds], ScoreParts: [holds]})
    assert names(await found(indexes, llm, top_k=1)) == ["Part 3333"]
    assert all(len(shown) <= 30 for _, shown in asked(llm))
    assert len(llm.tasks) <= 4


async def test_a_course_with_one_block_is_searched_without_a_call(shelf: Shelf, indexes: Indexes) -> None:
    await plant(shelf, "ds", "note", {"Chapter": {"Section": {"Only": "the only text"}}})
    llm = ScriptedLLM([])
    passages = await found(indexes, llm)
    assert (names(passages), llm.tasks) == (["Only"], [])
    assert passages[0].path == ("note", "Chapter", "Section", "Only")


async def test_a_course_without_material_gives_nothing_without_a_call(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.store.courses.put("ds", {})
    assert await found(indexes, ScriptedLLM([])) == []


async def test_places_with_one_part_are_passed_without_a_call(shelf: Shelf, indexes: Indexes) -> None:
    await plant(shelf, "ds", "a", {"Chapter": {"Section": {"Left": "l", "Right": "r"}}})
    await plant(shelf, "ds", "b", {"Other": "o"})
    llm = guide({"a": 0.9, "Right": 0.8})
    assert names(await found(indexes, llm))[0] == "Right"
    assert list(asked(llm)) == [("", ["a", "b"]), ("a › Chapter › Section", ["Left", "Right"])]


# Models that do not do what they are asked.


@pytest.mark.usefixtures("course")
@pytest.mark.parametrize(
    "text",
    [
        "I would look into the book.",
        "",
        '{"items": "all"}',
        '{"items": [{"id": "book"}]}',
        "[1, 2]",
        '{"items": [{"n": 1',
    ],
    ids=["prose", "empty", "wrong type", "wrong fields", "no object", "cut"],
)
async def test_what_is_no_list_of_scores_is_a_typed_error(indexes: Indexes, text: str) -> None:
    async with served(said(text)) as (llm, server):
        with pytest.raises(ModelError, match="faulty"):
            await found(indexes, llm)
    assert len(server.requests) <= 3


@pytest.mark.usefixtures("course")
async def test_scores_that_come_in_a_code_fence_or_as_strings_are_read(indexes: Indexes) -> None:
    contents = '```json\n{"items": [{"n": "2", "score": "0.9"}, {"n": 2, "score": 0.1}, {"n": 7, "score": 1}]}\n```'
    part = '{"items": [{"n": 1, "score": 5}, {"n": 2, "score": -1}]}'
    async with served(said(contents), said(part), said(part)) as (llm, server):
        passages = await found(indexes, llm)
    assert names(passages)[0] == "Dice"
    assert passages[0].path == ("book (0.90)", "Probability (1.00)", "Dice (1.00)")
    assert len(server.requests) == 3


@pytest.mark.usefixtures("course")
@pytest.mark.parametrize(
    "items",
    [(), ((0, 1.0), (77, 1.0), (-1, 0.5)), ((1, float("nan")),), ((1, 0.0), (2, 0.0))],
    ids=["empty", "unknown", "nan", "zero"],
)
async def test_contents_without_a_valid_choice_leave_the_order_to_hybrid(
    indexes: Indexes, items: tuple[Any, ...]
) -> None:
    nonsense = ScoredItems(items=tuple(ScoredItem(n=n, score=score) for n, score in items))
    llm = ScriptedLLM({PickSections: [nonsense]})
    query = "slip days for late work"
    hybrid = await retrieve(indexes, "ds", None, query, retriever="hybrid", top_k=3, llm=None)
    assert names(await found(indexes, llm, query)) == names(hybrid)
    assert len(llm.tasks) == 1


@pytest.mark.usefixtures("course")
async def test_a_branch_without_a_valid_score_ends_and_its_passages_stay_below_the_others(indexes: Indexes) -> None:
    way = scored({"book": 0.9, "syllabus": 0.9, "Exams": 0.2})

    def line(task: ScoreParts) -> ScoredItems:
        return way(task) if task.heading_path == "syllabus" else ScoredItems(items=(ScoredItem(n=99, score=1.0),))

    llm = ScriptedLLM({PickSections: [way], ScoreParts: [line]})
    passages = await found(indexes, llm, "two dice are rolled", top_k=5)
    assert names(passages)[:2] == ["Exams", "Dice"]
    assert sorted(position for position, _ in asked(llm)) == ["", "book", "syllabus"]


@pytest.mark.usefixtures("course")
@pytest.mark.parametrize("error", [BadReply("prose"), BadReply("wrong schema"), ModelUnavailable("429")])
async def test_a_failed_call_costs_its_branch_only(indexes: Indexes, error: Exception) -> None:
    way = scored({"book": 0.9, "syllabus": 0.9, "Exams": 0.8})
    lines = {"syllabus": way, "book": lambda _task: error}
    llm = ScriptedLLM({PickSections: [way], ScoreParts: [lambda task: lines[task.heading_path](task)]})
    passages = await found(indexes, llm, top_k=4)
    assert names(passages)[0] == "Exams"
    assert len(passages) == 4


@pytest.mark.usefixtures("course")
async def test_where_every_call_of_a_round_fails_and_nothing_was_found_its_error_is_raised(indexes: Indexes) -> None:
    way = scored({"book": 0.9, "syllabus": 0.9})
    with pytest.raises(ModelUnavailable, match="down"):
        await found(indexes, ScriptedLLM({PickSections: [way], ScoreParts: [ModelUnavailable("down")]}))
    with pytest.raises(BadReply, match="no contents"):
        await found(indexes, ScriptedLLM({PickSections: [BadReply("no contents")]}))


@pytest.mark.usefixtures("course")
async def test_a_later_failure_keeps_what_was_found_before(indexes: Indexes) -> None:
    way = scored({"book": 0.9, "syllabus": 0.9, "Exams": 0.8, "Probability": 0.9})
    lines = {"syllabus": way, "book": way, "book › Probability": lambda _task: BadReply("prose")}
    llm = ScriptedLLM({PickSections: [way], ScoreParts: [lambda task: lines[task.heading_path](task)]})
    assert names(await found(indexes, llm, top_k=1)) == ["Exams"]
