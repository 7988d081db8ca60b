"""Question headers in several languages and scripts."""

from __future__ import annotations

from tests.ingestion.sheets import asked


def test_a_german_sheet() -> None:
    text = "Übungsblatt 4\n\nAufgabe 1 (4 Punkte)\nSei X normalverteilt.\na) Berechne den Erwartungswert.\n"
    text += "b) Zeige, dass X symmetrisch ist.\n\nAufgabe 2: Schätzer\nBeweise den Satz."
    assert asked(text) == ["1", "1a", "1b", "2"]


def test_a_spanish_and_a_french_sheet() -> None:
    assert asked("Ejercicio 1. Calcula la media.\n\nEjercicio 2. Explica el resultado.") == ["1", "2"]
    assert asked("Exercice 1 : Probabilités\nSoit X une variable.\n\nExercice 2\nMontrer que X existe.") == ["1", "2"]


def test_a_chinese_sheet() -> None:
    text = "作业三\n\n第1题 设X服从正态分布。\n(1) 求X的期望。\n(2) 证明X是对称的。\n\n"
    text += "第二题（10分）\n计算方差。\n\n第3题\n说明理由。"
    assert asked(text) == ["1", "1.1", "1.2", "2", "3"]


def test_a_chinese_sheet_with_bare_numbers() -> None:
    assert asked("练习\n\n1、计算下列极限。\n\n2、证明该级数收敛。\n\n3、求导数。") == ["1", "2", "3"]


def test_a_japanese_and_a_korean_sheet() -> None:
    assert asked("問題1 次の確率を求めよ。\n\n問題2 分散を計算せよ。") == ["1", "2"]
    assert asked("문제 1. 평균을 구하시오.\n\n문제 2. 분산을 계산하시오.") == ["1", "2"]


def test_a_russian_and_an_arabic_sheet() -> None:
    assert asked("Задача 1. Найдите среднее.\n\nЗадача 2. Докажите теорему.") == ["1", "2"]
    assert asked("السؤال 1: احسب المتوسط\n\nالسؤال 2: اشرح النتيجة") == ["1", "2"]


def test_wide_digits_and_punctuation() -> None:
    assert asked("問題１　次を求めよ。\n\n問題２：分散") == ["1", "2"]


def test_chinese_numbers_need_no_space_behind_them() -> None:
    assert asked("一、选择题\n\n1．下列哪一个正确？\nA. 一\nB. 二\n\n2．求导数。\n\n二、计算题\n\n3．计算积分。") == [
        "1",
        "2",
        "3",
    ]
