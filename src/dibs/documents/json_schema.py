"""Validate a value against a JSON schema, and report the most relevant mistake."""

import functools
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    import jsonschema

Schema = Mapping[str, Any]

VALIDATORS_MAX = 500

_VALIDATORS: "dict[int, tuple[Schema, jsonschema.Draft202012Validator]]" = {}
"""By the id() of the schema; the entry holds the schema, so that no other object can get the same id."""


class Mistake(Struct, frozen=True):
    """The most relevant violation of a schema."""

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
    """Return the most relevant mistake, or None. A schema must not change after its first use."""
    from jsonschema.exceptions import best_match

    error = best_match(_validator(schema).iter_errors(value))
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
        validator = jsonschema.Draft202012Validator(schema, format_checker=_formats())
        known = _VALIDATORS[id(schema)] = (schema, validator)
    return known[1]
