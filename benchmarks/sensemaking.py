"""Teacher, Student and Evaluator without a model on a book, from a retrieval data set of its sections.

    python -m benchmarks.sensemaking FOLDER [--per-section 5] [--words 40]

FOLDER has `corpus.jsonl` (rows with `module` and `text`) and `queries.jsonl` (rows with `text`, `answer`, `kind` and
`gold_module`; those of kind `critical` have printed answers). Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from scipy import stats

from app.sections import sections_as_courses
from app.wiring import build_services
from core.course import Course
from core.llm.offline import OFFLINE_MODEL
from core.settings import Settings
from core.text.sentences import prose_sentences
from core.types import Source
from eval.attacks.changes import garbled_words
from eval.runner import RunLimits
from eval.sensemaking.evaluator import answers_to_rate, rate, ratings_of
from eval.sensemaking.formats.sections import Section, Sections
from eval.sensemaking.formats.submissions import ListKind, TaskSubmission
from eval.sensemaking.student import Student, answers_of, questions_to_answer, sit
from eval.statistics import mean_of
from ingestion.files import discover
from judging.rouge import rouge_l
from retrievers.embedding.minilm import MiniLM
from retrievers.index.lexical import LexicalIndex
from retrievers.tokens import tokenize
from teaching.measures import quiz_measures
from teaching.teacher import TaughtQuestion, teach

DUPLICATE = 0.9
"""Cosine from which two questions of one section count as the same."""
WRONG = ("mixed up", "mixed up within the module", "garbled", "a sentence of the module")
"""Kinds of wrong answers: printed ones to another question, of any module or of the same, and so on."""


class Remembering(MiniLM):
    """The built-in embedding, each text embedded once."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, Any] = {}

    def embed(self, texts: Sequence[str]) -> Any:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= dict(zip(new, super().embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def read_book(folder: Path) -> tuple[list[Section], list[dict[str, Any]]]:
    """Modules as sections, and the questions with a printed answer."""
    texts: dict[str, list[str]] = defaultdict(list)
    for row in read_rows(folder / "corpus.jsonl"):
        texts[row["module"]].append(row["text"])
    sections = [
        Section(path=f"book/module/{name}", text="\n\n".join(parts), questions={}) for name, parts in texts.items()
    ]
    return sections, [row for row in read_rows(folder / "queries.jsonl") if row["kind"] == "critical"]


def sentences_of(section: Section) -> list[str]:
    """The sentences of a section in order."""
    paragraphs = section.readable.split("\n\n")
    return [sentence for one in paragraphs for sentence in prose_sentences(" ".join(one.split()))]


def teacher_figures(sections: Sequence[Section], taught: dict[str, tuple[TaughtQuestion, ...]]) -> dict[str, Any]:
    """Number of questions, duplicates, and coverage beside that of as many random sentences (five draws)."""
    embedder, draw = Remembering(), random.Random(0)
    own, chance, duplicates = [], [], 0
    for section in sections:
        asked = [one.question for one in taught[section.path]]
        if len(asked) < 2:
            continue
        vectors = embedder.embed(asked)
        same = vectors @ vectors.T
        duplicates += sum(bool((same[at, :at] >= DUPLICATE).any()) for at in range(1, len(asked)))
        own.append(quiz_measures(section.readable, asked, embedder).coverage)
        known = sentences_of(section)
        draws = [draw.sample(known, min(len(asked), len(known))) for _ in range(5)]
        chance.append(fmean(quiz_measures(section.readable, one, embedder).coverage for one in draws))
    count = sum(map(len, taught.values()))
    differences = np.array(own) - np.array(chance)
    return {
        "questions": count,
        "sections with questions": sum(bool(one) for one in taught.values()),
        "duplicates": duplicates / count,
        "coverage in bits": mean_of(own, shares=False).model_dump(),
        "coverage of random sentences": mean_of(chance, shares=False).model_dump(),
        "difference": mean_of(differences.tolist(), shares=False).model_dump(),
    }


async def recall_at_1(
    home: Path, sections: Sequence[Section], taught: dict[str, tuple[TaughtQuestion, ...]]
) -> dict[str, Any]:
    """Share of questions whose own module `tree` ranks first, in the whole book as one course."""
    services = await build_services(Settings(home=home, database_url=None))
    course = Course(id="book", title="Book")
    folder = home / "modules"
    folder.mkdir(parents=True)
    for section in sections:
        name = section.path.rpartition("/")[2]
        (folder / f"{name}.md").write_text(f"# {name}\n\n{section.readable}", encoding="utf-8")
    await services.store.courses.put(course.id, course.model_dump(mode="json"))
    async with services.ingestion() as ingestion:
        await ingestion.run(course, Source.TEXTBOOK, discover([folder]))
    hits = []
    for section in sections:
        for one in taught[section.path]:
            found = await services.assistant.retrieve(course.id, Source.TEXTBOOK, "tree", one.question, 1)
            hits.append(float(bool(found) and Path(found[0].document).stem == section.path.rpartition("/")[2]))
    await services.aclose()
    return mean_of(hits).model_dump()


def cut(text: str, words: int) -> str:
    """The first words of a text."""
    return " ".join(text.split()[:words])


def from_best(sentences: Sequence[str], question: str) -> list[str]:
    """BM25's best sentence for the question and those that follow it."""
    index = LexicalIndex([tokenize(one) for one in sentences])
    ranking = index.search(tokenize(question), 1)
    best = int(ranking[0][0]) if len(ranking) else 0
    return list(sentences[best:])


async def student_figures(
    home: Path, sections: Sequence[Section], queries: Sequence[dict[str, Any]], words: int
) -> dict[str, Any]:
    """ROUGE-L recall of the printed answers, at an equal limit of words."""
    by_module = {section.path.rpartition("/")[2]: section for section in sections}
    rows: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for one in queries:
        rows[f"{by_module[one['gold_module']].path}/questions.json"].append((one["text"], one["answer"]))
    asked = TaskSubmission(kind=ListKind.QUESTIONS, lists={path: tuple(some) for path, some in rows.items()})
    dataset, _ = questions_to_answer(Sections(found=tuple(sections)), asked)
    services = await build_services(Settings(home=home, database_url=None))
    async with sections_as_courses(services, sections, lambda done, total: None) as (aside, courses, _):
        chosen = {"pipeline": "edison", "retriever": "tree"}
        configuration = aside.answering.configuration(next(iter(courses.values())), chosen)
        student = Student(configuration, aside.assistant, courses, MiniLM(), words)
        runner = aside.runner()
        outcome = await sit(runner, student, dataset, RunLimits(2), lambda done, total: None)
    given = answers_of(asked, outcome)
    await services.aclose()
    scores: dict[str, list[float]] = defaultdict(list)
    abstained = 0
    for path, some in asked.lists.items():
        section = next(one for one in sections if path.startswith(f"{one.path}/"))
        sentences = sentences_of(section)
        for (question, answer), row in zip(some, given.lists[path.replace("questions", "answers")], strict=True):
            abstained += len(row) == 1
            best = from_best(sentences, str(question))
            shown = {
                "student": cut(str(row[1]), words) if len(row) > 1 else "",
                "first sentences": cut(" ".join(sentences), words),
                "BM25's best sentence": cut(best[0], words),
                "BM25's best sentence and what follows": cut(" ".join(best), words),
            }
            for name, text in shown.items():
                scores[name].append(rouge_l(str(answer), text).recall)
    paired = {
        name: stats.wilcoxon(scores["student"], scores[name], alternative="greater").pvalue
        for name in scores
        if name != "student"
    }
    differences = {
        name: mean_of([a - b for a, b in zip(scores["student"], scores[name], strict=True)], shares=False).model_dump()
        for name in paired
    }
    means = {name: mean_of(some).model_dump() for name, some in scores.items()}
    return {"questions": len(queries), "abstained": abstained, **means, "paired": differences, "p": paired}


def printed_answers(sections: Sequence[Section], queries: Sequence[dict[str, Any]]) -> dict[str, list[tuple[str, ...]]]:
    """By the path of a section, its questions with the printed answer and a wrong one of each kind of `WRONG`."""
    paths = {section.path.rpartition("/")[2]: section.path for section in sections}
    sentences = {section.path: sentences_of(section) for section in sections}
    draw, draw_sentence = random.Random(0), random.Random(1)
    rows: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for one in queries:
        others = [other for other in queries if other["text"] != one["text"]]
        near = [other for other in others if other["gold_module"] == one["gold_module"]] or others
        row = (
            one["answer"],
            draw.choice(others)["answer"],
            draw.choice(near)["answer"],
            garbled_words(one["answer"], draw),
            draw_sentence.choice(sentences[paths[one["gold_module"]]]),
        )
        rows[paths[one["gold_module"]]].append((one["text"], *row))
    return rows


async def evaluator_figures(
    home: Path, sections: Sequence[Section], queries: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """AUC of ratings of printed answers against wrong ones of each kind."""
    rows = printed_answers(sections, queries)
    lists = {f"{path}/answers.json": tuple(some) for path, some in rows.items()}
    answers = TaskSubmission(kind=ListKind.ANSWERS, lists=lists)
    services = await build_services(Settings(home=home, database_url=None))
    dataset, _ = answers_to_rate(Sections(found=tuple(sections)), answers, MiniLM())
    model = services.models[OFFLINE_MODEL]
    scores = await rate(services.runner(), model, dataset, RunLimits(2), lambda done, total: None)
    given = ratings_of(answers, scores)
    await services.aclose()
    columns = list(zip(*(row for some in given.lists.values() for row in some), strict=True))
    return {name: auc(columns[0], column) for name, column in zip(WRONG, columns[1:], strict=True)}


def auc(right: Sequence[Any], wrong: Sequence[Any]) -> float:
    """The probability that a right answer is rated higher than a wrong one; ties count half."""
    return float(stats.mannwhitneyu(right, wrong).statistic) / (len(right) * len(wrong))


async def measured(folder: Path, per_section: int, words: int) -> dict[str, Any]:
    """All figures of the book."""
    sections, queries = read_book(folder)
    embedder = MiniLM()
    taught = {section.path: teach(section.readable, per_section, embedder) for section in sections}
    with tempfile.TemporaryDirectory() as home:
        return {
            "teacher": teacher_figures(sections, taught),
            "recall@1 of its module": await recall_at_1(Path(home) / "book", sections, taught),
            "student": await student_figures(Path(home) / "sections", sections, queries, words),
            "evaluator, AUC": await evaluator_figures(Path(home) / "ratings", sections, queries),
        }


def main() -> None:
    """Print the figures of the folder that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--per-section", type=int, default=5)
    parser.add_argument("--words", type=int, default=40)
    given = parser.parse_args()
    print(json.dumps(asyncio.run(measured(given.folder, given.per_section, given.words)), indent=1))


if __name__ == "__main__":
    main()
