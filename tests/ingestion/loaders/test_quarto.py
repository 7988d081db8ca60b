from __future__ import annotations

import pytest

from core.errors import EmptyDocument
from ingestion.document import LineKind
from ingestion.loaders import load

LAB = """---
title: "Lab 2: Sampling"
output: html_document
params:
  n: 5
---

# Samples {#samples}

```{r setup, echo=FALSE}
library(stats)
```

::: {.callout-note}
Draw *ten*.
:::

{{< include _rules.qmd >}}

## Exercise 1

Compute the mean.

::: {.solution}
It is `mean(x)`.

```{r}
mean(x)
```
:::

## Exercise 2

```{python}
#| label: fig-1
print(1)
```

```{r q2-solution, eval=FALSE}
secret()
```
"""


@pytest.mark.parametrize("name", ["lab.qmd", "lab.Rmd", "lab.RMD"])
def test_front_matter_and_marks_go_and_chunks_stay(name: str) -> None:
    document = load(name, LAB.encode())
    assert document.title == "Lab 2: Sampling"
    shown = [line.text for line in document.lines if line.text and not line.solution]
    assert shown == [
        *("Samples", "library(stats)", "Draw *ten*.", "Exercise 1", "Compute the mean.", "Exercise 2"),
        "print(1)",
    ]
    code = [line.text for line in document.lines if line.kind is LineKind.CODE]
    assert code == ["library(stats)", "mean(x)", "print(1)", "secret()"]


def test_divisions_and_chunks_for_solutions_are_solutions() -> None:
    lines = load("lab.qmd", LAB.encode()).lines
    solved = [line.text for line in lines if line.solution and line.closed and line.text]
    assert solved == ["It is `mean(x)`.", "mean(x)", "secret()"]


def test_a_division_that_is_never_closed_is_a_solution_to_the_next_heading() -> None:
    lines = load("lab.qmd", b"# Q\n\ntext\n\n::: {.solution}\nIt is 42.\n").lines
    (mark,) = [line for line in lines if line.solution]
    assert not mark.closed


def test_a_file_of_marks_alone_is_empty() -> None:
    with pytest.raises(EmptyDocument, match="only marks"):
        load("lab.qmd", b"::: {.column}\n:::\n\n{{< pagebreak >}}\n")


DECK = """---
title: Looms
output:
  xaringan::moon_reader:
    css: [default]
---
class: inverse, middle

# Warps
---
name: tension
## Tension

.hi[Tension] keeps .b.mono[warps [even](x.html)] apart.
--

.pull-left[
It is $[0, 1)$ of the load.
]
???
Ask who has a loom.
---
# Wefts
"""


def test_slides_of_remark_are_markdown_without_properties_classes_and_notes() -> None:
    lines = [line.text for line in load("deck.Rmd", DECK.encode()).lines if line.text]
    assert lines == ["Warps", "Tension", "Tension keeps warps even apart.", "It is $[0, 1)$ of the load.", "Wefts"]


def test_a_page_that_shows_slides_of_remark_is_read_like_their_source() -> None:
    source = DECK.split("---\n", 2)[2]
    page = f"<html><title>Looms</title><body><textarea id='source'>{source}</textarea></body></html>"
    document = load("deck.html", page.encode())
    assert [line.text for line in document.lines if line.level] == ["Warps", "Tension", "Wefts"]


def test_marks_of_style_are_removed_and_formulas_stay() -> None:
    marked = "[Room 12]{.ms-1 #room} {{< fa calendar >}} at {{< var time >}}"
    text = f"{marked}\n\n$\\sqrt[3]{{x}} + \\sum_{{i=1}}^n x_i$\n\nA{{width=50%}}\n"
    assert load("plan.qmd", text.encode()).text.split() == [
        "Room", "12", "at", "$\\sqrt[3]{x}", "+", "\\sum_{i=1}^n", "x_i$", "A",
    ]  # fmt: skip
