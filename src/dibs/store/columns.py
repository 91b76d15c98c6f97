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

    def encode(self, name: str, value: Any) -> Any:
        """The stored form of an attribute."""
        if name in self._structures:
            return json.dumps(value, separators=(",", ":"))
        return int(value) if name in self._flags and value is not None else value

    def decoder(self, name: str) -> Callable[[Any], Any] | None:
        """How a stored value becomes the attribute again; None when it is the same."""
        if name in self._structures:
            return json.loads
        return _flag if name in self._flags else None

    def decode(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes of a whole row."""
        return {name: decoder(value) if (decoder := self.decoder(name)) else value for name, value in row.items()}


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)
