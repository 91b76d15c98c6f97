"""Values of nodes and ports as clients write them: booleans, uuids, MAC addresses, JSON objects."""

import re
from typing import Any

from dibs.documents.json_body import UnusableJson, check_json, check_size
from dibs.documents.json_schema import Schema, find_mistake
from dibs.errors import BadValue
from dibs.machines.model.nodes import is_uuid

_TRUE = frozenset({"1", "t", "true", "on", "y", "yes"})
_FALSE = frozenset({"0", "f", "false", "off", "n", "no"})
_ACCEPTED = ", ".join(f"'{word}'" for word in sorted(_TRUE | _FALSE))

_MAC = re.compile(r"[0-9a-f]{2}([-:])[0-9a-f]{2}(\1[0-9a-f]{2}){4}\Z")


def read_flag(name: str, value: Any) -> bool:
    """Return a boolean, which clients also write as one of twelve words."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise BadValue(reason=f"Invalid {name}: Unrecognized value '{value}', acceptable values are: {_ACCEPTED}")


def read_uuid(name: str, value: Any) -> str:
    """Return a uuid in lower case, as all uuids are stored."""
    if not isinstance(value, str) or not is_uuid(value):
        raise BadValue(reason=f"Expected UUID for {name}: {value}")
    return value.lower()


def read_mac(name: str, value: Any) -> str:
    """Return a MAC address in lower case with colons."""
    text = value.lower() if isinstance(value, str) else ""
    if not _MAC.match(text):
        raise BadValue(reason=f"Expected valid MAC address for {name}: {value}")
    return text.replace("-", ":")


def check_schema(schema: Schema, name: str, value: Any) -> None:
    """Raise BadValue for a document that does not fit the schema; ``name`` is what the message calls the document."""
    mistake = find_mistake(schema, value)
    if mistake is not None:
        raise BadValue(reason=f"Schema error for {name}: {mistake}")


def check_storable(name: str, value: Any) -> None:
    """Raise BadValue for a JSON attribute that is too large, nested too deeply or has text that no database takes.

    The limits of a request body are not enough: several patches can together build what no single body may contain.
    """
    try:
        check_json(value, f"/{name}")
        check_size(value, f"/{name}")
    except UnusableJson as error:
        raise BadValue(reason=str(error)) from None
