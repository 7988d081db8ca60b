"""What a cell marked as a solution holds: a solution, or the place where students write theirs."""

from __future__ import annotations

import pytest

from ingestion.solutions.stubs import is_code_stub, is_text_stub


@pytest.mark.parametrize(
    "source",
    [
        "", " \n", "...", "x = ...", "# YOUR CODE HERE", "# YOUR CODE HERE\nraise NotImplementedError()",
        'def f(x):\n    """Double\n    it."""\n    # YOUR CODE HERE\n    raise NotImplementedError()',
        "def f(x):\n    raise NotImplementedError", "def f(x):\n    pass",
        "import numpy as np\n# Write your code here\n",
        "def given(x):\n    return x + 1\n\nanswer = ...\nanswer", "np.random.seed(0)\n# your code here\nplt.show()",
        "def f(a):\n    n = len(a)\n    # YOUR CODE HERE\n    raise NotImplementedError()\n    return n + 1",
        "### START CODE HERE ### (about 1 line of code)\ny = None\n### END CODE HERE ###\nz = g(y)",
        'plt.plot(..., ...)\nplt.title("Height")', '# TODO: fill in\nraise NotImplementedError("later")',
        'q = """\n-- YOUR CODE HERE\n"""\nraise NotImplementedError()',
    ],
)  # fmt: skip
def test_code_with_the_place_for_an_answer_is_a_stub(source: str) -> None:
    assert is_code_stub(source)


@pytest.mark.parametrize(
    "source",
    [
        "x = 3", "return 3", "# The answer is 42", '"""The answer is 42."""', "import pandas as pd", "x[..., 0] = 3",
        "# YOUR CODE HERE\nx = 3", "def f(x):\n    # YOUR CODE HERE\n    return x + 1", "# YOUR ANSWER HERE: 42",
        "# YOUR CODE HERE\nimport numpy as np\nx = np.mean(y)", "# YOUR CODE HERE\ndef f(x):\n    return x + 1",
        "# YOUR CODE HERE\nx = 3\n\n# YOUR CODE HERE\nraise NotImplementedError", 'answer = """\nforty-two\n"""',
        "class A:\n    def f(self):\n        raise NotImplementedError\n\ndef g():\n    return 3",
        "def f(x):\n    # YOUR CODE HERE\n    return total",
        "def f(k):\n    if k:\n        return 3\n    raise NotImplementedError", "# YOUR CODE HERE\nprint(3 + 4)",
        'q = """\nSELECT name FROM ship\n"""',
    ],
)  # fmt: skip
def test_code_with_an_answer_is_none(source: str) -> None:
    assert not is_code_stub(source)


@pytest.mark.parametrize(
    "text",
    [
        "", "YOUR ANSWER HERE", "_Type your answer here, replacing this text._", "*Write your answer here*", "...",
        "Double-click to edit this cell.", '<font color="red">Your answer here</font>', "*Your Answer Goes Here*",
        "Why does it rise?\n\nYOUR ANSWER HERE", "Ihre Antwort hier", "Votre réponse ici", "_______",
    ],
)  # fmt: skip
def test_a_text_that_ends_with_the_place_for_an_answer_is_a_stub(text: str) -> None:
    assert is_text_stub(text)


@pytest.mark.parametrize(
    "text", ["YOUR ANSWER HERE\n\n42", "It is 3.", "_Type your answer here:_ 42", "**Your answer:** 42"]
)
def test_a_text_with_an_answer_is_none(text: str) -> None:
    assert not is_text_stub(text)
