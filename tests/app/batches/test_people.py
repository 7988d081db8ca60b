"""Whom a batch names: no model sees it, and mathematics stays as it is."""

from __future__ import annotations

from app.batches.layouts import Submitted
from app.batches.people import names_of, people_of
from app.batches.worksheet import EMAIL, IDENTIFIER, NAME
from core.privacy.masks import Detector, Masks

ROW = {IDENTIFIER: "Participant 1", NAME: "Zebediah Quxley", EMAIL: "zq77@x.example", "ID number": "20231234"}
OTHER = {IDENTIFIER: "Participant 2", NAME: "Mei Tan", EMAIL: "", "Group": "Alpha"}


def hidden(text: str, *submissions: Submitted, task: str = "") -> str:
    people = people_of(submissions, [ROW, OTHER], task)
    return Masks(Detector((names_of(people.values()),))).hide(text)


def test_what_a_worksheet_says_of_a_student_is_hidden() -> None:
    text = hidden("Zebediah Quxley (Quxley, 20231234, zq77@x.example), with Mei Tan of Alpha")
    assert not any(word in text for word in ("Zebediah", "Quxley", "20231234", "zq77", "Mei"))
    assert "of Alpha" in text


def test_a_folders_name_hides_its_student_in_moodles_layout_and_in_any_other() -> None:
    moodle = Submitted("Participant 9", "Gwendolyn_Frost", ())
    own = Submitted("Hieronymus Plum hw1", "Hieronymus Plum hw1", (), is_listed=False)
    text = hidden("Gwendolyn Frost and Hieronymus Plum, hw1: v = 7 m/s", moodle, own)
    assert not any(word in text for word in ("Gwendolyn", "Frost", "Hieronymus", "Plum"))
    assert text.endswith(", hw1: v = 7 m/s")


def test_words_of_the_task_and_of_work_are_no_names() -> None:
    own = Submitted("answer cyclist", "answer cyclist", (), is_listed=False)
    assert hidden("Answer: the cyclist rides", own, task="A cyclist rides") == "Answer: the cyclist rides"


def test_functions_and_units_are_no_names() -> None:
    watt = Submitted("Participant 3", "James Watt", ())
    assert hidden("y = tan 30 = 0.577 and P = 5 Watt", watt) == "y = tan 30 = 0.577 and P = 5 Watt"
