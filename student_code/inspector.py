"""Looks at code in the pool: a parser of strangers' code may fail in ways that end a process."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache, partial

from pydantic import TypeAdapter

from core.errors import EduModError
from core.text.posts import read_post
from core.types import Passage, Question
from core.work.pool import SUBMISSION_LIMITS, WorkPool
from core.work.process import WorkStopped
from student_code.catalogue import ENGLISH
from student_code.findings import CodeWork, Finding
from student_code.languages import language_of_excerpt, programming_language

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


@dataclass(frozen=True)
class CodeInspector:
    """Looks at code in processes of the pool."""

    pool: WorkPool

    async def inspect(self, question: Question, solution: str = "") -> CodeReport:
        """What is found; nothing, and why, where the code exceeds a limit. Raises `Overloaded` and `Stopping`."""
        prose = read_post(question.body).prose
        work = partial(_inspect, code_work(question, solution), question.language, f"{question.title}\n{prose}")
        try:
            return _reports().validate_json(await self.pool.run(work, SUBMISSION_LIMITS, prepare=_load))
        except WorkStopped as error:
            return CodeReport(problem=f"The code was not looked at. {error}")
        except EduModError:
            raise
        except Exception:
            logger.exception("Code of %d characters could not be looked at.", len(question.code or ""))
            return CodeReport(problem="The code was not looked at: its inspection failed.")


@cache
def _reports() -> TypeAdapter[CodeReport]:
    return TypeAdapter(CodeReport)


@cache
def _load() -> None:
    _inspect(CodeWork("x = [1]\nfor i in range(len(x)):\n    print(x[i])"), None, "Why does this print nothing?")


def _inspect(work: CodeWork, language: str | None, text: str) -> bytes:
    from student_code.inspection import inspected
    from student_code.natural import answer_language

    report = CodeReport(inspected(work)[:MAX_FINDINGS], answer_language(language, text))
    return _reports().dump_json(report)
