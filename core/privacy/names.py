"""Names of listed people in a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import regex

from core.privacy.spans import Kind, Span
from core.types import Value

MIN_PART_CHARS = 2
"""Of a part of a name that is looked for alone; initials stand in whole names only."""
_PARTICLES_TEXT = """
al and bin da de del della den der di do dos du el ibn jr la le los of sr st van von y zu
"""
_PARTICLES = frozenset(_PARTICLES_TEXT.split())
_WORDS_TEXT = """
able an art august autumn baker bank banks bell bill black brown bush case cash chance charity chase chen chip
christian clay cliff cole cook cooper crystal daisy dale dawn day dean dee do drew early earnest east eve faith
field fields flora ford forest frank gene gentry grace grant gray green grey guy hall harmony he heaven her hill
him honor hope hunter i in iris is it ivy jade jay jean jewel joy june junior justice king lake lane lee lily
long love ma major mark marks mason mat max may mercy miles mill miller min my ned no norm north olive own page
park pat patience pearl penny pepper pierce pin piper poe pope prince quest rain ray read reed rich rob robin
rose ruby rusty sage sandy see seven she skip sky smart so song south star sterling stone storm strong sue
summer sun swift taylor temple the to tony trip tuesday violet wade wall ward we weaver wells west white wild
will win wood woods yes you young
"""
WORDS = frozenset(_WORDS_TEXT.split())
"""Words that are also parts of names: alone they are names only where the text says so."""
_EPONYMS_TEXT = """
bayes bernoulli boltzmann cauchy euler fisher fourier gauss hamming huffman jensen kruskal laplace lipschitz
markov monte nash newton neyman pascal pearson poisson python riemann shannon simpson spearman student taylor
tukey turing venn weibull wilcoxon
"""
EPONYMS = frozenset(_EPONYMS_TEXT.split())
"""Parts of names that terms have: alone they are terms."""
_BEFORE = regex.compile(
    r"(?:\b(?:hi|hey|hello|dear|thanks|thank you|cheers|regards|best|sincerely|prof|professor|dr|mr|mrs|ms|ta|tutor|"
    r"instructor|lecturer|partner|teammate|classmate|friend|roommate|with|and|or|from|by|ask(?:ed)?|told|tell|met|saw|"
    r"emailed|messaged|named|called|cc|@|i am|i'm|name is|this is|for|to|to:|from:)[.,:!]?\s+|[-–—~@]\s?)$",
    regex.IGNORECASE,
)
_AFTER = regex.compile(
    r"(?:['’]s\b|\s+(?:said|says|told|tells|asked|asks|thinks|thought|wrote|writes|mentioned|explained|suggested|showed|"
    r"replied|answered|and i\b|helped|sent|got|did|has|had|was|is|gave|posted|from my)\b"
    r"|\s*(?:here|again)\b|,?\s*$|\s*\()",
    regex.IGNORECASE,
)
_AROUND = 24


class KnownPerson(Value):
    """Someone whose name must not reach a model; `pseudonym` is what they are called where names are left out."""

    name: str
    aliases: tuple[str, ...] = ()
    pseudonym: str = ""


@dataclass(frozen=True)
class Names:
    """Finds the names of these people, in any case and with or without accents, whole or in parts."""

    people: tuple[KnownPerson, ...]

    def find(self, text: str) -> Iterator[Span]:
        """The names in a text; `Span.of` is the person's name as it was listed."""
        if not self._owners:
            return
        plain = folded(text)
        last: Span | None = None
        for found in self._pattern.finditer(plain):
            key = _key(found[0])
            if not _is_name(key, text, *found.span()):
                continue
            span = Span(*found.span(), Kind.NAME, self._owners[key])
            if last and last.of == span.of and not text[last.end : span.start].strip():
                span = Span(last.start, span.end, Kind.NAME, span.of)
            elif last:
                yield last
            last = span
        if last:
            yield last

    @cached_property
    def _owners(self) -> dict[str, str]:
        """Folded spelling -> the person that it stands for."""
        owners: dict[str, str] = {}
        for whole in (True, False):  # A whole name or alias counts before a part of another's.
            for person in self.people:
                for spelling in _spellings(person, whole=whole):
                    owners.setdefault(_key(spelling), person.name)
        return owners

    @cached_property
    def _pattern(self) -> regex.Pattern[str]:
        ordered = sorted(self._owners, key=lambda one: (-len(one), one))
        options = "|".join(regex.escape(one, literal_spaces=True).replace(" ", r"(?:\s+|-)") for one in ordered)
        return regex.compile(rf"(?<![\w./\\])(?<![\w.]@)(?:{options})(?![\w@/\\(]|\.\w)")


def _key(spelling: str) -> str:
    """One spelling for names that are joined by hyphens, spaces or line breaks."""
    return " ".join(spelling.replace("-", " ").split())


def folded(text: str) -> str:
    """The text in lower case and without accents, character by character, so that positions stay."""
    if text.isascii():
        return text.lower()
    return "".join(_folded(one) for one in text)


def _folded(one: str) -> str:
    plain = unicodedata.normalize("NFKD", one)[0].lower()
    return plain if len(plain) == 1 else one


def _spellings(person: KnownPerson, *, whole: bool) -> Iterator[str]:
    names = [" ".join(folded(one).split()) for one in (person.name, *person.aliases) if one.strip()]
    if whole:
        yield from names
        for name in names:
            parts = name.split(" ")
            if len(parts) > 2:
                yield f"{parts[0]} {parts[-1]}"
            if len(parts) > 1:
                yield f"{parts[0]} {parts[-1][0]}."
                yield f"{parts[0][0]}. {parts[-1]}"
                yield f"{parts[-1]}, {parts[0]}"
        return
    for name in names:
        yield from (part for part in _parts(name) if len(part) >= MIN_PART_CHARS)


def _parts(name: str) -> Iterable[str]:
    parts = [part.strip(".,") for part in name.split(" ")]
    halves = [half for part in parts if "-" in part for half in part.split("-")]
    return [
        part
        for part in (*parts, *halves)
        if part not in _PARTICLES and part.replace("-", "").replace("'", "").isalpha()
    ]


def _is_name(key: str, text: str, start: int, end: int) -> bool:
    """True unless the characters are a word or a term in this place."""
    written = text[start:end]
    if " " in key:
        return True
    if key in EPONYMS:
        return _is_addressed(text, start)
    is_capital = written[:1].isupper()
    if key not in WORDS and len(key) > MIN_PART_CHARS:
        return True
    if not is_capital or (written.isupper() and len(written) > 1):
        return False
    return not _begins_sentence(text, start) or _is_addressed(text, start) or bool(_AFTER.match(text, end))


def _is_addressed(text: str, start: int) -> bool:
    return bool(_BEFORE.search(text[max(0, start - _AROUND) : start]))


def _begins_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t\"'“(*_#>-")
    return not before or before[-1] in ".!?:\n"
