"""Sentences that say what something is, is called, states, or is for."""

from __future__ import annotations

import re

from teaching.statements.names import NAME, WORD, is_name, is_plural, match, points_elsewhere, words

_ADVERBS = r"(?:(?:often|usually|sometimes|generally|commonly|essentially|basically|simply|typically) )?"
_MODIFIER = (
    r"(?:that|which|who|whose|whom|where|when|in|of|for|by|at|from|through|between|on|with|without|to|"
    r"below|above|during|"
    r"into|among|around|using|consisting|containing|resulting|involving|having|under|such|made|used|paid|held|given|"
    r"built|designed|caused|characterized|meant|based|known|found|called|located|intended|formed|produced|\w{4,}ed)"
)
_HEAD = (
    rf"(?P<head>(?:[\w'’-]+,? ){{0,5}}?[\w'’-]+)"
    rf"(?P<after>,? {_MODIFIER}\b| \$|[.;]|"
    rf" and (?:each|it|they|the|is|are|has|all)\b|, (?:an?|the|about|usually|often|or|and|but|so|not)\b)"
)
_NO_KIND = words(
    """problem problems subject topic issue issues challenge challenges example examples factor factors matter
    question questions reason reasons result results sign signs cause causes concern concerns difference
    differences success failure mystery danger threat idea must priority choice advantage disadvantage benefit
    surprise part parts lot number majority exception case cases goal focus step consequence consequences effect
    effects key indication indicator influence influences shame pity opportunity risk reality truth minority job
    turn victim product pros favorite leader answer member members ones thing"""
)
"""A statement with one of these as its noun says something about a thing, but not what it is."""
_PRAISE = re.compile(
    r"\b(?:good|great|bad|important|useful|difficult|popular|essential|effective|valuable|excellent|"
    r"perfect|interesting|"
    r"significant|critical|crucial|vital|favorite|necessary|huge|real|recent|powerful|strong)\b(?=.* )",
    re.I,
)
_RANKED = re.compile(r"\b(?:most|best|only|main|primary|major|key|leading|first|second|last|next|same|worst)\b", re.I)
_NOT_DEFINED = re.compile(
    r"\b(?:typical|main|primary|leading|exact|usual|classic|everyday|best|biggest|updated|average|highest|lowest|version|"
    r"significant|important|better|good(?= )|famous|recent|important|"
    r"common|proper|new|possible|alternative|key|final|early|whole|entire|example|reason|goal|aim|purpose|"
    r"result|answer|"
    r"difference|similarity|problem|question|advantage|disadvantage|challenge|exception|finding|case|concern|criticism|"
    r"consequence|conclusion|limitation|benefit|drawback|issue|majority)s?\b",
    re.I,
)
_ADJECTIVE = re.compile(
    r"(?:\w+(?:able|ible|[aiu]al|ive|ous|ful|ic|ed|less|ly|ent|ant|ary)|clear|true|likely|certain|sure|"
    r"aware|so|such|not|"
    r"one|what|proof|those|now|then|part|due|how|more|less|better|worse)$"
)
_NOTHING_MORE = (
    " and each",
    " and it",
    " and they",
    " and is",
    " and are",
    " and has",
    " and all",
    " and the",
    ".",
    ";",
    ", but",
    ", and",
    ", so",
    ", not",
)
_MASS = words("money matter material energy information software rock")
_PLACES = (
    r"(?:country|city|town|village|river|island|continent|kingdom|mountain|company|lake|empire|website|"
    r"magazine|newspaper|film|novel)"
)
_STATING = r"states|says|holds|asserts|predicts|proposes|suggests|argues|posits|claims|maintains|emphasizes|assumes"
_THEORY = (
    r"(?:law|theory|principle|rule|hypothesis|model|theorem|approach|perspective|effect|doctrine|axiom|paradigm|view)"
)


def definition(sentence: str) -> str | None:
    """ "X is a Y that ...", "X refers to Y", "Y is called X", "X is used to ..."."""
    return (
        _called(sentence)
        or _meant(sentence)
        or _being(sentence)
        or _those(sentence)
        or _matter(sentence)
        or _use(sentence)
    )


def is_proper(sentence: str) -> bool:
    """Whether its first word is a place or a person, by what is said of it: it keeps its capital."""
    return (
        re.match(rf"{WORD} (?:divided|classified|sorted|grouped) ", sentence) is not None
        or re.match(rf"{WORD} (?:is|was) (?:an?|the) (?:{WORD} ){{0,3}}?{_PLACES}\b", sentence) is not None
    )


def _called(sentence: str) -> str | None:
    when = match(rf"{NAME} (?P<be>is|are) (?P<as>(?:called|considered|said to be) {WORD}) (?:if|when) ", sentence)
    if when:
        return f"When {when['be']} {when['name']} {when['as']}?"
    called = match(
        rf"{NAME} (?P<be>is|are) {_ADVERBS}(?P<also>also )?(?:called|known as|termed|referred to as) (?!the |an? )",
        sentence,
    )
    if called and not re.search(r", but\b|\bnot\b", sentence) and (called["also"] or " " in called["name"]):
        return f"What {'else ' if called['also'] else ''}{called['be']} {called['name']} called?"
    return None


def _meant(sentence: str) -> str | None:
    meant = match(
        rf"{NAME} {_ADVERBS}"
        r"(?:(?:refers? to|means|is defined as|are defined as|is a term for)\s|describes? (?=the |an? |our ))",
        sentence,
    )
    if meant:
        return f"What is meant by {meant['name']}?"
    stands = match(rf"{NAME} stands for ", sentence)
    if stands:
        return f"What does {stands['name']} stand for?"
    states = match(rf"{NAME} (?P<verb>{_STATING}) that ", sentence)
    if states and re.search(rf"\b{_THEORY}\b", states["name"]):
        return f"What does {states['name']} {states['verb'].removesuffix('s')}?"
    return None


def _being(sentence: str) -> str | None:
    """ "X is a/the/any Y ..." """
    one = match(rf"{NAME} (?P<be>is|was) {_ADVERBS}(?P<article>an?|the|any|one of the)\s{_HEAD}", sentence)
    if one is None or (one["be"] == "was" and not re.search(r"[A-Z]\w+ [A-Z]\w+$", one["name"])):
        what = match(rf"{NAME} is (?:what|when|where) (?!{WORD} (?:is|are|was)\b|makes\b)", sentence)
        return f"What is {what['name']}?" if what and not _NOT_DEFINED.search(what["name"]) else None
    is_odd = one["be"] == "is" and is_plural(one["name"]) and not re.search(r"^(?:An?|The) |ics\b| and ", one["name"])
    if is_odd or _NOT_DEFINED.search(one["name"]) or not _says_what(one, sentence):
        return None
    return _asking_for_being(one["name"], one["be"], sentence)


def _says_what(found: re.Match[str], sentence: str) -> bool:
    head = found["head"].lower().split()
    noun = head[-1].strip(",")
    is_kind = noun not in _NO_KIND and not _RANKED.search(found["head"]) and not _PRAISE.search(found["head"])
    is_kind = is_kind and re.match(r" for (?:some|many|most|all|us|every\w+)\b", sentence[found.end("head") :]) is None
    is_more = found["after"] not in _NOTHING_MORE or len(head) > 2
    if re.match(r"An? ", sentence) and found["article"] == "the":
        return (
            is_kind
            and re.match(r",? (?:that|which|who|by|at|in|of|between|from|through|on|for|to|\w+ed)\b", found["after"])
            is not None
        )
    return is_kind and is_more


def _those(sentence: str) -> str | None:
    """ "Xs are Ys that ..." """
    many = match(rf"{NAME} (?P<be>are) {_ADVERBS}(?P<article>the |those |any )?{_HEAD}", sentence)
    if many is None or not is_plural(many["name"]) or _NOT_DEFINED.search(many["name"]):
        return None
    head = many["head"].lower().split()
    if (
        len(head) > 4
        or not (is_plural(head[-1]) or head[-1] in _MASS)
        or head[-1] in _NO_KIND
        or _RANKED.search(many["head"])
        or _PRAISE.search(many["head"])
    ):
        return None
    is_told = many["after"] not in _NOTHING_MORE and head[0] not in ("not", "no") and not re.match(r"\w+ed$", head[0])
    return f"What are {many['name']}?" if is_told else None


def _matter(sentence: str) -> str | None:
    """ "X is Y that ..." with a noun that has no article."""
    bare = match(
        rf"{NAME} is (?P<head>(?:{WORD} ){{0,2}}?{WORD})(?P<after> (?:(?:in|by|through|at|from|of|for|with|on) "
        rf")?(?:that|which|whose)| below| made| released| stored)\b",
        sentence,
    )
    if bare is None or _NOT_DEFINED.search(bare["name"]):
        return None
    words = bare["head"].lower().split()
    is_noun = (
        not _ADJECTIVE.match(words[-1])
        and not re.search(rf"\b{_MODIFIER} ", bare["head"])
        and words[-1] not in _NO_KIND - _MASS
        and words[0] not in ("the", "a", "an", "not", "another", "no", "one")
    )
    return f"What is {bare['name']}?" if is_noun else None


def _use(sentence: str) -> str | None:
    used = match(
        rf"{NAME} (?P<be>is|are) {_ADVERBS}(?P<use>used|responsible|useful) (?:to|for|in|as) (?!\w+ (?:this|that)\b)",
        sentence,
    )
    if used:
        return f"What {used['be']} {used['name']} {used['use']} for?"
    how = match(
        rf"{NAME} (?P<be>is|are) {_ADVERBS}(?P<how>measured|calculated|computed|determined|obtained) (?:\w+ "
        rf")?(?:in|by|as|from|with|along|or) ",
        sentence,
    )
    if how and not re.search(r"\b(?:not|but)\b", sentence):
        return f"How {how['be']} {how['name']} {how['how']}?"
    measures = match(rf"{NAME} (?:measures|specifies) (?:how|the|whether)\b", sentence)
    if measures:
        return f"What does {measures['name']} {'measure' if ' measures ' in measures[0] + ' ' else 'specify'}?"
    role = re.match(
        rf"The (?:main |primary |basic )?(?P<role>function|role|purpose|task|goal|aim) of (?P<name>{WORD}(?: "
        rf"{WORD}){{0,4}}?) is to ",
        sentence,
    )
    if role and is_name(role["name"]) and not points_elsewhere(role["name"]):
        return f"What is the {role['role']} of {role['name']}?"
    return None


def _asking_for_being(name: str, be: str, sentence: str) -> str | None:
    """ "Who is" a person with a full name, "What is" anything else; None for a full name of unknown kind."""
    if not re.match(r"[A-Z]\w+ [A-Z]\w+$", name) or name.startswith(("The ", "A ", "An ")):
        return f"What {be} {name}?"
    return f"Who {be} {name}?" if re.search(rf"\b{be} an? [^,.]*\bwho\b", sentence) else None
