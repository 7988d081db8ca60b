from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from core.errors import BadReply
from core.llm.base import LLM, Sampling
from core.llm.cached import Cached
from core.llm.scripted import ScriptedLLM
from core.llm.task import Choice, Task, ToolTask, YesNoTask
from core.types import FunctionCall, FunctionSpec, Usage


class Say(Task[str]):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Say something."
    text: str = "hello"


class SayBetter(Task[str]):
    version: ClassVar[str] = "2"
    instructions: ClassVar[str] = "Say something."
    text: str = "hello"


class Part(BaseModel):
    names: tuple[str, ...] = ()


class Grade(BaseModel):
    parts: tuple[Part, ...]
    score: float | None = None


class GiveGrade(Task[Grade]):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Grade."
    text: str = "hello"


class IsRelevant(YesNoTask):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Relevant?"
    text: str = "hello"


class Choose(ToolTask):
    version: ClassVar[str] = "1"
    instructions: ClassVar[str] = "Choose."
    text: str = "hello"


FUNCTIONS = tuple(FunctionSpec(name=name, description="", parameters={"type": "object"}) for name in ("a", "b"))


async def begun(script: ScriptedLLM) -> None:
    while not script.tasks:  # noqa: ASYNC110
        await asyncio.sleep(0.01)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


async def test_the_second_call_is_answered_from_disk_and_costs_nothing(tmp_path: Path) -> None:
    script = ScriptedLLM(["one"])
    first = await Cached(script, tmp_path).run(Say())
    second = await Cached(script, tmp_path).run(Say())
    assert (first.value, first.usage.calls, first.usage.prompt_tokens) == ("one", 1, 100)
    assert (second.value, second.model, second.usage) == ("one", "scripted", Usage(cached_calls=1))
    assert len(script.tasks) == 1


async def test_values_come_back_as_they_were(tmp_path: Path) -> None:
    grade = Grade(parts=(Part(names=("ä", "b\n")), Part()), score=None)
    choice = Choice(calls=(FunctionCall(id="1", name="a", arguments={"q": [1, {"x": None}]}),), text="so")
    script = ScriptedLLM([grade, choice, 0.1 + 0.2])
    for _ in range(2):
        cached = Cached(script, tmp_path)
        assert (await cached.run(GiveGrade())).value == grade
        assert (await cached.run(Choose(functions=FUNCTIONS))).value == choice
        assert (await cached.probability(IsRelevant())).value == 0.1 + 0.2
    assert len(script.tasks) == 3


async def test_what_a_server_wants_back_with_a_call_is_kept_on_disk_though_never_shown(tmp_path: Path) -> None:
    signed = FunctionCall(id="1", name="a", arguments={}, opaque={"extra_content": {"signature": "abc"}})
    for script in (ScriptedLLM([Choice(calls=(signed,))]), ScriptedLLM([])):
        (call,) = (await Cached(script, tmp_path).run(Choose(functions=FUNCTIONS))).value.calls
        assert call.opaque == {"extra_content": {"signature": "abc"}}
        assert "opaque" not in call.model_dump()


async def test_whatever_shapes_a_reply_is_part_of_the_key(tmp_path: Path) -> None:
    choose = Choose(functions=FUNCTIONS[:1])
    different: list[tuple[Task[Any], Sampling]] = [
        (Say(), Sampling()),
        (Say(text="other"), Sampling()),
        (SayBetter(), Sampling()),
        (Say(), Sampling(model="other")),
        (Say(), Sampling(temperature=0.0)),
        (Say(), Sampling(seed=1)),
        (Say(), Sampling(seed=2)),
        (Say(), Sampling(seed=1, temperature=0.7)),
        (choose, Sampling()),
        (choose.model_copy(update={"required": True}), Sampling()),
        (choose.model_copy(update={"functions": FUNCTIONS}), Sampling()),
    ]
    script = ScriptedLLM({Say: ["x"], SayBetter: ["x"], Choose: [Choice()]})
    cached = Cached(script, tmp_path)
    for _ in range(2):
        for task, sampling in different:
            await cached.run(task, sampling)
    assert len(script.tasks) == len(files(tmp_path)) == len(different)


async def test_naming_the_default_model_changes_nothing(tmp_path: Path) -> None:
    cached = Cached(ScriptedLLM(["one"]), tmp_path)
    await cached.run(Say())
    assert (await cached.run(Say(), Sampling(model="scripted"))).usage.cached_calls == 1


async def test_a_sampled_call_without_a_seed_is_always_made_anew(tmp_path: Path) -> None:
    cached = Cached(ScriptedLLM(["one", "two"]), tmp_path)
    sampling = Sampling(temperature=0.7)
    assert [(await cached.run(Say(), sampling)).value for _ in range(2)] == ["one", "two"]
    assert not files(tmp_path)


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"null", b"\xff\xfe", b'{"value": 1}', "half", "other key", "other type"]
)
async def test_a_damaged_entry_is_a_miss_and_is_written_again(tmp_path: Path, damage: bytes | str) -> None:
    script = ScriptedLLM({Say: ["one"]})
    await Cached(script, tmp_path).run(Say())
    (path,) = files(tmp_path)
    entry = json.loads(path.read_bytes())
    damages = {
        "half": path.read_bytes()[:-20],
        "other key": json.dumps(entry | {"key": "0"}).encode(),
        "other type": json.dumps(entry | {"value": {"a": 1}}).encode(),
    }
    path.write_bytes(damage if isinstance(damage, bytes) else damages[damage])
    assert (await Cached(script, tmp_path).run(Say())).usage.calls == 1
    assert (await Cached(script, tmp_path).run(Say())).usage.cached_calls == 1


async def test_errors_are_not_kept(tmp_path: Path) -> None:
    cached = Cached(ScriptedLLM([BadReply("no"), "one"]), tmp_path)
    with pytest.raises(BadReply):
        await cached.run(Say())
    assert (await cached.run(Say())).value == "one"


async def test_a_cache_that_cannot_be_written_does_not_lose_the_reply(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where the folder should be")
    assert (await Cached(ScriptedLLM(["one"]), blocked).run(Say())).value == "one"
    assert "could not be cached" in caplog.text


async def test_identical_calls_at_once_become_one_and_are_paid_for_once(tmp_path: Path) -> None:
    script = ScriptedLLM(["one"], seconds=0.1)
    cached = Cached(script, tmp_path)
    replies = await asyncio.gather(*(cached.run(Say()) for _ in range(5)))
    assert {reply.value for reply in replies} == {"one"}
    total = sum((reply.usage for reply in replies), Usage())
    assert (total.calls, total.cached_calls, total.prompt_tokens) == (1, 4, 100)


async def test_a_cancelled_leader_leaves_its_followers_their_reply(tmp_path: Path) -> None:
    script = ScriptedLLM(["one"], seconds=1)
    cached = Cached(script, tmp_path)
    leader, follower = (asyncio.create_task(cached.run(Say())) for _ in range(2))
    await begun(script)
    leader.cancel()
    reply = await follower
    assert (reply.value, reply.usage.calls) == ("one", 1)
    assert leader.cancelled()


async def test_a_call_without_waiting_callers_is_still_cached(tmp_path: Path) -> None:
    script = ScriptedLLM(["one", "two"], seconds=0.05)
    cached = Cached(script, tmp_path)
    await abandoned(cached, script)
    assert (await cached.run(Say())).value == "one"
    assert len(script.tasks) == 1


async def test_closing_waits_for_the_calls_under_way(tmp_path: Path) -> None:
    script = ScriptedLLM(["one"], seconds=0.05)
    cached = Cached(script, tmp_path)
    await abandoned(cached, script)
    await cached.aclose()
    assert len(files(tmp_path)) == 1


async def test_a_call_without_waiting_callers_ends_with_its_grace(tmp_path: Path) -> None:
    script = ScriptedLLM(["one", "two"], seconds=1)
    cached = Cached(script, tmp_path, grace=0.01)
    await abandoned(cached, script)
    await asyncio.sleep(0.05)
    assert (await cached.run(Say())).value == "two"


async def abandoned(cached: Cached, script: ScriptedLLM) -> None:
    """Two callers of one call that are cancelled while it is under way."""
    callers = [asyncio.create_task(cached.run(Say())) for _ in range(2)]
    await begun(script)
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)


async def test_an_error_reaches_everyone_who_waits(tmp_path: Path) -> None:
    cached = Cached(ScriptedLLM([BadReply("no")], seconds=0.05), tmp_path)
    results = await asyncio.gather(*(cached.run(Say()) for _ in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [BadReply] * 3


def test_threads_share_one_folder_and_one_cache(tmp_path: Path) -> None:
    cached = Cached(ScriptedLLM({Say: ["one"]}, seconds=0.01), tmp_path)
    values: list[str] = []
    threads = [Thread(target=lambda: values.extend(_ask(cached))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == ["one"] * 80
    assert len(files(tmp_path)) == 20


def test_processes_share_one_folder(tmp_path: Path) -> None:
    program = [sys.executable, "-c", PROCESS, str(tmp_path)]
    processes = [subprocess.Popen(program, cwd=ROOT) for _ in range(3)]
    assert [process.wait() for process in processes] == [0] * 3
    assert len(files(tmp_path)) == 20


def _ask(llm: LLM) -> list[str]:
    async def ask() -> list[str]:
        replies = await asyncio.gather(*(llm.run(Say(text=str(number))) for number in range(20)))
        return [reply.value for reply in replies]

    return asyncio.run(ask())


ROOT = Path(__file__).parents[3]
PROCESS = """
import asyncio, sys
from pathlib import Path
from core.llm.cached import Cached
from core.llm.scripted import ScriptedLLM
from core.llm.task import Task

class Say(Task[str]):
    version = "1"
    instructions = "Say something."
    text: str

async def ask():
    cached = Cached(ScriptedLLM({Say: ["one"]}), Path(sys.argv[1]))
    for number in range(20):
        assert (await cached.run(Say(text=str(number)))).value == "one"

asyncio.run(ask())
"""


async def test_replies_are_for_their_owners_eyes_alone(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "llm"
    folder.mkdir(parents=True, mode=0o755)
    await Cached(ScriptedLLM({Say: ["one"]}), folder).run(Say())
    (entry,) = folder.glob("*/*.json")
    assert [path.stat().st_mode & 0o777 for path in (folder, entry.parent, entry)] == [0o700, 0o700, 0o600]
