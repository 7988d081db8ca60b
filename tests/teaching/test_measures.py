"""Measures of a quiz."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import InvalidInput
from teaching.measures import coverage, diversity, joint, quiz_measures, relevances, windows
from tests.fakes import FakeEmbedder

EXAMPLE = np.array([[0.29, 0.19, 0.01], [0.01, 0.01, 0.49]])
"""The worked example of the task's page."""
TEXT = "Cats eat mice. Dogs chase balls. Birds build nests. Fish swim in rivers."


def test_the_worked_example_of_the_task_has_its_figures() -> None:
    assert coverage(EXAMPLE) == pytest.approx(1.4855, abs=1e-4)
    assert diversity(EXAMPLE) == pytest.approx(6.671, abs=1e-3)


def test_windows_begin_at_each_sentence_and_hold_whole_ones() -> None:
    assert windows("One two. Three four five. Six.", max_words=5) == [
        "One two. Three four five.",
        "Three four five. Six.",
        "Six.",
    ]
    assert windows("A sentence that is too long. Short.", max_words=2) == ["A sentence that is too long.", "Short."]
    assert windows("Вид. Рід.", max_words=1) == ["Вид.", "Рід."]


def test_a_joint_distribution_sums_to_one_and_has_no_zeros() -> None:
    for relevance in (np.array([[1.0, 0.0], [0.0, 3.0]]), np.zeros((2, 3))):
        p = joint(relevance)
        assert p.sum() == pytest.approx(1)
        assert (p > 0).all()


def test_only_the_nearest_questions_of_a_window_are_relevant_to_it() -> None:
    found = relevances(np.array([[0.8, 0.1], [0.2, 0.5]]))
    assert found == pytest.approx(np.array([[1.3, 0.0], [0.0, 0.8]]))
    assert relevances(np.array([[0.4, -0.2]])) == pytest.approx(np.array([[0.8, 0.0]]))


def test_questions_about_everything_cover_more_than_questions_about_one_thing() -> None:
    all_over = ["What do cats eat?", "What do dogs chase?", "What do birds build?", "Where do fish swim?"]
    about_one = ["What do cats eat?", "Do cats eat mice?", "Cats eat what?", "Which mice do cats eat?"]
    wide, narrow = (quiz_measures(TEXT, questions, FakeEmbedder()) for questions in (all_over, about_one))
    assert wide.coverage > narrow.coverage
    assert wide.estimator == "cosine of fake, windows of 60 words, smoothing 0.05"


def test_a_question_asked_twice_adds_no_diversity() -> None:
    assert quiz_measures(TEXT, ["What do cats eat?"] * 2, FakeEmbedder()).diversity == pytest.approx(0, abs=1e-9)


def test_without_questions_or_text_there_is_nothing_to_measure() -> None:
    for text, questions in ((TEXT, []), (" \n ", ["What?"])):
        with pytest.raises(InvalidInput, match="no questions to measure"):
            quiz_measures(text, questions, FakeEmbedder())
