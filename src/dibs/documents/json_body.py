"""Parse a JSON request body and refuse values that later code cannot handle.

Python's parser accepts values that databases and other JSON parsers do not: NaN and Infinity, NUL characters, unpaired
surrogates, and nesting so deep that a recursive function exhausts its stack. The error names the place of the value.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

DEPTH_MAX = 100

_SURROGATES = range(0xD800, 0xE000)
_CHARACTERS_SHOWN = 60


class UnusableJson(Exception):
    """The body cannot be used; the message says why and where."""


def read_json(body: bytes) -> Any:
    """Parse a body, or raise UnusableJson."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise UnusableJson(f"The request body is not valid UTF-8: byte {error.start} cannot be decoded.") from None
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_read_float)
    except json.JSONDecodeError as error:
        raise UnusableJson(f"The request body is not valid JSON: {error}") from None
    except RecursionError:
        raise _too_deep("") from None
    except ValueError:
        # Python refuses to convert integers of thousands of digits.
        raise UnusableJson("The request body has a number that is too large: it has too many digits.") from None
    # Only an escape can produce a NUL or an unpaired surrogate, and few brackets cannot nest deeply: most bodies need
    # no traversal.
    if "\\u" in text or text.count("[") + text.count("{") > DEPTH_MAX:
        check_json(value)
    return value


def check_json(value: Any, path: str = "") -> None:
    """Raise UnusableJson for too deep nesting or text that cannot be stored; ``path`` is the place of the value."""
    waiting = [(value, path, 0)]
    while waiting:
        current, place, depth = waiting.pop()
        if isinstance(current, str):
            _check_text(current, place)
        elif isinstance(current, dict | list):
            if depth >= DEPTH_MAX:
                raise _too_deep(path)
            entries = current.items() if isinstance(current, dict) else _listed(current)
            for key, entry in entries:
                if isinstance(current, dict):
                    _check_text(key, f"{place} (a key)")
                waiting.append((entry, f"{place}/{str(key)[:_CHARACTERS_SHOWN]}", depth + 1))


def _listed(entries: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield each entry with its index; an operation of a JSON patch with its path instead."""
    for number, entry in enumerate(entries):
        path = entry.get("path") if isinstance(entry, dict) else None
        yield (number if not isinstance(path, str) else f"({path})"), entry


def _check_text(text: str, place: str) -> None:
    if "\0" in text:
        raise UnusableJson(f"{_where(place)} contains a NUL character.")
    if any(ord(character) in _SURROGATES for character in text):
        raise UnusableJson(f"{_where(place)} contains half of a surrogate pair, which is not a character.")


def _too_deep(path: str) -> UnusableJson:
    return UnusableJson(f"{_where(path)} is nested more than {DEPTH_MAX} levels deep.")


def _where(path: str) -> str:
    return f"The value at {path[:500]}" if path else "The request body"


def _refuse_constant(name: str) -> Any:
    raise UnusableJson(f"The request body contains {name}, which is not a JSON number.")


def _read_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise UnusableJson(f"The request body has a number that is too large: {text[:_CHARACTERS_SHOWN]}")
    return number
