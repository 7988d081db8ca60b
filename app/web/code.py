"""Code with its words marked by classes, which the pages' stylesheet colours."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from time import thread_time
from typing import TYPE_CHECKING

from markupsafe import escape

if TYPE_CHECKING:
    from pygments.formatters import HtmlFormatter
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

MAX_CODE_CHARS, MAX_LINE_CHARS = 10_000, 500
"""Code that is longer, or has a longer line, is shown without marks: a step of a lexer may be a line."""
MARKING_SECONDS = 0.1
"""Of processor time for one piece of code; what is left then has no marks. Ten thousand characters of a program take
half of it; those that a lexer is slow for, such as a thousand empty lines of Java, could take minutes."""
LIGHT, DARK = "default", "github-dark"
LANGUAGES = frozenset(
    """
    python py python3 pycon r rconsole sql sqlite3 postgresql mysql java c cpp c++ csharp c# javascript js
    typescript ts json html xml css bash sh shell console zsh powershell yaml toml ini make makefile dockerfile docker
    diff julia matlab octave scala kotlin swift go rust ruby php perl haskell ocaml scheme racket lisp prolog verilog
    vhdl nasm asm mips tex latex markdown md http pytb text
    """.split()  # noqa: SIM905
)
"""Those of courses. Another is shown as it is: several hundred lexers would be as many to trust with any text."""


def highlight(code: str, language: str) -> str:
    """The code as HTML; unmarked if the language is unknown or the code long."""
    name = language.lower()
    if name in LANGUAGES and _is_short(code):
        return f'<pre class="code"><code>{_highlight(code, name)}</code></pre>\n'
    return f"<pre><code>{escape(code)}</code></pre>\n"


def _is_short(code: str) -> bool:
    return len(code) <= MAX_CODE_CHARS and max(map(len, code.split("\n"))) <= MAX_LINE_CHARS


def _highlight(code: str, name: str) -> str:
    from pygments import format as formatted  # answers without code do not need it
    from pygments.lexers import get_lexer_by_name

    marked: str = formatted(_tokens(get_lexer_by_name(name), code), _formatter(LIGHT))
    return marked


def _tokens(lexer: Lexer, code: str) -> Iterator[tuple[_TokenType, str]]:
    from pygments.token import Token

    end = thread_time() + MARKING_SECONDS
    for start, kind, text in lexer.get_tokens_unprocessed(code):
        if thread_time() > end:
            yield Token.Text, code[start:]
            return
        yield kind, text


@cache
def stylesheet() -> str:
    """The rules for the classes, light and dark."""
    light, dark = (_rules(style) for style in (LIGHT, DARK))
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"


def _rules(style: str) -> str:
    rules: list[str] = _formatter(style).get_token_style_defs(".code")  # type: ignore[no-untyped-call]
    return "\n".join(rules)


@cache
def _formatter(style: str) -> HtmlFormatter[str]:
    from pygments.formatters import HtmlFormatter

    return HtmlFormatter(nowrap=True, style=style)
