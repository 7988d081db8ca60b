"""A course's settings as a form: its fields come from the model of the course file, and so does their validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import ValidationError
from starlette.datastructures import FormData

from core.course import Course
from core.course.editing import course_with, editable_keys, value_at
from core.errors import InvalidInput
from core.review import Notice
from core.schema_words import Schema, resolved, with_article
from core.store.tables import SettingChangeRow
from core.types import Status
from core.yaml_problems import in_words

MAX_CHARS = 4_000
"""Of one setting."""
LONG_CHARS = 40
"""A text whose usual value is longer gets a field of several lines."""
NUMBERS = {"integer": int, "number": float}


@dataclass(frozen=True)
class SettingField:
    """A field of the form. `text` is what it holds, `was` what it held when the page was made."""

    key: str
    kind: str
    """`flag`, `choice`, `number`, `list`, `text` or `long`."""
    hint: str
    text: str
    was: str
    options: Sequence[tuple[str, str]] = ()
    minimum: float | None = None
    maximum: float | None = None
    error: str | None = None
    change: SettingChangeRow | None = None
    """Set where the value comes before that of the course file."""

    @property
    def label(self) -> str:
        return self.key.rpartition(".")[2].replace("_", " ").capitalize()


@dataclass(frozen=True)
class SentSettings:
    """A form that was sent: the text of each field, what its page showed, and the fields to take from the file."""

    texts: Mapping[str, str]
    shown: Mapping[str, str]
    file_keys: frozenset[str]


class SettingsRefused(InvalidInput):
    """A form that cannot be saved: problems by field, and those of no field."""

    def __init__(self, fields: Mapping[str, str], others: Sequence[str] = ()) -> None:
        self.fields, self.others = fields, others
        super().__init__(" ".join(others) or "Nothing was saved. What is wrong stands at the fields.")


Choices = Mapping[str, Sequence[str]]
"""By setting, the values that this installation offers."""


def fields_of(course: Course, choices: Choices, held: Mapping[str, SettingChangeRow]) -> dict[str, list[SettingField]]:
    """The form of a course, by topic."""
    config = course.model_dump(mode="json")
    return {
        title: [_field(key, config, choices, held.get(key)) for key in keys]
        for title, keys in editable_keys(config).items()
    }


def read_form(form: FormData) -> SentSettings:
    """What a browser sent. Fields that are no text are left out."""
    texts = {name: text.replace("\r\n", "\n").strip() for name, text in form.multi_items() if isinstance(text, str)}
    return SentSettings(
        {name: text for name, text in texts.items() if not name.startswith("was:")},
        {name.removeprefix("was:"): text for name, text in texts.items() if name.startswith("was:")},
        frozenset(str(key) for key in form.getlist("as_file")),
    )


def changes_in(sent: SentSettings, course: Course, held: Mapping[str, SettingChangeRow]) -> dict[str, Any]:
    """The settings that the form changes, as values of the course file. Raises `SettingsRefused`."""
    config = course.model_dump(mode="json")
    values: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for key in (key for keys in editable_keys(config).values() for key in keys):
        schema, shown = _schema(key), sent.shown.get(key)
        text = sent.texts.get(key, _missing(schema))
        if key in sent.file_keys and key in held:
            values[key] = held[key].file_value
        elif shown is None or text == shown:
            continue
        elif shown != (current := _text(value_at(config, key))):
            problems[key] = (
                f"Somebody else has changed this to {current or 'nothing'!r} meanwhile. Save again if you mean it."
            )
        elif len(text) > MAX_CHARS:
            problems[key] = f"Write at most {MAX_CHARS:,} characters."
        else:
            values[key] = _value(text, schema)
    try:
        course_with(config, values)
    except ValidationError as error:
        raise _refused(error, values, problems) from error
    if problems:
        raise SettingsRefused(problems)
    return values


def with_sent(
    groups: Mapping[str, list[SettingField]], sent: SentSettings, error: SettingsRefused
) -> dict[str, list[SettingField]]:
    """The form again as it was sent, with its errors."""
    return {
        title: [_as_sent(field, sent, error.fields.get(field.key)) for field in own] for title, own in groups.items()
    }


def _as_sent(field: SettingField, sent: SentSettings, error: str | None) -> SettingField:
    is_sent = field.key in sent.shown
    text = sent.texts.get(field.key, _missing(_schema(field.key)))
    return replace(field, text=text if is_sent else field.text, error=error)


def _field(key: str, config: Mapping[str, Any], choices: Choices, change: SettingChangeRow | None) -> SettingField:
    schema = _schema(key)
    value = value_at(config, key)
    text = _text(value)
    inner = _inner(schema)
    options = _options(key, schema, choices, text)
    kind = "choice" if options else _kind(key, schema)
    hint = str(schema.get("description") or _usual_sentence(key)).replace("`", "")
    return SettingField(key, kind, hint, text, text, options, inner.get("minimum"), inner.get("maximum"), change=change)


def _usual_sentence(key: str) -> str:
    name = key.rpartition(".")[2]
    status = Notice(name) if name in list(Notice) else Status(name)
    return f"Without your own: {Course(id='x').sentence(status)}"


def _kind(key: str, schema: Schema) -> str:
    inner = _inner(schema)
    if _is_flag(schema):
        return "flag"
    if inner.get("type") == "array":
        return "list"
    if inner.get("type") in NUMBERS:
        return "number"
    is_long = key.startswith("sentences.") or len(str(schema.get("default") or "")) > LONG_CHARS
    return "long" if is_long else "text"


def _options(key: str, schema: Schema, choices: Choices, text: str) -> list[tuple[str, str]]:
    """The values to choose from, with their words; none for what is typed."""
    if key in choices:
        return [(value, value) for value in dict.fromkeys((*choices[key], text))]
    inner = _inner(schema)
    names = inner.get("enum") or ([inner["const"]] if "const" in inner else [])
    options = [(value, value.replace("_", " ")) for value in names]
    if inner.get("type") == "boolean" and _may_be_empty(schema):
        options = [("true", "yes"), ("false", "no")]
    return [("", "not set"), *options] if options and _may_be_empty(schema) else options


def _value(text: str, schema: Schema) -> Any:
    """What a text of the form stands for; the text itself where that is left to the model to refuse."""
    inner = _inner(schema)
    if inner.get("type") == "array":
        return [line.strip() for line in text.splitlines() if line.strip()]
    if not text:
        return None if _may_be_empty(schema) else schema.get("default")
    if inner.get("type") == "boolean":
        return text == "true"
    try:
        return NUMBERS[inner["type"]](text) if inner.get("type") in NUMBERS else text
    except ValueError:
        return text


def _text(value: Any) -> str:
    """A value as a field of the form holds it."""
    if isinstance(value, list):
        return "\n".join(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.10g}"
    return "" if value is None else str(value).replace("\r\n", "\n").strip()


def _refused(error: ValidationError, values: Mapping[str, Any], problems: Mapping[str, str]) -> SettingsRefused:
    """What the model says about the values, at their fields."""
    fields, others, root = dict(problems), [], _root()
    for problem in error.errors():
        location = [str(part) for part in problem["loc"]]
        words = in_words(problem, root)
        key = next((key for key in values if location[: key.count(".") + 1] == key.split(".")), None)
        if key is None:
            others.append(f"{'.'.join(location)}: {words}.")
        elif problem["type"] == "value_error":
            fields[key] = f"{words[:1].upper()}{words[1:]}."
        else:
            fields[key] = f"This must be {with_article(_schema(key), root)}."
    return SettingsRefused(fields, others)


@cache
def _root() -> Schema:
    return Course.model_json_schema()


@cache
def _schema(key: str) -> Schema:
    """The JSON Schema of a setting."""
    schema = _root()
    for part in key.split("."):
        schema = _inner(schema)
        schema = schema.get("properties", {}).get(part) or schema["additionalProperties"]
    return schema


def _inner(schema: Schema) -> Schema:
    """The definition, or the one of several that is not null."""
    kinds = resolved(schema, _root()).get("anyOf", [schema])
    return resolved(next(kind for kind in kinds if kind.get("type") != "null"), _root())


def _may_be_empty(schema: Schema) -> bool:
    """Whether the setting may have no value."""
    return {"type": "null"} in schema.get("anyOf", ())


def _is_flag(schema: Schema) -> bool:
    return schema.get("type") == "boolean"


def _missing(schema: Schema) -> str:
    """What a form says by leaving a field out: a box that is not ticked."""
    return "false" if _is_flag(schema) else ""
