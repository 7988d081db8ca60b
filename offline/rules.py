"""The offline rules for the tasks of pipelines, except writing (`offline.extraction`).

The router chooses functions, queries are the question's own words, and a review measures the coverage of terms.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from core.errors import MissingCapability
from core.llm.task import Choice
from core.types import FunctionCall, Question, Status
from offline.router import ASSIGNMENTS, LOGISTICS, TEXTBOOK, THREADS, Router
from posts.intents import is_about_course, is_about_wording, is_stuck
from posts.parts import is_only_named, parts_in
from posts.query import MAX_QUERY_WORDS, asked_text, last_words, search_query
from retrievers.dates import asks_for_date
from retrievers.functions import MAX_QUERY_CHARS
from retrievers.names import read_names
from retrievers.terms import question_terms
from safeguards import asker_texts, readable_texts, staff_texts, without_leaks
from tasks import (
    MISSING,
    ChooseFunctions,
    FillArguments,
    MendAnswer,
    ReadImage,
    Review,
    ReviewDraft,
    SelectFunctions,
    Selection,
    WrittenAnswer,
)

ACCEPT_FROM = 0.6
"""Minimum score of an accepted draft."""
MORE_FROM = 0.25
"""Minimum probability for calling a function that was not called yet, when a review asks for more."""
SURE_FROM = 0.9
"""Minimum probability that a part of a post needs a function which the whole post does not seem to need."""
ENOUGH_FOUND = 0.5
"""Share of the question's words in the passages above which no further function is called."""
MAX_WORDS_ALONE = 25
"""Words of each question of a post up to which they are searched for one by one."""
MAX_MISSING = 5
"""Maximum number of words named as missing from a draft."""
_LEANS = re.compile(r"\b(it|its|this|that|these|those|them|they|there|one|mine|es|das|dafür|lo|la)\b", re.IGNORECASE)
"""In a part that is about a work named elsewhere in its post: "can I hand it in late?"."""


class Choosing:
    """Chooses functions by the router.

    Later rounds call the likeliest function that was not called yet, if the passages cover too little of the question
    or a review asks for more. If none is left, a review leads to a new call of the likeliest one for the missing terms.
    """

    def __init__(self, router: Router) -> None:
        self._router = router

    async def choose(self, task: ChooseFunctions) -> Choice:
        """Functions with the question's own words, or the terms missing in a review, as the query."""
        called = {result.call.name for round_ in task.history for result in round_}
        if called and not task.feedback and _coverage(task) >= ENOUGH_FOUND:
            return Choice()
        question = task.question.model_copy(update={"category": task.category or None})
        names = [function.name for function in task.functions]
        needs = await self._router.needs(task.course_id, question, names, task.category)
        if not called:
            chosen = _with_help(question, needs.best_set(required=task.required), needs.functions)
            chosen = _with_calendar(question, chosen, names) if needs.is_in_calendar else chosen
            chosen = _with_sheet(question, chosen, names) if needs.names_sheet else chosen
            own = _whole(question, chosen, needs.task)
            alone = _questions_alone(question) if chosen else ()
            likely = [name for name in names if name in chosen or needs.functions.get(name, 0.0) >= MORE_FROM]
            parts = [await self._for_part(task, question, part, names, likely) for part in alone]
            calls = _distinct([*own, *(call for part in parts for call in part)])
            return Choice(calls=calls, nothing=needs.nothing)
        ranked = sorted(needs.functions, key=lambda name: -needs.functions[name])
        fresh = [name for name in ranked if name not in called and needs.functions[name] >= MORE_FROM]
        if fresh:
            return Choice(calls=_calls(search_query(question), fresh[:1], len(task.history)), nothing=needs.nothing)
        missing = " ".join(line.removeprefix(MISSING) for line in task.feedback.split("\n") if line.startswith(MISSING))
        again = [name for name in ranked if name in called][: 1 if missing else 0]
        return Choice(calls=_calls(missing, again, len(task.history)), nothing=needs.nothing)

    async def _for_part(
        self, task: ChooseFunctions, question: Question, part: str, names: Sequence[str], likely: Collection[str]
    ) -> tuple[FunctionCall, ...]:
        """The call for one of several questions in a post, which is looked for on its own.

        The functions in `likely` are those that the whole post may need: a part alone says little, and needs another
        one only if that is nearly certain.
        """
        leans = _LEANS.search(part) and not read_names(part).known_works
        works = read_names(search_query(question)).known_works if leans else ()
        alone = Question(body=" ".join([*works, part]), category=question.category)
        needs = (await self._router.needs(task.course_id, alone, names, task.category)).functions
        able = [name for name in needs if name in likely or needs[name] >= SURE_FROM]
        best = max(able, key=lambda name: needs[name], default=None)
        return _calls(search_query(alone), [best] if best else [], 1)

    async def select(self, task: SelectFunctions) -> Selection:
        """Functions by name."""
        names = [described.partition(":")[0] for described in task.functions]
        needs = await self._router.needs(task.course_id, _own(task.question), names)
        return Selection.model_validate({"functions": needs.best_set()})


def _questions_alone(question: Question) -> tuple[str, ...]:
    """The parts of a post that is no more than its questions; without the story around it a part says too little."""
    parts = parts_in(question)
    return parts if all(len(part.split()) <= MAX_WORDS_ALONE for part in parts) else ()


def _with_help(question: Question, chosen: Sequence[str], useful: Mapping[str, float]) -> tuple[str, ...]:
    """The functions chosen; for a student who is stuck at a task also those that may have the idea for it.

    A schedule names every topic of a course, so that it looks near to any question: one without a word about how the
    course is run is looked for in the textbook as well, unless that is unlikely to have it. `useful` are the
    probabilities that each function is needed.
    """
    text = asked_text(question)
    helping: tuple[str, ...] = ()
    if ASSIGNMENTS in chosen and is_stuck(text) and not is_about_wording(text):
        helping = (TEXTBOOK, THREADS)
    elif LOGISTICS in chosen and not is_about_course(text) and useful.get(TEXTBOOK, 0.0) >= MORE_FROM:
        helping = (TEXTBOOK,)
    return (*chosen, *(name for name in helping if name in useful and name not in chosen))


def _with_calendar(question: Question, chosen: Sequence[str], names: Collection[str]) -> tuple[str, ...]:
    """Also the function that knows the course's calendar, for who asks when something is that it has."""
    title, body = last_words(question)
    is_missing = LOGISTICS in names and LOGISTICS not in chosen
    return (*chosen, LOGISTICS) if is_missing and asks_for_date(body, title) else tuple(chosen)


def _with_sheet(question: Question, chosen: Sequence[str], names: Collection[str]) -> tuple[str, ...]:
    """Also the tasks of the work that is named, for who asks something else than when it is due."""
    title, body = last_words(question)
    is_missing = chosen and ASSIGNMENTS in names and ASSIGNMENTS not in chosen
    return (*chosen, ASSIGNMENTS) if is_missing and not asks_for_date(body, title) else tuple(chosen)


def _whole(question: Question, chosen: Sequence[str], task: str) -> tuple[FunctionCall, ...]:
    """The calls for a post as a whole.

    Whoever is stuck at a task needs its idea, which stands in the task's words more than in theirs: help is looked for
    with both, and with the task's alone by who only says where they are stuck.
    """
    query = search_query(question)
    is_named = is_only_named(question)
    if not task or not (is_named or is_stuck(asked_text(question))):
        return _calls(query, chosen, 0)
    helping = [name for name in chosen if name in (TEXTBOOK, THREADS)]
    own = [] if is_named else query.split()[: MAX_QUERY_WORDS // 2]
    topic = " ".join([*own, *task.split()[: MAX_QUERY_WORDS - len(own)]])
    return (*_calls(query, [name for name in chosen if name not in helping], 0), *_calls(topic, helping, 1))


def read_image(task: ReadImage) -> str:
    """Raises `MissingCapability`, since only OCR reads images offline."""
    raise MissingCapability("vision", f"The offline backend cannot read images, so {task.name()} is left to OCR.")


def keep_draft(task: MendAnswer) -> WrittenAnswer:
    """The draft as it is: there is nothing to mend in what was quoted."""
    return WrittenAnswer(status="answered", statements=task.draft, confidence=task.confidence)


def fill(task: FillArguments) -> Choice:
    """The question's own words as the query."""
    query = search_query(_own(task.question))
    return Choice(calls=_calls(query, [function.name for function in task.functions[:1]], 0))


def _own(question: Question) -> Question:
    """The question without its category, which the router was not fitted to."""
    return question.model_copy(update={"category": None})


def _coverage(task: ChooseFunctions) -> float:
    """Share of the question's terms in the passages found so far."""
    found = (passage for round_ in task.history for result in round_ for passage in result.passages)
    wanted = question_terms(search_query(_own(task.question)))
    text = " ".join(" ".join((*passage.heading_path, passage.text)) for passage in found)
    return len(wanted & question_terms(text)) / len(wanted) if wanted else 1.0


def review_draft(task: ReviewDraft) -> Review:
    """Scores a draft by the question's terms in it, its references, and copied staff-only texts.

    A draft that says that no response is needed is always accepted, since offline only thanks lead to it.
    """
    if task.draft.startswith(f"({Status.NO_RESPONSE_NEEDED.value})"):
        return Review(reasons="The message asks for nothing.", missing=(), score=1.0, accepted=True)
    wanted = question_terms(search_query(task.question))
    missing = sorted(wanted - question_terms(task.draft))
    coverage = 1 - len(missing) / len(wanted) if wanted else 1.0
    cited = "[1]" in task.draft
    known, own = readable_texts(task.passages), asker_texts(task.question)
    _, leaks = without_leaks(task.draft, staff_texts(task.passages), known, asker=own)
    score = 0.0 if leaks else round(0.7 * coverage + 0.3 * cited, 3)
    reasons = (
        f"The draft takes up {coverage:.0%} of the question's words and {'has' if cited else 'lacks'} references"
        f"{'; it repeats staff-only texts' if leaks else ''}."
    )
    return Review(reasons=reasons, missing=tuple(missing[:MAX_MISSING]), score=score, accepted=score >= ACCEPT_FROM)


def _distinct(calls: Sequence[FunctionCall]) -> tuple[FunctionCall, ...]:
    """The calls without those that search the same for the same, each with an id of its own."""
    once = {(call.name, str(call.arguments)): call for call in reversed(calls)}
    kept = [call for call in calls if once.get((call.name, str(call.arguments))) is call]
    return tuple(call.model_copy(update={"id": f"call_1_{n}"}) for n, call in enumerate(kept, 1))


def _calls(query: str, names: Iterable[str], round_: int) -> tuple[FunctionCall, ...]:
    return tuple(
        FunctionCall(id=f"call_{round_ + 1}_{n}", name=name, arguments={"query": query[:MAX_QUERY_CHARS]})
        for n, name in enumerate(names, 1)
    )
