"""Looks at code in a process of its own: a parser of strangers' code may fail in ways that end a process."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from core.text.posts import read_post
from core.types import Passage, Question
from pipelines.code.catalogue import ENGLISH
from pipelines.code.findings import CodeWork, Finding
from pipelines.code.languages import language_of_excerpt, programming_language
from pipelines.sandbox import LimitExceeded, Sandbox

SECONDS = 10.0
MAX_FINDINGS = 5

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class CodeReport:
    """What was found in a student's code, likeliest first, and the language to answer in.

    `problem` says why nothing was looked at. `concept` is what the textbook has on the likeliest finding, best first.
    """

    findings: tuple[Finding, ...] = ()
    language: str = ENGLISH
    problem: str = ""
    concept: tuple[Passage, ...] = ()


def code_work(question: Question, solution: str = "") -> CodeWork:
    """What a question about code gives to look at."""
    post = read_post(question.body)
    code = question.code or ""
    is_excerpt = not (solution or question.has_code_context)
    return CodeWork(
        code=code,
        language=language_of_excerpt(code) if is_excerpt else programming_language(question.programming_language, code),
        line=question.line,
        tests=question.tests,
        linting=question.linting,
        text="\n".join(post.tracebacks),
        solution=solution,
        is_excerpt=is_excerpt,
    )


class CodeInspector:
    """Looks at code in one process, started with the first question about code. An async context manager's part."""

    def __init__(self, workers: int = 1, *, seconds: float = SECONDS) -> None:
        self._sandbox = Sandbox(_load, workers, seconds=seconds)

    async def aclose(self) -> None:
        """End the process."""
        await self._sandbox.aclose()

    async def inspect(self, question: Question, solution: str = "") -> CodeReport:
        """What is found; nothing, and why, where the code exceeds a limit."""
        prose = read_post(question.body).prose
        try:
            return await self._sandbox.run(
                _inspect, code_work(question, solution), question.language, f"{question.title}\n{prose}"
            )
        except LimitExceeded as error:
            return CodeReport(problem=f"The code was not looked at. {error}")
        except Exception:
            logger.exception("Code of %d characters could not be looked at.", len(question.code or ""))
            return CodeReport(problem="The code was not looked at: its inspection failed.")


def _load() -> None:
    _inspect(CodeWork("x = [1]\nfor i in range(len(x)):\n    print(x[i])"), None, "Why does this print nothing?")


def _inspect(work: CodeWork, language: str | None, text: str) -> CodeReport:
    from pipelines.code.inspection import inspected
    from pipelines.code.natural import answer_language

    return CodeReport(inspected(work)[:MAX_FINDINGS], answer_language(language, text))
