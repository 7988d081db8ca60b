"""`edumod sensemaking`: questions about texts, in the files of ELOQUENT Sensemaking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.eval.options import Concurrency, JudgeModel, MaxCost, Seeds
from app.cli.eval.tables.figures import plain_table
from app.cli.measuring import Progress, measure
from app.cli.output import AsJson, errors, output, print_done, print_json, progress_bar
from app.sections import sections_as_courses
from app.wiring import Services
from eval.metrics.base import Score
from eval.runner import RunLimits
from eval.sensemaking.evaluator import answers_to_rate, rate, ratings_of
from eval.sensemaking.formats.sections import read_sections
from eval.sensemaking.formats.submissions import ListKind, Submission, check_name, read_submission, write_submission
from eval.sensemaking.quizzes import Scores, own_questions, score_all, teach_all
from eval.sensemaking.student import WORDS, Student, answers_of, questions_to_answer, sit
from retrievers.embedding.minilm import MiniLM

commands = typer.Typer(help="Make questions about texts, and measure them.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="Folder of source/chapter/section, each with text.txt or text.en.txt.")]


@commands.command()
def teach(
    folder: Folder,
    out: Annotated[Path, typer.Option("--out", "-o", help="File for them; its name begins with questions.")] = Path(
        "questions.json"
    ),
    per_section: Annotated[int, typer.Option(min=1, max=1000, help="Questions of a section, at most.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Make questions with reference answers for each section, by rules over English sentences, without a model.

    Definitions, enumerations, numbers, causes and comparisons become questions; the sentence is the answer.
    """
    check_name(out, ListKind.QUESTIONS)
    sections = read_sections(folder)
    with progress_bar("sections") as progress:
        taught = teach_all(sections, per_section, MiniLM(), progress)
    write_submission(out, ListKind.QUESTIONS, taught.lists)
    count = sum(len(rows) for rows in taught.lists.values())
    text = f"{count} questions about {len(taught.lists)} sections, made by rules from English sentences, in {out}"
    print_done(text, as_json, made_by="rules", questions=count, lists=taught.lists, problems=taught.problems)
    _end(taught.problems)


@commands.command(name="sit")
def sit_(
    folder: Folder,
    questions: Annotated[
        Path | None, typer.Option(help="Submission of questions; those in the folder if there is none.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="File for them; its name begins with answers.")] = Path(
        "answers.json"
    ),
    pipeline: Annotated[str, typer.Option(help="Pipeline that answers.")] = "edison",
    retriever: Annotated[str | None, typer.Option(help="Retriever that finds passages of the section.")] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="Alias of the model that answers.")] = None,
    words: Annotated[int, typer.Option(min=5, max=500, help="Words of an answer, at most.")] = WORDS,
    seeds: Seeds = 1,
    concurrency: Concurrency = 1,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Answer questions from their section alone, through a pipeline; a row without an answer abstains.

    A run that was interrupted continues where it stopped. With several seeds, the later ones have files of their own.
    """
    check_name(out, ListKind.ANSWERS)
    sections = read_sections(folder)
    asked = read_submission(questions, ListKind.QUESTIONS) if questions else own_questions(sections)
    dataset, problems = questions_to_answer(sections, asked)
    used = {item.section for item in dataset.items}
    chosen = {"pipeline": pipeline, "retriever": retriever, "model": model}

    async def work(services: Services, progress: Progress) -> list[Submission]:
        known = [section for section in sections.found if section.path in used]
        with progress_bar("sections") as prepared:
            async with sections_as_courses(services, known, prepared) as (aside, courses):
                configuration = aside.answering.configuration(next(iter(courses.values())), chosen)
                student = Student(configuration, aside.assistant, courses, MiniLM(), words)
                limits, numbers = RunLimits(concurrency, max_cost), range(seeds)
                runner = replace(services.runner(), llm=aside.models)
                outcome = await sit(runner, student, dataset, limits, progress, numbers)
        return [answers_of(asked, outcome, seed) for seed in numbers]

    given = measure("answers", work)
    for seed, submission in enumerate(given):
        write_submission(out.with_stem(f"{out.stem}{seed}") if seed else out, ListKind.ANSWERS, submission.lists)
    problems += given[0].problems
    rows = [row for rows in given[0].lists.values() for row in rows]
    abstained = sum(len(row) == 1 for row in rows)
    text = f"{len(rows) - abstained} answers to {len(rows)} questions, {abstained} abstained, in {out}"
    print_done(
        text, as_json, answers=len(rows) - abstained, questions=len(rows), lists=given[0].lists, problems=problems
    )
    _end(problems)


@commands.command(name="rate")
def rate_(
    folder: Folder,
    answers: Annotated[Path, typer.Option(help="Submission of answers.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File for them; its name begins with ratings.")] = Path(
        "ratings.json"
    ),
    model: JudgeModel = None,
    concurrency: Concurrency = 1,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Rate answers from 0 to 100 by what the text says about their questions; without a model, by computed features.

    A run that was interrupted continues where it stopped.
    """
    check_name(out, ListKind.RATINGS)
    given = read_submission(answers, ListKind.ANSWERS)
    dataset, problems = answers_to_rate(read_sections(folder), given, MiniLM())

    async def work(services: Services, progress: Progress) -> dict[str, Score]:
        chosen = services.models[model or services.models.model]
        return await rate(services.runner(), chosen, dataset, RunLimits(concurrency, max_cost), progress)

    rated = ratings_of(given, measure("answers", work))
    write_submission(out, ListKind.RATINGS, rated.lists)
    problems += rated.problems
    text = f"Ratings of {len(rated.lists)} lists of answers in {out}"
    print_done(text, as_json, lists=rated.lists, problems=problems)
    _end(problems)


@commands.command()
def score(
    folder: Folder,
    questions: Annotated[
        Path | None, typer.Option(help="Submission of questions; those in the folder if there is none.")
    ] = None,
    answers: Annotated[Path | None, typer.Option(help="Submission of answers to them.")] = None,
    ratings: Annotated[Path | None, typer.Option(help="Submission of ratings of these answers.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure questions against their texts, answers against the reference answers, and average the ratings."""
    if ratings is not None and answers is None:
        raise typer.BadParameter("Ratings are of answers: name these with --answers.")
    sections = read_sections(folder)
    scores = score_all(
        sections,
        read_submission(questions, ListKind.QUESTIONS) if questions else own_questions(sections),
        read_submission(answers, ListKind.ANSWERS) if answers else None,
        read_submission(ratings, ListKind.RATINGS) if ratings else None,
        MiniLM(),
    )
    print_json(scores) if as_json else _show(scores)
    _end(scores.problems)


def _show(scores: Scores) -> None:
    estimators = {one.quiz.estimator for one in scores.lists}
    table = plain_table(escape(f"By {', '.join(estimators)}" if estimators else "No list could be measured"), "list")
    for name in ("questions", "relevance", "coverage (bits)", "diversity (nats)", "answered", "ROUGE-L", "rating"):
        table.add_column(name, justify="right")
    for one in scores.lists:
        quiz, given = one.quiz, one.answers
        measures = (_figure(quiz.relevance, 3), _figure(quiz.coverage, 2), _figure(quiz.diversity, 1))
        recall = _figure(given.rouge_l_recall if given else None, 3)
        answered = "–" if given is None else str(given.answered)
        table.add_row(escape(one.path), str(quiz.questions), *measures, answered, recall, _figure(one.rating, 1))
    output.print(table)


def _figure(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def _end(problems: Sequence[str]) -> None:
    """Print what was left out, and end with exit code 1 if that was something."""
    for problem in problems:
        errors.print(f"[yellow]{escape(problem)}[/]", soft_wrap=True, highlight=False)
    if problems:
        raise typer.Exit(1)
