"""Figures about decisions: shares with intervals, by time, kind, pipeline and confidence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.review.learning import Lesson
from core.review import AUTOMATIC, Outcome
from core.store.tables import DecisionRow, VoteRow
from eval.statistics import Mean, share_of

BINS = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Lower borders of confidence."""
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
FEW = 20
"""Decisions below which a page says that there are few."""


@dataclass(frozen=True)
class DecisionShare:
    """A share of `n` decisions, with its 95 % interval."""

    name: str
    n: int
    share: Mean


@dataclass(frozen=True)
class PostingThreshold:
    """What would have happened so far, had drafts of at least this confidence been posted unreviewed."""

    at: float
    passed: DecisionShare
    wrong: DecisionShare
    """Of those that would have passed, the ones that people rewrote or discarded."""


@dataclass(frozen=True)
class Quality:
    """The figures of a course, without automatic decisions."""

    n: int
    accepted: DecisionShare
    outcomes: list[DecisionShare]
    weeks: list[DecisionShare]
    kinds: list[DecisionShare]
    pipelines: list[DecisionShare]
    confidences: list[DecisionShare]
    recalibrated: list[Recalibrated]
    """By rising confidence; empty where there are few decisions."""
    thresholds: list[PostingThreshold]
    reasons: list[tuple[str, int]]
    recommended: PostingThreshold | None
    """The lowest threshold whose share of wrong answers has an interval below 5 %; None if there is none."""


@dataclass(frozen=True)
class Recalibrated:
    """What a confidence has meant: the share of such drafts that were posted as they were."""

    confidence: float
    share: float


@dataclass(frozen=True)
class ReviewerAgreement:
    """Agreement of first and second opinions; `alpha` is None if all are the same."""

    same: DecisionShare
    alpha: float | None
    """Krippendorff's alpha of the outcomes, as names."""


def agreement_of(decisions: Sequence[DecisionRow], second: Sequence[DecisionRow]) -> ReviewerAgreement:
    """The agreement of the decisions that count with the second opinions on them."""
    first = {one.draft_id: one.outcome for one in decisions}
    pairs = [(first[one.draft_id], one.outcome) for one in second if one.draft_id in first]
    same = _share("same outcome", sum(one is other for one, other in pairs), len(pairs))
    return ReviewerAgreement(same, _alpha(pairs))


def _alpha(pairs: Sequence[tuple[Outcome, Outcome]]) -> float | None:
    if len({outcome for pair in pairs for outcome in pair}) < 2:
        return None
    import krippendorff

    names = list(Outcome)
    raters = [[names.index(pair[n]) for pair in pairs] for n in (0, 1)]
    return float(krippendorff.alpha(raters, level_of_measurement="nominal"))


@dataclass(frozen=True)
class Opinions:
    """What readers of a course's answers said of them."""

    helped: DecisionShare
    complaints: list[tuple[str, int]]
    """Reasons of those whom an answer did not help, the most frequent first."""


def opinions_of(votes: Sequence[VoteRow]) -> Opinions:
    """The votes of readers as figures."""
    complaints = Counter(one.reason or "no reason given" for one in votes if not one.is_helpful)
    helped = _share("answers that helped", sum(one.is_helpful for one in votes), len(votes))
    return Opinions(helped, complaints.most_common())


def quality_of(lessons: Sequence[Lesson]) -> Quality:
    """The figures of decided drafts."""
    decided = [one for one in lessons if one.decision.decided_by != AUTOMATIC.id]
    answered = [one for one in decided if one.response]
    thresholds = [_threshold(at, answered) for at in THRESHOLDS]
    reasons = Counter(reason for one in decided for reason in one.decision.reasons)
    return Quality(
        n=len(decided),
        accepted=_share_accepted("accepted as they were", answered),
        outcomes=[_outcome(one, decided) for one in Outcome],
        weeks=_by(answered, lambda one: _week(one.decision.decided_at)),
        kinds=_by(answered, lambda one: one.draft.kind or "unknown"),
        pipelines=_by(answered, lambda one: one.decision.pipeline or "unknown"),
        confidences=_by(answered, lambda one: _bin(one.draft.confidence or 0.0)),
        recalibrated=_calibrate(answered),
        thresholds=thresholds,
        reasons=reasons.most_common(),
        recommended=next((one for one in thresholds if _is_safe(one)), None),
    )


def _calibrate(lessons: Sequence[Lesson]) -> list[Recalibrated]:
    if len(lessons) < FEW:
        return []
    from sklearn.isotonic import IsotonicRegression

    confidences = [one.draft.confidence or 0.0 for one in lessons]
    accepted = [one.decision.outcome is Outcome.APPROVED for one in lessons]
    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(confidences, accepted)
    known = [at for at in THRESHOLDS if min(confidences) <= at <= max(confidences)]
    return [Recalibrated(at, float(share)) for at, share in zip(known, fitted.predict(known or [0.0]), strict=False)]


def _is_safe(threshold: PostingThreshold) -> bool:
    return threshold.wrong.share.high is not None and threshold.wrong.share.high < 0.05


def _share(name: str, part: int, whole: int) -> DecisionShare:
    return DecisionShare(name, whole, share_of(part, whole))


def _share_accepted(name: str, lessons: Sequence[Lesson]) -> DecisionShare:
    return _share(name, sum(one.decision.outcome is Outcome.APPROVED for one in lessons), len(lessons))


def _outcome(outcome: Outcome, lessons: Sequence[Lesson]) -> DecisionShare:
    return _share(outcome.value, sum(one.decision.outcome is outcome for one in lessons), len(lessons))


def _by(lessons: Sequence[Lesson], key: Callable[[Lesson], str]) -> list[DecisionShare]:
    groups: defaultdict[str, list[Lesson]] = defaultdict(list)
    for lesson in lessons:
        groups[key(lesson)].append(lesson)
    return [_share_accepted(name, groups[name]) for name in sorted(groups)]


def _week(moment: datetime) -> str:
    year, week, _ = moment.isocalendar()
    return f"{year}, week {week:02}"


def _bin(confidence: float) -> str:
    low = max(border for border in BINS if border <= max(confidence, 0.0))
    high = min((border for border in BINS if border > low), default=1.0)
    return f"{low:.2f} to {high:.2f}"


def _threshold(at: float, lessons: Sequence[Lesson]) -> PostingThreshold:
    passed = [one for one in lessons if (one.draft.confidence or 0.0) >= at]
    wrong = sum(one.decision.outcome in (Outcome.REWRITTEN, Outcome.DISCARDED) for one in passed)
    return PostingThreshold(at, _share(f"{at:.2f}", len(passed), len(lessons)), _share("wrong", wrong, len(passed)))
