"""The review of drafts: what a person may decide, and why."""

from __future__ import annotations

from enum import StrEnum

from core.access import Person


class Outcome(StrEnum):
    """What became of a draft. A text with more than half of its words from the draft is edited, else rewritten."""

    APPROVED = "approved"
    EDITED = "edited"
    REWRITTEN = "rewritten"
    DISCARDED = "discarded"


class Reason(StrEnum):
    """Why a draft was changed or discarded (EduMod-LLM, appendix D, and the words of TAs)."""

    CONCISENESS = "conciseness"
    FACTUAL_DETAIL = "factual_detail"
    IRRELEVANT = "irrelevant"
    TONE = "tone"
    GIVES_AWAY = "gives_away"
    POLICY = "policy"
    OTHER = "other"


class EditPurpose(StrEnum):
    """What a text that was typed about a draft is for: its decision, a second opinion, or a correction."""

    DECISION = "decision"
    OPINION = "opinion"
    CORRECTION = "correction"


class Notice(StrEnum):
    """What whoever asked reads in place of a draft that they may not read."""

    WAITING = "waiting"
    DISCARDED = "discarded"


class Complaint(StrEnum):
    """Why an answer did not help whoever asked."""

    WRONG = "wrong"
    OFF_TOPIC = "off_topic"
    UNCLEAR = "unclear"
    INCOMPLETE = "incomplete"
    OTHER = "other"


class DraftJudge(StrEnum):
    """Judges that can score a draft: they need no reference answer."""

    GROUNDED = "grounded"


class QuestionKind(StrEnum):
    """A rough kind of question, for the queue and for figures by kind."""

    ERROR_MESSAGE = "error_message"
    ASSIGNMENT = "assignment"
    LOGISTICS = "logistics"
    CONCEPT = "concept"


class Posting(StrEnum):
    """What happens to a new draft: a person decides, a sure one is approved at once, or drafts are never shown."""

    REVIEW = "review"
    AUTO = "auto"
    SHADOW = "shadow"


AUTOMATIC = Person("automatic", "automatic")
"""Who decided, where nobody did: a sure draft of a course with `posting: auto`."""
FROM_REVIEW = "review"
"""`DocumentRow.build` of a past question that was promoted from a decision, and the folder in its name."""
