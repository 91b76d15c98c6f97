"""Attributes of a domain value as columns: truths are stored as 0 and 1, structures as JSON (docs/adr/0003)."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any


class Columns:
    """How the attributes of one dataclass are stored."""

    def __init__(self, model: type) -> None:
        annotations = {attribute.name: str(attribute.type) for attribute in fields(model)}
        self.names = tuple(annotations)
        self._flags = frozenset(name for name, annotation in annotations.items() if "bool" in annotation)
        self._structures = frozenset(name for name, annotation in annotations.items() if "Mapping" in annotation)
        self._decoders: dict[str, Callable[[Any], Any]] = {
            **dict.fromkeys(self._structures, _structure),
            **dict.fromkeys(self._flags, _flag),
        }

    def encode(self, name: str, value: Any) -> Any:
        """The stored form of an attribute."""
        if name in self._structures:
            return json.dumps(value, separators=(",", ":"))
        return int(value) if name in self._flags and value is not None else value

    def decoder(self, name: str) -> Callable[[Any], Any] | None:
        """How a stored value becomes the attribute again; None when it is the same."""
        return self._decoders.get(name)

    def decode(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes of a whole row."""
        return {**row, **{name: decoder(row[name]) for name, decoder in self._decoders.items()}}


def _structure(text: str) -> Any:
    """Most structures are empty, and not parsing those takes a quarter off a list in detail."""
    return {} if text == "{}" else json.loads(text)


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)
