"""Questions by rules over sentences."""

from __future__ import annotations

import pytest

from teaching.rules import RULES, StatementKind, is_statement


@pytest.mark.parametrize(
    ("kind", "sentence", "question"),
    [
        ("definition", "A species is a group of animals with a common origin.", "What is A species?"),
        ("definition", "Ada Lovelace is a mathematician who wrote the first program.", "Who is Ada Lovelace?"),
        ("definition", "Herd immunity refers to the protection of the few.", "What is meant by Herd immunity?"),
        ("definition", "The breaking down of food is called digestion.", "What is The breaking down of food called?"),
        ("definition", "Control of oneself is also known as will power.", "What else is Control of oneself called?"),
        ("definition", "Receptors are neurons that respond to light.", "What are Receptors?"),
        ("enumeration", "The gut consists of the mouth, stomach, and bowel.", "What does The gut consist of?"),
        ("enumeration", "Groups can include age, gender, and class.", "What can Groups include?"),
        ("enumeration", "Worms are divided into small, large, and others.", "What are Worms divided into?"),
        (
            "number",
            "There are three types of blood vessels: arteries and others.",
            "How many types of blood vessels are there?",
        ),
        ("number", "Humans have two forms of memory, as we saw.", "How many forms of memory do Humans have?"),
        ("cause", "The itch mite causes scabies in people.", "What does The itch mite cause?"),
        ("cause", "Poor sleep can lead to bad marks.", "What can Poor sleep lead to?"),
        ("cause", "Children are ill because memory cells are missing.", "Why are Children ill?"),
        ("cause", "Plants cannot walk because they have no muscles.", "Why can Plants not walk?"),
        ("cause", "Children are ill because of the cold.", "Why are Children ill?"),
        ("comparison", "Mammals differ from birds in their teeth.", "How do Mammals differ from birds?"),
        ("comparison", "Unlike plants, animals have no cell walls.", "How do animals differ from plants?"),
    ],
)
def test_a_sentence_answers_a_question_of_its_kind(kind: str, sentence: str, question: str) -> None:
    assert RULES[StatementKind(kind)](sentence) == question


@pytest.mark.parametrize(
    "sentence",
    [
        "It is a group of animals with a common origin.",
        "This process is called digestion by everybody.",
        "The smallest is a spider of the tropics.",
        "A typical worm is the earthworm of our gardens.",
        "If the light is a problem, switch it off.",
        "John Nash is a brilliant mathematician and Nobel Prize winner.",
        "There are many types of blood vessels: arteries and others.",
        "The exact causes of autism remain unknown to all.",
        "The only exception is the memory of a dream.",
        "Examples include death, marriage, and moving.",
        "Just as attachment is the task of infancy, play is that of childhood.",
        "The first stage is the time before speech.",
        "The case was important because it was the only way.",
        "There are three approaches in the study of this.",
        "The word gestalt literally means form or pattern.",
        "Reactive movement Reactive movement is the most common among molluscs.",
        "The dog ran over the hill and away.",
    ],
)
def test_a_sentence_that_points_elsewhere_or_is_not_understood_gives_no_question(sentence: str) -> None:
    assert [rule(sentence) for rule in RULES.values()] == [None] * len(RULES)


@pytest.mark.parametrize(
    "sentence",
    [
        *("A cell is alive", "Cells divide.", "cells are the units of all life.", "Is a cell a unit of all life?"),
        *("A cell (see below is a unit of life.", "Figure 3 is a drawing of a whole cell.", "Cells " * 50 + "."),
    ],
)
def test_headings_figures_and_broken_sentences_are_no_statements(sentence: str) -> None:
    assert not is_statement(sentence)


def test_a_whole_sentence_is_a_statement() -> None:
    assert is_statement("A cell (the unit of life) is small.")
