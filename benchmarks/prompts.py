"""Tokens of the prompts of an answer by `fc`, and whether what answers the question is among what its writer is sent.

    python -m benchmarks.prompts ds101 phy321=QUESTIONS.jsonl --save after.json --before before.json

The courses are loaded already (EDUMOD_HOME). Without a file, the questions are the test split of the course's labelled
answers; a file has a `question`, whether it is `answerable`, the files and headings that answer it (`gold`), and
regular expressions for the facts of an answer (`keys`). Functions are chosen by the offline router, equally before and
after a change; the writer's reply is scripted. Tokens are those of whole requests, tools and schemas included, by
tiktoken's cl100k_base.

Of questions that can be answered, recall is the share with a labelled passage in the prompt; facts are the share of the
reference's terms that stand in what is sent of labelled passages or, with a file, of questions all of whose key facts
stand in what is sent of any.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import llama_index.core

from app.wiring import Services, services
from benchmarks.harness import show
from core.concurrency import in_thread
from core.llm.base import DEFAULT_SAMPLING, LLM, Reply, Sampling
from core.llm.formats import ReplyFormat
from core.llm.request import Request, request_body
from core.llm.task import Out, Task, ToolTask, YesNoTask
from core.settings import read_settings
from core.types import Audience, Passage, Question, Usage
from eval.datasets.answers import KIND, LabelledAnswer
from eval.datasets.stored import stored_labels
from retrievers.locations import containing_locations
from retrievers.terms import question_terms
from tasks import WriteAnswer, WrittenAnswer

FIGURES = ("choose", "write", "tokens", "passages", "recall", "facts")
REPLY = WrittenAnswer(status="no_response_needed", statements=(), confidence=1.0)
Figures = dict[str, float]
Grade = Callable[[Sequence[Passage], Sequence[Passage]], Figures]
"""Recall and facts of passages as they were found, and as they are sent."""


class Watched:
    """A model that writes nothing, and keeps the tasks that it was given; other tasks are done offline."""

    def __init__(self, offline: LLM) -> None:
        self.tasks: list[Task[Any]] = []
        self.model = offline.model
        self._offline = offline

    async def run(self, task: Task[Out], sampling: Sampling = DEFAULT_SAMPLING) -> Reply[Out]:
        self.tasks.append(task)
        if isinstance(task, WriteAnswer):
            return Reply(value=cast(Out, REPLY), model=self.model, usage=Usage(calls=1))
        return await self._offline.run(task, sampling)

    async def probability(self, task: YesNoTask, sampling: Sampling = DEFAULT_SAMPLING) -> Reply[float]:
        return await self._offline.probability(task, sampling)

    async def aclose(self) -> None:
        """Nothing to close."""


def count_tokens() -> Callable[[Task[Any]], int]:
    """Counts the tokens of a task's request."""
    # llama-index brings the encoding's file, so that nothing is loaded from elsewhere.
    os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(llama_index.core.__file__).parent / "_static" / "tiktoken_cache")
    import tiktoken

    encode = tiktoken.get_encoding("cl100k_base").encode_ordinary

    def count(task: Task[Any]) -> int:
        body = request_body(task, "", DEFAULT_SAMPLING, {})
        if not isinstance(task, ToolTask):
            body = ReplyFormat.JSON_SCHEMA.applied(Request(task.name(), body, task.output_type()))
        texts = [message["content"] or json.dumps(message["tool_calls"]) for message in body.pop("messages")]
        return sum(len(encode(text)) for text in (*texts, json.dumps(body)))

    return count


async def labelled(built: Services, course_id: str, file: str) -> list[tuple[str, Question, Grade | None]]:
    """The questions with their ids, and how the passages of a prompt are graded, unless no answer is expected."""
    if file:
        rows = await in_thread(
            lambda: [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
        )
        return [(row["id"], Question(**row["question"]), by_keys(row) if row["answerable"] else None) for row in rows]
    labels = await stored_labels(built.store, course_id, KIND, LabelledAnswer, "test")
    return [(label.id, label.question, by_reference(label) if label.passages else None) for label in labels]


def by_reference(label: LabelledAnswer) -> Grade:
    def grade(_: Sequence[Passage], sent: Sequence[Passage]) -> Figures:
        labelled = [passage for passage in sent if set(containing_locations(passage)) & set(label.passages)]
        terms, known = question_terms(label.reference), question_terms(texts_of(labelled))
        return {"recall": bool(labelled), "facts": len(terms & known) / max(len(terms), 1)}

    return grade


def by_keys(row: dict[str, Any]) -> Grade:
    gold = [(Path(place["file"]).name, plain(place["heading"])) for place in row["gold"]]

    def grade(found: Sequence[Passage], sent: Sequence[Passage]) -> Figures:
        text = " ".join(texts_of(sent).split())
        is_there = any(
            Path(passage.document).name == name and heading in plain(" ".join((passage.location, passage.text)))
            for passage in found
            for name, heading in gold
        )
        facts = all(any(re.search(key, text, re.IGNORECASE) for key in keys) for keys in row["keys"])
        return {"recall": is_there, "facts": facts}

    return grade


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def texts_of(passages: Sequence[Passage]) -> str:
    return "\n".join(part for passage in passages for part in (passage.location, passage.text, passage.solution))


async def figures_of(built: Services, course_id: str, file: str, audience: Audience) -> dict[str, Figures]:
    """The figures of each question of a course."""
    course = await built.store.courses.read(course_id)
    configuration = built.answering.configuration(course, {"pipeline": "fc"})
    count, figures = count_tokens(), {}
    for name, question, grade in await labelled(built, course_id, file):
        model = Watched(built.assistant.models[configuration.model])
        run = await built.assistant.start(course, question, configuration, audience=audience, llm=model)
        await built.assistant.answer(run, configuration)
        write = model.tasks[-1]
        assert isinstance(write, WriteAnswer)
        tokens = [count(task) for task in model.tasks]
        sent = [passage for passage in write.passages if passage.text or passage.solution]
        ids = {passage.block_id for passage in sent}
        found = [passage for passage in write.whole or write.passages if passage.block_id in ids]
        sizes = {"choose": sum(tokens[:-1]), "write": tokens[-1], "tokens": sum(tokens)}
        figures[name] = {**sizes, "passages": len(sent), **(grade(found, sent) if grade else {})}
    return figures


def row_of(course: str, figures: dict[str, Figures]) -> list[object]:
    means = [fmean([one[figure] for one in figures.values() if figure in one]) for figure in FIGURES]
    return [course, len(figures), *(f"{mean:,.0f}" for mean in means[:3]), *(f"{mean:.3f}" for mean in means[3:])]


def compared(course: str, before: dict[str, Figures], after: dict[str, Figures]) -> list[object]:
    """The ratio of tokens, and questions that won and lost in recall and facts."""
    ratio = sum(after[name]["tokens"] for name in after) / sum(before[name]["tokens"] for name in after)
    cells: list[object] = [course, f"{ratio:.3f}"]
    for figure in FIGURES[-2:]:
        changes = {name: after[name][figure] - before[name][figure] for name in after if figure in after[name]}
        won, lost = ([name for name, change in changes.items() if sign * change > 0] for sign in (1, -1))
        cells += [len(won), f"{len(lost)} {' '.join(lost[:12])}", f"{fmean(changes.values()):+.4f}"]
    return cells


async def main() -> None:
    """Print a row for each course and, with figures of before, the differences question by question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("courses", nargs="+", metavar="COURSE[=QUESTIONS.jsonl]")
    parser.add_argument("--staff", action="store_true", help="drafts that a person reads first")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--before", type=Path)
    options = parser.parse_args()
    async with services(read_settings()) as built:
        names = [course.partition("=")[::2] for course in options.courses]
        audience = Audience.STAFF if options.staff else Audience.STUDENTS
        figures = {course: await figures_of(built, course, file, audience) for course, file in names}
    if options.save:
        options.save.write_text(json.dumps(figures), encoding="utf-8")
    show("Prompts of fc", ("course", "n", *FIGURES), [row_of(course, figures[course]) for course in figures])
    if options.before:
        before = json.loads(options.before.read_text(encoding="utf-8"))
        columns = ("course", "tokens", "recall won", "lost", "mean", "facts won", "lost", "mean")
        show("Against before", columns, [compared(course, before[course], figures[course]) for course in figures])


if __name__ == "__main__":
    asyncio.run(main())
