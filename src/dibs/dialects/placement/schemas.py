"""JSON schemas: the check against a schema, and the parts that several nouns share."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from dibs.dialects.placement.errors import bad_request
from dibs.documents.json_schema import Schema as Schema
from dibs.documents.json_schema import find_mistake
from dibs.documents.schema_parts import UUID as UUID
from dibs.documents.schema_parts import closed as closed

Value = TypeVar("Value")

INTEGER_MAX = 0x7FFFFFFF
"""The largest amount that Placement accepts."""

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


def by_uuid(entries: Iterable[tuple[str, Value]], noun: str) -> dict[str, Value]:
    """Return the entries of a request by the stored form of their uuid; refuse a key that is none, and duplicates.

    Two spellings are two keys of an object and one row of the ledger: neither the schema nor the ledger would notice.
    """
    spellings: dict[str, list[str]] = {}
    found: dict[str, Value] = {}
    for key, value in entries:
        try:
            identity = dashed(key)
        except ValueError:
            raise bad_request(f"Malformed uuid of a {noun}: {key}") from None
        spellings.setdefault(identity, []).append(key)
        found[identity] = value
    for identity, written in spellings.items():
        if len(written) > 1:
            raise bad_request(f"The {noun} {identity} is in the request more than once: {', '.join(written)}")
    return found


def dashed(value: str) -> str:
    """Return a uuid in the stored form: lower case, with dashes."""
    return str(uuid.UUID(value))
