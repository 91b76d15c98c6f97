"""Store the attributes of a struct in columns: truth values as 0 and 1, mappings as JSON (docs/adr/0003)."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from dibs.errors import BadValue

WRITTEN_BYTES_MAX = 6 * 1024 * 1024
"""Maximum size of the values that are written to a row at once. A request body fits, and a MariaDB packet of 16 MiB
holds it even when every character is escaped. On a larger packet MariaDB closes the connection."""

_BYTES_OF_A_CHARACTER_MAX = 4


class Columns:
    """Converts between the attributes of one struct and columns."""

    def __init__(self, model: type[Struct]) -> None:
        annotations = {attribute.name: str(attribute.type) for attribute in fields(model)}
        self.names = tuple(annotations)
        self._flags = frozenset(name for name, annotation in annotations.items() if "bool" in annotation)
        self._structures = frozenset(name for name, annotation in annotations.items() if "Mapping" in annotation)
        self._decoders: dict[str, Callable[[Any], Any]] = {
            **dict.fromkeys(self._structures, _structure),
            **dict.fromkeys(self._flags, _flag),
        }

    @property
    def structures(self) -> frozenset[str]:
        """The columns that store JSON."""
        return self._structures

    def encode(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the stored form of attributes; raise BadValue when they do not fit into one statement."""
        encoded = {name: self._encode(name, value) for name, value in values.items()}
        sizes = {name: len(value) for name, value in encoded.items() if isinstance(value, str)}
        if sum(sizes.values()) * _BYTES_OF_A_CHARACTER_MAX > WRITTEN_BYTES_MAX:
            sizes = {name: len(encoded[name].encode()) for name in sizes}
            if sum(sizes.values()) > WRITTEN_BYTES_MAX:
                largest = max(sizes, key=sizes.__getitem__)
                raise BadValue(
                    reason=f"Field {largest}: together the values are larger than {WRITTEN_BYTES_MAX} bytes."
                )
        return encoded

    def _encode(self, name: str, value: Any) -> Any:
        if name in self._structures:
            return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        return int(value) if name in self._flags and value is not None else value

    def decoder(self, name: str) -> Callable[[Any], Any] | None:
        """Return the function from the stored value to the attribute; None when both are the same."""
        return self._decoders.get(name)

    def decode(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the attributes of a complete row."""
        return {**row, **{name: decoder(row[name]) for name, decoder in self._decoders.items()}}


def _structure(text: str) -> Any:
    """Parse JSON. Most values are "{}"; not parsing them saves a quarter of the time of a detailed list."""
    return {} if text == "{}" else json.loads(text)


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)
