"""What the words of a file's name say: solutions, grading, and of which assignment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath
from unicodedata import normalize

from ingestion.naming.words import (
    AFTER_OTHERWISE,
    BEFORE_OTHERWISE,
    CJK_SOLUTIONS,
    COPIES,
    FILLERS,
    FORMAT_WORDS,
    GLUED,
    GRADED,
    LINKS,
    QUIZZES,
    SHEETS,
    SHORT_SOLUTIONS,
    SHORT_STAFF,
    SOLUTIONS,
    STAFF,
    STARTERS,
    SUBJECTS,
    TESTS,
    UNANNOUNCED,
    plain,
)

_RUN = re.compile(r"\d+|[^\W\d_]+")
_CAPITAL = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{2})")
_CJK = re.compile("|".join(CJK_SOLUTIONS))
_SOLUTIONS, _STAFF = SOLUTIONS | SHORT_SOLUTIONS | set(CJK_SOLUTIONS), STAFF | SHORT_STAFF
_MARKS = _SOLUTIONS | _STAFF
_STRONG = SOLUTIONS | STAFF | set(CJK_SOLUTIONS)
_NEUTRAL = _MARKS | SHEETS | FILLERS
_UNSEEN = frozenset(("hidden", "private", "secret", "staff", "instructor", "instructors", "autograder", "grader"))
"""Beside "tests", what says that students do not see them."""
_SHORT_FORMS = frozenset(("sol", "sols", "ans", "sln"))
_MIN_MARK, _MAX_RUN, _MAX_DIGITS = 3, 60, 2
_MAX_COMMENT, _WORDS_OF_COMMENT = 80, 2
_EDGES = " -_.,([{)]}"


class NameKind(Enum):
    SOLUTION = "solutions"
    STAFF = "a text for those who grade"
    TESTS = "hidden tests"
    QUIZ = "an unannounced quiz"


UNSEEN = (NameKind.TESTS, NameKind.QUIZ)
"""What students have not seen yet, and what is no solution."""


@dataclass(frozen=True, slots=True)
class NameEvidence:
    """A word in a name that says what a file is: `certain` without another reading, `graded` for work handed in."""

    kind: NameKind
    word: str
    certain: bool
    graded: bool
    rest: str
    """The name without the word and what is said of it; empty where nothing is left."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        return self.text.isdigit()


@dataclass(frozen=True, slots=True)
class FileName:
    """What a path says; `pair` is shared by an assignment and its solution."""

    pair: str
    evidence: NameEvidence | None

    @property
    def is_solution(self) -> bool:
        """Whether it belongs to an assignment as its solution or as what graders read beside it."""
        return self.evidence is not None and self.evidence.kind not in UNSEEN


_PRINTED = re.compile(
    r"(?:[\d/.,: ]|[AP]M)*(?:file|https?)://\S{0,300}/([^\s/?#]{1,100}\.(?:html?|php|ipynb|md|pdf))"
    r"(?:[?#]\S*)?(?:[\d/ ]|of)*",
    re.IGNORECASE,
)
"""An address, with no more beside it than a date and a page's number."""


@lru_cache(maxsize=10_000)
def read_file_name(name: str) -> FileName:
    """Read a path; `hw3/hw3.pdf`, `hw3/solutions.md` and `solutions/hw3/hw3.pdf` share the pair `hw3/hw3`."""
    path = PurePosixPath(normalize("NFC", name))
    *folders, stem = [*path.parts[:-1], path.stem] if path.parts else [""]
    parts = [(part, read_part(part)) for part in (*folders, stem)]
    evidence = [found for _, found in parts if found]
    plain_parts = [part if not found or found.kind in UNSEEN else found.rest for part, found in parts]
    *plain_folders, plain_stem = plain_parts
    plain_folders = [folder for folder in plain_folders if folder]
    pair = "/".join([*plain_folders, plain_stem or (plain_folders[-1] if plain_folders else "")]).casefold()
    certain = [found for found in evidence if found.certain]
    return FileName(pair, next(iter([*certain[::-1], *evidence[::-1]]), None))


def pair_of(name: str) -> tuple[str, bool]:
    """The name that an assignment and its solution document share, and whether this is the solution."""
    reading = read_file_name(name)
    return reading.pair, reading.is_solution


def says_solution(identifier: str) -> bool:
    """Whether an identifier names a solution: "q3-solution", "answer_key"; not "has-solution" or "answer-choices"."""
    evidence = read_part(identifier)
    return evidence is not None and (
        evidence.kind is NameKind.TESTS or evidence.word in SOLUTIONS | set(CJK_SOLUTIONS) | _SHORT_FORMS
    )


def says_printed_solution(line: str) -> str:
    """The file name in the address of a printed web page, if it names a solution: ".../hw3_solution.html"; else ""."""
    address = _PRINTED.fullmatch(line.strip())
    return address[1] if address and says_solution(PurePosixPath(address[1]).stem) else ""


def words_of(name: str) -> frozenset[str]:
    """The words of a path, without accents and in lower case."""
    path = PurePosixPath(name)
    return frozenset(word.text for part in (*path.parts[:-1], path.stem) for word in _split(part))


def is_starter(name: str) -> bool:
    """Whether a path says that students begin with the file."""
    return not (STARTERS | AFTER_OTHERWISE).isdisjoint(words_of(name))


def says_same_work(solution: str, pair: str, sheet: str) -> bool:
    """Whether the path of a sheet has all words of a solution's pair and numbers of its name, and no other number."""
    path, own = PurePosixPath(normalize("NFC", sheet)), PurePosixPath(normalize("NFC", pair))
    numbers = _short_numbers(PurePosixPath(normalize("NFC", solution)).stem)
    words = (_plain_runs(own.name) - FORMAT_WORDS) | numbers
    others = _short_numbers(path.stem) - numbers
    return bool(words) and words <= _plain_runs(str(path.with_suffix(""))) and others <= _plain_runs(str(own))


def _short_numbers(stem: str) -> frozenset[str]:
    return frozenset(run for run in _plain_runs(stem) if run.isdigit() and len(run) <= _MAX_DIGITS)


def _plain_runs(text: str) -> frozenset[str]:
    return frozenset(run.lstrip("0") or run for run in _RUN.findall(plain(text)))


def announces_hidden(text: str) -> bool:
    """Whether a comment says that students do not see what follows: "Hidden tests (q1)", "staff only"."""
    first = [word for word in _split(text[:_MAX_COMMENT]) if not word.is_number][:_WORDS_OF_COMMENT]
    texts = [word.text for word in first]
    is_only = len(texts) > 1 and texts[0] in _UNSEEN | STAFF | SHORT_STAFF and texts[1] == "only"
    return is_only or bool(_hidden_tests(first))


def says_staff(identifier: str) -> bool:
    """Whether an identifier is named for those who grade: "rubric", "staff-only", "ta_notes"; not "staff-list"."""
    evidence = read_part(identifier)
    if evidence is None or evidence.kind is not NameKind.STAFF:
        return False
    return evidence.word in STAFF or not COPIES.isdisjoint(word.text for word in _split(identifier))


def read_part(part: str) -> NameEvidence | None:
    """What the name of a folder, or of a file without its suffix, says."""
    words = _split(part)
    texts = [word.text for word in words]
    if tests := _hidden_tests(words):
        return NameEvidence(NameKind.TESTS, tests, certain=True, graded=False, rest=part)
    marks = [index for index, text in enumerate(texts) if _is_mark(texts, index)]
    if not marks:
        quiz = next((f"{a} {b}" for a, b in pairwise(texts) if a in UNANNOUNCED and b in QUIZZES), "")
        is_stack = "push" in texts  # "push_pop_quiz" is on stacks.
        return None if is_stack or not quiz else NameEvidence(NameKind.QUIZ, quiz, False, False, part)
    mark = next((index for index in marks if texts[index] in _STRONG), marks[0])
    kind = NameKind.SOLUTION if any(texts[index] in _SOLUTIONS for index in marks) else NameKind.STAFF
    others = [word for index, word in enumerate(words) if index not in marks]
    is_sheet = any(word.is_number or word.text in SHEETS for word in others)
    is_plain = all(word.is_number or len(word.text) == 1 or word.text in _NEUTRAL for word in others)
    certain = is_plain or (is_sheet and texts[mark] in _STRONG)
    graded = any(word.text in GRADED for word in others)
    return NameEvidence(kind, texts[mark], certain, graded, _rest(part, words, marks))


def _is_mark(texts: Sequence[str], index: int) -> bool:
    text, before, behind = texts[index], texts[:index], texts[index + 1 :]
    if text not in _MARKS or (before and before[-1] in BEFORE_OTHERWISE) or not AFTER_OTHERWISE.isdisjoint(behind):
        return False
    others = [other for other in (*before, *behind) if not other.isdigit() and len(other) > 1]
    is_sheet = any(other.isdigit() or other in SHEETS for other in (*before, *behind))
    if text in _STRONG:
        is_subject = bool(before) and before[-1] in SUBJECTS
        is_of_other = bool(behind) and behind[0] in LINKS and not is_sheet
        return not (is_subject or is_of_other)
    if all(other in _NEUTRAL for other in others):
        return True
    # "hw2_recursion_key", "key_hw2_recursion"; not "hw1_key_terms".
    is_last = all(other.isdigit() or other in FILLERS for other in behind)
    is_first = not before and (behind[0].isdigit() or behind[0] in SHEETS)
    return is_sheet and (is_last or is_first)


def _hidden_tests(words: Sequence[_Word]) -> str:
    texts = [word.text for word in words if not word.is_number]
    for first, second in pairwise(texts):
        if (first in _UNSEEN and second in TESTS) or (first in TESTS and second in _UNSEEN):
            return f"{first} {second}"
    return ""


def _rest(part: str, words: Sequence[_Word], marks: Sequence[int]) -> str:
    """The name without its marks: what stands in front of them, else what they are said to be of."""
    first = marks[0]
    while first and words[first - 1].text in _BESIDE:
        first -= 1
    if first:
        front, behind = part[: words[first].start].rstrip(_EDGES), words[marks[0] + 1 :]
        # "Sheet_Solution3" is of sheet 3.
        is_numbered = behind and behind[0].is_number and len(behind[0].text) <= _MAX_DIGITS
        return front + behind[0].text if is_numbered and not any(c.isdigit() for c in front) else front
    index = marks[0]
    while index < len(words) and (index in marks or words[index].text in LINKS | _BESIDE | {"the"}):
        index += 1
    left = words[index:]
    if all(word.is_number or (word.text in FILLERS and word.text not in GRADED) for word in left):
        return ""
    return part[left[0].start :].strip(_EDGES)


_BESIDE = frozenset(
    "model sample suggested reference official muster all complete full worked staff marking with and".split()  # noqa: SIM905
)
"""What is said of solutions in front of them."""


def _split(part: str) -> list[_Word]:
    part = normalize("NFC", part)
    words: list[_Word] = []
    for run in _RUN.finditer(part):
        words += _split_run(run.group(), run.start())
    return words


def _split_run(run: str, start: int) -> list[_Word]:
    if run.isdigit() or len(run) > _MAX_RUN:
        return [_Word(run, start, start + len(run))]
    if match := _CJK.search(run):
        pieces = [run[: match.start()], match.group(), run[match.end() :]]
    else:
        pieces = _segment(plain(run)) or [
            piece for capital in _CAPITAL.split(run) for piece in (_segment(plain(capital)) or [plain(capital)])
        ]
    words: list[_Word] = []
    for piece in pieces:
        if piece:
            words.append(_Word(plain(piece) if piece.isascii() else piece, start, start + len(piece)))
        start += len(piece)
    return words


def _segment(run: str) -> list[str]:
    """The run as the fewest known words, one of them a mark ("labkey", not "keynote"); empty if impossible."""
    if run in _NEUTRAL or run in LINKS:
        return [run]
    strong = _cover(run, (_STRONG, _MARKS, SHEETS, FILLERS))
    if any(piece in _STRONG for piece in strong):
        return strong
    short = _cover(run, (_MARKS, GLUED)) or _cover(run, (SHORT_STAFF, COPIES), min_chars=2)
    return short if any(piece in _MARKS for piece in short) else []


def _cover(run: str, vocabularies: Sequence[frozenset[str]], min_chars: int = _MIN_MARK) -> list[str]:
    best: list[list[str] | None] = [[], *([None] * len(run))]
    for end in range(1, len(run) + 1):
        for start in range(end):
            piece, before = run[start:end], best[start]
            is_known = any(piece in words for words in vocabularies)
            if before is None or not is_known or (len(piece) < min_chars and piece not in GRADED):
                continue
            current = best[end]
            if current is None or len(before) + 1 < len(current):
                best[end] = [*before, piece]
    return best[-1] or []
