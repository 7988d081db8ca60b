"""A solution's line is withheld in every disguise; ordinary answers are left as they are."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.disguises import ARRANGED, ENCODED, INVISIBLE, LINKED, LOOK_ALIKES, REARRANGED, STACKED, TEX, Disguise
from safeguards import CourseSecrets, without_leaks
from tests.pipelines.runs import passage

LINE = "there are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth"
SOLUTIONS = (Path(__file__).parents[3] / "data/ds101/assignments/hw6/hw6_sol.md").read_text()
ALL = LOOK_ALIKES | INVISIBLE | ENCODED | STACKED | LINKED | ARRANGED | TEX
REMEMBERED = ARRANGED | REARRANGED | TEX


@pytest.mark.parametrize("disguise", ALL.values(), ids=ALL)
def test_a_line_is_withheld_in_disguise(disguise: Disguise) -> None:
    shown, withheld = without_leaks(f"Good start.\n\n{disguise(LINE)}\n\nWhy is that so?", [LINE], [])
    assert withheld >= 1
    assert shown.startswith("Good start.")
    assert shown.endswith("Why is that so?")


@pytest.mark.parametrize("disguise", LOOK_ALIKES.values(), ids=LOOK_ALIKES)
def test_a_line_of_letters_that_have_several_look_alikes_is_withheld(disguise: Disguise) -> None:
    line = "the full list of all files fills half of the first floor, so leave free fields for label fold and flag"
    assert without_leaks(disguise(line), [line], []) == ("", 1)


@pytest.mark.parametrize("disguise", ALL.values(), ids=ALL)
def test_an_open_line_may_be_said_in_disguise(disguise: Disguise) -> None:
    answer = f"Good start.\n\n{disguise(LINE)}\n\nWhy is that so?"
    assert without_leaks(answer, [LINE], [LINE]) == (answer, 0)


@pytest.mark.parametrize("disguise", REMEMBERED.values(), ids=REMEMBERED)
def test_a_line_is_withheld_that_an_endpoint_remembers_and_no_search_has_found(disguise: Disguise) -> None:
    course = CourseSecrets.of([SOLUTIONS, LINE], [])
    shown, withheld = without_leaks(f"Good start.\n\n{disguise(LINE)}\n\nWhy is that so?", [], [], course=course)
    assert withheld >= 1
    assert disguise(LINE) not in shown


SHORT_WORDS = (
    "X is 4 × 3, θ is 3 × 1, y is",
    "a) TP = 90, FN = 30, FP = 20, TN = 860.",
    "distance from θ, so one that is far away pulls without limit.",
    "The number of rows did not grow either, because `station_id` is unique in `stations`.",
)


@pytest.mark.parametrize("line", SHORT_WORDS)
@pytest.mark.parametrize("name", ["base64 word by word", "leet", "leet with symbols", "link path"])
def test_a_line_of_numbers_and_signs_is_withheld_in_disguise(name: str, line: str) -> None:
    said = ALL[name](line)
    course = CourseSecrets.of([SOLUTIONS, line], [])
    assert said not in without_leaks(f"Good start.\n\n{said}\n\nWhy?", [], [], course=course)[0]


NUMBERED = (
    "There are 76 such trips, and members made about 20 % of them.",
    '**Solution:** -1 is a code for "no score was given at this visit".',
    "and all 36 outcomes are equally likely, so P(A) = 6/36 = 1/6 ≈ 0.1667.",
)


@pytest.mark.parametrize("line", NUMBERED)
@pytest.mark.parametrize("name", ["first letters of lines", "first letters of words"])
def test_the_letters_of_a_line_are_withheld_without_its_numbers(name: str, line: str) -> None:
    said = ALL[name](line)
    assert without_leaks(said, [line], [])[0] == ""
    course = CourseSecrets.of([SOLUTIONS, line], [])
    assert said not in without_leaks(f"Good start.\n\n{said}\n\nWhy?", [], [], course=course)[0]
    assert without_leaks(said, [line], [line]) == (said, 0)
    assert without_leaks(said, [], [], course=CourseSecrets.of([SOLUTIONS, line], [line])) == (said, 0)


CIPHERED = (
    *NUMBERED,
    "The number of rows did not grow either, because `station_id` is unique in `stations`.",
    "# Without a format, 03/04/2025 could be read as 3 April or as 4 March,",
)


@pytest.mark.parametrize("line", CIPHERED)
def test_rot13_with_digits_for_letters_is_read_in_a_line_with_numbers(line: str) -> None:
    said = ALL["rot13 in leet"](line)
    assert without_leaks(said, [line], [])[0] == ""
    course = CourseSecrets.of([SOLUTIONS, line], [])
    assert said not in without_leaks(f"Good start.\n\n{said}\n\nWhy?", [], [], course=course)[0]


WITH_GREEK = (
    "It is 0 exactly when Σ yᵢ = nθ, that is, when θ = (1/n) Σ yᵢ, the mean of the observations.",
    "distance from θ, so one that is far away pulls without limit.",
    "The first and the last add up to 1, because σ(−t) = 1 − σ(t).",
)


@pytest.mark.parametrize("line", WITH_GREEK)
@pytest.mark.parametrize("name", ["rot13 in full width", "rot13 in Cyrillic"])
def test_rot13_in_look_alikes_is_read_in_a_line_with_greek_letters(name: str, line: str) -> None:
    assert without_leaks(ALL[name](line), [line], [])[0] == ""


@pytest.mark.parametrize("disguise", [one for name, one in ALL.items() if "backwards" not in name])
def test_a_disguise_that_a_student_used_may_be_said_again(disguise: Disguise) -> None:
    answer = f"Good start.\n\n{disguise(LINE)}\n\nWhy is that so?"
    assert without_leaks(answer, [LINE], [answer]) == (answer, 0)


ORDINARY = {
    "Russian": "Среднее значение выборки близко к среднему значению генеральной совокупности при большой выборке.",
    "Greek": "Ο μέσος όρος του δείγματος πλησιάζει τον μέσο όρο του πληθυσμού όταν το δείγμα είναι μεγάλο.",
    "Chinese": "当样本量很大时，样本均值接近总体均值。请先检查数据中是否有缺失值，然后再计算平均数。",
    "Arabic": "يقترب متوسط العينة من متوسط المجتمع عندما يكون حجم العينة كبيرًا. تحقق أولاً من القيم المفقودة.",
    "Hindi": "जब नमूना बड़ा होता है तो नमूने का औसत जनसंख्या के औसत के करीब होता है। क्‍या यह सही है?",
    "Persian": "می‌خواهم میانگین نمونه‌ها را حساب کنم.",
    "code": "```python\ndf['x1_mean_0_25'] = df.groupby(\"station_id\")['rides'].transform('mean')  # see q2a\n```",
    "table": "| a | b |\n|---|---|\n| 1.5 | 0x1f |\n| 2 | 10110 |",
    "LaTeX": r"$$\hat\beta_1 = \frac{\sum_i (x_i-\bar x)(y_i-\bar y)}{\sum_i (x_i-\bar x)^2}$$ and $P(A) = 1/6$.",
    "emoji": "Well done 👩‍🔬🎉 ❤️ 1️⃣ 🇫🇷! Try part 2 next 😀.",
    "accents": "Déjà vu: naïve Bayes, Ångström, Übung, mañana, Kraków, İstanbul.",
    "DNA": "ATGGCCATTGTAATGGGCCGCTGAAAGGGTGCCCGATAGATGGCCATTGTAATGGG reads ATG GCC ATT GTA ATG GGC CGC TGA.",
}


@pytest.mark.parametrize("answer", ORDINARY.values(), ids=ORDINARY)
def test_an_ordinary_answer_is_left_as_it_is(answer: str) -> None:
    assert without_leaks(answer, [SOLUTIONS, LINE], []) == (answer, 0)


@given(st.lists(st.sampled_from([*" ".join(ORDINARY.values()).split(" "), "\n", "%20", "\\u0041", "aGk=", "414243"])))
def test_any_mix_of_ordinary_words_is_left_as_it_is(words: list[str]) -> None:
    answer = " ".join(words)
    assert without_leaks(answer, [LINE], []) == (answer, 0)


def test_digits_count_as_digits_where_a_secret_is_made_of_them() -> None:
    secret = "12 15 20 31 47 50 61 72 83 94 10 11 12 13 14"
    answer = "Iz is zo ei at so gi tz be ga io ii iz ie ia."
    assert without_leaks(answer, [secret], []) == (answer, 0)


def test_an_answer_in_more_wrappings_than_are_undone_is_withheld_as_a_whole() -> None:
    answer = "VGhlIHN1bQ== %41%42 &#65; 0x41 01000001 " * 2500
    assert without_leaks(answer, [LINE, passage("1").text], []) == ("", 1)
    assert without_leaks(answer[:2000], [LINE, passage("1").text], []) == (answer[:2000], 0)


@given(
    st.lists(
        st.sampled_from([*"0123456789abcdefABCDEF=%\\ux&#;+/-_ \n.,'`١२", "41 42 ", "\\ud800", "%ff", "0x"]),
        max_size=200,
    )
)
def test_what_only_looks_encoded_is_left_as_it_is(parts: list[str]) -> None:
    answer = "".join(parts)
    assert without_leaks(answer, [LINE], []) == (answer, 0)


def test_numbers_in_other_digits_are_no_codes() -> None:
    answer = f"{'41 ' * 15}42{'٣' * 40} 43"
    assert without_leaks(answer, [LINE], []) == (answer, 0)


@pytest.mark.parametrize(
    "part", ["[", "`", "\\", " ", "\n>", "![", "[a", "a ", "aA1", "&#6", "a\u200d", "\u2764\ufe0f"]
)
def test_the_work_grows_with_the_text_alone(part: str) -> None:
    answer = f"Well. {part * (100_000 // len(part))} Why?"
    assert without_leaks(answer, [LINE], []) == (answer, 0)


@pytest.mark.parametrize("end", ["", "h", "he", "hee", "heet"])
def test_the_last_letter_of_an_encoded_line_is_read_without_its_padding(end: str) -> None:
    line = f"the longest duration belongs to s{end}"
    encoded = base64.b64encode(line.encode()).decode().rstrip("=")
    assert without_leaks(f"{encoded[:9]} {encoded[9:]}", [line], []) == ("", 1)
