"""Splits a line of a submission, as LaTeX, Markdown or plain text, into tokens of mathematics and words.

Signs that mean the same become one: `3\\cdot 2`, `3 * 2` and `3 × 2` have the same tokens. What is not in the tables of
this module is a word, so nothing else of a student's text reaches the parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from homework.mathematics.notation import in_one_notation


class TokenKind(StrEnum):
    """What a token is."""

    number = "number"
    name = "name"
    function = "function"
    operator = "operator"
    relation = "relation"
    open = "open"
    close = "close"
    command = "command"
    comma = "comma"
    word = "word"
    text = "text"
    arrow = "arrow"
    boxed = "boxed"
    bar = "bar"


@dataclass(frozen=True)
class MathToken:
    """A piece of a line. `text` is normalised: `*` for every sign of multiplication, `^` for a superscript.

    `spaced` tells that a space stood before it, `math` that it stands between dollars or in an environment.
    """

    kind: TokenKind
    text: str
    spaced: bool = False
    math: bool = False


FUNCTIONS = {
    **{name: name for name in ("sin", "cos", "tan", "ln", "log", "exp", "sinh", "cosh", "tanh")},
    **{name: f"arc{name[-3:]}" for name in ("arcsin", "arccos", "arctan", "asin", "acos", "atan")},
    "lg": "log",
}
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau phi "
    "varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell hbar infty"
)
GREEK = _GREEK_NAMES.split()
_GREEK_ORDER = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega infty"
)
_GREEK_LETTERS = dict(zip("αβγδεζηθικλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ∞", _GREEK_ORDER.split(), strict=True))
_OPERATORS = {
    **dict.fromkeys(("cdot", "times", "ast", "·", "×", "*", "⋅", "∙", "•"), "*"),
    **dict.fromkeys(("div", "÷", "/", "∕"), "/"),
    **dict.fromkeys(("-", "−", "–"), "-"),
    **dict.fromkeys(("pm", "±", "mp"), "±"),
    "+": "+",
    "^": "^",
    "_": "_",
    "!": "!",
    "°": "°",
    "degree": "°",
    "circ": "°",
    "%": "%",
    "prime": "'",
    "'": "'",
    "√": "√",
    "cup": "∪",
    "∪": "∪",
}
_RELATIONS = {
    "=": "=",
    ":=": "=",
    "==": "=",
    **dict.fromkeys(("≈", "approx", "simeq", "cong", "≅", "≃", "doteq", "~=", "=~"), "≈"),
    **dict.fromkeys(("equiv", "≡", "propto", "∝", "sim", "to", "in", "∈", "mapsto"), "?"),
    **dict.fromkeys(("neq", "ne", "≠", "!="), "≠"),
    **dict.fromkeys(("le", "leq", "leqslant", "≤", "<="), "≤"),
    **dict.fromkeys(("ge", "geq", "geqslant", "≥", ">="), "≥"),
    **dict.fromkeys(("<", "lt"), "<"),
    **dict.fromkeys((">", "gt"), ">"),
}
_ARROWS = {
    *("Rightarrow", "implies", "Longrightarrow", "rightarrow", "longrightarrow", "iff", "Leftrightarrow", "therefore"),
    *("⇒", "→", "⟹", "⇔", "∴", "->", "=>", "-->", "==>", "<=>"),
}
_COMMANDS = {"frac": "frac", "dfrac": "frac", "tfrac": "frac", "cfrac": "frac", "sqrt": "sqrt", "binom": "binom"}
_COMMANDS |= {"dbinom": "binom", "tbinom": "binom", "boxed": "boxed", "fbox": "boxed", "int": "int"}
_ACCENT_NAMES = (
    "hat widehat bar overline vec tilde widetilde dot ddot mathbf boldsymbol mathbb mathcal mathscr underline"
)
_ACCENTS = set(_ACCENT_NAMES.split())
_OPERATOR_NAMES = {"arg", "Re", "Im", "max", "min", "gcd", "deg", "dim", "Pr"}
_TEXT_NAMES = "text mathrm textrm textit textbf mbox operatorname unit si rm mathit textsf"
_TEXTS = set(_TEXT_NAMES.split())
_SPACE_NAMES = (
    ", ; : ! quad qquad left right big Big bigl bigr Bigl Bigr bigg Bigg biggl biggr displaystyle hspace thinspace "
    "limits nonumber notag hfill"
)
_SPACES = {" ", *_SPACE_NAMES.split()}

_NUMBER = re.compile(
    r"\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+(?:\.\d+)?(?![\d.])|\d{1,3}(?:[ \u2009\u202f]\d{3})+(?:\.\d+)?(?![\d.])"
    r"|\d+\.\d+|\.\d+|\d+"
)
_EXPONENT = re.compile(r"[eE]([+-]?\d{1,3})(?![\w.])")
_COMMAND = re.compile(r"\\([A-Za-z]+|.)")
_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]+")
_BRACED = re.compile(r"\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_ACCENTED = re.compile(r"\s*\{((?:[^{}]|\{[^{}]*\})*)\}|\s*\\?[A-Za-z]+")
_SUBSCRIPT = re.compile(r"\s*_\s*(\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|\w+)")
_SIGNS = sorted({sign for sign in (*_OPERATORS, *_RELATIONS, *_ARROWS) if not sign.isalpha()}, key=len, reverse=True)

MAX_LINE_CHARS = 4_000
"""Longer lines are not mathematics that a student wrote; they are read as words."""


def tokens_of(line: str, *, math: bool = False) -> list[MathToken]:
    """The tokens of a line. `math` tells that it stands in an environment such as `align`. Never raises."""
    if len(line) > MAX_LINE_CHARS:
        return []
    return _Scanner(in_one_notation(line), math).tokens()


def _times_sign(tokens: list[MathToken], position: int) -> MathToken:
    """The token at `position`; a letter x between two numbers, `3 x 10^8`, is a sign of multiplication."""
    token = tokens[position]
    if token.text not in ("x", "X") or not 0 < position < len(tokens) - 1:
        return token
    before, after = tokens[position - 1], tokens[position + 1]
    between = before.kind in (TokenKind.number, TokenKind.close) and after.kind in (TokenKind.number, TokenKind.open)
    return (
        MathToken(TokenKind.operator, "*", token.spaced, token.math)
        if between and token.spaced and after.spaced
        else token
    )


class _Scanner:
    def __init__(self, line: str, math: bool) -> None:
        self._line = line
        self._math = math
        self._position = 0
        self._spaced = False
        self._found: list[MathToken] = []

    def tokens(self) -> list[MathToken]:
        while self._position < len(self._line):
            self._step()
        return [_times_sign(self._found, position) for position in range(len(self._found))]

    def _add(self, kind: TokenKind, text: str, length: int) -> None:
        self._found.append(MathToken(kind, text, self._spaced, self._math))
        self._position += length
        self._spaced = False

    def _skip(self, length: int) -> None:
        self._position += length
        self._spaced = True

    def _step(self) -> None:
        rest = self._line[self._position :]
        first = rest[0]
        if first.isspace() or first in "&~":
            self._skip(1)
        elif first == "$":
            self._dollar(rest)
        elif first == "\\":
            self._command(rest)
        elif number := _NUMBER.match(rest):
            self._number(number[0], rest)
        elif first == "*" and rest.startswith("**"):
            self._stars(rest)
        elif sign := next((sign for sign in _SIGNS if rest.startswith(sign)), None):
            self._sign(sign)
        elif first in _GREEK_LETTERS:
            self._name(_GREEK_LETTERS[first], 1)
        elif word := _WORD.match(rest):
            self._word(word[0])
        elif first in "([{":
            self._add(TokenKind.open, first, 1)
        elif first in ")]}":
            self._add(TokenKind.close, first, 1)
        elif first == "|":
            self._add(TokenKind.bar, "|", 1)
        elif first in ",;":
            self._add(TokenKind.comma, first, 1)
        else:
            self._add(TokenKind.word, first, 1)

    def _dollar(self, rest: str) -> None:
        self._math = not self._math
        self._skip(2 if rest.startswith("$$") else 1)

    def _stars(self, rest: str) -> None:
        """`2**3` is a power; other pairs of stars are Markdown's for bold print."""
        before = self._line[self._position - 1 : self._position]
        after = rest[2:3]
        if re.match(r"[\w)]", before) and re.match(r"[\w(-]", after):
            self._add(TokenKind.operator, "^", 2)
        else:
            self._skip(2)

    def _number(self, text: str, rest: str) -> None:
        plain = re.sub(r",|\{,\}|\\,|[ \u2009\u202f]", "", text)
        exponent = _EXPONENT.match(rest[len(text) :])
        self._add(TokenKind.number, plain, len(text))
        if exponent and not self._math:
            self._found[-1] = MathToken(
                TokenKind.number, f"{plain}e{int(exponent[1])}", self._found[-1].spaced, self._math
            )
            self._position += len(exponent[0])

    def _sign(self, sign: str) -> None:
        if sign in _ARROWS:
            self._add(TokenKind.arrow, sign, len(sign))
        elif sign in _RELATIONS:
            self._add(TokenKind.relation, _RELATIONS[sign], len(sign))
        else:
            self._add(TokenKind.operator, _OPERATORS[sign], len(sign))

    def _name(self, name: str, length: int) -> None:
        end = self._position + length
        subscript = _SUBSCRIPT.match(self._line, end)
        if subscript:
            name += "_" + re.sub(r"[^A-Za-z0-9]", "", subscript[1])
            end = subscript.end()
        self._add(TokenKind.name, name, end - self._position)

    def _word(self, word: str) -> None:
        function = FUNCTIONS.get(word.lower() if not self._math else word)
        if function:
            self._add(TokenKind.function, function, len(word))
        elif word in ("sqrt", "Sqrt"):
            self._add(TokenKind.operator, "√", len(word))
        elif word in GREEK and not self._math:
            self._name(word, len(word))
        elif len(word) == 1 and word.isascii():
            self._name(word, 1)
        elif self._math:
            split = next((word[:i] for i in range(1, len(word)) if word[i:] in FUNCTIONS), word[0])
            self._name(split[0], 1)
        elif self._line[self._position + len(word) :].startswith("_"):
            self._name(word, len(word))
        else:
            self._add(TokenKind.word, word, len(word))

    def _command(self, rest: str) -> None:
        command = _COMMAND.match(rest)
        if not command:
            self._skip(1)
            return
        name, length = command[1], command.end()
        if name in _COMMANDS:
            kind = TokenKind.boxed if _COMMANDS[name] == "boxed" else TokenKind.command
            self._add(kind, _COMMANDS[name], length)
        elif name in _OPERATORS:
            self._add(TokenKind.operator, _OPERATORS[name], length)
        elif name in _ARROWS:
            self._add(TokenKind.arrow, name, length)
        elif name in _RELATIONS:
            self._add(TokenKind.relation, _RELATIONS[name], length)
        elif name in FUNCTIONS:
            self._add(TokenKind.function, FUNCTIONS[name], length)
        elif name in GREEK or name in _OPERATOR_NAMES:
            self._name(name, length)
        elif name in _TEXTS:
            self._text(name, length)
        elif name in _ACCENTS:
            self._accent(name, length)
        else:
            self._other(name, length)

    def _text(self, name: str, length: int) -> None:
        braced = _BRACED.match(self._line, self._position + length)
        if braced is None:
            self._skip(length)
        elif braced[1].strip() in FUNCTIONS:
            self._add(TokenKind.function, FUNCTIONS[braced[1].strip()], braced.end() - self._position)
        else:
            self._add(TokenKind.text, braced[1].strip(), braced.end() - self._position)

    def _accent(self, name: str, length: int) -> None:
        accented = _ACCENTED.match(self._line, self._position + length)
        if accented is None:
            self._skip(length)
            return
        inner = re.sub(r"[^A-Za-z0-9]", "", accented[0])
        if not inner[:1].isalpha() and name == "overline":
            self._add(TokenKind.word, "\\overline", accented.end() - self._position)  # A decimal that repeats.
        elif not inner[:1].isalpha():
            self._skip(length)  # A number in bold print.
        else:
            self._name(f"{name}{inner}", accented.end() - self._position)

    def _other(self, name: str, length: int) -> None:
        if name in ("(", "[", ")", "]"):
            # The delimiters of displayed and inline formulas.
            self._math = name in "(["
            self._skip(length)
        elif name in _SPACES:
            self._skip(length)
        elif name in ("{", "lbrace"):
            self._add(TokenKind.open, "\\{", length)
        elif name in ("}", "rbrace"):
            self._add(TokenKind.close, "\\}", length)
        elif name in ("%", "$"):
            self._add(TokenKind.operator if name == "%" else TokenKind.word, name, length)
        elif name in ("lvert", "rvert", "vert", "mid"):
            self._add(TokenKind.bar, "|", length)
        elif name in ("ldots", "dots", "cdots"):
            self._add(TokenKind.word, "...", length)
        elif name == "\\":
            self._add(TokenKind.word, "\\\\", length)
        else:
            self._add(TokenKind.word, f"\\{name}", length)
