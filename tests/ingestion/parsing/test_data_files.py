"""Data sets, logs and dumps are told from text that people read."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import DataDocument, UnreadableDocument
from ingestion.loaders import load
from ingestion.parsing.data_files import MIN_CHARS, TEXT_SUFFIXES, check_is_text, data_reason

ROOT = Path(__file__).parents[3]
SIZE = 3 * MIN_CHARS
WORDS = """
    the a of model data tree learns each student value because network gradient we show between light cell which
    energy history language function never small often where describes answer problem under simple
""".split()  # noqa: SIM905


def rows(row: Callable[[int, Random], str], size: int = SIZE) -> str:
    """Lines made by `row`, until there are `size` characters."""
    random, lines, chars = Random(7), [], 0
    while chars < size:
        lines.append(row(len(lines), random))
        chars += len(lines[-1]) + 1
    return "\n".join(lines)


def sentence(random: Random) -> str:
    return " ".join(random.choices(WORDS, k=random.randint(4, 18))).capitalize() + "."


def reason(text: str, name: str = "notes.txt") -> str | None:
    return data_reason(load(name, text.encode()))


def _measurement(n: int, random: Random) -> str:
    return f"{n},{random.random():.4f},{random.randint(1, 99)},{random.random():.3f}"


def _customer(n: int, random: Random) -> str:
    return f'{n},{random.choice(WORDS)},"{random.choice(WORDS)}, {random.choice(WORDS)}",{random.choice(WORDS)},x'


def _log_entry(n: int, random: Random) -> str:
    return f"2024-03-01 12:{n % 60:02}:01,123 {random.choice(('INFO', 'ERROR'))} server.worker: {sentence(random)}"


def _request(n: int, random: Random) -> str:
    path = "/".join(random.choices(WORDS, k=3))
    return f'10.0.0.{n % 250} - - [10/Oct/2024:13:55:{n % 60:02} +0000] "GET /{path} HTTP/1.1" 200 {n}'


def _object(n: int, random: Random) -> str:
    return json.dumps({"id": n, "text": sentence(random)})


DATA: dict[str, str] = {
    "measurements": rows(_measurement),
    "customers": rows(_customer),
    "semicolons": rows(lambda n, r: f"{n};{r.choice(WORDS)};{r.random():.2f};{r.choice(WORDS)}"),
    "tabs": rows(lambda n, r: f"{r.choice(WORDS)}\t{n}\t{r.random():.3f}\t{r.randint(1, 9)}"),
    "columns": rows(lambda n, r: "  ".join(f"{r.gauss(0, 1): .5e}" for _ in range(6))),
    "one number a line": rows(lambda n, r: str(r.randint(-9, 999))),
    "numbers on one line": " ".join(map(str, range(40_000))),
    "commas on one line": ",".join(map(str, range(40_000))),
    "log": rows(_log_entry),
    "requests": rows(_request),
    "syslog": rows(lambda n, r: f"Mar  {n % 9 + 1} 12:00:{n % 60:02} host app[{n}]: ERROR {sentence(r)}"),
    "pairs": rows(lambda n, r: f"sensor={n} value={r.random():.3f} unit=C ok=true"),
    "base64": base64.encodebytes(Random(1).randbytes(SIZE)).decode(),
    "base64 on one line": base64.b64encode(Random(1).randbytes(200_000)).decode(),
    "hex": rows(lambda n, r: f"{n * 16:08x}: " + " ".join(r.randbytes(2).hex() for _ in range(8))),
    "genes": rows(lambda n, r: "".join(r.choices("ACGT", k=70))),
    "json": json.dumps([{"id": n, "name": "Ada", "tags": ["a", "b"]} for n in range(2_000)]),
    "indented json": json.dumps([{"id": n, "text": "Some words."} for n in range(2_000)], indent=2),
    "json lines": rows(_object),
    "one endless word": "x" * 200_000,
    "one word again and again": "word " * 40_000,
}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("suffix", [".txt", ".md", ".html"])
def test_data_in_a_text_file_is_recognised(name: str, suffix: str) -> None:
    text = DATA[name]
    if suffix == ".html":
        text = f"<html><body><pre>{text}</pre></body></html>"
    with pytest.raises(DataDocument, match=r"looks like data, not text: .*is_text: true"):
        check_is_text(f"d{suffix}", load(f"d{suffix}", text.encode()))


def test_an_html_table_of_numbers_is_data() -> None:
    cells = "".join(f"<tr><td>{n}</td><td>{n / 7:.3f}</td><td>{n * n}</td></tr>" for n in range(3_000))
    assert "numbers" in (reason(f"<table>{cells}</table>", "t.html") or "")


def test_the_reason_gives_the_share() -> None:
    text = "A header in words, which says nothing more\n" * 40 + DATA["one number a line"]
    assert reason(text) == "99 % of its lines are numbers"


TEXTS: dict[str, str] = {
    "prose": rows(lambda n, r: sentence(r)),
    "one line of prose": rows(lambda n, r: sentence(r), 300_000).replace("\n", " "),
    "a transcript without punctuation": " ".join(
        Random(3).choices([f"{a}{b}" for a in WORDS for b in WORDS], k=30_000)
    ),
    "chinese on one line": "机器学习是人工智能的一个分支，它研究如何从数据中学习" * 6_000,
    "thai on one line": "การเรียนรู้ของเครื่องเป็นสาขาหนึ่ง" * 6_000,
    "poem": rows(lambda n, r: " ".join(r.choices(WORDS, k=5)) + (",", ";", "", ".")[n % 4]),
    "glossary": rows(lambda n, r: f"{r.choice(WORDS)}: {sentence(r)}"),
    "vocabulary": rows(lambda n, r: f"{r.choice(WORDS)}\t{r.choice(WORDS)}\t{r.choice(WORDS)}\t{n // 40}"),
    "schedule": rows(
        lambda n, r: f"| {n} | Sep {n % 30} | Lecture {n}: {r.choice(WORDS)} | Ch. {n}.{n % 5} | HW{n} due |"
    ),
    "office hours": rows(lambda n, r: f"Mon 10:00-11:00 and Thu 12:00-13:00 in room {n}, {r.choice(WORDS)}"),
    "exercises": rows(lambda n, r: f"{n}. Compute {r.randint(1, 99)} + {r.randint(1, 99)}."),
    "drills": rows(lambda n, r: f"{n}) {r.randint(1, 99)} × {r.randint(1, 99)} = ____"),
    "sums": rows(lambda n, r: f"{r.randint(1, 99)} + {r.randint(1, 99)} ="),
    "exam": rows(lambda n, r: f"Question {n}\nDo task number {n}.\n(A) {n}\n(B) {r.choice(WORDS)}\n(C) none\n"),
    "code": rows(lambda n, r: f"def {r.choice(WORDS)}_{n}(a, b):\n    x[{n}] = a * {n} + b\n    return f(x, {n}, 0)\n"),
    "transcript": rows(lambda n, r: f"[{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}] {sentence(r)}"),
    "subtitles": rows(lambda n, r: f"{n}\n00:00:{n % 60:02},000 --> 00:00:{n % 60:02},900\n{sentence(r)}\n"),
    "diary": rows(lambda n, r: f"2024-03-{n % 30 + 1:02} {sentence(r)}"),
    "index": rows(lambda n, r: f"{r.choice(WORDS)} {r.choice(WORDS)}, {n}, {n + 4}–{n + 6}"),
    "lists of words": rows(lambda n, r: ", ".join(r.choices(WORDS, k=4))),
    "links": rows(lambda n, r: f"- https://example.org/{'/'.join(r.choices(WORDS, k=9))} {sentence(r)}"),
    "blanks": rows(lambda n, r: f"{sentence(r)}\n{'_' * 70}\n"),
    "latex": rows(lambda n, r: f"Let $x_{n} = {r.randint(1, 9)}$ and $f(x) = x^{n}$. Then $x_{n} \\in [0, {n}]$."),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("suffix", [".txt", ".md"])
def test_course_material_is_not_taken_for_data(name: str, suffix: str) -> None:
    assert len(TEXTS[name]) >= MIN_CHARS
    assert reason(TEXTS[name], f"notes{suffix}") is None


def test_a_listing_with_numbers_in_a_page_of_text_is_not_data() -> None:
    text = rows(lambda n, r: sentence(r), 10_000)
    assert reason(f"{text}\n\n```\n{DATA['measurements']}\n```\n", "lab.md") is None


def test_a_picture_inside_a_page_of_text_is_not_data() -> None:
    picture = base64.b64encode(bytes(300_000)).decode()
    text = rows(lambda n, r: sentence(r))
    assert reason(f"# Lab\n\n![figure](data:image/png;base64,{picture})\n\n{text}", "lab.md") is None
    assert reason(f'<h1>Lab</h1><img src="data:image/png;base64,{picture}"><p>{text}</p>', "lab.html") is None


@pytest.mark.parametrize("name", DATA)
def test_small_files_are_never_data(name: str) -> None:
    assert reason(DATA[name][: MIN_CHARS - 1]) is None


def test_formats_that_are_not_text_are_never_data() -> None:
    document = load("d.txt", DATA["measurements"].encode())
    for name in ("d.pdf", "d.ipynb", "d.jsonl"):
        check_is_text(name, document)


def test_no_file_of_the_sample_courses_is_data() -> None:
    judged = [path for path in (ROOT / "data").rglob("*") if path.suffix in TEXT_SUFFIXES]
    assert len(judged) >= 20
    for path in judged:
        check_is_text(path.name, load(path.name, path.read_bytes()))


def test_no_file_of_the_shared_courses_is_data(shared_data: Path) -> None:
    judged = [path for path in shared_data.rglob("*") if path.suffix in TEXT_SUFFIXES]
    assert judged
    for path in judged:
        check_is_text(path.name, load(path.name, path.read_bytes()))


LINES = st.lists(st.sampled_from(WORDS), min_size=4, max_size=14).map(lambda words: " ".join(words) + ".")


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, min_size=5, max_size=40), st.integers(0, 4), st.randoms(use_true_random=False))
def test_text_with_a_part_of_numbers_is_text(lines: list[str], numbers: int, random: Random) -> None:
    """Up to four lines of numbers to six of words, at any place, as often as needed for a large file."""
    mixed = [*lines, *(f"{n}, {n * n}, {n / 3:.3f}" for n in range(numbers * len(lines) // 6))]
    random.shuffle(mixed)
    text = "\n".join(mixed) + "\n"
    assert reason(text * (1 + SIZE // len(text))) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=9), st.sampled_from(" \t,;|"))
def test_rows_of_numbers_are_data_however_they_are_written(numbers: list[float], mark: str) -> None:
    row = mark.join(map(str, numbers)) + "\n"
    assert reason(row * (1 + SIZE // len(row))) == "100 % of its lines are numbers"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.sampled_from(("txt", "md", "html")), st.booleans())
def test_any_text_is_judged_without_failing(part: str, suffix: str, one_line: bool) -> None:
    text = (part.replace("\n", " ") if one_line else part + "\n") * (1 + SIZE // max(len(part), 1))
    try:
        document = load(f"a.{suffix}", text.encode("utf-8", "replace"))
    except UnreadableDocument:
        return
    data_reason(document)
