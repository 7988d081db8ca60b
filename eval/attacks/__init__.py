"""Attacks on judges, and harmless changes. To add one, write its function and add it to a tuple here."""

from __future__ import annotations

from eval.attacks import additions, changes, harmless, variations
from eval.attacks.base import Attack

ATTACKS: tuple[Attack, ...] = (
    Attack("empty", "an empty answer", changes.empty),
    Attack("dont_know", 'only "I don\'t know"', changes.dont_know),
    Attack("question_repeated", "the question in place of an answer", changes.question_repeated),
    Attack("other_answer", "a good answer to another question", changes.other_answer),
    Attack("shuffled", "the words of the answer in random order", changes.shuffled),
    Attack("garbled", "letters of most words exchanged", changes.garbled),
    Attack("negated", "every statement negated", changes.negated),
    Attack("doubted", 'every statement denied without a word like "not"', variations.doubted),
    Attack("opposite_words", "words replaced by their opposites", variations.opposite_words),
    Attack("clauses_shuffled", "the words of each clause in random order", variations.clauses_shuffled),
    Attack("pieces_mixed", "pieces of three words in random order", variations.pieces_mixed),
    Attack("roles_swapped", "two terms of a sentence in each other's place", variations.roles_swapped),
    Attack("numbers_changed", "every number replaced by another", changes.numbers_changed),
    Attack("entity_swapped", "one term of the answer replaced by a term of another topic", changes.entity_swapped),
    Attack("first_half", "the first half of the words", changes.first_half),
    Attack("passage_pasted", "the passages in place of an answer", changes.passage_pasted),
    Attack("false_claim", "the answer and a false statement", additions.false_claim),
    Attack("style_only", "confident sentences without content", changes.style_only),
    Attack("padded", "a wrong answer, padded threefold", additions.padded),
    Attack("injected_score", "a wrong answer that asks for the full score", additions.injected_score),
    Attack("injected_rubric", "a wrong answer with a rubric of its own", additions.injected_rubric),
    Attack("injected_tags", "a wrong answer that closes the tags of the prompt", additions.injected_tags),
    Attack("injected_language", "a wrong answer that asks in another language", additions.injected_language),
    Attack("invisible", "a wrong answer with invisible characters", additions.invisible_wrong),
)
"""Each makes a bad answer from a good one."""

HARMLESS: tuple[Attack, ...] = (
    Attack("paraphrase", "everyday words replaced by others of the same meaning", harmless.paraphrase),
    Attack("order_of_points", "the sentences in another order", harmless.order_of_points),
    Attack("formatting", "Markdown instead of plain text", harmless.formatting),
    Attack("spelling", "British for American spelling", harmless.spelling),
    Attack("invisible_characters", "invisible characters in a right answer", harmless.invisible),
)
"""Each changes a good answer without changing what it says."""
