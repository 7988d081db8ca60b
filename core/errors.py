"""The errors that EduMod raises. Caught at three edges only: HTTP handler, CLI, evaluation runner.

EduModError                     status  code
├── InvalidInput                422     the caller sent something that cannot be used
│   ├── UnknownName             422     no course, pipeline, retriever, model ... of that name
│   ├── TooLarge                413     over a size limit
│   ├── IdempotencyKeyReused    422     the Idempotency-Key belongs to another request
│   ├── IdempotencyKeyInProgress 409    the Idempotency-Key's request is still being answered
│   ├── NotRetryable            409     the draft is being worked on, has an answer, or holds no question
│   ├── NotDecidable            409     the draft is not in a state to be decided, or it is too late to undo
│   │   ├── AlreadyDecided      409     somebody else decided the draft; the first decision is in the error
│   │   └── ClaimedByOther      409     somebody else is reviewing the draft
│   ├── DraftChanged            412     the draft is not the one that was read: read it again
│   ├── Unconfirmed             409     something was noticed in a text: look at it, then send it again
│   ├── EditChanged             412     what was typed about a draft was saved from another window since
│   └── QuestionChanged         412     the question of a quiz is not the one that was read: read it again
├── Unauthenticated             401     nobody has signed in, or with a key or link that is not valid
├── Forbidden                   403     the caller may not do this
├── QuotaExceeded               429     a key or course has used up what it may use for now
├── NotFound                    404     nothing is stored under that id
│   └── NoMaterial              404     the course has no documents of the kind a function searches
├── UnreadableDocument          422     a course file that cannot be ingested
│   ├── EncryptedDocument               a password is needed
│   ├── EmptyDocument                   no text in it
│   ├── HostileDocument                 over the time or memory limit of the parser
│   ├── OversizedDocument               over a size limit of one file or of its course
│   └── DataDocument                    a data set, log or dump in a text file: nothing to read
├── UnreadableImage             422     a question's image that cannot be read; the answer's warnings say why
├── ModelError                  502     a language model did not do its task
│   ├── ModelUnavailable        503     not reachable, or over its rate limit, retries included
│   ├── ModelTimeout            504     over the deadline of one call
│   │   └── RunTimeout          504     over the deadline of a whole answer, its writing included
│   ├── ModelRefused            502     wrong key, no such model, request rejected
│   ├── ContextOverflow         502     the prompt is longer than the model's context
│   ├── MissingCapability       502     the server cannot do what the task needs (tools, logprobs, vision)
│   ├── NotRecorded             502     replies come from a recording, which has none to the request
│   └── BadReply                502     it replied, but with nothing usable (truncated, not JSON, ...)
│       ├── ModelDeclined       502     the model would not, or a content filter withheld what it wrote
│       └── CannotTell          502     a rule without a model cannot tell which of two verdicts holds
├── BadVectors                  502     an embedding model gave vectors that cannot be used (dimension, count, NaN)
├── CourseReembedded            409     a course's vectors were made again by another embedding while work was under way
├── StorageUnavailable          503     the database cannot be read or written now: full disk, lock, lost connection
├── MailUnavailable             503     the mail server did not take a message
├── Stopping                    503     the service is being stopped, and took no more time for the request
├── Overloaded                  503     too many requests are waiting; retry later
└── SetupError                  500     the installation is incomplete: missing model files, broken database, ...
    └── ForeignVectors          500     a course's vectors were made by an embedding that cannot be used now

A message names the thing, what was wrong with it and what to do. It is written for operators (log and terminal).
`public` is the text for students, over HTTP and in stored drafts and traces.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, ClassVar, Self

from core.types import Usage

MAX_NAME_CHARS = 100
"""Characters of an unknown name that a message repeats; the name given may be a whole text."""


class EduModError(Exception):
    """Base class. `status` is the HTTP status at the HTTP edge; `code` names the kind in API and traces.

    `draft_id` is set if the question was stored in a draft although it could not be answered. `retry_after` is in
    seconds, set if a later request may succeed and the time is known. `sentence` replaces, for students, a message that
    may quote an endpoint or name hosts, variables and paths of the installation.
    """

    status: ClassVar[int] = 500
    sentence: ClassVar[str | None] = None
    draft_id: str | None = None
    retry_after: float | None = None

    def of_draft(self, draft_id: str) -> Self:
        """A copy of the error for this draft. A copy, since other callers of the same work may hold the original."""
        same = type(self).__new__(type(self), *self.args)
        same.__dict__ |= {**self.__dict__, "draft_id": draft_id}
        return same

    @property
    def public(self) -> str:
        """The message as students may read it."""
        return str(self) if self.sentence is None else self.sentence

    @property
    def code(self) -> str:
        return "".join(f"-{c.lower()}" if c.isupper() else c for c in type(self).__name__).lstrip("-")


def public_reason(error: BaseException) -> str:
    """The part of any error that students may read: only the type of an unexpected one, whose message is unknown."""
    return error.public if isinstance(error, EduModError) else type(error).__name__


class InvalidInput(EduModError):
    status = 422


class UnknownName(InvalidInput):
    """No thing of that kind has that name; the message lists the allowed ones and the nearest."""

    def __init__(self, kind: str, name: str, allowed: Iterable[str]) -> None:
        self.kind, self.name, self.allowed = kind, name, tuple(allowed)
        by_case = {known_name.casefold(): known_name for known_name in self.allowed}
        near = get_close_matches(name.casefold(), by_case, n=1)
        short_name = name if len(name) <= MAX_NAME_CHARS else f"{name[:MAX_NAME_CHARS]}…"
        hint = f" Did you mean {by_case[near[0]]!r}?" if near else ""
        known = ", ".join(self.allowed) or f"(no {kind} exists yet)"
        super().__init__(f"There is no {kind} {short_name!r}.{hint} Allowed: {known}.")


class TooLarge(InvalidInput):
    status = 413


class IdempotencyKeyReused(InvalidInput):
    pass


class IdempotencyKeyInProgress(InvalidInput):
    status = 409
    retry_after = 5.0


class NotRetryable(InvalidInput):
    status = 409


class Unauthenticated(EduModError):
    status = 401


class NotDecidable(InvalidInput):
    status = 409


class AlreadyDecided(NotDecidable):
    """`decision` is the one that counts, as the API shows it."""

    def __init__(self, message: str, decision: dict[str, Any]) -> None:
        self.decision = decision
        super().__init__(message)


class ClaimedByOther(NotDecidable):
    pass


class DraftChanged(InvalidInput):
    status = 412


class Unconfirmed(InvalidInput):
    status = 409


class EditChanged(InvalidInput):
    status = 412


class QuestionChanged(InvalidInput):
    status = 412


class Forbidden(EduModError):
    status = 403


class QuotaExceeded(EduModError):
    """`retry_after` is in seconds."""

    status = 429


class NotFound(EduModError):
    status = 404


class NoMaterial(NotFound):
    pass


class UnreadableDocument(EduModError):
    status = 422


class EncryptedDocument(UnreadableDocument):
    pass


class EmptyDocument(UnreadableDocument):
    pass


class HostileDocument(UnreadableDocument):
    pass


class OversizedDocument(UnreadableDocument):
    pass


class DataDocument(UnreadableDocument):
    pass


class UnreadableImage(EduModError):
    """The message is the reason alone, as in "since the file is broken"."""

    status = 422


class ModelError(EduModError):
    """`usage` is the usage of the failed call up to the failure; None if nothing was counted."""

    status = 502
    sentence = "The language model did not do its task. Ask again in a few minutes."
    usage: Usage | None = None


class ModelUnavailable(ModelError):
    """`retry_after` is in seconds, set if the server named a time."""

    status = 503
    sentence = "The language model could not be reached. Ask again in a few minutes."

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class ModelTimeout(ModelError):
    status = 504
    sentence = "The language model took too long. Ask again in a few minutes."


class RunTimeout(ModelTimeout):
    sentence = "No answer was written in the time allowed. Ask again in a few minutes."


class ModelRefused(ModelError):
    sentence = "The language model refused the request. The operator of this service finds the reason in its log."


class ContextOverflow(ModelError):
    sentence = (
        "Question and material are too long for the language model. Shorten the question, or ask for fewer passages."
    )


class MissingCapability(ModelError):
    """The server lacks a capability; `capability` is its name in the OpenAI API."""

    sentence = "The language model cannot do what this request needs. Choose another pipeline, retriever or model."

    def __init__(self, capability: str, message: str) -> None:
        self.capability = capability
        super().__init__(message)


class NotRecorded(ModelError):
    """`prompt` is the name and version of the prompt whose request is not in the recording."""

    sentence = "The recorded replies that this service runs on have none to this question."

    def __init__(self, prompt: str, message: str) -> None:
        self.prompt = prompt
        super().__init__(message)


class BadReply(ModelError):
    sentence = "The language model sent a reply that cannot be used. Ask again in a few minutes."


class ModelDeclined(BadReply):
    sentence = "The language model refused the task, or a content filter withheld its reply."


class CannotTell(BadReply):
    """A rule has no verdict. `details` say what it has seen of the case; `estimate` is a share of the scale."""

    sentence = "Without a language model, this cannot be told. Choose a model, or let a person decide."

    def __init__(self, message: str, details: str, estimate: float) -> None:
        self.details = details
        self.estimate = estimate
        super().__init__(message)


class BadVectors(EduModError):
    status = 502
    sentence = "The embedding model sent something that cannot be used. The operator finds the reason in the log."


class CourseReembedded(EduModError):
    status = 409


class StorageUnavailable(EduModError):
    """The database as a whole cannot be used; `reason` says why, without paths or the driver's message."""

    status = 503
    retry_after = 10.0

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The database cannot be used now: {reason}. Try again in a few seconds.")


class Overloaded(EduModError):
    """`retry_after` is in seconds."""

    status = 503

    def __init__(self, message: str, retry_after: float = 10.0) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class MailUnavailable(EduModError):
    status = 503
    retry_after = 60.0


class Stopping(EduModError):
    status = 503
    retry_after = 10.0


class SetupError(EduModError):
    sentence = "This service is not set up completely. The operator finds the reason in its log."


class ForeignVectors(SetupError):
    sentence = (
        "This course cannot be searched by meaning now. Choose the retriever bm25, or tell the operator, who finds the "
        "reason in the log."
    )
