"""How likely an offline answer is right, and when none is given."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.types import Match, Passage, Question, Source
from offline.candidates import read_candidates
from offline.confidence import FEATURES, Calibration, numbers, shipped_calibration
from offline.evidence import MAX_RARITY, Evidence, evidence_of
from offline.extraction import OfflineWriter, evidence_for
from posts.parts import read_post
from tasks import WriteAnswer
from tests.fakes import RareWords
from tests.offline.writing import written
from tests.pipelines.runs import passage

GOOD, POOR = Match(words=0.6, meaning=0.6), Match(words=0.1, meaning=0.15)
FOCUS = "The lens of a camera focuses the light; our attention goes to the sharp part of the picture."
PLAIN = Evidence(
    words=0.3, meaning=0.4, agreement=0.8, worth_gap=0.4, covered=1.0, missing=1.0, title_missing=0.5, is_named=0.0,
    is_assignment=0.0, sources=2.0, nothing=0.1,
)  # fmt: skip


def found(text: str, match: Match = GOOD, **more: object) -> Passage:
    return passage("p", text, **more).model_copy(update={"match": match})


def task(body: str, *passages: Passage, title: str = "", **more: float) -> WriteAnswer:
    return WriteAnswer(course="c", question=Question(title=title, body=body), passages=passages, **more)


def evidence(body: str, *passages: Passage, title: str = "", **rarity: float) -> Evidence:
    asked = task(body, *passages, title=title)
    seen = evidence_for(asked, read_post(asked.question), rarity)
    assert seen is not None
    return seen


def test_words_that_no_passage_has_are_missing_in_the_measure_of_their_rarity() -> None:
    body = "how does attention work in transformers?"
    assert evidence(body, found(FOCUS), attention=0.5, attent=0.5, transform=0.9).missing == pytest.approx(0.9)
    assert evidence("how does a lens focus the light?", found(FOCUS)).missing == 0


def test_only_words_of_the_title_and_of_sentences_that_ask_can_be_missing() -> None:
    body = "My sister paints harbours in winter. How does a lens focus the light?"
    assert evidence(body, found(FOCUS)).missing == 0
    assert evidence(body, found(FOCUS), title="harbours").title_missing == 1


def test_of_a_question_in_another_language_than_the_material_nothing_is_missing() -> None:
    seen = evidence("¿Cómo funciona exactamente una lente convergente?", found(FOCUS), title="lente convergente")
    assert (seen.missing, seen.title_missing) == (0, 0)


def test_many_covered_words_count_no_more_than_several() -> None:
    words = " ".join(f"wordnumber{letter}" for letter in "abcdefghij")
    assert evidence(words, found(words)).covered == MAX_RARITY


def test_a_better_match_is_more_confident_and_a_message_that_needs_nothing_less() -> None:
    shipped = shipped_calibration()
    assert shipped.probability(replace(PLAIN, words=0.6)) > shipped.probability(PLAIN)
    assert shipped.probability(replace(PLAIN, nothing=0.9)) < shipped.probability(PLAIN)
    assert shipped.probability(replace(PLAIN, title_missing=1.0)) < shipped.probability(PLAIN)


@given(st.builds(Evidence, **dict.fromkeys(FEATURES, st.floats(0, 5)) | {"nothing": st.none() | st.floats(0, 1)}))
def test_a_confidence_is_a_probability(seen: Evidence) -> None:
    assert 0 <= shipped_calibration().probability(seen) <= 1


def test_a_feature_that_is_not_known_counts_as_its_stated_value() -> None:
    assert numbers(replace(PLAIN, nothing=None), {"nothing": 0.25})["nothing"] == 0.25
    weights = {**dict.fromkeys(FEATURES, 0.0), "nothing": -4.0}
    calibration = Calibration(intercept=1.0, weights=weights, unknown={"nothing": 0.25}, abstain_below=0.5)
    assert calibration.probability(replace(PLAIN, nothing=None)) == 0.5


def test_the_shipped_file_has_a_weight_for_every_feature() -> None:
    assert set(shipped_calibration().weights) == set(FEATURES)


@pytest.mark.parametrize(("threshold", "status"), [(0.0, "answered"), (1.0, "abstained")])
def test_a_course_decides_from_which_confidence_an_answer_is_given(threshold: float, status: str) -> None:
    asked = task("how does a lens focus the light?", found(FOCUS, POOR), abstain_below=threshold)
    assert written(asked).status == status
    assert written(asked).confidence == written(asked.model_copy(update={"abstain_below": None})).confidence


async def test_the_writer_looks_up_how_rare_the_words_are_in_the_course() -> None:
    asked: list[tuple[str, set[str]]] = []

    class Words(RareWords):
        async def of(self, course_id: str, tokens: object) -> dict[str, float]:
            asked.append((course_id, set(tokens)))  # type: ignore[call-overload]
            return {}

    question = Question(title="lens", body="I looked at harbours. how does it focus the light in hw 3?")
    await OfflineWriter(Words()).write(
        WriteAnswer(course="c", course_id="ds", question=question, passages=(found(FOCUS),))
    )
    ((course, words),) = asked
    assert course == "ds"
    assert {"len", "harbour", "focus", "light"} <= words
    assert not any(" " in word or word[0].isdigit() for word in words)


async def test_the_writer_looks_up_how_well_passages_match_whose_retriever_did_not_say() -> None:
    class Matches:
        async def of(self, course_id: str, query: str, passages: Sequence[Passage]) -> Mapping[str, Match]:
            return {one.block_id: GOOD if one.text == FOCUS else POOR for one in passages if one.match is None}

    unknown = [found(text).model_copy(update={"block_id": text, "match": None}) for text in (FOCUS, "Harbours.")]
    asked = task("how does a lens focus the light?", *unknown)
    assert (await OfflineWriter(RareWords(), Matches()).write(asked)).confidence > written(asked).confidence


def test_a_search_by_words_alone_is_no_witness_beside_the_words() -> None:
    texts = (FOCUS, "A lens is round.", "The light of a lens.")
    passages = [found(text).model_copy(update={"block_id": text, "match": None}) for text in texts]
    matches = {FOCUS: POOR.model_copy(update={"words": 0.7}), texts[1]: GOOD, texts[2]: GOOD}
    post = read_post(Question(body="how does a lens focus the light?"))
    best, *others = read_candidates(post, passages, matches)
    assert evidence_of(post, [best, *others], {}).agreement == pytest.approx((1 + 1 / 3) / 2)


def test_an_assignment_and_several_sources_are_told_apart() -> None:
    own = found(FOCUS, source=Source.ASSIGNMENT)
    assert evidence("how does a lens focus?", own).is_assignment == 1
    assert evidence("how does a lens focus?", found(FOCUS)).is_assignment == 0


def test_serving_does_not_load_scikit_learn() -> None:
    code = (
        "import sys, app.main\nfrom offline.confidence import shipped_calibration\nshipped_calibration()\n"
        "print([name for name in ('sklearn', 'scipy') if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
