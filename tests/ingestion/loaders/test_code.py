from __future__ import annotations

from ingestion.document import LineKind
from ingestion.loaders import load

FILLING = "\n".join(f"static int unused_{n};" for n in range(40))


def test_a_program_is_code_with_its_functions_as_headings() -> None:
    source = f'#include "led.h"\n{FILLING}\n\n// Turns the lamp on.\nvoid led_on(int pin) {{\n    set(pin);\n}}\n'
    document = load("src/led.c", source.encode())
    headings = [(line.level, line.text) for line in document.lines if line.level]
    assert headings == [(1, "led.c"), (2, "led_on")]
    position = document.lines.index(next(line for line in document.lines if line.text == "led_on"))
    assert document.lines[position + 1].text == "// Turns the lamp on."
    assert {line.kind for line in document.lines if not line.level} == {LineKind.CODE}


def test_classes_and_functions_of_python_but_not_their_methods() -> None:
    filling = FILLING.replace("static int ", "x").replace(";", " = 1")
    source = f"{filling}\nclass Stack:\n    def push(self): ...\n\n\ndef main(): ...\n"
    document = load("stack.py", source.encode())
    assert [line.text for line in document.lines if line.level] == ["stack.py", "Stack", "main"]


def test_a_short_program_is_one_piece() -> None:
    assert [line.text for line in load("a.R", b"f <- function(x) x + 1\n").lines] == ["a.R", "f <- function(x) x + 1"]
