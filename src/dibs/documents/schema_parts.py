"""The parts from which the dialects build JSON schemas of requests and responses."""

from collections.abc import Mapping
from typing import Any

from dibs.documents.json_schema import Schema

TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
UUID: Schema = {"type": "string", "format": "uuid", "maxLength": 255}
UUID_OR_NULL: Schema = {"type": ["string", "null"], "format": "uuid"}
INTEGER: Schema = {"type": "integer"}
INTEGER_OR_NULL: Schema = {"type": ["integer", "null"]}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
FLAG_OR_NULL: Schema = {"type": ["boolean", "null"]}
OBJECT: Schema = {"type": "object"}
NULL: Schema = {"type": "null"}
TIME: Schema = {"type": "string", "format": "date-time"}
TIME_OR_NULL: Schema = {"type": ["string", "null"], "format": "date-time"}


def closed(properties: Mapping[str, Any], *required: str) -> Schema:
    """Return the schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def record(always: Mapping[str, Any], sometimes: Mapping[str, Any] | None = None) -> Schema:
    """Return the schema of an object: properties that it always has, properties that it may have, and no others."""
    return closed({**always, **(sometimes or {})}, *always)


def document(title: str, always: Mapping[str, Any], sometimes: Mapping[str, Any] | None = None) -> Schema:
    """Return the schema of a record that the OpenAPI document shows once, under its title."""
    return {"title": title, **record(always, sometimes)}


def list_of(schema: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": schema}


def by_name(schema: Schema) -> Schema:
    """Return the schema of an object with any names, whose values have this schema."""
    return {"type": "object", "additionalProperties": schema}


LINKS: Schema = list_of(record({"href": TEXT, "rel": TEXT}))
