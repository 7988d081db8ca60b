from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import EmptyDocument
from ingestion.document import Line, LineKind
from ingestion.loaders import load
from ingestion.questions.headers import detect_by_rule


def _lines(text: str) -> list[Line]:
    return [line for line in load("n.tex", text.encode()).lines if line.text]


def _texts(text: str) -> list[str]:
    return [line.text for line in _lines(text)]


def test_headings_have_their_levels_and_the_title_is_the_documents() -> None:
    text = r"""\documentclass{article}
\title{Notes on \emph{Bayes}}
\begin{document}\maketitle
\section{Basics}\label{sec:b}
Words.
\subsection*{Deeper \textbf{still}}
More.
\end{document}
beyond"""
    document = load("n.tex", text.encode())
    assert document.title == "Notes on Bayes"
    assert [(line.level, line.text) for line in document.lines if line.text] == [
        *((3, "Basics"), (0, "Words."), (4, "Deeper still"), (0, "More.")),
    ]


def test_words_are_as_a_reader_sees_them() -> None:
    text = (
        r"50\% of Caf\'e ``goers''---see~\href{http://x.org}{the \textit{link}}.\footnote{A note.} \verb|a_b| \LaTeX\\y"
    )
    assert _texts(text) == ['50% of Café "goers"—see the link. (Footnote: A note.) `a_b` LaTeX', "y"]


def test_formulas_stay_between_dollars() -> None:
    text = r"""Let $a_i < b$ and \(x^2\).
\[ \frac{1}{2} \]
\begin{align*}
 a &= b \label{e} \\
 c &= d
\end{align*}"""
    assert _texts(text) == [
        *("Let $a_i < b$ and $x^2$.", r"$$\frac{1}{2}$$"),
        *(r"$$\begin{aligned}", r"a &= b  \\", "c &= d", r"\end{aligned}$$"),
    ]


def test_listings_are_code_and_their_percent_signs_no_comments() -> None:
    text = "text % gone\n\\begin{lstlisting}[language=Python]\ndef f():\n    return 5 % 2\n\\end{lstlisting}\nafter"
    assert [(line.kind, line.text) for line in _lines(text)] == [
        (LineKind.PROSE, "text"),
        (LineKind.CODE, "def f():"),
        (LineKind.CODE, "    return 5 % 2"),
        (LineKind.PROSE, "after"),
    ]


def test_theorems_are_named_as_printed() -> None:
    text = r"\newtheorem{thm}{Theorem}\begin{document}\begin{thm}[Bayes] It holds. \end{thm}\end{document}"
    assert _texts(text) == ["Theorem (Bayes).", "It holds."]


def test_lists_and_tables_are_lines() -> None:
    text = r"""\begin{enumerate}
\item First
 \begin{enumerate}
 \item deep
 \end{enumerate}
\item Second
\end{enumerate}
\begin{itemize} \item point \end{itemize}
\begin{tabular}{l|r}
\hline x & p(x) \\ 0 & 1/2 \\ \hline
\end{tabular}"""
    assert _texts(text) == ["1. First", "  (a) deep", "2. Second", "- point", "x | p(x)", "0 | 1/2"]


EXAM = r"""\documentclass{exam}\begin{document}
\begin{questions}
\question[5] Compute.
\begin{parts}
\part[2] the mean
\begin{solution} It is 42. \begin{verbatim}
code
\end{verbatim}
\end{solution}
\part the median
\end{parts}
\question Prove it.
\end{questions}\end{document}"""


def test_questions_of_the_exam_class_are_numbered_as_printed() -> None:
    document = load("hw.tex", EXAM.encode())
    labels = [header.label for header in detect_by_rule(document, questions=True)]
    assert labels == ["1", "1a", "1b", "2"]


@pytest.mark.parametrize(
    "text",
    [
        EXAM,
        r"Compute. \begin{answer}It is 42.\end{answer} shown",
        r"Compute. \sol{It is 42.} shown",
        "Compute.\n\\ifsolutions It is 42.\\else shown\\fi",
        "Compute.\n\\ifprintanswers\nIt is 42.\n\\fi\nshown",
    ],
)
def test_solutions_are_marked_and_end(text: str) -> None:
    lines = _lines(text)
    assert any("42" in line.text for line in lines)
    assert all(line.solution and line.closed for line in lines if "42" in line.text)
    assert not lines[-1].solution


def test_conditions_that_are_false_and_comments_are_left_out() -> None:
    text = "shown\n\\iffalse hidden \\fi\n% hidden\n\\begin{comment}\nhidden\n\\end{comment}\nmore"
    assert _texts(text) == ["shown", "more"]


def test_frames_are_headed_by_their_titles() -> None:
    text = r"\begin{frame}[fragile]{Bayes} prior \end{frame}\begin{frame}\frametitle{Bayes} more\end{frame}"
    assert [(line.level, line.text) for line in _lines(text)] == [(6, "Bayes"), (0, "prior"), (0, "more")]


def test_included_files_are_named_and_not_read() -> None:
    document = load("n.tex", b"\\section{One} words \\input{/etc/passwd} \\include{ch2}")
    assert document.warnings == ("n.tex: it includes /etc/passwd, ch2; ingest those files too.",)
    assert "root" not in document.text


def test_a_preamble_alone_is_empty() -> None:
    with pytest.raises(EmptyDocument, match="only commands"):
        load("n.tex", b"\\begin{document}\n% nothing\n\\maketitle\n\\end{document}")


PIECES = st.sampled_from(
    [
        *(
            "\\begin{solution}",
            "\\end{solution}",
            "\\begin{verbatim}",
            "\\end{verbatim}",
            "\\section{",
            "}",
            "{",
            "$",
            "\\[",
        ),
        *(
            "\\]",
            "\\item",
            "\\sol{",
            "\\ifx",
            "\\else",
            "\\fi",
            "\\\\",
            "%",
            "\n",
            "words ",
            "&",
            "\\textbf{",
            "\\'",
            "\\verb|",
        ),
    ]
)


@given(pieces=st.lists(PIECES, max_size=60))
@settings(max_examples=100, deadline=None)
def test_no_arrangement_of_marks_breaks_the_reader(pieces: list[str]) -> None:
    text = "first " + "".join(pieces)
    assert load("n.tex", text.encode()).text.startswith("first")


@pytest.mark.parametrize(
    "piece", ["\\sol{", "\\textbf{", "\\begin{solution}", "\\[", "$$", "\\ifx ", "{", "\\label{", "\\verb|"]
)
def test_marks_that_never_end_take_no_time_beyond_measure(piece: str) -> None:
    assert load("n.tex", b"words " + piece.encode() * 20_000).lines


def test_list_numbers_follow_counters_and_options() -> None:
    assert _texts(
        r"""\begin{document}\setcounter{exercise}{2}
        \begin{enumerate}[label=\arabic*.,start=4]\item a\begin{enumerate}\setcounter{enumii}{1}\item b\end{enumerate}
        \end{enumerate}\begin{enumerate}[resume]\item c\end{enumerate}
        \begin{exercise}Prove it.\end{exercise}"""
    ) == ["4. a", "  (b) b", "5. c", "Exercise 3", "Prove it."]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\SI{4.2}{\joule\per\gram\per\kelvin}", "4.2 J/g/K"),
        (r"\qty{7}{\mega\watt\hour}", "7 MW·h"),
        (r"\unit{\metre\per\second\squared}", "m/s^2"),
        (r"\qtyrange{2}{8}{\degreeCelsius}", "2 °C to 8 °C"),
        (r"\numlist{4;6}", "4 and 6"),
        (r"\num{e3} and \ang{12;30;}", "1e3 and 12°30′"),
        (r"\si{kg.m^2}", "kg m^2"),
        (r"5\textsuperscript{th}, 2\textsuperscript{8}, \sout{gone}here", "5th, 2^8, here"),
    ],
)
def test_quantities_are_read_with_their_units(source: str, expected: str) -> None:
    assert _texts(f"\\begin{{document}}{source}") == [expected]


def test_a_named_paragraph_is_a_section_and_the_space_of_a_line_break_is_no_text() -> None:
    source = (
        rb"\begin{document}\section{Rules} Looms \\[1em] are shared. \paragraph{Late work} loses points.\end{document}"
    )
    lines = load("rules.tex", source).lines
    assert [line.text for line in lines if line.level] == ["Rules", "Late work"]
    assert not any("1em" in line.text for line in lines)
