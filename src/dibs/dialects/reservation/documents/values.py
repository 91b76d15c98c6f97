"""Parse single values of a request: numbers, strings and affinity."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.reservation.errors import bad_request, malformed, missing

NUMBER_MAX = 0x7FFFFFFF
"""The largest number in a request: no host has more of a resource, and no lease more hosts."""
NAME_LENGTH_MAX = 80
REQUIREMENTS_LENGTH_MAX = 4_000
BEFORE_END_ACTIONS = ("default", "snapshot")

_AFFINITIES = {"true": True, "false": False, "none": None, "": None}


def require(values: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Raise a 400 that names the missing parameters."""
    absent = [name for name in names if name not in values]
    if absent:
        raise missing(*absent)


def read_number(values: Mapping[str, Any], name: str, *, least: int | None = None) -> int:
    """Parse an integer. Quirk not copied: the original answers 500 to a number in a string."""
    number = values[name]
    if not isinstance(number, int) or isinstance(number, bool) or number > NUMBER_MAX:
        raise malformed(name)
    if least is not None and number < least:
        raise malformed(f"{name} (must be greater than or equal to {least})")
    return number


def read_amount(values: Mapping[str, Any]) -> int:
    """Parse the number of instances."""
    amount = read_number(values, "amount")
    if amount < 1:
        raise bad_request("amount must be >= 1")
    return amount


def read_affinity(value: Any) -> bool | None:
    """Parse an affinity: a boolean or null, or as the clients send it, one of these words in a string."""
    if value is None or isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else "?"
    if word not in _AFFINITIES:
        raise malformed("affinity (must be a bool value or None)")
    return _AFFINITIES[word]


def read_requirements(values: Mapping[str, Any], name: str) -> str:
    """Return requirements as the client wrote them: JSON in a string, which may be empty."""
    text = values[name]
    if text is None:
        return ""
    if not isinstance(text, str) or len(text) > REQUIREMENTS_LENGTH_MAX:
        raise malformed(name)
    return text


def read_before_end(value: Any) -> str:
    """Parse the action on servers before the end of a lease of hosts."""
    action = value or BEFORE_END_ACTIONS[0]
    if action not in BEFORE_END_ACTIONS:
        raise malformed("before_end")
    return str(action)


def read_name(value: Any) -> str:
    """Parse the name of a lease. Quirk not copied: the original answers 500 to a name that is too long."""
    if not isinstance(value, str):
        raise malformed("name")
    if len(value) > NAME_LENGTH_MAX:
        raise malformed(f"name (must have at most {NAME_LENGTH_MAX} characters)")
    return value
