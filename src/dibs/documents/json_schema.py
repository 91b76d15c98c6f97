"""Validate a value against a JSON schema, and report the first mistake.

A body may have a million elements, so the check stops at the first mistake, and looks at sizes before it looks into a
value. Every list, object and text of a schema has a maximum: a test requires it.

Almost all values are valid. fastjsonschema accepts them, with a function that it generates for each schema, in a
twentieth of the time of jsonschema. What it does not accept, jsonschema decides: its words are a part of the APIs.
"""

import itertools
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from dibs.documents.json_body import FREE_FORM_BYTES_MAX

Schema = Mapping[str, Any]

ACCEPTORS_MAX = 500
TEXT_LENGTH_MAX = 65_535
"""The maximum of a text that has no smaller one."""
ITEMS_MAX = 1_000
"""The maximum of a list or an object that has no smaller one."""
FREE_FORM: Schema = {
    "type": ["object", "null"],
    "maxProperties": ITEMS_MAX,
    "description": f"At most {FREE_FORM_BYTES_MAX} bytes of JSON.",
}
"""An object of the client's own; ``json_body.check_size`` limits its size."""

_DEEP = frozenset(
    {"properties", "patternProperties", "propertyNames", "items", "uniqueItems", "anyOf", "oneOf", "allOf", "contains"}
)
"""Keywords that look into a value."""

_ACCEPTORS: dict[int, tuple[Schema, Callable[[Any], Any]]] = {}
"""By the id() of the schema; the entry holds the schema, so that no other object can get the same id."""


class Mistake(Struct, frozen=True):
    """The first violation of a schema."""

    message: str
    place: str
    """Path in the value, with slashes; empty for the whole value."""
    rule: str
    """The violated keyword of the schema, such as ``maxLength``."""
    rule_path: tuple[str | int, ...]
    """Path of that keyword in the schema."""

    def __str__(self) -> str:
        return f"{self.message} (at {self.place})" if self.place else self.message


def is_uuid(value: object) -> bool:
    """Return True for a uuid with or without dashes, in either case, and for a value that is not text."""
    if not isinstance(value, str):
        return True
    try:
        return uuid.UUID(value).hex == value.lower().replace("-", "")
    except ValueError:
        return False


def find_mistake(schema: Schema, value: Any) -> Mistake | None:
    """Return the first mistake, or None. A schema must not change after its first use."""
    return None if accepts(schema, value) else explain(schema, value)


def accepts(schema: Schema, value: Any) -> bool:
    """Return True for a value that is valid beyond doubt; the check stops at the first doubt."""
    from fastjsonschema import JsonSchemaException

    try:
        _acceptor(schema)(value)
    except JsonSchemaException:
        return False
    return True


def explain(schema: Schema, value: Any) -> Mistake | None:
    """Return the first mistake as jsonschema describes it, or None."""
    # Imported at the first mistake, because a start does not need it and it is slow to import.
    import jsonschema
    from jsonschema.exceptions import best_match

    formats = jsonschema.FormatChecker(formats=())
    formats.checks("uuid")(is_uuid)
    validator = jsonschema.Draft202012Validator(_sizes_first(schema), format_checker=formats)
    # Of the alternatives of an anyOf, best_match chooses the one that the value comes closest to.
    error = best_match(itertools.islice(validator.iter_errors(value), 1))
    if error is None:
        return None
    return Mistake(
        message=error.message,
        place="/".join(str(part) for part in error.absolute_path),
        rule=str(error.validator),
        rule_path=tuple(error.absolute_schema_path)[:-1],
    )


def _acceptor(schema: Schema) -> Callable[[Any], Any]:
    """Return the generated function of a schema. Schemas are module constants; the cache is emptied if they are not."""
    known = _ACCEPTORS.get(id(schema))
    if known is None:
        import fastjsonschema

        if len(_ACCEPTORS) >= ACCEPTORS_MAX:
            _ACCEPTORS.clear()
        accept = fastjsonschema.compile(
            dict(schema), formats={"uuid": is_uuid}, use_default=False, detailed_exceptions=False
        )
        known = _ACCEPTORS[id(schema)] = (schema, accept)
    return known[1]


def _sizes_first(schema: Any) -> Any:
    """Return the schema with its keywords in the order in which they are checked: those that look inside last."""
    if isinstance(schema, list):
        return [_sizes_first(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    parts = {name: _sizes_first(part) for name, part in schema.items()}
    return dict(sorted(parts.items(), key=lambda item: item[0] in _DEEP or isinstance(item[1], dict)))
