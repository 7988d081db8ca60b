"""1,000 dialogues of 10 turns with a model of 200 ms at a concurrency of 64, against AsyncOpenAI with the same calls.

python -m benchmarks.scenarios [DIALOGUES]

Both run in this process, in turns. A dialogue includes what its command does: prompts with their history, the choice of
who follows, and a row in the database before its worker begins the next one.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from app.wiring import Services, build_services
from benchmarks.bare import Calls
from benchmarks.harness import show
from benchmarks.judging import rate, recorded
from benchmarks.load import MODEL_SECONDS, model_server
from core.settings import Settings
from eval.runner import RunLimits, Runner
from eval.scenarios.cast import Cast
from eval.scenarios.evaluation import dialogues_plan
from eval.scenarios.models import models_of
from eval.scenarios.reading import read_scenario
from eval.scenarios.scenario import Scenario

DIALOGUES, ROUNDS, CONCURRENCY, TURNS, WARM_UP = 1_000, 4, 64, 10, 64
FILE = """\
globals: {{concurrency: {concurrency}, recursion_limit: {turns}, memory: {{path: {folder}}}}}
models: {{m: {{api_key: none, api_base: "{url}", model: m}}}}
agents:
  teacher: {{model: m, prompt: [{{role: system, content: "You teach {{student}} by questions, one at a time."}}]}}
  student: {{model: m, prompt: [{{role: system, content: "You are {{student}}, who learns from a teacher."}}]}}
directions: [START -> teacher, teacher -> student, student -> teacher]
tasks:
  start_prompt: {{role: user, content: "A gardener plants 18 trees, one every 4 metres. How long is the path?"}}
  mode: iter
  content: [{tasks}]
"""


def scenario(url: str, folder: Path, first: int, n: int) -> Scenario:
    """Dialogues of which no two are alike; all reach the limit of turns."""
    tasks = ", ".join(f"{{student: student {number}}}" for number in range(first, first + n))
    path = folder / "lesson.yaml"
    path.write_text(FILE.format(concurrency=CONCURRENCY, turns=TURNS, folder=folder, url=url, tasks=tasks))
    return read_scenario(path)


async def converse(services: Services, held: Scenario) -> None:
    models = models_of(held, held.speaking_models, {}, {})
    runner = Runner(services.store.evaluations, models, models.prices)
    outcome = await runner.run(dialogues_plan(held, 1, Cast()), RunLimits(CONCURRENCY))
    await models.aclose()
    assert all(len(row.output["turns"]) == TURNS for row in outcome.rows)


async def measure(url: str, home: Path, n: int) -> None:
    services, bare = await build_services(Settings(home=home)), Calls(url)
    await converse(services, scenario(url, home, 0, WARM_UP))
    bare.use(await asyncio.to_thread(recorded, url))
    floor, found, part = [], [], n // ROUNDS
    for number in range(ROUNDS):
        held = scenario(url, home, WARM_UP + number * part, part)
        floor.append(await rate(bare.run(TURNS, part, CONCURRENCY, MODEL_SECONDS), part))
        found.append(await rate(converse(services, held), part))
    await bare.aclose()
    await services.aclose()
    pairs = list(zip(found, floor, strict=True))
    show(
        f"{n} dialogues of {TURNS} turns, {1000 * MODEL_SECONDS:g} ms a call, concurrency {CONCURRENCY}",
        ("dialogues/s", "scenarios", "AsyncOpenAI", "share"),
        [
            *((f"turn {number}", *pair, pair[0] / pair[1]) for number, pair in enumerate(pairs, 1)),
            ("median", median(found), median(floor), median(one / other for one, other in pairs)),
        ],
    )


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else DIALOGUES
    with model_server() as url, TemporaryDirectory() as home:
        asyncio.run(measure(url, Path(home), n))


if __name__ == "__main__":
    main()
