"""Sentences that say why something is so, or what comes of it."""

from __future__ import annotations

import re

from teaching.statements.enumerations import asking_for_object
from teaching.statements.names import CARDINAL, NAME, WORD, is_name, is_plural, match, points_elsewhere
from teaching.statements.verbs import asked, subject_of

_MODAL = r"(?:(?P<modal>can|may|might) )?"
_ADVERBS = r"(?:(?:often|usually|sometimes|generally|typically|primarily|mainly|largely|partly|commonly) )?"
_COMPARATIVE = re.compile(
    r"\b(?:more|less|fewer|(?:long|short|larg|small|high|low|fast|slow|hott|cold|strong|weak|heav|light|"
    r"great|old|young|"
    r"cheap|deep|earl|lat|thick|thinn|wid|narrow|rich|poor|eas|hard|clos|furth|bright|bigg|near|saf|dark|"
    r"warm|cool)i?er|"
    r"better|worse)\b"
)
_VAGUE_REASON = re.compile(r"\b(?:useful|needed|interesting|true|so|different|special|surprising|possible)$")
MIN_CLAUSE, MAX_CLAUSE = 2, 20


def cause(sentence: str) -> str | None:
    """ "X causes Y", "X is caused by Y", "X because Y", "Because Y, X", "X occurs when Y", "When X, Y"."""
    is_example = re.search(r"\b(?:he|she|his|her|him|you|your)\b", sentence, re.I) is not None
    general = None if is_example else _reason(sentence) or _circumstance(sentence)
    return general or _caused(sentence) or _effect(sentence)


def _effect(sentence: str) -> str | None:
    found = match(
        rf"{NAME} {_MODAL}(?P<verb>causes?|leads? to|results? in|produces?|prevents?)\s(?!of\b|by\b)\w+", sentence
    )
    if found:
        return asking_for_object(found)
    risk = match(
        rf"{NAME} {_MODAL}(?P<verb>(?:increase|reduce|raise|lower|decrease)s?) (?P<risk>the (?:risk|likelihood|"
        rf"chance|probability) of) ",
        sentence,
    )
    return f"{asking_for_object(risk)[:-1]} {risk['risk']}?" if risk else None


def _caused(sentence: str) -> str | None:
    by = match(rf"{NAME} (?P<be>is|are|was|were|may be|can be) {_ADVERBS}caused by (?!this|that|these|it\b)", sentence)
    if by:
        verb = {"was": "caused", "were": "caused", "may be": "may cause", "can be": "can cause"}.get(by["be"], "causes")
        return f"What {verb} {by['name']}?"
    due = match(rf"{NAME} (?P<be>is|are|was|were) {_ADVERBS}due to (?!this|that|these|it\b)", sentence)
    if due:
        return f"What {due['be']} {due['name']} due to?"
    source = match(rf"{NAME} {_MODAL}(?P<verb>results?|arises?|stems?) from (?!this|that|these|it\b)", sentence)
    if source:
        does = source["modal"] or ("do" if is_plural(source["name"]) else "does")
        return f"What {does} {source['name']} {source['verb'].removesuffix('s')} from?"
    return None


def _reason(sentence: str) -> str | None:
    first = re.match(r"(?:Because|Since) (?!of\b)(?P<why>[^,;:]+), (?P<clause>[^,;:]+)\.$", sentence)
    found = first or re.match(
        r"(?P<clause>[^,;:]+?)(?:,? (?:in part |partly |mainly |mostly |largely |primarily )?"
        r"(?:simply |just |probably |precisely |perhaps )?because (?:of )?|"
        r" in order to | so that |, since | since (?=it |they )|(?<!is)(?<!are)(?<!be)(?<!was) (?:due|owing) "
        r"to )",
        sentence,
    )
    question = asking_why(found["clause"]) if found else None
    is_purpose = found is not None and re.search(r" (?:in order to|so that) $", found[0]) is not None
    return None if is_purpose and not (question or "").startswith(("Why do", "Why can")) else question


def asking_why(clause: str) -> str | None:
    """ "Why did wages rise?" for "Wages rose", None for a clause that points elsewhere or lacks something."""
    words = clause.split()
    if not MIN_CLAUSE <= len(words) <= MAX_CLAUSE or points_elsewhere(" ".join(words)):
        return None
    if (_VAGUE_REASON.search(clause) and len(words) <= 5) or re.search(
        r"\b(?:not|and|but|only|or|that|describes?|is|are|experienced|used|made|known|found|seen|shown|felt)$", clause
    ):
        return None
    if "—" in clause or re.search(
        r"\b(?:is|are|was|were) (?:the|an?) (?:\w+ )?\w+ (?:for|of|to|in|that|which)\b", clause
    ):
        return None
    compared = _COMPARATIVE.search(clause)
    is_measured = compared and re.search(rf"\b{CARDINAL} \w+ $", clause[: compared.start()])
    if (compared and not is_measured and " than " not in clause) or re.search(
        r"\b(?:different|various|understanding|\w{3,}est|the most)\b", clause
    ):
        return None
    question = asked(clause)
    if question is None or (re.match(r"\w+ [Tt]he \w+ ", question) and question.startswith(("was", "were", "did"))):
        return None
    if re.match(r"\S+ \w+ed$", question.split(" ", 1)[1]):
        return None
    return f"Why {question.replace(' also ', ' ')}?"


def _circumstance(sentence: str) -> str | None:
    occurs = match(rf"{NAME} {_MODAL}{_ADVERBS}(?P<verb>occurs?|happens?|arises?|begins?|takes? place) when ", sentence)
    if occurs:
        verb, *more = occurs["verb"].split()
        does = occurs["modal"] or ("do" if is_plural(occurs["name"]) else "does")
        return f"When {does} {occurs['name']} {' '.join([verb.removesuffix('s'), *more])}?"
    when = re.match(r"(?P<clause>[^,;:]+?) when (?P<when>[^,;:]+)[^;:]*\.$", sentence)
    asking = asking_why(when["clause"]) if when and _is_clause(when["when"]) else None
    if asking and not asking.startswith(("Why was", "Why were", "Why did", "Why should", "Why had")):
        return asking.replace("Why", "When", 1)
    if_when = re.match(
        rf"(?P<if>When|If) (?P<clause>(?P<name>{WORD}(?: {WORD}){{0,5}}?) (?:is|are|has|have|\w+s|\w+ed) "
        rf"[^,;:]*|[^,;:]+), "
        r"(?P<then>[^,;:]+)[^;:]*\.$",
        sentence,
    )
    if if_when is None or not _is_clause(if_when["then"]):
        return None
    words = if_when["clause"].split()
    is_whole = (
        MIN_CLAUSE <= len(words) <= MAX_CLAUSE
        and is_name(words[0] + " name")
        and not re.match(r"\w+(?:ing|ed)$", words[0])
    )
    verbless = (asked(if_when["clause"]) or "did").startswith(("did", "was", "were"))
    is_example = re.match(r"it is\b|the (?:parent|child|mother)", if_when["then"]) or re.match(
        r"the (?:parent|child|mother)", if_when["clause"]
    )
    is_study = is_example or re.search(
        r"\b(?:participants|subjects|observers|the (?:study|experiment))\b", if_when["clause"]
    )
    is_definite = re.match(r"the \w+ (?!is\b|are\b)\w+ (?:is|are|was|has)\b", if_when["clause"])
    if not is_whole or verbless or is_study or is_definite or points_elsewhere(if_when["clause"]):
        return None
    return f"What happens {if_when['if'].lower()} {if_when['clause']}?"


def _is_clause(text: str) -> bool:
    """Whether it has a subject of its own, and that is no "it comes to"."""
    return (
        subject_of(text) is not None or re.match(r"(?:the|an?|its|their|they|no|there) |it (?!comes)", text) is not None
    )
