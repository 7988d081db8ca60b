"""`edumod sensemaking`: questions about texts, in the files of ELOQUENT Sensemaking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.eval.options import Concurrency, JudgeModel, MaxCost, Seeds
from app.cli.measuring import Progress, measure
from app.cli.output import AsJson, errors, output, print_done, print_json, progress_bar
from app.sections import sections_as_courses
from app.wiring import Services
from core.errors import InvalidInput
from core.llm.offline import OFFLINE_MODEL
from core.score import Score
from eval.runner import RunLimits
from eval.sensemaking.agreement import APART, NEAR, compare_ratings
from eval.sensemaking.evaluator import answers_to_rate, rate, ratings_of
from eval.sensemaking.formats.sections import Sections, read_sections
from eval.sensemaking.formats.submissions import ListKind, TaskSubmission, check_name, read_submission, write_submission
from eval.sensemaking.grading import Grader, QuizGrades, grade
from eval.sensemaking.model_teacher import ModelTeacher, TeacherRequest, questions_of, skills_in, teach_by_model
from eval.sensemaking.quizzes import Scores, own_questions, score_all, teach_all
from eval.sensemaking.student import WORDS, Student, answers_of, questions_to_answer, sit
from eval.tables import plain_table
from retrievers.embedding.minilm import MiniLM
from teaching.tasks import Difficulty, Skill

MAX_NAMED = 10
"""Questions without an answer that are named."""
commands = typer.Typer(help="Make questions about texts, and measure them.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="Folder of source/chapter/section, each with text.txt or text.en.txt.")]


@commands.command()
def teach(
    context: typer.Context,
    folder: Folder,
    out: Annotated[Path, typer.Option("--out", "-o", help="File for them; its name begins with questions.")] = Path(
        "questions.json"
    ),
    per_section: Annotated[int, typer.Option(min=1, max=1000, help="Questions of a section, at most.")] = 5,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="Alias of the model that writes; by rules if none is configured."),
    ] = None,
    skills: Annotated[
        str, typer.Option(help="What a model is to ask for: recall, explain, compare, apply.")
    ] = ",".join(Skill),
    difficulty: Annotated[Difficulty, typer.Option(help="How hard a model's questions are to be.")] = Difficulty.MEDIUM,
    language: Annotated[str, typer.Option(help="Language of a model's questions and answers.")] = "English",
    seeds: Seeds = 1,
    concurrency: Concurrency = 1,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Make questions with reference answers for each section: by a model, or by rules over English sentences.

    Without a model, definitions, enumerations, numbers, causes and comparisons become questions; the sentence is the
    answer. A model's questions are taken if the section has the words that they rest on, and a Student who has the
    section alone answers them. A run that was interrupted continues; later seeds have files of their own.
    """
    check_name(out, ListKind.QUESTIONS)
    wanted = TeacherRequest(per_section, skills_in(skills), difficulty, language)
    sections = _sections(folder)

    async def work(services: Services, progress: Progress) -> tuple[str, list[TaskSubmission]]:
        name = model or services.models.model
        services.models.demand(name)
        if name == OFFLINE_MODEL:
            _demand_default(context, ("skills", "difficulty", "language", "seeds", "concurrency", "max_cost"))
            return "rules", [teach_all(sections, per_section, MiniLM(), progress)]
        with progress_bar("sections") as prepared:
            async with sections_as_courses(services, sections.found, prepared) as (aside, courses, unread):
                chosen = {"pipeline": "edison", "model": name}
                configuration = aside.answering.configuration(next(iter(courses.values())), chosen)
                teacher = ModelTeacher(configuration, wanted, aside.assistant, courses, MiniLM())
                runner = replace(services.runner(), llm=aside.models)
                limits, numbers = RunLimits(concurrency, max_cost), range(seeds)
                readable = [section for section in sections.found if section.path in courses]
                outcome = await teach_by_model(runner, teacher, readable, limits, progress, numbers)
        return name, [questions_of(outcome, seed, [*sections.problems, *unread]) for seed in numbers]

    made_by, taught = measure("sections", work)
    for seed, submission in enumerate(taught):
        write_submission(_of_seed(out, seed), ListKind.QUESTIONS, submission.lists)
    first = taught[0]
    count = sum(len(rows) for rows in first.lists.values())
    made = "made by rules from English sentences" if made_by == "rules" else f"made by {made_by}"
    text = f"{count} questions about {len(first.lists)} sections, {made}, in {out}"
    print_done(text, as_json, made_by=made_by, questions=count, lists=first.lists, problems=first.problems)
    _end(first.problems)


@commands.command(name="sit")
def sit_(
    context: typer.Context,
    folder: Folder,
    questions: Annotated[
        Path | None, typer.Option(help="Submission of questions; those in the folder if there is none.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="File for them; its name begins with answers.")] = Path(
        "answers.json"
    ),
    pipeline: Annotated[str, typer.Option(help="Pipeline that answers.")] = "edison",
    retriever: Annotated[
        str, typer.Option(help="Retriever that finds passages of the section, or several, comma-separated.")
    ] = "",
    model: Annotated[str | None, typer.Option("--model", "-m", help="Alias of the model that answers.")] = None,
    words: Annotated[int, typer.Option(min=5, max=500, help="Words of an answer, at most.")] = WORDS,
    seeds: Seeds = 1,
    concurrency: Concurrency = 1,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Answer questions from their section alone, through a pipeline; a row without an answer abstains.

    A run that was interrupted continues where it stopped. With several seeds, the later ones have files of their own;
    of several retrievers, each has (answers-bm25.json).
    """
    check_name(out, ListKind.ANSWERS)
    sections = _sections(folder)
    asked = read_submission(questions, ListKind.QUESTIONS) if questions else own_questions(sections)
    dataset, problems = questions_to_answer(sections, asked)
    used = {item.section for item in dataset.items}
    retrievers = [name for given in retriever.split(",") if (name := given.strip())]

    async def work(services: Services, progress: Progress) -> list[list[TaskSubmission]]:
        if (model or services.models.model) == OFFLINE_MODEL:
            _demand_default(context, ("seeds",))
        known = [section for section in sections.found if section.path in used]
        with progress_bar("sections") as prepared:
            async with sections_as_courses(services, known, prepared) as (aside, courses, unread):
                course = next(iter(courses.values()))
                students = [
                    Student(
                        aside.answering.configuration(
                            course, {"pipeline": pipeline, "retriever": name, "model": model}
                        ),
                        aside.assistant,
                        courses,
                        MiniLM(),
                        words,
                    )
                    for name in retrievers or (None,)
                ]
                limits, numbers = RunLimits(concurrency, max_cost), range(seeds)
                runner = replace(services.runner(), llm=aside.models)
                answerable = replace(dataset, items=tuple(one for one in dataset.items if one.section in courses))
                outcomes = [await sit(runner, one, answerable, limits, progress, numbers) for one in students]
        problems.extend(unread)
        return [[answers_of(asked, outcome, seed) for seed in numbers] for outcome in outcomes]

    given = measure("answers", work)
    texts, files = [], {}
    for at, submissions in enumerate(given):
        name = retrievers[at] if len(retrievers) > 1 else ""
        for seed, submission in enumerate(submissions):
            path = _of_retriever(_of_seed(out, seed), name)
            write_submission(path, ListKind.ANSWERS, submission.lists)
            files[str(path)] = submission.lists
        problems += submissions[0].problems
        texts.append(_summary(submissions[0], _of_retriever(out, name)))
        _name_abstained(submissions[0], name)
    answers, asked_count = _counts(given[0][0])
    facts = {"answers": answers, "questions": asked_count, "lists": given[0][0].lists, "files": files}
    print_done("\n".join(texts), as_json, **facts, problems=problems)
    _end(problems)


def _sections(folder: Path) -> Sections:
    """The sections of the folder, with remarks about it on stderr."""
    sections = read_sections(folder)
    for remark in sections.remarks:
        errors.print(escape(remark), soft_wrap=True, highlight=False)
    return sections


def _demand_default(context: typer.Context, names: Sequence[str]) -> None:
    """Raises `InvalidInput` if one of these options was given, which say something to models alone."""
    given = [name for name in names if _was_given(context, name)]
    if given:
        options = ", ".join("--" + name.replace("_", "-") for name in given)
        raise InvalidInput(
            f"Without a model, {options} would change nothing: the same text always gives the same. Leave that out, or "
            "name a model with --model."
        )


def _was_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _name_abstained(given: TaskSubmission, retriever: str) -> None:
    """Print on stderr which questions have no answer, the first of them if they are many."""
    asked = [(path, row, one[0]) for path, rows in given.lists.items() for row, one in enumerate(rows) if len(one) == 1]
    by = f" ({retriever})" if retriever else ""
    for path, row, question in asked[:MAX_NAMED]:
        errors.print(escape(f"Abstained{by}: {path}: row {row}: {question}"), soft_wrap=True, highlight=False)
    if len(asked) > MAX_NAMED:
        errors.print(f"Abstained{by}: {len(asked) - MAX_NAMED} more.", highlight=False)


def _counts(given: TaskSubmission) -> tuple[int, int]:
    """Numbers of answers and of questions."""
    rows = [row for rows in given.lists.values() for row in rows]
    return sum(len(row) > 1 for row in rows), len(rows)


def _summary(given: TaskSubmission, path: Path) -> str:
    answers, questions = _counts(given)
    return f"{answers} answers to {questions} questions, {questions - answers} abstained, in {path}"


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
    dataset, problems = answers_to_rate(_sections(folder), given, MiniLM())

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
    grader: Annotated[
        str | None, typer.Option("--grader", help="Alias of a model that grades answerability and complexity.")
    ] = None,
    concurrency: Concurrency = 1,
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> None:
    """Measure questions against their texts, answers against the reference answers, and average the ratings."""
    if ratings is not None and answers is None:
        raise typer.BadParameter("Ratings are of answers: name these with --answers.")
    sections = _sections(folder)
    asked = read_submission(questions, ListKind.QUESTIONS) if questions else own_questions(sections)
    scores = score_all(
        sections,
        asked,
        read_submission(answers, ListKind.ANSWERS) if answers else None,
        read_submission(ratings, ListKind.RATINGS) if ratings else None,
        MiniLM(),
    )
    if grader is not None:
        dataset, _ = questions_to_answer(sections, asked)
        texts = {section.path: section.readable for section in sections.found}

        async def work(services: Services, progress: Progress) -> QuizGrades:
            services.models.demand(grader)
            if grader == OFFLINE_MODEL:
                raise InvalidInput("The offline backend cannot grade questions. Name a model with --grader.")
            chosen = Grader(grader, services.models[grader].fingerprint, texts)
            return await grade(services.runner(), chosen, dataset, RunLimits(concurrency, max_cost), progress)

        scores = scores.model_copy(update={"grades": measure("questions", work)})
    print_json(scores) if as_json else _show(scores)
    _end(scores.problems)


@commands.command()
def agree(
    first: Annotated[Path, typer.Argument(help="Submission of ratings.")],
    second: Annotated[Path, typer.Argument(help="Submission of ratings of the same answers.")],
    as_json: AsJson = False,
) -> None:
    """Compare the ratings of two Evaluators: classes of agreement, rankings of triplets, correlation."""
    given = [read_submission(path, ListKind.RATINGS) for path in (first, second)]
    found = compare_ratings(*given)
    if as_json:
        print_json(found)
    else:
        table = plain_table(f"{found.answers} answers rated by both", "figure", "value")
        table.add_row(f"within {NEAR:g} of 100", f"{found.agreeing:.0%}")
        table.add_row(f"within {APART:g}", f"{found.close:.0%}")
        table.add_row("further apart", f"{found.contrary:.0%}")
        table.add_row("triplets ranked alike", "–" if found.triplets is None else f"{found.triplets:.0%}")
        table.add_row("Spearman", _figure(found.spearman, 3))
        table.add_row("mean difference", f"{found.mean_difference:+.1f}")
        output.print(table)
    _end([*given[0].problems, *given[1].problems, *found.problems])


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
    if scores.grades is not None:
        grades, means = scores.grades, (scores.grades.answerability.mean, scores.grades.complexity.mean)
        answerability, complexity = (_figure(mean, 2) for mean in means)
        output.print(
            f"Graded {grades.graded} questions ({grades.ungraded} got no usable grade): answerability {answerability}, "
            f"complexity {complexity}, of 1 to 5"
        )
    else:
        output.print("Answerability and complexity are graded by a model: name one with --grader.")


def _of_seed(path: Path, seed: int) -> Path:
    """The first seed has the file that was named, later ones have their number in the name."""
    return path.with_stem(f"{path.stem}{seed}") if seed else path


def _of_retriever(path: Path, name: str) -> Path:
    """Of several retrievers, each has a file with its name."""
    return path.with_stem(f"{path.stem}-{name}") if name else path


def _figure(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def _end(problems: Sequence[str]) -> None:
    """Print what was left out, and end with exit code 1 if that was something."""
    for problem in problems:
        errors.print(f"[yellow]{escape(problem)}[/]", soft_wrap=True, highlight=False)
    if problems:
        raise typer.Exit(1)
