"""Quizzes are made of what students may read, continued, and find their sections again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.cli.labels_in import labels_in
from app.quizzes.labels import WrittenLabels, write_quiz_labels
from app.quizzes.making import ASKED_ELSEWHERE, EXERCISE, NO_SENTENCE, QuizRequest
from app.quizzes.quiz_questions import Place, ReadQuiz, read_quiz
from app.quizzes.sections import FOR_STAFF, NO_DOCUMENT, NOT_RELEASED, REMOVED
from app.wiring import Services, build_services
from core.access import LOCAL
from core.errors import InvalidInput, NoMaterial, NotFound, QuestionChanged, UnknownName
from core.store.quizzes import NewQuestion, QuestionReview
from core.store.tables import QuestionState, QuizRow
from core.types import Source
from retrievers.locations import location_of
from tests.app.live import settings_in
from tests.app.quizzes.conftest import BOOK, ingest, write
from tests.fakes import FakeEmbedder

BOOK_WANTED = QuizRequest(Source.TEXTBOOK)


@pytest.fixture
async def own(tmp_path: Path) -> Services:
    write(tmp_path / "material")
    await ingest(tmp_path / "home", tmp_path / "material", "bio")
    return await build_services(settings_in(tmp_path / "home"), embedder=FakeEmbedder())


async def read(services: Services, quiz: QuizRow) -> ReadQuiz:
    return await read_quiz(services.store, quiz)


async def test_a_term_in_bold_right_below_its_heading_is_asked_about(tmp_path: Path) -> None:
    write(tmp_path / "material", "# Bread\n\n## Yeast\n**Yeast** is a *fungus* that lets the dough rise.\n")
    await ingest(tmp_path / "home", tmp_path / "material", "bio")
    services = await build_services(settings_in(tmp_path / "home"), embedder=FakeEmbedder())
    (one,) = (await read(services, (await services.quizzes.make("bio", BOOK_WANTED, LOCAL)).quiz)).questions
    await services.aclose()
    assert (one.row.question, one.place) == ("What is yeast?", Place.FOUND)
    assert one.row.answer == "Yeast is a fungus that lets the dough rise."


async def test_questions_are_about_released_sections_that_students_may_read(services: Services) -> None:
    made = await services.quizzes.make("bio", BOOK_WANTED, LOCAL)
    found = await read(services, made.quiz)
    asked = {one.row.question for one in found.questions}
    assert "What does the heart consist of?" in asked
    assert {one.row.document for one in found.questions} == {"material/book.md"}
    assert not any("xylem" in one or "phloem" in one for one in asked)
    assert {one.place for one in found.questions} == {Place.FOUND}
    assert all(one.row.quote in " ".join(one.passage.text.split()) for one in found.questions if one.passage)
    assert [section for section, _ in made.unusable] == ["material/book.md > Cells > Code"]
    assert (made.questions, made.with_questions, made.sections) == (len(found.questions), 3, 4)


async def test_each_section_without_a_question_is_named_with_its_reason(tmp_path: Path) -> None:
    same = "The itch mite causes scabies in people of all ages."
    wax = "Bees build cells of wax, and they like it."
    write(tmp_path / "material", f"# Bees\n\n## Dance\n\n{same}\n\n## Mites\n\n{same}\n\n## Wax\n\n{wax}\n")
    await ingest(tmp_path / "home", tmp_path / "material", "bio")
    services = await build_services(settings_in(tmp_path / "home"), embedder=FakeEmbedder())
    made = await services.quizzes.make("bio", BOOK_WANTED, LOCAL)
    await services.aclose()
    reasons = {section.rpartition(" > ")[2]: reason for section, reason in made.unusable}
    assert reasons == {"Mites": ASKED_ELSEWHERE, "Wax": NO_SENTENCE}
    assert (made.questions, made.with_questions, made.sections) == (1, 1, 3)


async def test_an_exercise_has_no_questions_and_is_named(tmp_path: Path) -> None:
    write(tmp_path / "material", "# Sheet\n\n## Question 1\n\nThe itch mite causes scabies in people. Why?\n")
    await ingest(tmp_path / "home", tmp_path / "material", "bio", source=Source.ASSIGNMENT)
    services = await build_services(settings_in(tmp_path / "home"), embedder=FakeEmbedder())
    made = await services.quizzes.make("bio", QuizRequest(Source.ASSIGNMENT), LOCAL)
    await services.aclose()
    assert made.unusable == (("material/book.md > Sheet > Question 1", EXERCISE),)


async def test_a_second_run_adds_what_is_missing_and_leaves_what_staff_did(own: Services) -> None:
    first = await own.quizzes.make("bio", QuizRequest(Source.TEXTBOOK, per_section=1), LOCAL)
    assert first.added == 3
    await own.store.quizzes.review(first.quiz, 1, QuestionReview(True, question="What is a cell?"), LOCAL)
    await own.store.quizzes.review(first.quiz, 2, QuestionReview(False), LOCAL)
    again = await own.quizzes.make("bio", QuizRequest(Source.TEXTBOOK, per_section=1), LOCAL)
    assert (again.quiz.id, again.added) == (first.quiz.id, 0)
    more = await own.quizzes.make("bio", QuizRequest(Source.TEXTBOOK, per_section=3), LOCAL)
    found = await read(own, more.quiz)
    assert more.added > 0
    made = [one.row.made_question for one in found.questions]
    assert len(set(made)) == len(made)
    by_number = {one.row.number: one.row for one in found.questions}
    assert (by_number[1].question, by_number[1].state) == ("What is a cell?", QuestionState.EDITED)
    assert by_number[2].state == QuestionState.DROPPED
    await own.aclose()


async def test_two_runs_at_once_make_each_question_once(own: Services) -> None:
    runs = (own.quizzes.make("bio", BOOK_WANTED, LOCAL) for _ in range(3))
    made = await asyncio.gather(*runs)
    assert len({one.quiz.id for one in made}) == 1
    rows = await own.store.quizzes.questions(made[0].quiz)
    assert [one.number for one in rows] == list(range(1, len(rows) + 1))
    assert len({one.question for one in rows}) == len(rows)
    await own.aclose()


async def test_a_quiz_survives_a_new_ingestion_and_says_what_became_of_its_sections(
    own: Services, tmp_path: Path
) -> None:
    made = await own.quizzes.make("bio", BOOK_WANTED, LOCAL)
    changed = BOOK.replace("The itch mite causes", "The mite causes").replace("## Mites", "## Ticks")
    write(tmp_path / "material", changed.replace("The heart consists", "Your heart consists"))
    await ingest(tmp_path / "home", tmp_path / "material", "bio")
    found = await read(own, made.quiz)
    places = {one.row.heading_path[-1]: one.place for one in found.questions}
    assert places == {"The unit of life": Place.FOUND, "The heart": Place.CHANGED, "Mites": Place.GONE}
    assert [one.row.heading_path[-1] for one in found.questions][-1] == "Mites"
    assert "Mites" not in {one.section for one in found.export.questions}
    assert [(one.row.heading_path[-1], one.absence) for one in found.questions_gone] == [("Mites", REMOVED)]
    assert {one.row.heading_path[-1] for one in found.questions_changed} == {"The heart"}
    await own.store.quizzes.review(made.quiz, found.questions_changed[0].row.number, QuestionReview(False), LOCAL)
    assert (await read(own, made.quiz)).questions_changed == []
    write(tmp_path / "material")
    await ingest(tmp_path / "home", tmp_path / "material", "bio")
    assert {one.place for one in (await read(own, made.quiz)).questions} == {Place.FOUND}
    await own.aclose()


async def test_a_question_follows_its_sentence_to_a_section_with_another_heading(own: Services, tmp_path: Path) -> None:
    made = await own.quizzes.make("bio", BOOK_WANTED, LOCAL)
    numbers = [one.row.number for one in (await read(own, made.quiz)).questions]
    renamed = BOOK.replace("# Cells", "# Biology").replace("## Mites", "## Ticks")
    write(tmp_path / "material", renamed.replace("There are three", "## Muscles\n\nThere are three"))
    await ingest(tmp_path / "home", tmp_path / "material", "bio")
    found = await read(own, made.quiz)
    assert {one.place for one in found.questions} == {Place.FOUND}
    assert [one.row.number for one in found.questions] == numbers
    headings = {one.row.quote.split()[0]: one.heading_path for one in found.questions}
    assert (headings["There"], headings["The"]) == (("Biology", "Muscles"), ("Biology", "Ticks"))
    assert {one.heading_path for one in found.export.questions} == {one.heading_path for one in found.questions}
    blocks = await own.store.material.blocks_by_id("bio", [one.block for one in found.export.questions])
    assert {one.block for one in found.export.questions} == blocks.keys()
    await own.store.quizzes.keep_open(made.quiz, LOCAL)
    write_quiz_labels(tmp_path / "labels", await read(own, made.quiz))
    assert "Biology > Ticks" in (tmp_path / "labels" / "retrieval" / "qrels.tsv").read_text()
    again = await own.quizzes.make("bio", QuizRequest(Source.TEXTBOOK, per_section=1), LOCAL)
    assert (again.added, again.with_questions) == (0, 4)
    await own.aclose()


async def test_a_question_whose_section_is_gone_says_what_happened(own: Services, tmp_path: Path) -> None:
    quiz = (await own.quizzes.make("bio", BOOK_WANTED, LOCAL)).quiz
    reasons = {"staff/key.md": FOR_STAFF, "later.md": NOT_RELEASED, "none.md": NO_DOCUMENT, "book.md": REMOVED}
    secret = ("Key to the exam", "Secret")
    asked = [
        NewQuestion(f"material/{name}", secret, "b", "It is.", "definition", "rules", name, reason)
        for name, reason in reasons.items()
    ]
    await own.store.quizzes.add(quiz, asked, len(asked))
    gone = (await read(own, quiz)).questions_gone
    assert [one.absence for one in gone] == [one.row.answer for one in gone]
    assert len(gone) == 4
    await own.aclose()


async def test_reviews_are_checked_and_the_later_of_two_is_told(own: Services) -> None:
    quiz = (await own.quizzes.make("bio", BOOK_WANTED, LOCAL)).quiz
    store = own.store.quizzes
    row = await store.review(quiz, 1, QuestionReview(True, version=1), LOCAL)
    assert (row.state, row.version, row.reviewed_by) == (QuestionState.KEPT, 2, "local")
    with pytest.raises(QuestionChanged):
        await store.review(quiz, 1, QuestionReview(False, version=1), LOCAL)
    for texts in ({"question": "  "}, {"answer": "x" * 5_001}, {"question": "x" * 1_001}):
        with pytest.raises(InvalidInput):
            await store.review(quiz, 1, QuestionReview(True, **texts), LOCAL)
    with pytest.raises(NotFound):
        await store.review(quiz, 999, QuestionReview(True), LOCAL)
    edited = await store.review(quiz, 1, QuestionReview(True, answer="Another."), LOCAL)
    assert edited.state == QuestionState.EDITED
    back = await store.review(quiz, 1, QuestionReview(True, edited.made_question, edited.made_answer), LOCAL)
    assert back.state == QuestionState.KEPT
    await own.aclose()


async def test_only_a_reviewed_quiz_becomes_labels_without_what_was_dropped(own: Services, tmp_path: Path) -> None:
    quiz = (await own.quizzes.make("bio", BOOK_WANTED, LOCAL)).quiz
    count = len((await read(own, quiz)).questions)
    with pytest.raises(InvalidInput, match=f"{count} of its {count} questions are open"):
        write_quiz_labels(tmp_path / "labels", await read(own, quiz))
    await own.store.quizzes.review(quiz, 1, QuestionReview(False), LOCAL)
    assert await own.store.quizzes.keep_open(quiz, LOCAL) == count - 1
    found = await read(own, quiz)
    assert write_quiz_labels(tmp_path / "labels", found) == WrittenLabels(count - 1, replaced=0, kept=0)
    lines = (tmp_path / "labels" / "retrieval" / "qrels.tsv").read_text().splitlines()[1:]
    kept = [one.row for one in found.questions if one.row.number != 1]
    assert [line.split("\t")[1] for line in lines] == [location_of(one.document, one.heading_path) for one in kept]
    await own.aclose()


async def test_labels_of_others_stay_when_those_of_a_quiz_are_written(own: Services, tmp_path: Path) -> None:
    quiz = (await own.quizzes.make("bio", BOOK_WANTED, LOCAL)).quiz
    part = (await own.quizzes.make("bio", QuizRequest(Source.TEXTBOOK, "material/book.md"), LOCAL)).quiz
    for one in (quiz, part):
        await own.store.quizzes.keep_open(one, LOCAL)
    folder = tmp_path / "labels" / "retrieval"
    folder.mkdir(parents=True)
    queries, qrels = folder / "queries.jsonl", folder / "qrels.tsv"
    mine = '{"text": "Woher?\u2028 Und: quiz-", "id": "q1", "kind": "textbook", "by": "Ada"}\n'
    judged = 'q1\t"material/book.md"\t2\nq1\tmaterial/book.md > Cells\t0\n'
    queries.write_text(mine, encoding="utf-8", newline="\n")
    qrels.write_text("query-id\tcorpus-id\tscore\r\n" + judged, encoding="utf-8", newline="\n")
    count = len((await read(own, quiz)).questions)
    assert write_quiz_labels(tmp_path / "labels", await read(own, quiz)) == WrittenLabels(count, 0, kept=1)
    assert write_quiz_labels(tmp_path / "labels", await read(own, part)) == WrittenLabels(count, 0, kept=count + 1)
    await own.store.quizzes.review(quiz, 1, QuestionReview(False), LOCAL)
    again = write_quiz_labels(tmp_path / "labels", await read(own, quiz))
    assert again == WrittenLabels(count - 1, replaced=count, kept=count + 1)
    assert queries.read_text(encoding="utf-8").startswith(mine)
    assert qrels.read_text(encoding="utf-8").startswith("query-id\tcorpus-id\tscore\n" + judged)
    labels = labels_in(tmp_path / "labels")["retrieval"]
    assert len(labels) == 2 * count
    assert labels["q1"]["relevant"] == ["material/book.md"]
    await own.aclose()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("queries.jsonl", b"no JSON\n"),
        ("queries.jsonl", b'["q1"]\n'),
        ("queries.jsonl", b'{"id": "q1", "text": "a"}\n{"id": "q1", "text": "b"}\n'),
        ("queries.jsonl", b'{"id": "\xff"}\n'),
        ("qrels.tsv", b"q1 0 book 1\n"),
    ],
)
async def test_labels_that_cannot_be_read_are_left_as_they_are(
    own: Services, tmp_path: Path, name: str, content: bytes
) -> None:
    quiz = (await own.quizzes.make("bio", BOOK_WANTED, LOCAL)).quiz
    await own.store.quizzes.keep_open(quiz, LOCAL)
    file = tmp_path / "labels" / "retrieval" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match="write the labels to another folder"):
        write_quiz_labels(tmp_path / "labels", await read(own, quiz))
    assert [one.name for one in file.parent.iterdir()] == [name]
    assert file.read_bytes() == content
    await own.aclose()


async def test_material_that_no_quiz_can_be_made_of_is_refused(services: Services) -> None:
    make = services.quizzes.make
    with pytest.raises(UnknownName, match="bio"):
        await make("nope", BOOK_WANTED, LOCAL)
    with pytest.raises(NoMaterial, match="logistics"):
        await make("bio", QuizRequest(Source.LOGISTICS), LOCAL)
    with pytest.raises(InvalidInput, match="words of students"):
        await make("bio", QuizRequest(Source.QA), LOCAL)
    with pytest.raises(UnknownName, match=r"book\.md") as error:
        await make("bio", QuizRequest(Source.TEXTBOOK, "material/staff/key.md"), LOCAL)
    assert error.value.allowed == ("material/book.md",)


async def test_a_quiz_in_the_background_is_stored_and_deleted_with_its_course(own: Services) -> None:
    quiz = await own.quizzes.start("bio", BOOK_WANTED, LOCAL)
    assert own.quizzes.progress(quiz.id) == (0, 4)
    while own.quizzes.progress(quiz.id) is not None:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert len(await own.store.quizzes.questions(quiz)) > 3
    await own.store.quizzes.delete(quiz, LOCAL)
    assert await own.store.quizzes.of_course("bio") == []
    assert await own.store.quizzes.counts("bio") == {}
    with pytest.raises(NotFound):
        await own.store.quizzes.get("bio", quiz.id)
    await own.aclose()
