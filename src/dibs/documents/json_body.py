"""Parse a JSON request body and refuse values that later code cannot handle.

Python's parser accepts values that databases and other JSON parsers do not: NaN and Infinity, NUL characters, unpaired
surrogates, and nesting so deep that a recursive function exhausts its stack. The error names the place of the value.
"""

import itertools
import json
import math
import re
from collections.abc import Iterator
from typing import Any

DEPTH_MAX = 100
FREE_FORM_BYTES_MAX = 64 * 1024
"""The size of an object of the client's own, such as ``extra``: what a TEXT column of MySQL holds, as in Ironic."""
COMMAS_MAX = 100_000
"""The number of values in a body, more than the largest useful one has.

The parser keeps the interpreter until it has finished: a million numbers would stop every other request for 0.1 s."""

_SURROGATES = range(0xD800, 0xE000)
_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
"""The escapes that can produce a NUL or an unpaired surrogate."""
_CHARACTERS_SHOWN = 60


class UnusableJson(Exception):
    """The body cannot be used; the message says why and where."""


def read_json(body: bytes) -> Any:
    """Parse a body, or raise UnusableJson."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise UnusableJson(f"The request body is not valid UTF-8: byte {error.start} cannot be decoded.") from None
    if text.count(",") > COMMAS_MAX:
        raise UnusableJson(f"The request body has more than {COMMAS_MAX} commas. Send fewer values at once.")
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_read_float)
    except json.JSONDecodeError as error:
        raise UnusableJson(f"The request body is not valid JSON: {error}") from None
    except RecursionError:
        raise _too_deep("") from None
    except ValueError:
        # Python refuses to convert integers of thousands of digits.
        raise UnusableJson("The request body has a number that is too large: it has too many digits.") from None
    # Few brackets cannot nest deeply: most bodies need no traversal.
    if _ESCAPE.search(text) or text.count("[") + text.count("{") > DEPTH_MAX:
        check_json(value)
    return value


def check_size(value: Any, path: str) -> None:
    """Raise UnusableJson for an object that is larger than FREE_FORM_BYTES_MAX; ``path`` is the place of the value."""
    size = len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size > FREE_FORM_BYTES_MAX:
        raise UnusableJson(f"{_where(path)} has {size} bytes of JSON, which is more than {FREE_FORM_BYTES_MAX}.")


def check_json(value: Any, path: str = "") -> None:
    """Raise UnusableJson for too deep nesting or text that cannot be stored; ``path`` is the place of the value."""
    if _is_storable(value):
        return
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


def _is_storable(value: Any) -> bool:
    """Return True for a value that check_json accepts. Fast for many elements, but does not know the places."""
    level = [value]
    for _ in range(DEPTH_MAX + 1):
        objects = [entry for entry in level if isinstance(entry, dict)]
        lists = [entry for entry in level if isinstance(entry, list)]
        texts = [entry for entry in level if isinstance(entry, str)]
        text = "".join(itertools.chain(texts, *objects))
        if "\0" in text or not _is_unicode(text):
            return False
        if not objects and not lists:
            return True
        level = [*itertools.chain.from_iterable(entry.values() for entry in objects), *itertools.chain(*lists)]
    return False


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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
