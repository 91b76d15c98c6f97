"""Single values of a request: numbers, texts and the words for affinity."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.reservation.errors import bad_request, malformed, missing

NUMBER_MAX = 0x7FFFFFFF
"""No host has more of anything, and no lease more of them."""
NAME_LENGTH_MAX = 80
REQUIREMENTS_LENGTH_MAX = 4_000
BEFORE_END_ACTIONS = ("default", "snapshot")

_AFFINITIES = {"true": True, "false": False, "none": None, "": None}


def require(values: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Refuse values that lack a name."""
    absent = [name for name in names if name not in values]
    if absent:
        raise missing(*absent)


def read_number(values: Mapping[str, Any], name: str, *, least: int | None = None) -> int:
    """A whole number. Quirk bettered: the original fails (500) on a number that is written as text."""
    number = values[name]
    if not isinstance(number, int) or isinstance(number, bool) or number > NUMBER_MAX:
        raise malformed(name)
    if least is not None and number < least:
        raise malformed(f"{name} (must be greater than or equal to {least})")
    return number


def read_amount(values: Mapping[str, Any]) -> int:
    """How many instances."""
    amount = read_number(values, "amount")
    if amount < 1:
        raise bad_request("amount must be >= 1")
    return amount


def read_affinity(value: Any) -> bool | None:
    """All on one host, each on another, or as they come; as a value or, as the commands send it, as a word."""
    if value is None or isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else "?"
    if word not in _AFFINITIES:
        raise malformed("affinity (must be a bool value or None)")
    return _AFFINITIES[word]


def read_requirements(values: Mapping[str, Any], name: str) -> str:
    """Requirements as the caller wrote them: JSON in a text, which may be empty."""
    text = values[name]
    if text is None:
        return ""
    if not isinstance(text, str) or len(text) > REQUIREMENTS_LENGTH_MAX:
        raise malformed(name)
    return text


def read_before_end(value: Any) -> str:
    """What happens to servers before the end of a lease of hosts."""
    action = value or BEFORE_END_ACTIONS[0]
    if action not in BEFORE_END_ACTIONS:
        raise malformed("before_end")
    return str(action)


def read_name(value: Any) -> str:
    """The name of a lease. Quirk bettered: the original fails (500) on a longer one."""
    if not isinstance(value, str):
        raise malformed("name")
    if len(value) > NAME_LENGTH_MAX:
        raise malformed(f"name (must have at most {NAME_LENGTH_MAX} characters)")
    return value
