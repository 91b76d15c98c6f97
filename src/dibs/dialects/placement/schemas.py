"""JSON schemas: checking values against them, and the pieces that several nouns share."""

from collections.abc import Mapping
from typing import Any

from dibs.http.json_schema import Schema, find_mistake

__all__ = ["GENERATION", "INTEGER_MAX", "NAME", "RESOURCE_CLASS", "UUID", "Schema", "find_mistake", "in_version"]

INTEGER_MAX = 0x7FFFFFFF
"""The largest amount that Placement takes."""

UUID: Schema = {"type": "string", "format": "uuid"}
NAME: Schema = {"type": "string", "maxLength": 200}
GENERATION: Schema = {"type": "integer"}
RESOURCE_CLASS = "^[A-Z0-9_]+$"
"""The pattern of a resource class as a key of an object."""


def in_version(schemas: Mapping[int, Schema], minor: int) -> Schema:
    """Of schemas by the first version that has them, the one for this version."""
    return schemas[max(since for since in schemas if since <= minor)]


def closed(properties: Mapping[str, Any], *required: str) -> Schema:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
