"""Recognises data, logs and dumps named like text; what no rule is sure about is text."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath

from core.errors import DataDocument
from ingestion.document import Line, LineKind, LoadedDocument

TEXT_SUFFIXES = (".txt", ".md", ".markdown", ".html", ".htm", ".qmd", ".rmd", ".rst", ".org", ".tex")
MIN_CHARS = 20_000
"""Smaller documents are never data: they cost little, and may be a table that a course needs."""
MIN_RECORDS = 200
"""Fewer rows may be a schedule."""
GIANT_LINE_CHARS = 100_000
MIN_VOCABULARY = 300
"""Different words in a sample of a transcript."""
SAMPLE_LINES = 2_000
LINE_CHARS = 2_000
"""Longer lines are looked at in pieces of this length."""
SHARE = 0.9
"""Share of the lines that must be alike."""
CODE_SHARE = 0.95
"""Code is left out of the decision, unless a document is nothing else: a listing may well hold a table of numbers."""

_FIELD_BORDER = re.compile(r"[\s,;|]+")
_NUMBER = re.compile(
    r"[(\"'<$€£¥#+\-−–]*\d[\d.,:/%°'\"\-−–+eETZ()]*[)\"'>%]*|(?=[a-f]*\d)[\da-f]{2,}|NA|NaN|nan|null|-+|\."
)
_OPERATOR = re.compile(r"[=×÷√∫∑≤≥≈_]|(?:^|\s)[+*/^<>]\s")
_RUN = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
_SENTENCE_END = re.compile(r"[.!?…][\"')\]]*(?:\s|$)|[。！？；।॥؟]")
_UNSPACED_SCRIPT = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"
)
_WORD = re.compile(r"[\W_]{0,2}[^\W\d_]+(?:['’-][^\W\d_]+)*[\W_]{0,2}")
_PAIR = re.compile(r"(?<![\w/?&])[\w.\-]+=(?:\"[^\"]*\"|[^\s=]+)")
_TIME = re.compile(
    r"^\W{0,3}(?:\S++\s++){0,4}?\W*+(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.](?:\d\d?|[A-Z][a-z]{2})[-/.]\d{2,4}"
    r"|(?:[A-Z][a-z]{2} +\d\d? +)?\d\d:\d\d:\d\d)"
)
_LEVEL = re.compile(r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b")
_REQUEST = re.compile(r"\"(?:GET|POST|PUT|PATCH|HEAD|DELETE|OPTIONS) ")


def check_is_text(name: str, document: LoadedDocument) -> None:
    """Raises `DataDocument` if a text file looks like data."""
    if PurePosixPath(name).suffix.lower() in TEXT_SUFFIXES and (reason := data_reason(document)):
        raise DataDocument(
            f"{name}: looks like data, not text: {reason}. Remove or rename it; if it is text after all, say "
            "`is_text: true` in a rule for it under `documents` in the course file."
        )


def data_reason(document: LoadedDocument) -> str | None:
    """Why a document is taken for data ("98 % of its lines are numbers"); None for text."""
    lines = _lines_to_judge(document)
    if sum(len(line) for line in lines) < MIN_CHARS:
        return None
    if _is_json(lines):
        return "it is one JSON value"
    if reason := _giant_line(lines):
        return reason
    sample = list(_sample(lines))
    for words, is_alike in _ALIKE.items():
        share = sum(map(is_alike, sample)) / len(sample)
        if share >= SHARE:
            return f"{_percent(share)} of its lines {words}"
    return _table(sample)


def _lines_to_judge(document: LoadedDocument) -> list[str]:
    lines = [line for line in document.lines if line.text.strip()]
    prose = [line for line in lines if line.kind is LineKind.PROSE]
    return _texts(prose if _size(prose) > (1 - CODE_SHARE) * _size(lines) else lines)


def _texts(lines: Sequence[Line]) -> list[str]:
    return [line.text.strip() for line in lines]


def _size(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _sample(lines: Sequence[str]) -> Iterator[str]:
    pieces = sum(1 + len(line) // LINE_CHARS for line in lines)
    step = max(1, pieces // SAMPLE_LINES)
    position = 0
    for line in lines:
        for start in range(0, len(line) or 1, LINE_CHARS):
            if position % step == 0 and (piece := line[start : start + LINE_CHARS].strip()):
                yield piece
            position += 1


def _is_json(lines: Sequence[str]) -> bool:
    if not (lines[0].startswith(("{", "[")) and lines[-1].endswith(("}", "]"))):
        return False
    try:
        json.loads("\n".join(lines), strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _giant_line(lines: Sequence[str]) -> str | None:
    """A line that is nearly the whole document, in a script with spaces, and has no sentences."""
    longest = max(lines, key=len)
    if len(longest) < max(GIANT_LINE_CHARS, SHARE * sum(map(len, lines))):
        return None
    pieces = list(_sample([longest]))
    size = sum(map(len, pieces))
    sentences = sum(len(_SENTENCE_END.findall(piece)) for piece in pieces)
    unspaced = sum(len(_UNSPACED_SCRIPT.findall(piece)) for piece in pieces)
    if unspaced > size / 3 or sentences * LINE_CHARS >= size or _is_speech(pieces):
        return None
    return f"one line of {len(longest):,} characters without sentences"


def _is_speech(pieces: Sequence[str]) -> bool:
    """Plain words of a rich vocabulary, as transcripts made by machines have them, without punctuation."""
    fields = [field for piece in pieces for field in piece.split()]
    words = [field for field in fields if _WORD.fullmatch(field)]
    return len(words) >= 0.8 * len(fields) and len(set(words)) >= MIN_VOCABULARY


def _is_numbers(line: str) -> bool:
    fields = [field for field in _FIELD_BORDER.split(line) if field]
    if not fields or _OPERATOR.search(line):
        return False
    return sum(1 for field in fields if _NUMBER.fullmatch(field)) >= 0.75 * len(fields)


def _is_unbroken(line: str) -> bool:
    """Base64, hashes, sequences of genes."""
    return sum(map(len, _RUN.findall(line))) >= 0.8 * len(line)


def _is_record(line: str) -> bool:
    if line.startswith(("{", "[")) and line.rstrip(",").endswith(("}", "]")):
        try:
            return bool(isinstance(json.loads(line.rstrip(",")), (dict, list)))
        except (ValueError, RecursionError):
            return False
    pairs = _PAIR.findall(line)
    return len(pairs) >= 3 and sum(map(len, pairs)) >= 0.5 * len(line)


def _is_log_entry(line: str) -> bool:
    return bool(_TIME.match(line) and (_LEVEL.search(line) or _REQUEST.search(line) or len(_PAIR.findall(line)) >= 2))


_ALIKE: dict[str, Callable[[str], bool]] = {
    "are numbers": _is_numbers,
    "are unbroken runs of letters and digits, as in encoded files": _is_unbroken,
    "are records": _is_record,
    "are entries of a log": _is_log_entry,
}


def _table(sample: Sequence[str]) -> str | None:
    if len(sample) < MIN_RECORDS:
        return None
    for mark, kind in ((",", "comma"), (";", "semicolon"), ("\t", "tab")):
        rows = [_cells(line, mark) for line in sample]
        columns, count = Counter(map(len, rows)).most_common(1)[0]
        if columns >= 4 and count >= SHARE * len(rows) and _is_written_by_program(rows, mark):
            return f"{_percent(count / len(rows))} of its lines are rows of {columns} columns, a {kind} between"
    return None


def _percent(share: float) -> str:
    """Rounded down, so that 100 % means all."""
    return f"{int(100 * share)} %"


def _cells(line: str, mark: str) -> list[str]:
    if line.count('"') % 2:
        return line.split(mark)
    return next(csv.reader([line], delimiter=mark), [])


def _is_written_by_program(rows: Sequence[Sequence[str]], mark: str) -> bool:
    """People put a space behind a comma; a list of words between tabs holds few numbers."""
    cells = [cell for row in rows for cell in row[1:]]
    if mark == "\t":
        return sum(1 for cell in cells if any(map(str.isdigit, cell))) >= 0.4 * len(cells)
    return sum(1 for cell in cells if cell.startswith(" ")) <= 0.1 * len(cells)
