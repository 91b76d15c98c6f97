"""Whether a value fits a JSON schema, and if not, what is wrong and where."""

import uuid
from collections.abc import Mapping
from typing import Any

import jsonschema

Schema = Mapping[str, Any]

_FORMATS = jsonschema.FormatChecker(formats=())
_VALIDATORS: dict[int, tuple[Schema, jsonschema.Draft202012Validator]] = {}
"""By the identity of the schema, which is kept so that no other can take its place."""


@_FORMATS.checks("uuid")
def is_uuid(value: object) -> bool:
    """True for a uuid with or without dashes, in either case; formats concern text only."""
    if not isinstance(value, str):
        return True
    try:
        return str(uuid.UUID(value)).replace("-", "") == value.lower().replace("-", "")
    except ValueError:
        return False


def find_mistake(schema: Schema, value: Any) -> str | None:
    """What is wrong with a value, and where in it; None when nothing is."""
    known = _VALIDATORS.get(id(schema))
    if known is None:
        validator = jsonschema.Draft202012Validator(schema, format_checker=_FORMATS)
        known = _VALIDATORS[id(schema)] = (schema, validator)
    error = jsonschema.exceptions.best_match(known[1].iter_errors(value))
    if error is None:
        return None
    place = "/".join(str(part) for part in error.absolute_path)
    return f"{error.message} (at {place})" if place else error.message
