"""What a list of nodes is asked for: conditions, order, page and columns, as plain data."""

from dataclasses import dataclass

from dibs.access.access import VisibleProjects

PAGE_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Equals:
    """The field has this value; None means that it has none."""

    field: str
    value: str | int | bool | None


@dataclass(frozen=True, slots=True)
class OneOf:
    """The field has one of these values."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Present:
    """The field has a value, or (``present`` false) has none."""

    field: str
    present: bool


@dataclass(frozen=True, slots=True)
class Contains:
    """The field contains this text; upper and lower case are alike."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class OfProjects:
    """The node's owner or its lessee is one of these projects."""

    projects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OfConductor:
    """The conductor of this name is the one to work on the node."""

    hostname: str


@dataclass(frozen=True, slots=True)
class Traits:
    """The node has all of these traits; with ``any_of`` at least one; with ``negated`` the opposite of that.

    So ``negated`` alone leaves out only nodes that have all of them, and with ``any_of`` it leaves out every node that
    has one: the meaning that the API working group gave to the four forms for tags, which specification 004 refers to.
    """

    names: tuple[str, ...]
    any_of: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """Somebody holds the node, or (``held`` false) nobody does."""

    held: bool


Condition = Equals | OneOf | Present | Contains | OfProjects | OfConductor | Traits | Held


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeQuery:
    """One page of nodes."""

    columns: frozenset[str]
    """Attributes of Node that are wanted, ``traits``, ``conductor`` or ``request``: each costs its share only when
    asked for."""
    projects: VisibleProjects
    """Only nodes whose owner or lessee is one of these projects."""
    conditions: tuple[Condition, ...] = ()
    sort_key: str = "id"
    descending: bool = False
    limit: int = PAGE_MAX
    marker: str | None = None
    """The uuid of the last node of the page before."""
