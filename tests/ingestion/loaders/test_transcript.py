from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import EmptyDocument, UnreadableDocument
from core.text.clock import clock
from ingestion.loaders import load

VTT = """WEBVTT - Lecture 3: Sampling
Kind: captions

STYLE
::cue { color: white }

NOTE the answer key is in the drive

intro
00:01.000 --> 00:04.500 align:start position:0%
<v Prof. Ada>Welcome &amp; good <i>morning</i>.

00:04.500 --> 00:08.000
<v Prof. Ada>Today: samples.

01:02:03.250 --> 01:02:05.000
<v Bo>Is that <00:04:01.000><c>biased</c>?
"""
SRT = """1
00:00:01,000 --> 00:00:02,500
Hello there

2
00:00:02,500 --> 00:00:04,000
General
remarks

with a gap
3
00:00:05,000 --> 00:00:06,000
{\\an8}The end
"""


def _texts(name: str, text: str) -> list[str]:
    return [line.text for line in load(name, text.encode()).lines if line.text]


def test_a_webvtt_file_is_read_without_its_marks() -> None:
    document = load("l3.vtt", VTT.encode())
    assert document.title == "Lecture 3: Sampling"
    assert [line.text for line in document.lines if line.text] == [
        *("0:01", "Prof. Ada: Welcome & good morning.", "Today: samples."),
        *("1:02:03", "Bo: Is that biased?"),
    ]
    assert [line.text for line in document.lines if line.level] == ["0:01", "1:02:03"]


def test_lines_carry_their_times() -> None:
    document = load("l3.vtt", VTT.encode())
    assert document.lines[3].seconds == (4.5, 8.0)
    assert document.lines[6].seconds == (3723.25, 3725.0)


def test_a_subrip_file_loses_only_its_numbers() -> None:
    assert _texts("l.srt", SRT) == ["0:01", "Hello there", "General remarks with a gap", "The end"]


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm() -> None:
    document = load("l.srt", b"\xef\xbb\xbf" + SRT.replace("\n", "\r\n").encode())
    assert document.lines == load("l.srt", SRT.encode()).lines


def test_captions_that_roll_are_said_once() -> None:
    rolling = """WEBVTT

00:00:00.000 --> 00:00:02.000
so<c> the mean is</c>

00:00:02.000 --> 00:00:02.010
so the mean is

00:00:02.010 --> 00:00:04.000
so the mean is
the sum over n

00:00:04.000 --> 00:00:06.000
the sum over n
and no more
"""
    assert _texts("l.vtt", rolling)[1:] == ["so the mean is", "the sum over n", "and no more"]


def test_captions_that_grow_are_said_once() -> None:
    growing = "\n\n".join(
        f"00:00:0{n}.000 --> 00:00:0{n + 1}.000\n{text}"
        for n, text in enumerate(["a walk of length", "a walk of length two", "a walk of length two ends"])
    )
    assert _texts("l.srt", growing)[1:] == ["a walk of length two ends"]


def test_what_a_speaker_says_twice_stays() -> None:
    twice = "00:00:01,000 --> 00:00:02,000\nYes.\n\n00:00:09,000 --> 00:00:10,000\nYes.\n"
    assert _texts("l.srt", twice)[1:] == ["Yes.", "Yes."]


def test_sections_end_at_the_first_sentence_behind_a_minute() -> None:
    cues = (
        f"{clock_of(second)} --> {clock_of(second + 5)}\n{'It ends.' if second in (65, 130) else 'it goes on'}\n"
        for second in range(0, 200, 5)
    )
    document = load("l.srt", "\n".join(cues).encode())
    assert [line.text for line in document.lines if line.level] == ["0:00", "1:10", "2:15"]


def test_a_section_without_sentences_ends_all_the_same() -> None:
    cues = (f"{clock_of(second)} --> {clock_of(second + 5)}\nand then {second}\n" for second in range(0, 200, 5))
    document = load("l.srt", "\n".join(cues).encode())
    assert [line.text for line in document.lines if line.level] == ["0:00", "1:30", "3:00"]


def clock_of(second: int) -> str:
    return f"00:{second // 60:02}:{second % 60:02},000"


@pytest.mark.parametrize("name", ["l.vtt", "l.srt"])
def test_a_file_without_times_is_unreadable(name: str) -> None:
    with pytest.raises(UnreadableDocument, match="no line holds times"):
        load(name, b"WEBVTT\n\nSome words\n")


def test_times_without_words_are_an_empty_document() -> None:
    with pytest.raises(EmptyDocument, match="no words"):
        load("l.vtt", b"WEBVTT\n\n00:00.000 --> 00:01.000\n<c></c>\n")


WORDS = st.lists(st.sampled_from(["sample", "mean", "walk", "proof", "graph", "edge"]), min_size=1, max_size=6).map(
    " ".join
)
CUES = st.lists(st.tuples(st.integers(0, 9_000), st.integers(1, 20), WORDS), min_size=1, max_size=40)


def _written(suffix: str, cues: list[tuple[int, int, str]]) -> bytes:
    mark = "," if suffix == ".srt" else "."
    rows = ["WEBVTT", ""] if suffix == ".vtt" else []
    for number, (start, length, text) in enumerate(cues, start=1):
        first, last = (f"{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}{mark}000" for s in (start, start + length))
        rows += [str(number), f"{first} --> {last}", text, ""]
    return "\n".join(rows).encode()


@pytest.mark.parametrize("suffix", [".vtt", ".srt"])
@given(cues=CUES)
@settings(max_examples=60, deadline=None)
def test_every_word_is_said_and_times_never_go_back(suffix: str, cues: list[tuple[int, int, str]]) -> None:
    document = load(f"l{suffix}", _written(suffix, cues))
    said = " ".join(line.text for line in document.lines)
    assert all(text in said for _, _, text in cues)
    starts = [line.seconds[0] for line in document.lines if line.seconds]
    assert len(starts) == len(document.lines)
    assert starts == sorted(starts)
    assert starts[0] == min(start for start, _, _ in cues)


@given(cues=CUES)
@settings(max_examples=60, deadline=None)
def test_sections_are_headed_by_their_time_and_end_in_time(cues: list[tuple[int, int, str]]) -> None:
    begun = 0.0
    for line in load("l.vtt", _written(".vtt", cues)).lines:
        assert line.seconds is not None
        if line.level:
            begun = line.seconds[0]
            assert line.text == clock(begun)
        assert line.seconds[0] - begun < 90


def test_words_may_follow_an_empty_line_and_times_may_lack_fractions() -> None:
    vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n\nLimits come first.\n\nNOTE no words\n\nb\n00:03 --> 00:04\nThen sums.\n"
    assert [line.text for line in load("a.vtt", vtt.encode()).lines] == ["0:01", "", "Limits come first.", "Then sums."]
    srt = "1\n0:00:01 --> 0:00:02\nOne word\n\n2\n0:00:02-->0:00:03,5\nTwo words\n"
    assert [line.text for line in load("a.srt", srt.encode()).lines] == ["0:01", "", "One word", "Two words"]


def test_a_caption_without_words_takes_none_of_the_next_one() -> None:
    vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n\nsecond\n00:03.000 --> 00:04.000\nOnly this.\n"
    assert [line.text for line in load("a.vtt", vtt.encode()).lines] == ["0:03", "", "Only this."]
