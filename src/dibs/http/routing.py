"""The routing table of a dialect: rows of method, path and versions, compiled into a tree of path segments.

A literal segment takes precedence over a parameter (``/nodes/detail`` over ``/nodes/{node}``). When the literal branch
has no row for the method, the parameter branch is tried. Two rows with the same method and path must not overlap in
versions.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

H = TypeVar("H")


class Route(Struct, Generic[H], frozen=True, kw_only=True):
    """One row: a messages.Operation with the dialect's handler."""

    method: str
    path: str
    """Below the mount, parameters in braces: ``/v1/nodes/{node}``."""
    handler: H
    since: int = 0
    """The first minor version that has it."""
    until: int | None = None
    """The last minor version that has it; None for a row that is still valid."""
    summary: str = ""
    query: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    required_query: Collection[str] = ()
    body: Mapping[str, Any] | None = None
    statuses: Mapping[int, str] = field(default_factory=dict)
    answer: Mapping[str, Any] | None = None
    answer_type: str = "application/json"
    refusals: Collection[int] = ()

    def serves(self, minor: int | None) -> bool:
        """Return True when the row is valid in this minor version; None means the newest."""
        if minor is None:
            return self.until is None
        return self.since <= minor and (self.until is None or minor <= self.until)


class Match(Struct, Generic[H], frozen=True):
    """The row for a request, and the path arguments by name."""

    route: Route[H]
    arguments: dict[str, str]


class UnknownPath(Struct, frozen=True):
    """No row has this path in any version."""


class MethodNotAllowed(Struct, frozen=True):
    """Rows have this path, but none has it with this method."""

    allowed: tuple[str, ...]
    """The methods of the path in the requested version."""


class NotInVersion(Struct, Generic[H], frozen=True):
    """Rows have this method and path, but only in other versions."""

    routes: tuple[Route[H], ...]
    allowed: tuple[str, ...]
    """The methods of the path in the requested version; empty when that version does not have the path."""


Resolution = Match[H] | UnknownPath | MethodNotAllowed | NotInVersion[H]


class OverlappingRoutes(Exception):
    """Two rows match the same request."""


class _Segment(Generic[H]):
    """A node of the tree."""

    __slots__ = ("literals", "parameter", "rows")

    def __init__(self) -> None:
        self.literals: dict[str, _Segment[H]] = {}
        self.parameter: _Segment[H] | None = None
        self.rows: dict[str, list[tuple[Route[H], tuple[str, ...]]]] = {}
        """By method: each row with the names of its parameters in path order."""


class Router(Generic[H]):
    """Finds the row of a request; immutable."""

    def __init__(self, routes: Iterable[Route[H]]) -> None:
        self.routes = tuple(routes)
        self._root: _Segment[H] = _Segment()
        for route in self.routes:
            self._add(route)

    def resolve(self, method: str, path: str, minor: int | None = None) -> Resolution[H]:
        """Return the row for a request at a minor version; None means the newest."""
        places: list[tuple[_Segment[H], tuple[str, ...]]] = []
        others: list[Route[H]] = []
        for segment, values in self._places(self._root, path[1:].split("/") if path != "/" else [], 0, ()):
            places.append((segment, values))
            for route, names in segment.rows.get(method, ()):
                if route.serves(minor):
                    return Match(route, dict(zip(names, values, strict=True)))
                others.append(route)
        if not places:
            return UnknownPath()
        allowed = _allowed(places, minor)
        return NotInVersion(tuple(others), allowed) if others else MethodNotAllowed(allowed)

    def _places(
        self,
        segment: _Segment[H],
        parts: list[str],
        depth: int,
        values: tuple[str, ...],
    ) -> Iterator[tuple[_Segment[H], tuple[str, ...]]]:
        """Yield every tree node that matches the path, the most literal first."""
        if depth == len(parts):
            if segment.rows:
                yield segment, values
            return
        part = parts[depth]
        literal = segment.literals.get(part)
        if literal is not None:
            yield from self._places(literal, parts, depth + 1, values)
        if segment.parameter is not None and part:
            yield from self._places(segment.parameter, parts, depth + 1, (*values, part))

    def _add(self, route: Route[H]) -> None:
        segment, names = self._root, []
        for part in route.path.strip("/").split("/") if route.path != "/" else []:
            if part.startswith("{"):
                names.append(part[1:-1])
                segment.parameter = segment.parameter or _Segment()
                segment = segment.parameter
            else:
                segment = segment.literals.setdefault(part, _Segment())
        rows = segment.rows.setdefault(route.method, [])
        for other, _ in rows:
            if _overlap(route, other):
                raise OverlappingRoutes(f"{route.method} {route.path} and {other.path} are valid in the same version")
        rows.append((route, tuple(names)))


def _overlap(one: Route[H], other: Route[H]) -> bool:
    return (other.until is None or one.since <= other.until) and (one.until is None or other.since <= one.until)


def _allowed(places: list[tuple[_Segment[H], tuple[str, ...]]], minor: int | None) -> tuple[str, ...]:
    """Return the methods of these nodes, in the order of the table."""
    methods = [
        method
        for segment, _ in places
        for method, rows in segment.rows.items()
        if any(route.serves(minor) for route, _ in rows)
    ]
    return tuple(dict.fromkeys(methods))
