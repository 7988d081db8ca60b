"""The tables. They use types that SQLite and PostgreSQL share, and only those."""

from __future__ import annotations

from core.store.tables.columns import UTCDateTime, now, table_of
from core.store.tables.drafts import (
    DecisionRow,
    DraftRow,
    DraftState,
    EditRow,
    JudgementRow,
    PictureRow,
    PresenceRow,
    SavedFilterRow,
    SnippetRow,
    TraceRow,
    VoteRow,
)
from core.store.tables.evaluations import EvaluationRow, EvaluationState, ItemRow, LabelRow, ResultRow, ResultState
from core.store.tables.facts import EventRow, StaffRow, WorkRow
from core.store.tables.forums import (
    ForumPostKind,
    ForumPostRow,
    ForumPostState,
    ForumRow,
    ForumThreadRow,
    ThreadState,
)
from core.store.tables.jobs import CellClaimRow, FailedJobRow, WaitingFileRow
from core.store.tables.lti import LtiLinkRow, LtiNonceRow, LtiPlatformRow
from core.store.tables.material import (
    CorrectionRow,
    CourseRow,
    DocumentRow,
    DocumentState,
    EmbeddingRow,
    NodeKind,
    NodeRow,
    PairingRow,
    SettingChangeRow,
)
from core.store.tables.messages import DeliveryRow, DeliveryState, WebhookRow
from core.store.tables.operation import AuditRow, JobRow, JobState, ProcessRow, ReservationRow, SecretRow, UsageRow
from core.store.tables.people import KeyRow, MemberRow, PersonRow, RosterRow, SessionRow, SignInLinkRow
from core.store.tables.quizzes import QuestionState, QuizQuestionRow, QuizRow

__all__ = [
    "AuditRow", "CellClaimRow", "CorrectionRow", "CourseRow", "DecisionRow", "DeliveryRow", "DeliveryState",
    "DocumentRow", "DocumentState", "DraftRow", "DraftState", "EditRow", "EmbeddingRow", "EvaluationRow",
    "EvaluationState", "EventRow", "FailedJobRow", "ForumPostKind", "ForumPostRow", "ForumPostState", "ForumRow",
    "ForumThreadRow", "ItemRow", "JobRow", "JobState", "JudgementRow", "KeyRow", "LabelRow", "LtiLinkRow",
    "LtiNonceRow", "LtiPlatformRow", "MemberRow", "NodeKind", "NodeRow", "PairingRow", "PersonRow", "PictureRow",
    "PresenceRow", "ProcessRow", "QuestionState", "QuizQuestionRow", "QuizRow", "ReservationRow", "ResultRow",
    "ResultState", "RosterRow", "SavedFilterRow", "SecretRow", "SessionRow", "SettingChangeRow", "SignInLinkRow",
    "SnippetRow", "StaffRow", "ThreadState", "TraceRow", "UTCDateTime", "UsageRow", "VoteRow", "WaitingFileRow",
    "WebhookRow", "WorkRow", "now", "table_of",
]  # fmt: skip
