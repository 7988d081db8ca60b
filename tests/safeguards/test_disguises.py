"""A solution's line is found as a person reads it and in common encodings; ordinary answers are left as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.disguises import ENCODED, INVISIBLE, LINKED, LOOK_ALIKES, MARKED, STACKED
from safeguards import CourseSecrets, without_leaks

LINE = "there are six of thirty-six outcomes with that sum, hence the probability is exactly one sixth"
SOLUTIONS = (Path(__file__).parents[2] / "data/ds101/assignments/hw6/hw6_sol.md").read_text()
ALL = LOOK_ALIKES | INVISIBLE | ENCODED | STACKED | LINKED


@pytest.mark.parametrize("name", MARKED)
def test_a_line_is_withheld_in_disguise(name: str) -> None:
    shown, withheld = without_leaks(f"Good start.\n\n{ALL[name](LINE)}\n\nWhy is that so?", [LINE], [])
    assert withheld >= 1
    assert shown.startswith("Good start.")
    assert shown.endswith("Why is that so?")


@pytest.mark.parametrize("name", MARKED)
def test_an_open_line_may_be_said_in_disguise(name: str) -> None:
    answer = f"Good start.\n\n{ALL[name](LINE)}\n\nWhy is that so?"
    assert without_leaks(answer, [LINE], [LINE]) == (answer, 0)


@pytest.mark.parametrize("name", MARKED)
def test_a_line_is_withheld_that_an_endpoint_remembers_and_no_search_has_found(name: str) -> None:
    course = CourseSecrets.of([SOLUTIONS, LINE], [])
    shown, withheld = without_leaks(f"Good start.\n\n{ALL[name](LINE)}\n\nWhy is that so?", [], [], course)
    assert withheld >= 1
    assert ALL[name](LINE) not in shown


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


@given(
    st.lists(
        st.sampled_from([*"0123456789abcdefABCDEF=%\\ux&#;+/-_ \n.,'`١२", "41 42 ", "\\ud800", "%ff", "0x"]),
        max_size=200,
    )
)
def test_what_only_looks_encoded_is_left_as_it_is(parts: list[str]) -> None:
    answer = "".join(parts)
    assert without_leaks(answer, [LINE], []) == (answer, 0)


@pytest.mark.parametrize(
    "part", ["[", "`", "\\", " ", "\n>", "![", "[a", "a ", "aA1", "&#6", "a\u200d", "\u2764\ufe0f", "<", "[a](", "1. "]
)
def test_the_work_grows_with_the_text_alone(part: str) -> None:
    answer = f"Well. {part * (100_000 // len(part))} Why?"
    assert without_leaks(answer, [LINE], []) == (answer, 0)
