"""The query of a list of nodes: conditions, order, page and columns, as plain data."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from dibs.access.access import VisibleProjects

PAGE_MAX = 1_000


class Equals(Struct, frozen=True):
    """The field has this value; None stands for no value."""

    field: str
    value: str | int | bool | None


class OneOf(Struct, frozen=True):
    """The field has one of these values."""

    field: str
    values: tuple[str, ...]


class Present(Struct, frozen=True):
    """The field has a value, or with ``present`` False has none."""

    field: str
    present: bool


class Contains(Struct, frozen=True):
    """The field contains this text, regardless of case."""

    field: str
    text: str


class OfProjects(Struct, frozen=True):
    """The node's owner or its lessee is one of these projects."""

    projects: tuple[str, ...]


class OfConductor(Struct, frozen=True):
    """The node belongs to the conductor of this name."""

    hostname: str


class Traits(Struct, frozen=True):
    """The node has all of these traits; with ``any_of`` at least one; with ``negated`` the opposite of that.

    So ``negated`` alone excludes only nodes that have all of them, and ``negated`` with ``any_of`` excludes every node
    that has one: the meaning that the API working group gave to the four filters for tags, to which specification 004
    refers.
    """

    names: tuple[str, ...]
    any_of: bool = False
    negated: bool = False


class Held(Struct, frozen=True):
    """The node has a hold, or with ``held`` False has none."""

    held: bool


Condition = Equals | OneOf | Present | Contains | OfProjects | OfConductor | Traits | Held


class NodeQuery(Struct, frozen=True, kw_only=True):
    """One page of nodes."""

    columns: frozenset[str]
    """Attributes of Node, and ``traits``, ``conductor`` or ``allocation``; only these are read."""
    projects: VisibleProjects
    """Only nodes whose owner or lessee is one of these projects."""
    conditions: tuple[Condition, ...] = ()
    sort_key: str = "id"
    descending: bool = False
    limit: int = PAGE_MAX
    marker: str | None = None
    """The uuid of the last node of the previous page."""


class NodePage(Struct, frozen=True):
    """The nodes of a page, column by column: that costs less than a mapping for each node with its seventy columns."""

    columns: Mapping[str, Sequence[Any]]
    cut: bool
    """True when the size of the page ended it, and not its limit or the end of the list."""

    def rows(self) -> list[dict[str, Any]]:
        """Return the columns of each node by name."""
        return [dict(zip(self.columns, values, strict=True)) for values in zip(*self.columns.values(), strict=True)]


class NodeCount(Struct, frozen=True, kw_only=True):
    """The number of nodes that have the same value of a field."""

    value: str | None
    total: int
    available: int
    """Those that can be deployed and have no instance."""
