"""What an assignment holds for staff alone: in proofs, rubrics, elements, blocks and between marks."""

from __future__ import annotations

import json
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.loaders import load
from ingestion.questions.headers import detect_by_rule
from ingestion.solutions.apart import solutions_apart
from ingestion.tree import UnstoredNode, build_tree


def blocks_of(text: str, suffix: str = ".md") -> list[UnstoredNode]:
    document = solutions_apart(load(f"hw{suffix}", text.encode()))
    return list(build_tree(document, detect_by_rule(document, questions=True), solutions=True).blocks())


def in_question(text: str) -> str:
    """What students see of a text inside a question, with the next question behind it, on one line."""
    blocks = blocks_of(f"## Question 1\n\nLet n be odd.\n\n{text}\n\n## Question 2\n\nWhy?\n")
    assert [block.label for block in blocks] == ["1", "2"]
    assert blocks[1].text == "Question 2\n\nWhy?"
    return " ".join(blocks[0].text.split()).removeprefix("Question 1 Let n be odd.").strip()


def in_notebook(*cells: tuple[str, str]) -> str:
    built = [
        {"cell_type": kind, "source": source, "metadata": {}, "outputs": [{"output_type": "stream", "text": "PRINTED"}]}
        for kind, source in cells
    ]
    (block,) = blocks_of(json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": built}), ".ipynb")
    return block.text


@pytest.mark.parametrize(
    "text",
    [
        "**Beweis.** SECRET", "**Proof.** SECRET", "*Proof.* SECRET", "Proof: SECRET", "_Proof_. SECRET",
        "**Proof**: SECRET", "**Proof**\n\nSECRET", "### Proof\n\nSECRET", "**Proof (by induction).** SECRET",
        "*Proof of Theorem 2.* SECRET", "**Proof.** Write $n = 2k + 1$, SECRET.", "Proof. Let SECRET be odd.",
        "*Preuve.* SECRET", "**Démonstration :** SECRET", "**Demostración.** SECRET", "*Dimostrazione.* SECRET",
        "**Доказательство.** SECRET", "**Bewijs.** SECRET", "証明。SECRET", "\\begin{proof}\nSECRET\n\\end{proof}",
        "【证明】SECRET",
        "Prove it. **Proof.** SECRET", "(b) **Proof.** SECRET",
    ],
)  # fmt: skip
def test_a_proof_answers_its_question(text: str) -> None:
    assert "SECRET" not in in_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "Proof. Give one", "**Proof.** Give one.", "Proof of the lemma is needed.", "Prove that n is odd.",
        "Proofs: at least two.", "**Proof**\n\nWrite one here.", "Proofs are due on Friday.", "证明：若 n 是奇数",
        "What is wrong with the following proof?\n\n**Proof.** Let a = b.", "Beweise, dass n ungerade ist.",
        "**Proof.** Let a = b. Then 2 = 1.\n\nFind the error in it.", "Complete this proof.\n\n*Proof.* Let a = b.",
        "Proof-read it.",
    ],
)  # fmt: skip
def test_a_proof_that_is_asked_for_or_about_is_the_question(text: str) -> None:
    assert in_question(text).replace("**", "") == " ".join(text.replace("**", "").split())


@pytest.mark.parametrize(
    "label",
    [
        "Rubric:", "**Rubric**", "**Rubric:**", "### Rubric", "## Rubric", "Grading rubric", "Marking scheme:",
        "**Mark scheme**", "Bewertungsschema:", "**Barème :**", "Erwartungshorizont", "**Rúbrica**",
        "Rubric (5 points):",
        "Rubric for Question 1:", "Criterios de corrección:", "评分标准：", "**Notes for graders:**", "TA notes:",
        "Grading notes:",
        "[Staff only]",
    ],
)  # fmt: skip
def test_a_rubric_below_a_question_is_for_staff(label: str) -> None:
    assert in_question(f"{label}\n\n1 point for SECRET.") == ""


@pytest.mark.parametrize(
    "text",
    [
        "Rubric: 5 points", "The rubric rewards clarity.", "Rubrics are on the website.",
        "**Grading Scheme**\n\nFull marks below 36k.", "**Rubric**\n\nYour grade depends on the RMSE.",
    ],
)  # fmt: skip
def test_what_students_are_told_of_their_grade_stays(text: str) -> None:
    blocks = blocks_of(f"## Question 1\n\nLet n be odd.\n\n{text}\n")
    assert not any(block.solution for block in blocks)


def test_the_rubric_of_a_whole_sheet_is_for_students() -> None:
    before = "# Project\n\n**Rubric:** each part counts the same.\n\n## Question 1\n\nWhy?\n"
    after = "# Project\n\n## Question 1\n\nWhy?\n\n# Rubric\n\nEach part counts the same.\n"
    essay = "# Essay\n\nWrite one.\n\n## Rubric\n\nClarity counts.\n"
    for text in (before, after, essay):
        assert not any(block.solution for block in blocks_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "## Solution\n\nSECRET", "## Solution\n\nSo.\n\n## Remarks\n\nSECRET", "## Worked solution\n\nSECRET",
        "## Solution by induction\n\nSECRET", "## Alternative solution\n\nSECRET", "## Proof\n\nSECRET",
        "## Solution\n\nSo.\n\n## Rubric\n\nSECRET",
    ],
)  # fmt: skip
def test_a_section_beside_a_question_that_is_titled_as_its_solution_belongs_to_it(text: str) -> None:
    assert in_question(text) == ""


def test_sections_that_are_not_of_a_solution_stay() -> None:
    for title in ("Submission", "Part B", "Modelling\n\n### Question 2"):
        text = f"## Question 1\n\nWhy?\n\n## Solution\n\nSECRET\n\n## {title}\n\nSEEN\n"
        assert "SEEN" in "".join(block.text for block in blocks_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "<!-- BEGIN SOLUTION -->\nSECRET\n<!-- END SOLUTION -->",
        "<!-- BEGIN SOLUTION -->SECRET<!-- END SOLUTION -->",
        "<!-- # BEGIN SOLUTION -->\n\n## Question 7\n\nSECRET\n\n<!-- # END SOLUTION -->",
        "# BEGIN SOLUTION\nSECRET\n# END SOLUTION", "### BEGIN SOLUTION\n\nSECRET\n\n### END SOLUTION",
        "```python\n# BEGIN SOLUTION\nSECRET\n# END SOLUTION\n```",
        "```python\n### BEGIN HIDDEN TESTS\nassert SECRET\n### END HIDDEN TESTS\n```",
        "# BEGIN TESTS\n\nSECRET\n\n# END TESTS", "### BEGIN MARK SCHEME\nSECRET\n### END MARK SCHEME",
        "\\begin{solution}[2in] So\nSECRET\n\\end{solution}",
        "\\begin{solutionorbox}[2in]\nSECRET\n\\end{solutionorbox}",
        "\\begin{solution}SECRET\\end{solution}",
        "::: {.solution}\nSECRET\n:::", "::: solution\nSECRET\n:::",
        ":::{solution} ex-1\n:class: dropdown\nSECRET\n:::",
        "::::{solution}\n:::{note}\nSo.\n:::\nSECRET\n::::", ":::{dropdown} Solution\nSECRET\n:::",
        ":::{admonition} Click for solution\n:class: dropdown\nSECRET\n:::",
        '::: {.callout-tip title="Solution"}\nSECRET\n:::',
        '::: {.callout-tip collapse="true"}\n## Solution\nSECRET\n\n## More\n\nSECRET\n:::',
        '::: {.content-visible when-profile="solutions"}\nSECRET\n:::',
        "```{solution} ex-1\nSECRET\n```", "```{dropdown} Solution\nSECRET\n```",
        "````{admonition} Answer\n```\nSECRET\n```\n````",
        "```{solution-start} ex-1\n```\n\nSECRET\n\n```{solution-end}\n```",
        ":::{solution-start} ex-1\n:::\nSECRET\n:::{solution-end}\n:::",
        "```{r q1-solution, echo=FALSE}\nSECRET\n```", "```{r}\n#| label: q1-solution\nSECRET\n```",
        '<div class="solution">\n\nSECRET\n\n<div>So.</div>\n\nSECRET\n</div>', '<span class="solution">SECRET</span>',
        '<details class="answer"><summary>See</summary>\n\n```python\nSECRET\n```\n\n</details>',
        "<details><summary>Solution</summary>SECRET</details>",
        "<details>\n<summary><b>Click for the answer</b></summary>\n\nSECRET\n\n</details>",
        '<section id="solution-3">\n\n## Question 7\n\nSECRET\n\n</section>', "<div data-type='solution'>SECRET</div>",
    ],
)  # fmt: skip
def test_a_solution_that_says_where_it_ends_hides_nothing_behind_it(text: str) -> None:
    assert in_question(f"{text}\n\nSEEN").replace("\\", "") == "SEEN"


@pytest.mark.parametrize(
    "text",
    [
        "<!-- BEGIN SOLUTION -->\nSECRET", "# BEGIN SOLUTION\nSECRET", "### BEGIN HIDDEN TESTS\nSECRET",
        "::: {.solution}\nSECRET", '<div class="solution">\n\nSECRET', "\\begin{solution} So\n\nSECRET",
        '??? success "Solution"\n\n    SECRET', "> [!tip]- Solution\n> SECRET", "<!-- solution -->\nSECRET",
    ],
)  # fmt: skip
def test_a_solution_that_never_ends_goes_to_the_next_question(text: str) -> None:
    assert in_question(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Begin solutions on a new page. SEEN", "<details><summary>Hint</summary>SEEN</details>",
        "SEEN <!-- a comment on solutions in general -->",
        "::: {.callout-note}\nSEEN\n:::",
        "::: {.exercise}\nSEEN\n:::",
        '::: {.content-hidden when-profile="solutions"}\nSEEN\n:::', "```{r setup}\nSEEN\n```",
        "```python\nSEEN\n```", "```sol\nSEEN\n```",
        '<div class="question has-solution">SEEN</div>', '<ul class="answer-choices"><li>SEEN</li></ul>',
        "`<div class='solution'>` SEEN", "```\n# BEGIN TESTS\nSEEN\n```",
        '<div id="solutions-of-linear-equations">SEEN</div>',
        '<div data-answer="B">SEEN</div>', "```{admonition} A note on solutions\nSEEN\n```",
        '<a href="/solution">SEEN</a>', '<body class="solutions">SEEN',
    ],
)  # fmt: skip
def test_what_only_sounds_like_a_solution_stays(text: str) -> None:
    assert "SEEN" in in_question(text)


def test_marks_reach_over_the_cells_of_a_notebook() -> None:
    question, answer, after = ("markdown", "**Question 1**\n\nWhy?"), ("markdown", "SECRET"), ("markdown", "SEEN")
    raw = in_notebook(question, ("raw", "# BEGIN SOLUTION"), answer, ("raw", "# END SOLUTION"), after)
    comments = in_notebook(
        question, ("markdown", "<!-- BEGIN SOLUTION -->"), answer, ("markdown", "<!-- END SOLUTION -->"), after
    )
    for text in (raw, comments):
        assert "SECRET" not in text
        assert "SEEN" in text


def test_what_code_prints_behind_its_solution_is_kept_with_it() -> None:
    code = "def f(x):\n    # BEGIN SOLUTION\n    return SECRET\n    # END SOLUTION\nf(1)"
    text = in_notebook(("markdown", "**Question 1**\n\nWhy?"), ("code", code), ("code", "f(2)"), ("markdown", "SEEN"))
    assert "def f(x)" in text
    assert "SEEN" in text
    assert "SECRET" not in text
    assert "PRINTED" not in text


@pytest.mark.parametrize(
    "element",
    [
        '<div class="solution"><p>SECRET</p><h2>Question 9</h2><p>SECRET</p></div>',
        '<details class="answer"><summary>Solution</summary><p>SECRET</p></details>',
        "<details><summary>Show <b>solution</b></summary>SECRET</details>",
        '<section id="solution-3"><h3>How</h3><p>SECRET</p></section>', '<div id="q1-solution">SECRET</div>',
        '<div data-type="solution">SECRET</div>', "<div data-solution>SECRET</div>", '<pre class="soln">SECRET</pre>',
        '<p class="solution">SECRET<p>', "<solution>SECRET</solution>", "<pl-answer-panel>SECRET</pl-answer-panel>",
        '<div class="solution dropdown admonition">SECRET</div>',
        '<p>SEEN <span class="solution">SECRET</span></p>', "<!-- BEGIN SOLUTION --><p>SECRET</p><!-- END SOLUTION -->",
        '<ul><li class="answer">SECRET<li></ul>', '<div class="my-solutionBox">SECRET</div>',
    ],
)  # fmt: skip
def test_an_element_that_says_so_is_a_solution(element: str) -> None:
    page = f"<h2>Question 1</h2><p>Why?</p>{element}<p>SEEN</p><h2>Question 2</h2><p>How?</p>"
    first, second = blocks_of(page, ".html")
    assert "SECRET" not in first.text
    assert "SECRET" in first.solution
    assert first.text.endswith("SEEN")
    assert second.text == "Question 2\nHow?"


@pytest.mark.parametrize(
    "element",
    [
        '<div class="answer"><input type="radio"> SEEN</div>', '<div class="question with-solution">SEEN</div>',
        '<section id="solutions-of-linear-equations"><h3>Solutions of linear equations</h3><p>SEEN</p></section>',
        '<div class="question" data-answer="B">SEEN</div>', "<main class='solutions'>SEEN</main>",
        '<div class="resolution absolute">SEEN</div>',
    ],
)  # fmt: skip
def test_an_element_for_students_is_none(element: str) -> None:
    assert not any(block.solution for block in blocks_of(f"<h2>Question 1</h2><p>Why?</p>{element}", ".html"))


def test_correction_is_a_solution_in_french_alone() -> None:
    french = "## Exercice 1\n\nMontrer que la suite est croissante.\n\n**Correction.** On SECRET.\n"
    (block,) = blocks_of(french)
    assert "SECRET" not in block.text
    assert in_question("**Correction.** The data of part b is in the file.").endswith("in the file.")


@pytest.mark.parametrize(
    "label",
    [
        "**Corrigé**", "Corrigé :", "Corrigé type :", "**Solución**", "Solucion:", "**Respuesta:**", "Resolución:",
        "**Svolgimento.**", "Lo\u0308sung:", "Lösungsskizze:", "Lösungsvorschlag:", "Expected answer:",
        "Alternate solution:",
    ],
)  # fmt: skip
def test_solutions_are_told_in_more_words(label: str) -> None:
    assert in_question(f"{label} SECRET") == ""


def test_a_book_keeps_its_proofs_and_solutions() -> None:
    text = "# Limits\n\n**Proof.** SEEN\n\n::: {.solution}\nSEEN\n:::\n\n<div class='solution'>\n\nSEEN\n\n</div>\n"
    document = load("book.md", text.encode())
    root = build_tree(document, detect_by_rule(document, questions=False), solutions=False)
    assert "".join(block.text for block in root.blocks()).count("SEEN") == 3


@given(
    st.lists(
        st.sampled_from(
            [
                "## Question 1",
                "**Question 2**",
                "(a) Why?",
                "::: {.solution}",
                ":::",
                "<div class='answer'>",
                "</div>",
                "<!-- BEGIN SOLUTION -->",
                "<!-- END SOLUTION -->",
                "# BEGIN TESTS",
                "# END TESTS",
                "text",
                "```",
                "",
                "**Proof.** So.",
                "Rubric:",
                "```{solution}",
                "Solution: 3",
            ]
        ),
        max_size=25,
    )
)
def test_no_text_is_lost_or_doubled(lines: list[str]) -> None:
    numbered = [f"word{n}" if line == "text" else line for n, line in enumerate(lines)]
    blocks = blocks_of("\n".join([*numbered, "last"]))
    shown = "\n".join(f"{block.text}\n{block.solution}" for block in blocks).split()
    assert all(shown.count(word) == 1 for word in numbered if word.startswith("word"))


@pytest.mark.parametrize(
    "piece",
    [
        "<div class='solution'>",
        "<!-- BEGIN SOLUTION -->",
        "::: {.solution}\n",
        "<div class='answer' ",
        "<a '<b \"",
        ":",
        "Proof.\n",
    ],
)
@pytest.mark.parametrize("suffix", [".md", ".html"])
def test_the_time_grows_with_the_length_alone(piece: str, suffix: str) -> None:
    start = perf_counter()
    solutions_apart(load(f"hw{suffix}", ("Question 1 " + piece * 3_000).encode()))
    assert perf_counter() - start < 20


@pytest.mark.parametrize(
    "code",
    [
        "x = 3 # BEGIN SOLUTION\ny = SECRET # END SOLUTION", "# START SOLUTION\nSECRET\n# END SOLUTION",
        "# BEGIN SOLN\nSECRET\n# END SOLN", "# hidden_test\nassert SECRET", "# Hidden tests\n\nassert SECRET",
    ],
)  # fmt: skip
def test_comments_say_what_code_is_for_staff(code: str) -> None:
    assert "SECRET" not in in_question(f"```python\n{code}\n```")


@pytest.mark.parametrize("name", ["hidden_test", "q1-hidden-tests", "hiddentests"])
def test_elements_with_hidden_tests_are_for_staff(name: str) -> None:
    assert "SECRET" not in in_question(f'<div class="{name}">SECRET</div>')


def test_an_article_that_is_a_solution_is_for_staff() -> None:
    page = '<h2>Question 1</h2><article class="solution">SECRET</article><h2>Question 2</h2><p>Why?'
    assert "SECRET" not in "".join(block.text for block in blocks_of(page, ".html"))


def test_a_page_of_hidden_tests_is_for_staff_from_its_heading_on() -> None:
    for heading in ("## hidden_test_q1", "**Hidden tests**", "hidden_tests: q1.py"):
        assert in_question(f"{heading}\n\nassert SECRET") == ""
    assert "after the deadline" in in_question("The hidden tests run after the deadline.")


def test_a_test_cell_marked_as_hidden_is_for_staff_to_its_end() -> None:
    document = load("hw.md", b"# Question 1\n\nCount.\n\n```python\n# HIDDEN\nassert n == 3\n```\n\nMore.\n")
    lines = solutions_apart(document).lines
    assert [line.text for line in lines if line.closed] == ["# HIDDEN", "assert n == 3"]


@pytest.mark.parametrize(
    "cells",
    [
        [("code", "# model solution\n"), ("markdown", "TASK")],
        [("code", "# your solution here\n..."), ("markdown", "TASK")],
        [("code", "# BEGIN SOLUTION\nx = SECRET"), ("markdown", "TASK")],
        [("markdown", "**Solution:**"), ("code", ""), ("markdown", "TASK")],
        [("markdown", "### Solution"), ("code", "# write your code here\n..."), ("markdown", "TASK")],
        [("code", "import x\n# solution\ny = SECRET"), ("markdown", "TASK")],
        [("code", "y = SECRET # SOLUTION\nprint('TASK')")], [("code", "answer.head()\nprint('TASK')")],
        [("code", "assert a\n### BEGIN HIDDEN TESTS\nassert SECRET\n### END HIDDEN TESTS\nassert 'TASK'")],
    ],
)  # fmt: skip
def test_a_comment_or_an_empty_title_hides_no_more_than_its_answer(cells: list[tuple[str, str]]) -> None:
    built = [{"cell_type": kind, "source": source, "metadata": {}, "outputs": []} for kind, source in cells]
    built.insert(0, {"cell_type": "markdown", "source": "## Question 1\n\nWhy?", "metadata": {}, "outputs": []})
    blocks = blocks_of(json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": built}), ".ipynb")
    text = " ".join(block.text for block in blocks)
    assert "SECRET" not in text
    assert "TASK" in text


def test_a_mark_without_an_end_is_reported() -> None:
    document = solutions_apart(
        load("hw.md", b"# Question 1\n\nWhy?\n\n```python\n# BEGIN SOLUTION\nx = 3\n```\n\nMore.\n")
    )
    (warning,) = document.warnings
    assert "'# BEGIN SOLUTION' has no end" in warning


@pytest.mark.parametrize(
    "code",
    [
        '""" # BEGIN TEST CONFIG\nhidden: true\n""" # END TEST CONFIG\nSECRET == 3',
        "# Hidden tests (do not release)\nassert SECRET", "# AUTOGRADER ONLY\nassert SECRET",
        "#hidden test case\nSECRET",
    ],
)  # fmt: skip
def test_hidden_tests_are_told_by_settings_and_by_comments(code: str) -> None:
    assert "SECRET" not in in_question(f"```python\n{code}\n```")


@pytest.mark.parametrize("tag", ["solution", "instructor-only", "staff", "remove-cell", "hidden-tests", "answer"])
def test_cells_with_tags_for_staff_are_kept_from_students(tag: str) -> None:
    cells = [
        {"cell_type": "markdown", "source": "## Question 1\n\nWhy?", "metadata": {}, "outputs": []},
        {"cell_type": "code", "source": "x = SECRET", "metadata": {"tags": [tag]}, "outputs": []},
    ]
    (block,) = blocks_of(json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": cells}), ".ipynb")
    assert "SECRET" not in block.text
