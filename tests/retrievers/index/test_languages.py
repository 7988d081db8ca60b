"""Questions in another language than the material, with the multilingual model that comes with EduMod."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from core.store.store import Store
from retrievers.embedding.base import Vectors
from retrievers.embedding.embeddings import Embeddings
from retrievers.embedding.multilingual import MultilingualEncoder
from retrievers.hybrid import Hybrid
from retrievers.index.indexes import Indexes
from tests.fakes import FakeEmbedder
from tests.retrievers.shelf import Shelf

ENGLISH = [
    "Photosynthesis turns sunlight, water and carbon dioxide into sugar and oxygen in the leaves of plants.",
    "A contract is binding once an offer has been accepted and both sides intend to be bound by it.",
    "The stack grows downward in memory, and each function call pushes a return address onto it.",
    "Inflation is the rise of the general level of prices over a period of time.",
]
GERMAN = [
    "Photosynthese verwandelt in den Blättern der Pflanzen Sonnenlicht, Wasser und Kohlendioxid in Zucker.",
    "Ein Vertrag ist bindend, sobald ein Angebot angenommen wurde und beide Seiten sich binden wollen.",
    "Inflation ist der Anstieg des allgemeinen Preisniveaus über einen Zeitraum.",
]


@pytest.fixture
def indexes(store: Store, tmp_path: Path) -> Indexes:
    return Indexes(store, Embeddings(FakeEmbedder(), multilingual=MultilingualEncoder()), tmp_path / "index")


async def best(indexes: Indexes, course: str, query: str) -> str:
    (passage,) = await Hybrid(await indexes.get(course), top_k=1).search(query)
    return passage.text


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("Wie machen Pflanzen aus Licht ihre Nahrung?", 0),
        ("¿Cuándo es obligatorio un contrato entre dos partes?", 1),
        ("函数调用时返回地址存放在哪里？", 2),
        ("Pourquoi les prix augmentent-ils avec le temps ?", 3),
    ],
)
async def test_a_question_in_another_language_finds_the_english_passage(
    shelf: Shelf, indexes: Indexes, query: str, number: int
) -> None:
    await shelf.add("ds", "book", ENGLISH)
    assert await best(indexes, "ds", query) == ENGLISH[number]


async def test_an_english_question_finds_the_german_passage(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.add("de", "buch", GERMAN)
    assert await best(indexes, "de", "When do rising prices count as inflation?") == GERMAN[2]
    assert await best(indexes, "de", "Wann ist ein Vertrag bindend?") == GERMAN[1]


async def test_english_questions_about_english_material_do_not_load_the_multilingual_model(
    shelf: Shelf, indexes: Indexes
) -> None:
    await shelf.add("ds", "book", ENGLISH)
    index = await indexes.get("ds")
    evidence = await index.evidence("How do plants turn sunlight into sugar?", 3, sections=False)
    assert not evidence.crosses_languages
    assert index._languages is not None
    assert index._languages._loaded is None


async def test_multilingual_vectors_are_kept_on_disk(shelf: Shelf, indexes: Indexes, store: Store) -> None:
    await shelf.add("ds", "book", ENGLISH)
    await best(indexes, "ds", "Wie machen Pflanzen aus Licht ihre Nahrung?")

    class Counting(MultilingualEncoder):
        embedded = 0

        def embed(self, texts: Sequence[str]) -> Vectors:
            self.embedded += len(texts)
            return super().embed(texts)

    counting = Counting()
    later = Indexes(store, Embeddings(FakeEmbedder(), multilingual=counting), indexes._folder)
    assert await best(later, "ds", "Wann ist ein Vertrag bindend?") == ENGLISH[1]
    assert counting.embedded == 1


async def test_changed_material_is_embedded_anew(shelf: Shelf, indexes: Indexes) -> None:
    await shelf.add("ds", "book", ENGLISH)
    await best(indexes, "ds", "Wie machen Pflanzen aus Licht ihre Nahrung?")
    await shelf.add("ds", "book", [*ENGLISH, "Bees dance to show others where flowers are."])
    assert "Bees" in await best(indexes, "ds", "Wie zeigen Bienen, wo Blumen sind?")
