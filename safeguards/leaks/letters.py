"""The forms in which texts are compared: whatever is typed, what a person reads in it."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.text.lookalikes import Lookalikes

BREAK = "\0"
"""Stands between the parts of an answer while they are brought into a form together."""


class _LettersAlone(dict[int, int | None]):
    """A table for `str.translate`, filled as characters are met, that leaves letters and digits alone."""

    def __missing__(self, code: int) -> int | None:
        self[code] = code if chr(code).isalnum() else None
        return self[code]


_ALONE = _LettersAlone()
_LOOKALIKES = Lookalikes()
_ACCENTED = Lookalikes(accents=True)
_TOKEN = re.compile(r"\w+|[^\w\s.,;:!?\"'“”‘’]")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"[0-9]+")
_MARKUP = re.compile(r"\[\d+\]|-{3,}|[`*_>#|\\]+|^[ \t]*(?:[-+]|\d+[.)])[ \t]", re.MULTILINE)
_DRESS = re.compile(
    r"\[\^?\d+\](?:\([^()]*\))?|!?\[(?P<text>[^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])|<[^<>]*>"
    r"|\\[hv]?phantom\s*(?:\{[^{}]*\}|[^{}\0])|\\(?P<command>[a-z]+)",
    re.IGNORECASE,
)
"""What is not shown of references, links, HTML tags and LaTeX commands."""
_COMMANDS = {
    "alpha": "a", "beta": "b", "chi": "x", "ell": "l", "epsilon": "e", "eta": "n", "gamma": "y", "imath": "i",
    "iota": "i", "jmath": "j", "kappa": "k", "nu": "v", "omega": "w", "omicron": "o", "rho": "p", "sigma": "o",
    "tau": "t", "upsilon": "u", "varepsilon": "e", "varkappa": "k", "varrho": "p",
}  # fmt: skip
"""LaTeX commands for characters that look like Latin letters."""
_DIGITS = str.maketrans("0123456789l", "oizeasgtbgi")
"""Digits in place of letters ("leet"). As 1 is i or l, i and l are one letter; so are z and 2, b and 8, g, 6 and 9."""
_DIGITS_IN_WORDS = tuple(str.maketrans("01345789", f"o{one}eastbg") for one in "li")
_LEET_WORD = re.compile(r"\b(?=[0-9]*[a-z])(?=[a-z]*[0-9])[a-z0-9]+\b")
_MAY_BE_LEET = re.compile(r"[a-z][0-9@$!|]|[0-9@$!|][a-z]|[@$!|][0-9@$]")
MIN_LEET = 2
"""Places within words at which digits or symbols may stand for letters."""
_SYMBOLS = str.maketrans({"@": "a", "$": "s", "€": "e", "£": "l", "¢": "c", "§": "s", "+": "t"})
_STROKES = re.compile(r"[!|](?=[\w@$€£¢§+])")
_ANY_SYMBOL = re.compile(r"[@$€£¢§+]|[!|](?=\w)")


def plain(text: str) -> str:
    """The text in small letters as a person reads it: no accents, nothing unseen, look-alikes and dashes alike."""
    return in_ascii(html.unescape(text)).casefold()


def plain_letters(text: str) -> str:
    """The plain text without its digits, as what spells letters alone says it."""
    return _NUMBER.sub(" ", plain(text))


def in_ascii(text: str, *, accents: bool = False) -> str:
    """The text with the ASCII characters that others look like or are written for; letter case stays.

    `accents` stay where they are asked for: a cipher of letters leaves letters that have them as they are.
    """
    if text.isascii():
        return text
    if accents:
        return unicodedata.normalize("NFKC", text).translate(_ACCENTED)
    return unicodedata.normalize("NFKD", text).translate(_LOOKALIKES)


def main_script_in_ascii(text: str) -> str:
    """The text with the letters of one script in ASCII: of the one, beside ASCII, that most of its letters are of.

    Letters of others, such as Greek ones in a formula, may stand for themselves.
    """
    scripts = {char: unicodedata.name(char, "").split(" ")[0] for char in set(text) if _is_foreign_letter(char)}
    if len(set(scripts.values())) <= 1:
        return in_ascii(text, accents=True)
    main = Counter(scripts[char] for char in text if char in scripts).most_common(1)[0][0]
    return "".join(in_ascii(char, accents=True) if scripts.get(char) == main else char for char in text)


def _is_foreign_letter(char: str) -> bool:
    return not char.isascii() and char.isalpha()


def ascii_with_positions(text: str) -> tuple[str, Sequence[int]]:
    """The text in ASCII, and where in the text each character of that form comes from; the text's end is the last."""
    if text.isascii():
        return text, range(len(text) + 1)
    forms = [char if char.isascii() else in_ascii(char) for char in text]
    positions = [position for position, form in enumerate(forms) for _ in form]
    return "".join(forms), [*positions, len(text)]


def tokens(plain_text: str) -> list[str]:
    """Words and operators of a plain text, Markdown aside."""
    return _TOKEN.findall(_MARKUP.sub(" ", plain_text))


def words(form: str) -> list[str]:
    """Words of a form, whatever stands between them."""
    return _WORD.findall(form)


def dressed_and_bare(plain_text: str) -> tuple[str, ...]:
    """The text with and without the targets of links, HTML tags and LaTeX commands: some may be shown after all."""
    bare = _DRESS.sub(_undressed, plain_text)
    return tuple(_MARKUP.sub(" ", form) for form in dict.fromkeys((plain_text, bare)))


def spelt_forms(plain_text: str) -> list[list[str]]:
    """The words of a plain text in all the forms in which they may be read, folded."""
    return [words(folded(form)) for form in _forms(plain_text)]


def letter_forms(plain_text: str) -> list[str]:
    """The letters and digits of a plain text in all the forms in which they may be read."""
    return list(dict.fromkeys(form.translate(_ALONE) for form in _forms(plain_text)))


def folded(letters: str) -> str:
    """Letters with digits read as the letters they look like; the same is done to both sides of a comparison."""
    return letters.translate(_DIGITS)


def with_symbols_as_letters(plain_text: str) -> str:
    """The text with symbols such as @ and $ read as the letters they look like."""
    if not _ANY_SYMBOL.search(plain_text):
        return plain_text
    return _STROKES.sub("i", plain_text).translate(_SYMBOLS)


def leet_forms(plain_text: str) -> Sequence[str]:
    """The text with the digits in words, and symbols, read as letters; numbers stay. None where words have no digits.

    As 1 is i or l, there are two forms.
    """
    if len(_MAY_BE_LEET.findall(plain_text)) < MIN_LEET:
        return ()
    text = with_symbols_as_letters(plain_text)
    forms = dict.fromkeys(_with_letters(text, table) for table in _DIGITS_IN_WORDS)
    return [form for form in forms if form != plain_text]


def _with_letters(text: str, table: Mapping[int, int | str | None]) -> str:
    return _LEET_WORD.sub(lambda match: match[0].translate(table), text)


def _forms(plain_text: str) -> Iterable[str]:
    """The text with and without markup, and both with symbols as letters."""
    forms = dict.fromkeys(dressed_and_bare(plain_text))
    symbols = with_symbols_as_letters(plain_text)
    return forms if symbols == plain_text else forms | dict.fromkeys(dressed_and_bare(symbols))


def together(parts: Sequence[str]) -> str:
    """The plain form of an answer's parts, which `apart` finds again."""
    return plain(BREAK.join(part.replace(BREAK, "") for part in parts))


def apart(form: str) -> Iterator[str]:
    """The parts of a form, as many as were put together."""
    return iter(form.split(BREAK))


def _undressed(match: re.Match[str]) -> str:
    text = match["text"] or _COMMANDS.get(match["command"] or "", " ")
    return text + BREAK * (match[0].count(BREAK) - text.count(BREAK))
