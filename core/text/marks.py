"""The mark behind statements that nothing supports: it is for the reviewer of a draft, and never posted."""

from __future__ import annotations

from core.text.sentences import units


def marked(markdown: str, mark: str) -> str:
    """A sentence with the mark behind it."""
    return f"{markdown} {_markup(mark)}" if markdown else _markup(mark)


def without_mark(markdown: str, mark: str) -> str:
    """The text without the mark, wherever it stands."""
    shown = _markup(mark)
    if not mark or shown not in markdown:
        return markdown
    # Behind a table or a formula it is a paragraph of its own.
    text = markdown.replace(f"\n\n{shown}\n", "\n").removesuffix(f"\n\n{shown}")
    return text.replace(f" {shown}", "").replace(shown, "")


def marked_sentences(markdown: str, mark: str) -> tuple[str, ...]:
    """The sentences behind which the mark stands, without it."""
    sentences, before = [], ""
    for unit in units(markdown):
        sentence = without_mark(unit.text, mark).strip()
        if mark and _markup(mark) in unit.text:
            sentences.append(sentence or before)
        before = sentence or before
    return tuple(sentences)


def _markup(mark: str) -> str:
    return f"*{mark}*"
