"""The weekly summary: about groups of people alone, as a feed and by e-mail."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from app.mail import Mailer, mailer_of
from app.review.weekly import last_week_end, summarise_week
from app.weekly_mail import add_weekly_mails
from app.wiring import Services, build_services
from core.access import Permission
from core.course import Course, ReviewRules
from core.errors import MailUnavailable, SetupError
from core.settings import Settings
from core.store.tables import DraftRow, DraftState, TraceRow, now
from core.types import Role, Source
from tests.app.conftest import ingest_all
from tests.app.live import live, settings_in
from tests.app.people.actors import headers, key
from tests.doubles.smtp import MailServer, mail_server
from tests.fakes import FakeEmbedder

COURSE = Course(id="small", title="Small", time_zone="America/New_York")
CITATION = {"source": Source.ASSIGNMENT.value, "title": "Homework 3", "heading_path": ["Problem 1: Dice"]}
SECRET = "my name is Zebulon and I failed"


@pytest.fixture
def mails() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture
async def home(tmp_path: Path, material: Path) -> Path:
    await ingest_all(settings_in(tmp_path), material, COURSE, Course(id="quiet", review=ReviewRules(weekly=False)))
    return tmp_path


async def services_in(home: Path, **more: Any) -> Services:
    return await build_services(settings_in(home).model_copy(update=more), embedder=FakeEmbedder())


async def ask(services: Services, number: int, body: str, asker: str, **more: Any) -> None:
    """A question of last week."""
    at = last_week_end(COURSE, now()) - timedelta(days=2)
    request = {"question": {"title": "", "body": body}}
    draft = DraftRow(
        id=f"d{number}", course_id="small", state=DraftState.WORKING, created_at=at, request=request,
        pseudonym=asker, asked_by="key-1",
    )  # fmt: skip
    await services.store.drafts.begin(draft)
    draft.state = DraftState.PENDING
    draft.response = {"status": "abstained", "citations": [CITATION | {"block_id": "b"}], **more}
    await services.store.drafts.end(draft, TraceRow(id=f"t{number}", course_id="small", draft_id=draft.id))


async def fill(services: Services) -> None:
    for number in range(3):
        await ask(services, number, "slip days of the project", f"student {number}")
    await ask(services, 3, SECRET, "student 9")


def test_a_week_ends_on_monday_where_the_course_is() -> None:
    monday_in_london = datetime(2026, 11, 23, 3, 0, tzinfo=UTC)
    assert last_week_end(COURSE, monday_in_london) == datetime(2026, 11, 16, 5, 0, tzinfo=UTC)
    assert last_week_end(COURSE, monday_in_london + timedelta(hours=3)) == datetime(2026, 11, 23, 5, 0, tzinfo=UTC)


async def test_the_summary_tells_of_groups_and_quotes_nobody(home: Path) -> None:
    services = await services_in(home)
    await fill(services)
    text = (await summarise_week(services.questions, COURSE, "https://e.example.edu")).text
    assert "4 questions of 4 people; 0 answered by people, 4 still waiting." in text
    assert "3 questions of 3 people, 3 waiting" in text
    assert "Homework 3 › Problem 1: Dice: 4 questions of 4 people, 4 drafts did not help" in text
    assert "- 4 x the material does not say" in text
    assert "https://e.example.edu/courses/small/questions" in text
    assert not [word for word in ("Zebulon", "failed", "student") if word in text.replace("students asked", "")]
    await services.aclose()


async def test_what_two_people_ask_is_counted_alone(home: Path) -> None:
    services = await services_in(home)
    for number in range(6):
        await ask(services, number, "slip days of the project", f"student {number % 2}")
    text = (await summarise_week(services.questions, COURSE)).text
    assert text.startswith("6 questions; ")
    assert "slip" not in text
    assert "Problem 1" not in text
    await services.aclose()


async def test_a_week_without_questions_says_so(home: Path) -> None:
    services = await services_in(home)
    assert (await summarise_week(services.questions, COURSE)).text == "Nobody asked anything.\n"
    await services.aclose()


async def test_each_instructor_gets_a_week_once(home: Path, mails: MailServer) -> None:
    services = await services_in(home, smtp_host="127.0.0.1", smtp_port=mails.port, smtp_from="edumod@example.edu")
    await fill(services)
    people = services.store.members
    for name, role, course in (
        ("ada", Role.INSTRUCTOR, "small"), ("grace", Role.INSTRUCTOR, "small"), ("ta", Role.TA, "small"),
        ("quiet", Role.INSTRUCTOR, "quiet"),
    ):  # fmt: skip
        await people.add(name, f"{name}@example.edu", {course: role})
    await people.add("nobody", None, {"small": Role.INSTRUCTOR})
    for _ in range(2):
        await add_weekly_mails(services)
        await services.jobs.finish()  # type: ignore[attr-defined]
    assert sorted(str(mail["To"]) for mail in mails.messages) == ["ada@example.edu", "grace@example.edu"]
    mail = mails.messages[0]
    assert "what students asked from" in str(mail["Subject"])
    assert "Homework 3 › Problem 1" in str(mail.get_content())
    assert await services.store.failed_jobs.count() == 0
    await services.aclose()


async def test_a_server_that_refuses_is_told_by_name(mails: MailServer) -> None:
    mails.refuse = "451 Greylisted"
    with pytest.raises(MailUnavailable, match="Greylisted"):
        await Mailer("127.0.0.1", mails.port, "edumod@example.edu").send("ada@example.edu", "Hello\nBcc: x", "Text")
    mails.refuse = ""
    await Mailer("127.0.0.1", mails.port, "edumod@example.edu").send("ada@example.edu", "Hello\nBcc: x", "Ünïcode.")
    assert mails.messages[0]["Bcc"] is None
    assert str(mails.messages[0].get_content()).strip() == "Ünïcode."


async def test_nothing_is_sent_unless_a_server_is_named(home: Path) -> None:
    services = await services_in(home)
    await services.store.members.add("ada", "ada@example.edu", {"small": Role.INSTRUCTOR})
    assert await add_weekly_mails(services) == 0
    await services.aclose()
    with pytest.raises(SetupError, match="EDUMOD_SMTP_FROM"):
        mailer_of(Settings(_env_file=None, smtp_host="mail.example.edu"))


async def test_the_feed_is_for_staff_of_the_course(home: Path) -> None:
    services = await services_in(home)
    await fill(services)
    await services.aclose()
    reader = headers(await key(home, Permission.DRAFTS_READ))
    student = headers(await key(home, Permission.ANSWER))

    def work() -> None:
        with live(settings_in(home)) as client:
            address = "/courses/small/questions/feed"
            feed = client.get(address, headers=reader)
            assert feed.headers["content-type"].startswith("application/atom+xml")
            root = fromstring(feed.text)
            (summary,) = root.iter("{http://www.w3.org/2005/Atom}summary")
            assert "4 questions" in str(summary.text)
            assert client.get(address, headers=student).status_code == 403
            assert client.get("/courses/quiet/questions/feed", headers=reader).status_code == 403
            assert address in client.get("/courses/small/questions", headers=reader).text

    await asyncio.to_thread(work)
