"""Small values as callers write them: truths, uuids, MAC addresses, numbers."""

import re
from typing import Any

from dibs.dialects.baremetal.errors import bad_request
from dibs.machines.model.nodes import is_uuid

_TRUE = frozenset({"1", "t", "true", "on", "y", "yes"})
_FALSE = frozenset({"0", "f", "false", "off", "n", "no"})
_ACCEPTED = ", ".join(f"'{word}'" for word in sorted(_TRUE | _FALSE))

_MAC = re.compile(r"[0-9a-f]{2}([-:])[0-9a-f]{2}(\1[0-9a-f]{2}){4}\Z")
_INTEGER = re.compile(r"\s*[+-]?[0-9]{1,18}\s*\Z")


def read_flag(name: str, value: Any) -> bool:
    """A truth, written as such or as one of twelve words."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise bad_request(f"Invalid {name}: Unrecognized value '{value}', acceptable values are: {_ACCEPTED}")


def read_uuid(name: str, value: Any) -> str:
    """A uuid, in the lower case in which all are stored."""
    if not isinstance(value, str) or not is_uuid(value):
        raise bad_request(f"Expected UUID for {name}: {value}")
    return value.lower()


def read_integer(name: str, value: str) -> int:
    """A whole number of a size that any engine takes."""
    if not _INTEGER.match(value):
        raise bad_request(f"Expected an integer for {name}: {value}")
    return int(value)


def read_mac(name: str, value: Any) -> str:
    """A MAC address, in lower case with colons."""
    text = value.lower() if isinstance(value, str) else ""
    if not _MAC.match(text):
        raise bad_request(f"Expected valid MAC address for {name}: {value}")
    return text.replace("-", ":")
