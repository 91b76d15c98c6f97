"""Validate a value against a JSON schema, and report the first mistake.

A body may have a million elements, so the check stops at the first mistake, and looks at sizes before it looks into a
value. Every list, object and text of a schema has a maximum: a test requires it.
"""

import functools
import itertools
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dibs.documents.json_body import FREE_FORM_BYTES_MAX

if TYPE_CHECKING:
    import jsonschema

Schema = Mapping[str, Any]

VALIDATORS_MAX = 500
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

_VALIDATORS: "dict[int, tuple[Schema, jsonschema.Draft202012Validator]]" = {}
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
    from jsonschema.exceptions import best_match

    # Of the alternatives of an anyOf, best_match chooses the one that the value comes closest to.
    error = best_match(itertools.islice(_validator(schema).iter_errors(value), 1))
    if error is None:
        return None
    return Mistake(
        message=error.message,
        place="/".join(str(part) for part in error.absolute_path),
        rule=str(error.validator),
        rule_path=tuple(error.absolute_schema_path)[:-1],
    )


@functools.cache
def _formats() -> "jsonschema.FormatChecker":
    import jsonschema

    formats = jsonschema.FormatChecker(formats=())
    formats.checks("uuid")(is_uuid)
    return formats


def _validator(schema: Schema) -> "jsonschema.Draft202012Validator":
    """Return the validator of a schema. Schemas are module constants; the cache is emptied if they are not."""
    known = _VALIDATORS.get(id(schema))
    if known is None:
        # Imported at the first body, because a start does not need it and it is slow to import.
        import jsonschema

        if len(_VALIDATORS) >= VALIDATORS_MAX:
            _VALIDATORS.clear()
        validator = jsonschema.Draft202012Validator(_sizes_first(schema), format_checker=_formats())
        known = _VALIDATORS[id(schema)] = (schema, validator)
    return known[1]


def _sizes_first(schema: Any) -> Any:
    """Return the schema with its keywords in the order in which they are checked: those that look inside last."""
    if isinstance(schema, list):
        return [_sizes_first(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    parts = {name: _sizes_first(part) for name, part in schema.items()}
    return dict(sorted(parts.items(), key=lambda item: item[0] in _DEEP or isinstance(item[1], dict)))
