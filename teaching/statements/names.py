"""What a question asks about: the noun phrase that a sentence begins with."""

from __future__ import annotations

import re

from core.text.number_words import words_up_to


def words(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


MAX_NAME_WORDS = 7
CARDINAL = rf"(?:{'|'.join(words_up_to(12))}|\d{{1,3}}(?:,\d{{3}})*)"
WORD = r"[A-Za-z][\w'’-]*"
NAME = rf"(?P<name>{WORD}(?:\s{WORD}){{0,{MAX_NAME_WORDS - 1}}}?)"
OTHER = rf"(?P<other>{WORD}(?:\s{WORD}){{0,{MAX_NAME_WORDS - 1}}}?)"

_POINTING = words(
    """it its this that these those they their them he his she her him we our us you your i my there here what who
    which whose when where why how one ones some many most several few both each all such other another others
    none neither either more less much any if although though while since because after before during for in on
    at by with from through but and or so yet not no then thus therefore however also instead first second third
    next finally today now to of as only every everything something someone people let let’s let's see about
    over under between within without against two three four five six seven eight nine ten just example examples
    resulting reformulated revised initial reduced even approximately roughly nearly almost numerous various
    different additional further"""
)
"""A name that begins with one of these points elsewhere, or is none."""
INNER = words(
    """is are was were be been being has have had do does did can could will would shall should may might must
    cannot it this these they we you he she i that which who whom whose because when where while if but although
    so than not there such also often always usually sometimes never typically generally frequently commonly
    probably then now helps focused shows suggests makes gives allows enables becomes says"""
)
"""A name that holds one of these is a clause."""
POINTERS = words(
    """it this that these those they them he she him her his we us our you your i my such here there latter former
    above below following other others another"""
)
"""A question that holds one of these may ask about what stands elsewhere."""
_NO_HEAD = re.compile(r"(?:others?|following|latter|former|most|\w+est|\w+ally|\w+[nsv][td]?ly)$")
"""A name that ends with one of these lacks its noun, as in "the smallest", or has an adverb behind it."""
_IN_A_ROW = words("first second third last next only same other typical resulting")
"""A name that holds one of these is one of several that stand elsewhere."""
_OPEN = words("to the a an in and or of included with by for on from at as into between than about one each every")
"""A name does not end with these: the verb behind was a noun or another verb's."""
_VAGUE = words(
    """process processes case cases study studies company researcher researchers participant participants
    experiment experiments question questions answer answers result results problem problems idea ideas method
    methods reason reasons difference differences author authors man woman child boy girl group groups test
    tests team school data findings scientists subject subjects item items approach concept point goal aim
    purpose topic term word story event situation person individual individuals effect effects cause causes
    number amount value rate length function tendency fact way part side time year day place thing things book
    chapter text field area task issue matter topic type kind response responses theory theories therapist
    parent parents mother child client manual form version position view list key rest others"""
)
"""Which one is meant, the sentences before it say: "the process", "a case"."""
_PLURALS = words("people men women children bacteria data stomata mice feet teeth phenomena criteria")
_LEADS = re.compile(
    r"(?:However|Therefore|Thus|Finally|Additionally|Moreover|Furthermore|In addition|In general|Generally|Similarly|"
    r"Hence|Consequently|In contrast|By contrast|On the other hand|In short|Of course|Indeed|In fact|Specifically|"
    r"Overall|Likewise|Conversely|Nevertheless|Ultimately|Typically|Importantly|Currently|Today|Usually|Often|"
    r"Also|Fortunately|Unfortunately|Specifically|Like [a-z][^,]{1,40}|Located [^,]{1,40}|"
    r"In (?!this|these|that|each|another|some|such|one|those|which)[a-z][^,]{1,40}|"
    r"According to [A-Z][^,]{1,60}),\s"
)
_ASIDE = re.compile(
    rf"^({WORD}(?:\s{WORD}){{0,5}}),\s(?:"
    r"(?:(?:also|often|sometimes|formerly|commonly)\s)*(?:known as|called|termed|abbreviated)\s[^,]+|"
    r"(?:such as|like)\s[^,]+|"
    r"or\s[^,]{1,40}|however|therefore|then|by contrast|in contrast|on the other hand|in turn|for example),\s"
)


def bare(sentence: str) -> str:
    """The sentence without what the rules need not read: brackets, "However,", and ", also known as Y," of its name."""
    found = re.sub(r"\s\([^()]*\)", "", sentence)
    found = _LEADS.sub("", found, count=1) if _LEADS.match(found) else found
    return _ASIDE.sub(r"\1 ", found[:1].upper() + found[1:], count=1)


def match(pattern: str, sentence: str) -> re.Match[str] | None:
    """The match of a pattern at the start of the sentence if its groups `name` and `other` are names."""
    found = re.match(pattern, sentence)
    if found is None or not is_name(found["name"]):
        return None
    return found if is_name(found.groupdict().get("other") or "names") else None


def is_name(text: str) -> bool:
    """Whether a question may ask about this without the sentences before it."""
    words = text.lower().split()
    whole = (
        words[0] not in _POINTING
        and words[-1] not in _OPEN
        and not _NO_HEAD.match(words[-1])
        and not _IN_A_ROW & set(words)
        and not (len(words) == 2 and words[0] in ("the", "a", "an") and words[1] in _VAGUE)
    )
    whole = whole and re.match(r"an? (?:number|variety|range|series|lot|few|majority) of ", text.lower()) is None
    longer = [word for word in words if len(word) > 3]
    return len(set(longer)) == len(longer) and len(words) <= MAX_NAME_WORDS and whole and not INNER & set(words)


def is_plural(name: str) -> bool:
    """By the ending of the noun before the first preposition, or an "and"."""
    if " and " in name:
        return True
    head = re.split(r" (?:of|in|on|for|with|from|to|at|between|by|about|such as) ", name.lower())[0].split()[-1]
    return head in _PLURALS or (head.endswith("s") and not head.endswith(("ss", "us", "is", "'s", "’s")))


def points_elsewhere(clause: str) -> bool:
    """Whether a part of a question holds a word for what stands elsewhere."""
    return bool(POINTERS & set(re.findall(r"[a-z]+", clause.lower())))
