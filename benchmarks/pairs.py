"""Processor time of answers in two ways, asked in turns: what disturbs the machine disturbs both."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median, quantiles

from benchmarks.harness import show
from benchmarks.questions import sample_questions

PAIRS = 12
QUESTIONS = 60
"""In each turn."""
Ask = Callable[[list[str]], float]
"""Asks the questions; milliseconds of processor time for each."""


def compare(title: str, names: tuple[str, str], ways: tuple[Ask, Ask]) -> None:
    """Show the medians of both ways, and of the ratio of the second to the first. Turns change their order."""
    for ask in ways:
        ask(sample_questions(2 * QUESTIONS))
    times: list[tuple[float, float]] = []
    for pair in range(PAIRS):
        questions = sample_questions(QUESTIONS, first=(2 + pair) * QUESTIONS)
        order = (0, 1) if pair % 2 else (1, 0)
        taken = {n: ways[n](questions) for n in order}
        times.append((taken[0], taken[1]))
    ratios = [second / first for first, second in times]
    low, _, high = quantiles(ratios, n=4)
    rows = [
        (names[0], median(first for first, _ in times), 1.0),
        (names[1], median(second for _, second in times), median(ratios)),
    ]
    note = f"Medians of {PAIRS} pairs of {QUESTIONS} questions; half of the ratios lie from {low:.3f} to {high:.3f}."
    show(title, ("way", "ms", "ratio"), rows, note)
