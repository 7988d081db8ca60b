"""Quizzes of exports as pages with their keys, for staff: QTI 1.2 of cartridges, questions of Moodle."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from ingestion.exports.folder import page
from ingestion.exports.xml import children, text_of

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_QUESTIONS = 2_000


def qti_page(title: str, root: _Element) -> str:
    """The items of an assessment or question bank; empty without any."""
    items = [_qti_item(item) for item in list(root.iter("item"))[:MAX_QUESTIONS]]
    return _questions(title, items)


def _qti_item(item: _Element) -> str:
    presentation = item.find("presentation")
    prompt = " ".join(_mattext(material) for material in children(presentation, "material"))
    if not prompt.strip():
        prompt = " ".join(_mattext(material) for material in children(presentation, ".//flow/material"))
    labels = {str(label.get("ident")): _mattext(label) for label in item.iter("response_label")}
    right = [labels.get(value, escape(value)) for value in _right(item)]
    feedback = [_mattext(entry) for entry in item.iter("itemfeedback")]
    return _question(prompt, list(labels.values()), right, feedback)


def _right(item: _Element) -> Iterator[str]:
    """The values that are scored; those inside `not` are wrong ones."""
    for condition in item.iter("respcondition"):
        scores = [text_of(entry) for entry in children(condition, "setvar")]
        if any(_is_positive(score) for score in scores):
            for value in condition.iter("varequal", "varsubstring"):
                if not any(parent.tag == "not" for parent in value.iterancestors()):
                    yield text_of(value)


def _is_positive(score: str) -> bool:
    try:
        return float(score) > 0
    except ValueError:
        return False


def _mattext(material: _Element) -> str:
    texts = []
    for entry in material.iter("mattext"):
        text = text_of(entry)
        texts.append(text if entry.get("texttype") == "text/html" else escape(text))
    return " ".join(texts)


def moodle_page(title: str, questions: list[_Element]) -> str:
    """Questions of a Moodle question bank; empty without any."""
    return _questions(title, [_moodle_question(question) for question in questions[:MAX_QUESTIONS]])


def _moodle_question(question: _Element) -> str:
    answers = list(question.iter("answer"))
    options = [text_of(answer, "answertext") for answer in answers]
    right = [text_of(answer, "answertext") for answer in answers if _is_positive(text_of(answer, "fraction"))]
    feedback = [text_of(answer, "feedback") for answer in answers] + [text_of(question, "generalfeedback")]
    return _question(text_of(question, "questiontext"), options, right, feedback)


def _question(prompt: str, options: list[str], right: list[str], feedback: list[str]) -> str:
    if not prompt.strip():
        return ""
    listed = f"<ul>{''.join(f'<li>{option}</li>' for option in options)}</ul>" if options else ""
    key = f"<p>Answer: {'; '.join(right)}</p>" if right else ""
    notes = "".join(f"<p>Feedback: {text}</p>" for text in dict.fromkeys(filter(None, feedback)))
    return f"<div>{prompt}</div>{listed}{key}{notes}"


def _questions(title: str, questions: list[str]) -> str:
    texts = [text for text in questions if text]
    if not texts:
        return ""
    body = "\n".join(f"<h2>Question {number}</h2>\n{text}" for number, text in enumerate(texts, 1))
    return page(title, body)
