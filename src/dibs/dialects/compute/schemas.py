"""JSON schemas that several request bodies share."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.compute.errors import bad_request
from dibs.documents.json_schema import ITEMS_MAX
from dibs.documents.json_schema import Schema as Schema
from dibs.documents.schema_parts import closed as closed
from dibs.flavors.model.flavors import AMOUNT_MAX
from dibs.servers.model.metadata import METADATA_ITEMS_MAX

NAME_LENGTH_MAX = 255
"""The length of the columns that store names."""

NAME: Schema = {"type": "string", "minLength": 1, "maxLength": NAME_LENGTH_MAX, "pattern": r"^(?!\s)(?:.|\n)*(?<!\s)$"}
ANY_TEXT: Schema = {"type": "string", "maxLength": 255}
DESCRIPTION: Schema = {"type": ["string", "null"], "maxLength": 255}
LONG_DESCRIPTION: Schema = {"type": ["string", "null"], "maxLength": 65535}
BOOLEAN: Schema = {
    "type": ["boolean", "string"],
    "maxLength": 255,
    "enum": [True, False, "True", "TRUE", "true", "1", "ON", "On", "on", "YES", "Yes", "yes",
             "False", "FALSE", "false", "0", "OFF", "Off", "off", "NO", "No", "no"],
}  # fmt: skip
OBJECT: Schema = {"type": "object", "maxProperties": ITEMS_MAX}
_DIGITS = {"type": ["integer", "string"], "pattern": "^[0-9]+$", "maxLength": 10}
POSITIVE: Schema = {**_DIGITS, "minimum": 1, "maximum": AMOUNT_MAX}
NOT_NEGATIVE: Schema = {**_DIGITS, "minimum": 0, "maximum": AMOUNT_MAX}
METADATA: Schema = {
    "type": "object",
    "propertyNames": {"minLength": 1, "maxLength": 255},
    "additionalProperties": {"type": "string", "maxLength": 255},
    "maxProperties": METADATA_ITEMS_MAX,
}

_TRUE = frozenset({True, "True", "TRUE", "true", "1", "ON", "On", "on", "YES", "Yes", "yes"})


def in_version(schemas: Mapping[int, Schema], minor: int) -> Schema:
    """Return the schema for a version, from schemas by the first version that has them."""
    return schemas[max(since for since in schemas if since <= minor)]


def read_amount(asked: Mapping[str, Any], name: str, *, least: int = 0) -> int:
    """Return a number that may be written as text, which the bounds in a schema do not cover."""
    number = int(asked[name])
    if not least <= number <= AMOUNT_MAX:
        raise bad_request(f"Invalid input for field/attribute {name}. It must be from {least} to {AMOUNT_MAX}.")
    return number


def is_true(value: bool | str) -> bool:
    """Return the meaning of a BOOLEAN value."""
    return value in _TRUE
