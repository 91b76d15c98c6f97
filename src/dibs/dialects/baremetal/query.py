"""The query string of a request."""

import re
from collections.abc import Iterable, Iterator, Mapping

from dibs.dialects.baremetal.errors import bad_request
from dibs.machines.model.node_query import PAGE_MAX
from dibs.machines.model.patching.values import read_flag, read_uuid

_INTEGER = re.compile(r"\s*[+-]?[0-9]{1,18}\s*\Z")


class Query:
    """The parameters by name. Every reader returns None for a parameter that was not sent."""

    def __init__(self, pairs: Iterable[tuple[str, str]], known: Mapping[str, object]) -> None:
        self.pairs = tuple(pairs)
        self._values: dict[str, list[str]] = {}
        for name, value in self.pairs:
            self._values.setdefault(name, []).append(value)
        unknown = [name for name in self._values if name not in known]
        if unknown:
            raise bad_request(f"Unexpected arguments: {', '.join(unknown)}")

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def text(self, name: str) -> str | None:
        """Return the value; refuse a parameter that is sent twice."""
        values = self._values.get(name)
        if values is None:
            return None
        if len(values) > 1:
            raise bad_request(f"The query parameter {name} is given more than once")
        return values[0]

    def flag(self, name: str) -> bool | None:
        """Return the value as a boolean."""
        value = self.text(name)
        return None if value is None else read_flag(name, value)

    def uuid(self, name: str) -> str | None:
        """Return the value as a uuid."""
        value = self.text(name)
        return None if value is None else read_uuid(name, value)

    def names(self, name: str) -> tuple[str, ...] | None:
        """Return a list, separated by commas or sent as repeated parameters; each name once, in the order sent."""
        values = self._values.get(name)
        if values is None:
            return None
        names = (part.strip() for value in values for part in value.split(","))
        return tuple(dict.fromkeys(part for part in names if part))

    def limit(self) -> int:
        """Return the maximum number of entries of a page."""
        value = self.text("limit")
        if value is None:
            return PAGE_MAX
        if not _INTEGER.match(value):
            raise bad_request(f"Expected an integer for limit: {value}")
        limit = int(value)
        if limit <= 0:
            raise bad_request("Limit must be positive")
        return min(limit, PAGE_MAX)

    def descending(self) -> bool:
        """Return True when the list is sorted in descending order."""
        direction = self.text("sort_dir") or "asc"
        if direction not in ("asc", "desc"):
            raise bad_request(f"Invalid sort direction: {direction}. Acceptable values are 'asc' or 'desc'")
        return direction == "desc"
