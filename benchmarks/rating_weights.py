"""Fits the weights of `eval.sensemaking.rating` to half of a book's modules, and measures them on the other half.

    python -m benchmarks.rating_weights FOLDER [--json]

FOLDER is as for `benchmarks.sensemaking`. Rated are the printed answers with their wrong ones, and answers that rules
make from the questions of the Teacher. Prints the weights as `rating.py` has them, and a table; or one JSON object.
"""

from __future__ import annotations

import argparse
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.harness import show
from benchmarks.sensemaking import WRONG, Remembering, auc, printed_answers, read_book, sentences_of
from core.errors import InvalidInput
from eval.attacks import changes
from eval.attacks.base import AttackMaterial
from eval.sensemaking.evaluator import MIN_SENTENCE_WORDS, answers_to_rate
from eval.sensemaking.formats.sections import Section, Sections
from eval.sensemaking.formats.submissions import ListKind, TaskSubmission
from eval.sensemaking.rating import WEIGHTS, Features, probability, rating_features
from eval.statistics import Resampling
from judging.answers import JudgedAnswer
from retrievers.embedding.base import Embedder
from teaching.teacher import teach

PER_SECTION = 4
"""Questions of the Teacher about a module."""
STRENGTH = 0.3
"""Inverse of the L2 penalty (scikit-learn's C) on standardised features."""
WORDS = 10
"""Of a statement that is put together from words of the module."""
SHORT_ANSWER = range(2, 13)
"""Words of what follows the verb of a sentence, if it is taken as an answer."""
_ASKED = re.compile(
    r"^(?:What|Which|Why|How|When|Who|Where)\s+(?:is|are|was|were|does|do|did|can|has|have|many|much)?\s*"
    r"(?:meant by|the difference between)?"
)
_VERB = re.compile(r"\b(?:is|are|was|were|leads? to|causes?|contains?|means|has|have|consists? of|requires?)\b")

Make = Callable[[AttackMaterial], str | None]


def subject(material: AttackMaterial) -> str:
    """What the question asks about."""
    return _ASKED.sub("", material.item.question).rstrip("?").strip()


def after_the_verb(material: AttackMaterial) -> str | None:
    """What a right sentence says of its subject, as one answers in a few words."""
    _, *rest = _VERB.split(material.item.answer, maxsplit=1)
    said = rest[0].strip(" .") if rest else ""
    asks_why = material.item.question.startswith("Why")
    return said[:1].upper() + said[1:] if len(said.split()) in SHORT_ANSWER and not asks_why else None


def another_sentence(material: AttackMaterial) -> str | None:
    """A sentence of the module, other than the right one."""
    others = [one for one in material.item.passages if one != material.item.answer]
    return material.random.choice(others) if others else None


def false_statement(material: AttackMaterial) -> str | None:
    """The subject, and the end of another sentence."""
    other = (another_sentence(material) or "").split()
    end = other[-min(len(other) - 2, WORDS - 1) :]
    return f"{subject(material).capitalize()} is {' '.join(end)}" if len(other) >= MIN_SENTENCE_WORDS else None


def words_of_the_module(material: AttackMaterial) -> str:
    """The subject, and words of the module in random order."""
    words = sorted({word for one in material.item.passages for word in one.split()})
    return f"{subject(material)} {' '.join(material.random.sample(words, min(WORDS, len(words))))}"


def short_answer_elsewhere(material: AttackMaterial) -> str | None:
    """A few words that answer a question about another module."""
    others = [AttackMaterial(one, (), material.random) for one in material.others]
    found = [answer for one in others if (answer := after_the_verb(one))]
    return material.random.choice(found) if found else None


@dataclass(frozen=True)
class Kind:
    """How right answers of a kind are, from 0 to 1, and how much each weighs in the fit."""

    right: float
    weight: float = 1.0


PRINTED, SENTENCE, SHORT = "printed", "the sentence asked for", "a few words of it"
KINDS: Mapping[str, Kind] = {
    PRINTED: Kind(1.0, 2.5),
    **{name: Kind(0.0, 2.5) for name in WRONG},
    SENTENCE: Kind(1.0, 1.8),
    SHORT: Kind(1.0, 3.0),
    "half of it": Kind(0.5),
    "its words in random order": Kind(0.0),
    "another sentence": Kind(0.0),
    "a false statement": Kind(0.0),
    "words of the module": Kind(0.0),
    "a few words of another module": Kind(0.0),
    "the question": Kind(0.0),
}
"""Answers that people wrote weigh more than what rules make, and right ones, which are fewer, more than wrong ones."""
RULES: Mapping[str, Make] = {
    SENTENCE: lambda material: material.item.answer,
    SHORT: after_the_verb,
    "half of it": changes.first_half,
    "its words in random order": changes.shuffled,
    "another sentence": another_sentence,
    "a false statement": false_statement,
    "words of the module": words_of_the_module,
    "a few words of another module": short_answer_elsewhere,
    "the question": changes.question_repeated,
}
"""What is made from a question of the Teacher and its sentence."""


@dataclass(frozen=True)
class Example:
    """An answer to a question about a section, of a kind."""

    section: str
    question: str
    answer: str
    kind: str

    @property
    def is_fitted(self) -> bool:
        """Whether its section is of the half that the weights are fitted to."""
        return zlib.crc32(self.section.encode()) % 2 == 0


Row = tuple[Example, Features]


@dataclass(frozen=True)
class Fit:
    """A logistic regression on features as they are."""

    intercept: float
    weights: Mapping[str, float]


def taught(sections: Sequence[Section], embedder: Embedder) -> list[JudgedAnswer]:
    """The Teacher's questions; `id` is the path of the section, `passages` are its sentences."""
    return [
        JudgedAnswer(
            id=section.path,
            question=one.question,
            reference=one.answer,
            answer=one.answer,
            passages=tuple(known for known in sentences_of(section) if len(known.split()) >= MIN_SENTENCE_WORDS),
        )
        for section in sections
        for one in teach(section.readable, PER_SECTION, embedder)
    ]


def examples(sections: Sequence[Section], queries: Sequence[dict[str, Any]], embedder: Embedder) -> Iterator[Example]:
    """Printed answers and what rules make, each drawn by a generator of its own."""
    for path, rows in printed_answers(sections, queries).items():
        for question, *answers in rows:
            for kind, answer in zip((PRINTED, *WRONG), answers, strict=True):
                yield Example(path, question, answer, kind)
    items = taught(sections, embedder)
    for item in items:
        others = tuple(other for other in items if other.id != item.id)
        for kind, make in RULES.items():
            made = make(AttackMaterial(item, others, Random(f"{kind} {item.id} {item.question}")))
            if made is not None:
                yield Example(item.id, item.question, made, kind)


def features_of(sections: Sequence[Section], found: Sequence[Example], embedder: Embedder) -> list[Features]:
    """The features of each example, which are in the order of their sections."""
    lists = {
        f"{path}/answers.json": tuple((one.question, one.answer) for one in found if one.section == path)
        for path in dict.fromkeys(one.section for one in found)
    }
    answers = TaskSubmission(kind=ListKind.ANSWERS, lists=lists)
    dataset, problems = answers_to_rate(Sections(found=tuple(sections)), answers, embedder)
    if problems:
        raise InvalidInput(" ".join(problems))
    return [rating_features(one.question, one.reference, one.answer, one.passages) for one in dataset.items]


def fit(rows: Sequence[Row]) -> Fit:
    """The weights. An answer that is half right counts as a right one and as a wrong one, each by half."""
    from sklearn.linear_model import LogisticRegression

    values = np.array([[features[name] for name in WEIGHTS] for _, features in rows])
    centre, spread = values.mean(0), values.std(0) + 1e-9
    kinds = [KINDS[one.kind] for one, _ in rows]
    shares = [kind.weight * kind.right for kind in kinds] + [kind.weight * (1 - kind.right) for kind in kinds]
    model = LogisticRegression(C=STRENGTH, max_iter=5000, random_state=0)
    scaled = (values - centre) / spread
    model.fit(np.vstack([scaled, scaled]), np.repeat([1, 0], len(kinds)), sample_weight=shares)
    unscaled = model.coef_[0] / spread
    intercept = float(model.intercept_[0] - unscaled @ centre)
    return Fit(round(intercept, 2), {name: round(float(one), 2) for name, one in zip(WEIGHTS, unscaled, strict=True)})


def figures(rows: Sequence[Row], fitted: Fit) -> dict[str, dict[str, Any]]:
    """By kind: the number of answers, the median rating, and the AUC of right answers against them.

    Printed answers are compared with `WRONG`, sentences and parts of them with what rules make. Intervals by modules.
    """
    ratings = np.array([100 * probability(features, fitted.intercept, fitted.weights) for _, features in rows])
    kinds, resampling = np.array([one.kind for one, _ in rows]), Resampling([one.section for one, _ in rows])
    shown: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        shown[kind] = {"answers": int((kinds == kind).sum()), "median": float(np.median(ratings[kinds == kind]))}
        right = np.isin(kinds, [PRINTED] if kind in WRONG else [SENTENCE, SHORT])
        if KINDS[kind].right < 1:
            shown[kind]["auc"] = resampling.interval(_auc_of(ratings, right, kinds == kind)).model_dump()
    return shown


def _auc_of(ratings: Any, right: Any, wrong: Any) -> Callable[[Any], float]:
    return lambda rows: auc(ratings[rows[right[rows]]], ratings[rows[wrong[rows]]])


def measured(folder: Path) -> dict[str, Any]:
    """Weights, the number of answers that they are fitted to, and the figures of the other half."""
    sections, queries = read_book(folder)
    embedder = Remembering()
    found = sorted(examples(sections, queries, embedder), key=lambda one: one.section)
    rows = list(zip(found, features_of(sections, found, embedder), strict=True))
    # What says nothing is rated 0 whatever the weights are.
    own = [(one, features) for one, features in rows if one.is_fitted and not features["nothing"]]
    fitted = fit(own)
    return {
        "intercept": fitted.intercept,
        "weights": fitted.weights,
        "fitted to": dict(Counter(one.kind for one, _ in own)),
        "other half": figures([row for row in rows if not row[0].is_fitted], fitted),
    }


def show_report(report: Mapping[str, Any]) -> None:
    """The weights as code, and the figures as a table."""
    print(f"INTERCEPT = {report['intercept']:g}\nWEIGHTS: Mapping[str, float] = {{")
    print(*(f'    "{name}": {weight:g},' for name, weight in report["weights"].items()), "}\n", sep="\n")
    rows = [
        (kind, report["fitted to"].get(kind, 0), one["answers"], f"{one['median']:.0f}", _interval(one.get("auc")))
        for kind, one in report["other half"].items()
    ]
    columns = ("answers", "fitted to", "other half", "median rating", "AUC of right ones against them")
    show("Ratings of the other half of the modules", columns, rows)


def _interval(auc: Mapping[str, float] | None) -> str:
    return f"{auc['mean']:.3f} ({auc['low']:.3f} to {auc['high']:.3f})" if auc else ""


def main() -> None:
    """Print weights and figures of the folder that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    report = measured(given.folder)
    if given.json:
        print(json.dumps(report, indent=1))
    else:
        show_report(report)


if __name__ == "__main__":
    main()
