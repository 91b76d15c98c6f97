"""JSON schemas: the check against a schema, and the parts that several nouns share."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.placement.errors import bad_request
from dibs.documents.json_schema import Schema as Schema
from dibs.documents.json_schema import find_mistake

INTEGER_MAX = 0x7FFFFFFF
"""The largest amount that Placement accepts."""

UUID: Schema = {"type": "string", "format": "uuid"}
NAME: Schema = {"type": "string", "maxLength": 200}
GENERATION: Schema = {"type": "integer"}
RESOURCE_CLASS = "^[A-Z0-9_]+$"
"""The pattern of a resource class as a key of an object."""


def check(schema: Schema, value: Any, prefix: str) -> None:
    """Refuse a value that does not match the schema.

    Quirk: clients search the message for the keyword of the schema, which the original writes after the mistake.
    """
    mistake = find_mistake(schema, value)
    if mistake is not None:
        where = "".join(f"[{part!r}]" for part in mistake.rule_path)
        raise bad_request(f"{prefix}{mistake} - Failed validating '{mistake.rule}' in schema{where}")


def in_version(schemas: Mapping[int, Schema], minor: int) -> Schema:
    """Return the schema for a version; ``schemas`` has them by first version."""
    return schemas[max(since for since in schemas if since <= minor)]


def closed(properties: Mapping[str, Any], *required: str) -> Schema:
    """Return the schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
