"""YAML files that hold a schedule, such as the data of a Jekyll or Quarto site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import yaml

from core.errors import DataDocument
from ingestion.document import Line, LoadedDocument
from ingestion.loaders.decoding import decode
from ingestion.loaders.schedules.tables import cell_text, schedule, table_lines

MAX_BYTES = 300_000
MAX_DEPTH = 8


def load(name: str, data: bytes) -> LoadedDocument:
    """Raises `UnreadableDocument`, `EmptyDocument`, and `DataDocument` for what is no schedule."""
    if len(data) > MAX_BYTES:
        raise DataDocument(f"{name}: no schedule, since it has more than {MAX_BYTES:,} bytes.")
    decoded = decode(name, data)
    try:
        content = read_yaml(decoded.text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DataDocument(f"{name}: no YAML that can be read.") from error
    return schedule(name, None, list(_lines(content, 1)))


def read_yaml(text: str) -> Any:
    """The content of the first document. Raises `yaml.YAMLError`, also for aliases, by which a short text is huge."""
    if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
        raise yaml.YAMLError("aliases are not read")
    return next(iter(yaml.safe_load_all(text)), None)


def _lines(value: Any, depth: int) -> Iterator[Line]:
    if depth > MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        flat = {str(key): _scalar(part) for key, part in value.items() if not _is_nested(part)}
        for key, text in flat.items():
            if text:
                yield Line(f"{key}: {text}")
        for key, part in value.items():
            if _is_nested(part):
                yield Line(str(key), level=min(depth, 6))
                yield from _lines(part, depth + 1)
    elif isinstance(value, list):
        yield from _list_lines(value, depth)


def _list_lines(items: list[Any], depth: int) -> Iterator[Line]:
    """Records as a table; those with records inside each below a heading of its own."""
    plain: list[Mapping[str, str]] = []
    for item in items:
        if not isinstance(item, Mapping):
            if text := _scalar(item):
                plain.append({"item": text})
            continue
        plain.append({str(key): _scalar(part) for key, part in item.items() if not _is_nested(part)})
        if nested := {key: part for key, part in item.items() if _is_nested(part)}:
            yield from map(Line, table_lines(plain[:-1]))
            own, plain = plain[-1], []
            yield Line(" ".join(filter(None, own.values())) or "-", level=min(depth, 6))
            yield from map(Line, table_lines([own]))
            for key, part in nested.items():
                yield Line(str(key), level=min(depth + 1, 6))
                yield from _lines(part, depth + 2)
    yield from map(Line, table_lines(plain))


def _is_nested(value: Any) -> bool:
    """True for what does not fit into a cell: records within records."""
    if isinstance(value, list):
        return any(isinstance(part, (Mapping, list)) for part in value)
    return isinstance(value, Mapping) and any(isinstance(part, (Mapping, list)) for part in value.values())


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {text}" for key, part in value.items() if (text := _scalar(part)))
    if isinstance(value, list):
        return "; ".join(filter(None, map(_scalar, value)))
    return cell_text(str(value))
