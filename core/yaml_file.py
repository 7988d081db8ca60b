"""Reads YAML files written by people, with errors that name the file and the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from core.errors import InvalidInput
from core.schema_words import Schema
from core.yaml_problems import Problem, in_words, location_of

MAX_PARTS = 100_000
"""Values in one file, aliases included; a course file has hundreds. Nested aliases make billions of a few lines."""


@dataclass(frozen=True)
class YamlFile:
    """A mapping read from a file, with the line number of each part."""

    path: Path
    content: dict[str, Any]
    root: yaml.Node

    def location(self, *loc: int | str) -> str:
        """`FILE line N`: the first line of the part at `loc`, or of its nearest existing parent."""
        return f"{self.path} line {_line(self.root, loc)}"

    def invalid(self, error: ValidationError, model: type[BaseModel] | None = None) -> InvalidInput:
        """The validation error as one line per problem; `model` supplies the allowed keys."""
        schema = model.model_json_schema() if model else {}
        return InvalidInput("\n".join(self._complaint(problem, schema) for problem in error.errors()))

    def _complaint(self, problem: Problem, schema: Schema) -> str:
        location = location_of(problem)
        where = ".".join(str(part) for part in location) or "the file"
        return f"{self.location(*location)}: {where}: {in_words(problem, schema)}."


def read_yaml(
    path: Path, what: str, starts_with: str, *, encodings: Sequence[str] = ("utf-8",), last_document: bool = False
) -> YamlFile:
    """Read a YAML mapping in the first of the `encodings` that fits; `what` is the kind of file in messages.

    A file has one document, unless the last of several is wanted. Raises `InvalidInput` naming file and line.
    """
    try:
        text = _decode(path.read_bytes(), encodings)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"The {what} file {path} cannot be read: {error}. It must be a UTF-8 text file.") from error
    try:
        root, content = _document(text, last_document)
    except RecursionError as error:
        raise InvalidInput(f"{path} line 1: not valid YAML: it is nested too deeply.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise InvalidInput(f"{path}{line}: not valid YAML: {problem}.") from error
    if not isinstance(content, dict) or root is None:
        raise InvalidInput(f"{path} line 1: the {what} file is a mapping that starts with `{starts_with}:`.")
    return YamlFile(path, content, root)


def _document(text: str, last: bool) -> tuple[yaml.Node | None, Any]:
    """Nodes and content of the document. Raises `YAMLError` for one that is too large or not to be understood."""
    if not last:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        _check_parts(root, {})
        return root, yaml.load(text, Loader=_Loader)  # noqa: S506  (a SafeLoader)
    root = content = None
    for root in yaml.compose_all(text, Loader=yaml.SafeLoader):
        _check_parts(root, {})
    for content in yaml.load_all(text, Loader=_Loader):  # noqa: B007  (a SafeLoader)
        pass
    return root, content


def _decode(data: bytes, encodings: Sequence[str]) -> str:
    """Raises `UnicodeDecodeError`, of the first encoding, if none fits."""
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode(encodings[0])


def _line(node: yaml.Node | None, loc: tuple[int | str, ...]) -> int:
    """The first line of the deepest existing part of `loc`."""
    line = node.start_mark.line + 1 if node else 1
    for part in loc:
        if isinstance(node, yaml.MappingNode):
            entries = [(key, value) for key, value in node.value if key.value == str(part)]
            if not entries:
                break
            key, node = entries[0]
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line


class _Loader(yaml.SafeLoader):
    """Names the line of a value that its form promises but that does not exist, such as the 45th of a month."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except ValueError as error:
            raise yaml.MarkedYAMLError(problem=f"{error}; put it in quotes", problem_mark=node.start_mark) from error


def _check_parts(node: yaml.Node | None, sizes: dict[int, int], around: tuple[yaml.Node, ...] = ()) -> int:
    """Number of parts of `node` as it is read, where each alias repeats what it stands for; `sizes` are those known.

    Raises `YAMLError` for a key given twice, one that is no single word, a part that holds itself, and too many parts.
    """
    if node is None:
        return 0
    if node in around:
        raise yaml.MarkedYAMLError(problem="a part cannot hold itself", problem_mark=around[-1].start_mark)
    if id(node) not in sizes:
        size = sizes[id(node)] = 1 + sum(_check_parts(part, sizes, (*around, node)) for part in _parts(node))
        if size > MAX_PARTS:
            raise yaml.MarkedYAMLError(
                problem=f"it has more than {MAX_PARTS:,} parts, aliases included", problem_mark=node.start_mark
            )
    return sizes[id(node)]


def _parts(node: yaml.Node) -> Sequence[yaml.Node]:
    if isinstance(node, yaml.SequenceNode):
        return list(node.value)
    if not isinstance(node, yaml.MappingNode):
        return ()
    given: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.MarkedYAMLError(problem="a key must be text", problem_mark=key.start_mark)
        if key.value in given:
            raise yaml.MarkedYAMLError(
                problem=f"the key {key.value!r} is given here a second time", problem_mark=key.start_mark
            )
        given.add(key.value)
    return [value for _, value in node.value]
