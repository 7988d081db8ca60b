"""What a JSON Schema says, in words."""

from __future__ import annotations

from typing import Any

import pytest

from core.schema_words import in_words, with_article


@pytest.mark.parametrize(
    ("schema", "words", "article"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 50000}, "integer from 1 to 50,000", "an "),
        ({"type": "number", "minimum": 0}, "number of 0 or more", "a "),
        ({"type": "integer", "maximum": 9}, "integer of 9 or less", "an "),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text", ""),
        ({"type": "string", "format": "date-time"}, "moment", "a "),
        ({"$ref": "#/$defs/Colour"}, "`red`, `blue`", ""),
        ({"type": "array", "items": {"$ref": "#/$defs/Colour"}}, "list of `red`, `blue`", "a "),
        ({"type": "object"}, "mapping", "a "),
    ],
)
def test_a_kind_of_value_is_named_with_its_range(schema: dict[str, Any], words: str, article: str) -> None:
    root = {"$defs": {"Colour": {"enum": ["red", "blue"], "type": "string"}}}
    assert in_words(schema, root) == words
    assert with_article(schema, root) == article + words
