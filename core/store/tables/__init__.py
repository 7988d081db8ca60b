"""The tables. They use types that SQLite and PostgreSQL share, and only those."""

from __future__ import annotations

from core.store.tables.columns import UTCDateTime, now
from core.store.tables.drafts import DecisionRow, DraftRow, DraftState, TraceRow
from core.store.tables.evaluations import EvaluationRow, EvaluationState, ItemRow, LabelRow, ResultRow, ResultState
from core.store.tables.material import (
    CorrectionRow,
    CourseRow,
    DocumentRow,
    DocumentState,
    EmbeddingRow,
    NodeKind,
    NodeRow,
)
from core.store.tables.messages import DeliveryRow, DeliveryState, WebhookRow
from core.store.tables.operation import AuditRow, JobRow, JobState, ProcessRow, SecretRow, UsageRow
from core.store.tables.people import KeyRow, MemberRow, PersonRow, RosterRow, SessionRow, SignInLinkRow

__all__ = [
    "AuditRow", "CorrectionRow", "CourseRow", "DecisionRow", "DeliveryRow", "DeliveryState", "DocumentRow",
    "DocumentState", "DraftRow", "DraftState", "EmbeddingRow", "EvaluationRow", "EvaluationState", "ItemRow",
    "JobRow", "JobState", "KeyRow", "LabelRow", "MemberRow", "NodeKind", "NodeRow", "PersonRow", "ProcessRow",
    "ResultRow", "ResultState", "RosterRow", "SecretRow", "SessionRow", "SignInLinkRow", "TraceRow", "UTCDateTime",
    "UsageRow", "WebhookRow", "now",
]  # fmt: skip
