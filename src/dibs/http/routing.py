"""A dialect's routing table: rows of method and path, put into a tree of segments once.

A literal segment goes before a parameter (``/nodes/detail`` before ``/nodes/{node}``), but when the literal branch has
no row for the method, the parameter's is tried. Two rows of one method and path must not be valid in the same version.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

H = TypeVar("H")


@dataclass(frozen=True, kw_only=True)
class Route(Generic[H]):
    """One row: satisfies messages.Operation, and carries whatever the dialect calls a handler."""

    method: str
    path: str
    """Below the mount, parameters in braces: ``/v1/nodes/{node}``."""
    handler: H
    since: int = 0
    """The first minor version that has it."""
    until: int | None = None
    """The last minor version that has it; None when the newest does."""
    summary: str = ""
    query: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    statuses: Mapping[int, str] = field(default_factory=dict)

    def serves(self, minor: int | None) -> bool:
        """True when the row is valid in this minor version; None stands for the newest."""
        if minor is None:
            return self.until is None
        return self.since <= minor and (self.until is None or minor <= self.until)


@dataclass(frozen=True, slots=True)
class Match(Generic[H]):
    """The row that serves a request, and its path arguments by name."""

    route: Route[H]
    arguments: dict[str, str]


@dataclass(frozen=True, slots=True)
class UnknownPath:
    """No row has this path in any version."""


@dataclass(frozen=True, slots=True)
class MethodNotAllowed:
    """Rows have this path, but none has it with this method."""

    allowed: tuple[str, ...]
    """The methods that the path has in the version asked for."""


@dataclass(frozen=True, slots=True)
class NotInVersion(Generic[H]):
    """Rows have this method and path, but only in other versions."""

    routes: tuple[Route[H], ...]
    allowed: tuple[str, ...]
    """The methods that the path has in the version asked for; empty when the whole path is unknown to it."""


Resolution = Match[H] | UnknownPath | MethodNotAllowed | NotInVersion[H]


class OverlappingRoutes(Exception):
    """Two rows would serve the same request."""


class _Segment(Generic[H]):
    """A node of the tree."""

    __slots__ = ("literals", "parameter", "rows")

    def __init__(self) -> None:
        self.literals: dict[str, _Segment[H]] = {}
        self.parameter: _Segment[H] | None = None
        self.rows: dict[str, list[tuple[Route[H], tuple[str, ...]]]] = {}
        """By method: each row with the names of its parameters in order."""


class Router(Generic[H]):
    """Resolves a method and path; built once, never changed."""

    def __init__(self, routes: Iterable[Route[H]]) -> None:
        self.routes = tuple(routes)
        self._root: _Segment[H] = _Segment()
        for route in self.routes:
            self._add(route)

    def resolve(self, method: str, path: str, minor: int | None = None) -> Resolution[H]:
        """Find the row for a request at a minor version (None: the newest)."""
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
        """Every node that the path leads to, the most literal first."""
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
    """In the order of the table."""
    methods = [
        method
        for segment, _ in places
        for method, rows in segment.rows.items()
        if any(route.serves(minor) for route, _ in rows)
    ]
    return tuple(dict.fromkeys(methods))
