"""Which lines begin a solution."""

from __future__ import annotations

import re
from unicodedata import normalize

from ingestion.document import Line
from ingestion.solutions.stubs import is_placeholder
from ingestion.vocabulary import SHEETS, SOLUTIONS, any_of

_WORDS = any_of(SOLUTIONS)
_KINDS = (
    r"staff|instructor|my|our|sample|model|suggested|official|worked|example|reference|correct|short|full|brief"
    r"|alternat(?:iv)?e|detailed|complete|one possible|possible(?=\s+sol)|expected|proposed|first|second|another"
)
_SHEETS = any_of(SHEETS)
_OF_A_SHEET = (
    r"(?:to|for|of|zu|zur|zum|der|de|del|de la|de l['’]|à|à l['’]|al|к)\s*(?:(?:the|all|selected|odd|even)\s+)?"
    rf"(?:{_SHEETS})\W*[\w.\-()]{{0,8}}"
)
_MARK = re.compile(
    # "**Solution 2b (5 points):** ...", "Suggested solution", "### Solutions to Homework 3"
    rf"^[\W_]*(?:text(?:bf|it)?\W+)?(?:(?:{_KINDS})\s+)?(?:{_WORDS})(?:\s+(?:sketch|outline|guide))?\s*+"
    r"(?P<number>\(?\d*[a-z]?\)?)\s*+(?:[(\[][^()\[\]]{0,30}[)\]]\s*+)?"
    rf"(?:[:：.*_\]】}}]|$|[–—-]+(?=\s|$)"
    r"|(?:by|using|via) (?:strong )?(?:induction|contradiction|cases|construction|hand|code|the\s|an?\s)[^.:?]{0,50}$"
    rf"|(?:to|for|of)\b[^.]{{0,40}}:|{_OF_A_SHEET}(?:[\W_]*$|\s*[:：]))"
    # "Homework 3 Solutions", "Appendix: Solutions"
    rf"|^[\W_]*(?:{_SHEETS}|appendix|anhang)\s*\#?\d*[a-z]?\W+(?:solutions?|answers?|answer key)[\W_]*$"
    # "Click for the solution", ":::{solution}", "\\begin{solution}"
    r"|^[\W_]*(?:click|show|reveal|see|view)\s[\w\s]{0,20}(?:solutions?|answers?)[\W_]*$"
    r"|^\W*(?:begin|success|admonition|dropdown|toggle)\W+(?:solutions?|answers?)\W*$"
    rf"|^(?=\W*(?:\?\?\?|!!!|\[!|:::))\W*+\w+\W+(?:(?:{_KINDS})\s+)?(?:{_WORDS})\W*$"
    # What otter leaves out of the notebook that students get.
    r"|^[\W_]*BEGIN SOLUTION\b|^(?-i:[\W_]*SOLUTION\b)|(?<!\#)\#++\s*+(?-i:SOLUTION)(?: NO PROMPT)?\s*$",
    re.IGNORECASE,
)
_COUNTED = (
    r"(?:in|within|using|with|at most|no more than)\s+(?:(?:about|at most|no more than|up to)\s+)?"
    r"(?:(?:one|two|three|four|five|a few|one or two|full|complete|your own|\d+(?:\s?(?:[-–]|to|or)\s?\d+)?)\s+"
    r"(?:(?:short|full|complete)\s+)?(?:sentences?|words?|paragraphs?|pages?|lines?)"
    r"|a (?:(?:single|short|full)\s+)?(?:sentence|paragraph))"
)
_YOURS = r"(?:\s+(?:(?:all )?(?:your|the|each) (?:final )?(?:answers?|solutions?|results?|reasoning)))?"
_INSTRUCTION = re.compile(
    rf"(?:please\s+)?(?:(?:(?:answer|write|give|state|explain|justify|respond|reply){_YOURS}\s+)?{_COUNTED}"
    rf"|(?:write|type|enter|put|submit|upload|give){_YOURS}\s+(?:(?:in|into|on)\s+(?:the\s+|a\s+)?"
    r"(?:space|box|boxes|cell|table|blanks?|lines?|sheet|separate (?:sheet|page)|gradescope|canvas|moodle)"
    r"(?: provided)?|below|here)|in the (?:space|box|boxes|cell|blanks?|lines) (?:below|provided)"
    r"|on a separate (?:sheet|page)(?: of paper)?|(?:on|via) (?:gradescope|canvas|moodle)"
    rf"|round{_YOURS}(?: off)? to \w+ (?:decimals?|decimal places?|digits|significant (?:figures|digits))"
    r"|show (?:all )?(?:of )?your (?:work(?:ing)?|steps|reasoning)|(?:justify|explain) your (?:answers?|reasoning)"
    r"|in (?:einem|zwei|drei|ganzen|höchstens \w+|\d+(?:[-–]\d+)?) (?:satz|sätzen|stichworten|worten)"
    r"|en (?:une?|dos|deux|trois|tres|\d+(?:[-–]\d+)?) (?:phrases?|frases?|mots|palabras|oraci(?:ón|ones)))"
    r"(?:\s+(?:each|only|please|at most|or less|or fewer|or more|maximum|below|per (?:question|part|item)|jeweils|je"
    r"|chacune?|cada una))*[\W_]*",
    re.IGNORECASE,
)
"""Behind "Answers:", how students are to write theirs, with nothing else on the line."""


def is_solution_marker(text: str) -> bool:
    """True for a line that begins a solution ("**Solution.** ...", "Answer:", "### Solutions to Homework 3")."""
    text = _compose(text)
    match = _MARK.search(text)
    if match is None:
        return False
    rest = _rest(text, match)
    return not (_INSTRUCTION.fullmatch(rest) or is_placeholder(rest))


def after_solution_marker(text: str) -> str:
    """What follows on a line that begins a solution, without marks; another line as it is."""
    match = _MARK.match(_compose(text))
    return _rest(_compose(text), match) if match else text


def solution_number(text: str) -> str:
    """The number of a line that begins the solution of a numbered question ("Solution 2b:"), or nothing."""
    match = _MARK.match(_compose(text))
    return (match["number"] or "").strip("()").casefold() if match else ""


def _compose(text: str) -> str:
    """The text with letters and their accents as one, as PDFs from some systems do not have them."""
    text = text.strip()
    return text if text.isascii() else normalize("NFC", text)


def _rest(text: str, match: re.Match[str]) -> str:
    return text[match.end() :].lstrip(" .:：*_").rstrip()


def begins_solution(line: Line) -> bool:
    """True for a line with which, or within which, a solution begins."""
    return line.solution or (not line.stub and is_solution_marker(line.text))


def opens_solution(line: Line) -> bool:
    """True where a solution begins that goes on behind the line, up to the next header."""
    return not line.closed and begins_solution(line)
