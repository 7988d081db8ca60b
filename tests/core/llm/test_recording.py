"""A recording stands in for a model: the same requests get the same replies, and no other request gets one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from core.errors import InvalidInput, NotRecorded
from core.llm.base import Sampling
from core.llm.formats import ReplyFormat
from core.llm.metered import Metered
from core.llm.openai import OpenAILLM
from core.llm.recording.exchange import Recording, read_recording
from core.llm.recording.tape import Player, Recorder, Tape
from core.llm.task import Image, Task, YesNoTask
from core.types import Passage
from tests.core.llm.endpoint import GOOD_CALL, KEY, Choose, GiveGrade, IsRelevant, Say
from tests.pipelines.runs import passage
from tests.servers.faults import Act, completed, failed, said, serving, unused_url

GRADE = said('{"mark": "pass", "reasons": ["it is right"]}')
SEEDED = Sampling(seed=0)


class Look(Task[str]):
    version = "1"
    instructions = "Name the colour."
    picture: Image


def model(url: str, tape: Tape, formats: tuple[ReplyFormat, ...] = tuple(ReplyFormat)) -> OpenAILLM:
    return OpenAILLM(base_url=url, api_key=KEY, model="faulty", max_retries=0, tape=tape, formats=formats)


async def record(path: Path, *tasks: Task[object], acts: tuple[Act, ...], sampling: Sampling = SEEDED) -> Recording:
    """Ask an endpoint these tasks, one after the other."""
    recorder = Recorder(path, None, origin="a test")
    async with serving(*acts) as server:
        llm = model(server.base_url, recorder)
        for task in tasks:
            await llm.run(task, sampling)
        await llm.aclose()
    return read_recording(path)


def played(recording: Recording, formats: tuple[ReplyFormat, ...] = tuple(ReplyFormat)) -> tuple[OpenAILLM, Player]:
    player = Player(recording)
    return model(unused_url(), player, formats), player


@pytest.mark.parametrize(
    ("task", "act"),
    [(Say(), said("fine")), (GiveGrade(), GRADE), (Choose(), GOOD_CALL)],
    ids=["text", "object", "calls"],
)
async def test_what_was_recorded_is_replied_without_an_endpoint(tmp_path: Path, task: Task[object], act: Act) -> None:
    recording = await record(tmp_path / "r.jsonl", task, acts=(act,))
    llm, _ = played(recording)
    reply = await llm.run(task, SEEDED)
    assert reply.value
    assert (reply.usage.calls, reply.usage.replayed_calls, reply.usage.prompt_tokens) == (1, 1, 10)
    assert recording.facts.origin == "a test"
    assert [one.prompt for one in recording.exchanges] == [f"{type(task).__name__} 1"]


async def test_a_request_that_is_not_in_it_is_a_typed_error_counted_by_its_prompt(tmp_path: Path) -> None:
    llm, player = played(await record(tmp_path / "r.jsonl", Say(), acts=(said("fine"),)))
    meter = Metered(llm, {})
    for text in ("other", "words"):
        with pytest.raises(NotRecorded, match=r"no reply to this request of Say 1; it has 1 of Say 1"):
            await meter.run(Say(text=text), SEEDED)
    with pytest.raises(NotRecorded, match="none of Choose"):
        await meter.run(Choose(), SEEDED)
    assert player.missing == {"Say 1": 2, "Choose 1": 1}
    assert [error.prompt for error in meter.unrecorded] == ["Say 1", "Say 1", "Choose 1"]
    assert meter.total.calls == 0


class Read(Task[str]):
    version = "1"
    instructions = "Answer from the passages."
    question: str = "Why?"
    passages: tuple[Passage, ...]


FIRST, SECOND, NEW = passage("1", "One line.\nAnother."), passage("2", "Third."), passage("3", "New.")
SHORTER = FIRST.model_copy(update={"text": "One line."})


@pytest.mark.parametrize("other", [(SHORTER, SECOND), (FIRST, SECOND, NEW)], ids=["shorter", "one more"])
async def test_other_excerpts_of_the_same_passages_get_the_recorded_reply_and_are_counted(
    tmp_path: Path, other: tuple[Passage, ...]
) -> None:
    asked = Read(passages=(FIRST, SECOND))
    llm, player = played(await record(tmp_path / "r.jsonl", asked, acts=(said("fine"),)))
    same, reply = await llm.run(asked, SEEDED), await llm.run(Read(passages=other), SEEDED)
    assert (reply.value, reply.usage.replayed_calls, reply.usage.other_excerpts_calls) == ("fine", 1, 1)
    assert same.usage.other_excerpts_calls == 0
    assert not player.missing


@pytest.mark.parametrize(
    "other",
    [
        Read(passages=(FIRST, NEW.model_copy(update={"heading_path": ("Another chapter",)}))),
        Read(passages=(FIRST, SECOND), question="How?"),
        Read(passages=()),
    ],
    ids=["another passage", "another question", "none"],
)
async def test_other_passages_or_questions_do_not_get_the_recorded_reply(tmp_path: Path, other: Read) -> None:
    llm, _ = played(await record(tmp_path / "r.jsonl", Read(passages=(FIRST, SECOND)), acts=(said("fine"),)))
    with pytest.raises(NotRecorded):
        await llm.run(other, SEEDED)


@pytest.mark.parametrize(
    ("reply", "is_given"),
    [("See [1].", True), ('{"sources": [{"passage": 1, "quote": "One"}]}', True), ("See [1] and [3].", False),
     ("See [1, 3].", False), ("See [1-4].", False), ("As passages 1 and 2 say.", False),
     ('{"sources": [{"passage": 2, "quote": "Third"}]}', False)],
)  # fmt: skip
async def test_passages_that_the_reply_does_not_cite_may_have_changed_places(
    tmp_path: Path, reply: str, is_given: bool
) -> None:
    named = [passage(str(n), f"Text {n}.", heading_path=(f"Chapter {n}",)) for n in range(6)]
    swapped = [named[0], named[2], named[1], *named[3:]]
    recording = await record(tmp_path / "r.jsonl", Read(passages=tuple(named)), acts=(said(reply),))
    found = played(recording)[0].run(Read(passages=tuple(swapped)), SEEDED)
    if is_given:
        assert (await found).usage.other_excerpts_calls == 1
    else:
        with pytest.raises(NotRecorded):
            await found


async def test_of_two_recorded_requests_the_one_with_the_same_passages_replies(tmp_path: Path) -> None:
    named = [passage(str(n), f"Text {n}.", heading_path=(f"Chapter {n}",)) for n in range(6)]
    swapped = [named[0], named[2], named[1], *named[3:]]
    asked = (Read(passages=tuple(swapped)), Read(passages=tuple(named)))
    recording = await record(tmp_path / "r.jsonl", *asked, acts=(said("swapped"), said("same")))
    shorter = [named[0].model_copy(update={"text": "Te"}), *named[1:]]
    reply = await played(recording)[0].run(Read(passages=tuple(shorter)), SEEDED)
    assert reply.value == "same"


async def test_a_seed_that_was_not_recorded_is_not_replaced_by_another_one(tmp_path: Path) -> None:
    llm, _ = played(await record(tmp_path / "r.jsonl", Say(), acts=(said("fine"),), sampling=Sampling(seed=3)))
    assert (await llm.run(Say(), Sampling(seed=3))).value == "fine"
    assert (await llm.run(Say())).value == "fine", "a request without a seed leaves it open"
    with pytest.raises(NotRecorded):
        await llm.run(Say(), Sampling(seed=4))
    with pytest.raises(NotRecorded):
        await llm.run(Say(), Sampling(seed=3, temperature=1.0))


async def test_the_format_in_which_an_object_was_asked_for_does_not_matter(tmp_path: Path) -> None:
    refusing = (failed(400, "response_format is not supported"), GRADE)
    recording = await record(tmp_path / "r.jsonl", GiveGrade(), acts=refusing)
    assert len(recording.exchanges) == 1, "a refusal is no reply"
    for formats in ((ReplyFormat.JSON_SCHEMA,), (ReplyFormat.TEXT,)):
        llm, _ = played(recording, formats)
        assert (await llm.run(GiveGrade(), SEEDED)).value.mark == "pass"


async def test_repairs_and_probabilities_are_replayed_too(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await record(path, GiveGrade(), acts=(said("no object"), GRADE))
    logprobs = {"content": [{"token": "yes", "logprob": -0.1, "top_logprobs": [{"token": "no", "logprob": -2.4}]}]}
    yes = completed({"role": "assistant", "content": "yes"}, logprobs=logprobs)
    async with serving(yes) as server:
        llm = model(server.base_url, Recorder(path, read_recording(path)))
        asked: YesNoTask = IsRelevant()
        live = (await llm.probability(asked)).value
        await llm.aclose()
    llm, _ = played(read_recording(path))
    reply = await llm.run(GiveGrade(), SEEDED)
    assert (reply.value.mark, reply.usage.calls, reply.usage.replayed_calls) == ("pass", 2, 2)
    assert (await llm.probability(asked)).value == live


async def test_a_recording_that_goes_on_asks_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await record(path, Say(), acts=(said("fine"),))
    async with serving(said("another")) as server:
        llm = model(server.base_url, Recorder(path, read_recording(path)))
        reply = await llm.run(Say(), SEEDED)
        assert (reply.value, reply.usage.calls, reply.usage.cached_calls, reply.usage.prompt_tokens) == (
            "fine",
            0,
            1,
            0,
        )
        assert (await llm.run(Say(text="more"), SEEDED)).value == "another"
        await llm.aclose()
        assert len(server.requests) == 1
    assert [one.reply["choices"][0]["message"]["content"] for one in read_recording(path).exchanges] == [
        "fine",
        "another",
    ]


async def test_a_compressed_recording_is_the_same_and_pictures_are_kept_as_digests(tmp_path: Path) -> None:
    plain = tmp_path / "r.jsonl"
    task = Look(picture=Image(media_type="image/png", data="c2VjcmV0"))
    recording = await record(plain, task, acts=(said("red"),))
    assert "c2VjcmV0" not in plain.read_text()
    assert KEY not in plain.read_text()
    assert plain.stat().st_mode & 0o077 == 0, "it holds what students wrote"
    (packed := tmp_path / "r.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    assert read_recording(packed).facts.digest == recording.facts.digest
    llm, _ = played(read_recording(packed))
    assert (await llm.run(task, SEEDED)).value == "red"


@pytest.mark.parametrize("line", ["{", '{"key": "k"}', "[]", '{"other": 1}'])
def test_a_line_that_is_no_exchange_is_named(tmp_path: Path, line: str) -> None:
    (path := tmp_path / "r.jsonl").write_text(json.dumps({"origin": "x"}) + "\n" + line + "\n")
    with pytest.raises(InvalidInput, match="line 2"):
        read_recording(path)


def test_a_file_that_was_cut_off_when_it_was_copied_is_refused(tmp_path: Path) -> None:
    (path := tmp_path / "r.jsonl.gz").write_bytes(gzip.compress(b'{"origin": ""}\n')[:-4])
    with pytest.raises(InvalidInput, match="cut off"):
        read_recording(path)
