"""Hosts that probably suit a reservation, so that a search need not look at every host.

They are a sample: the search compares each of them exactly. A statement walks over hosts in the order of their ids from
a random point on and stops when it has enough. In a fleet that is almost booked out it would walk over every host, so
the first walk is a short one: its cost does not grow with the number of hosts. Only a search that finds too little
there walks on.

    SELECT id FROM hosts
     WHERE id BETWEEN <random point> AND <last> AND <it has each trait, property and class>
       AND (SELECT 1 FROM bookings WHERE host_id = hosts.id AND <it overlaps> LIMIT 1) IS NULL
     ORDER BY id LIMIT <some more than needed>

Each condition is a scalar subquery, because an engine may turn EXISTS into a join that reads whole tables first.
"""

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, literal, or_, select

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.hosts import COLUMNS, DISABLED_TRAIT, FAILED_STATES
from dibs.leases.model.leases import WHOLE_HOST
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.requirements import FORBIDDEN, Requirement
from dibs.leases.model.windows import Window
from dibs.leases.tables import bookings, host_properties, hosts, lease_reservations
from dibs.ledger.tables import inventories, provider_traits, resource_classes
from dibs.machines.tables import holds, nodes

SPARE = 8
"""Hosts to find beyond those needed: some turn out to be too small, or are taken by a concurrent transaction."""


NEAR_MAX = 400
"""The hosts that a short walk passes."""


class Reach(enum.Enum):
    """How far a walk goes."""

    NEAR = "near"
    """Over the hosts next to the random point."""
    FAR = "far"
    """Over all hosts, until enough are found."""


class Booked(enum.Enum):
    """Which bookings the hosts of a sample may have."""

    NEVER = "never"
    """None at all, and no user: best for a whole host."""
    AT_OTHER_TIMES = "at other times"
    """None in the window, but at least one at another time."""
    NOT_IN_WINDOW = "not in the window"
    """None in the window, and no user unless there are bookings at other times."""
    IN_PART = "in part"
    """At least one at some time, and none of the whole host in the window: best for instances."""


class _Condition(NamedTuple):
    """One requirement of a host that a statement can check, by its kind; the rest are parameters."""

    kind: str
    name: Any
    value: Any = None


_BOUNDS = select(func.min(hosts.c.id), func.max(hosts.c.id))
_COUNT = select(func.count()).select_from(hosts)
_IN_RANGE = hosts.c.id.between(bindparam("low"), bindparam("high"))
_NEXT = select(hosts.c.id).where(_IN_RANGE).order_by(hosts.c.id).limit(bindparam("hosts_max")).subquery()
_STRETCH = select(func.max(_NEXT.c.id), func.count()).select_from(_NEXT)


def sample(tx: Transaction, need: HostNeed, count: int, window: Window, seed: int, reach: Reach) -> list[int]:
    """Return the ids of hosts for a number of equal needs in a window, from a point on that the seed decides.

    Return nothing when the need is as large as the fleet: the search then reads every host.
    """
    first, last = tx.tuples(_BOUNDS)[0]
    wanted = count * need.most + SPARE
    if first is None or wanted > last - first or (wanted > NEAR_MAX and wanted > tx.values(_COUNT)[0]):
        return []
    point = first + int((last - first + 1) * Random(seed).random())  # noqa: S311 - not a secret
    if reach is Reach.FAR:
        everywhere = ((point, last), (first, point - 1))
        return _Walk(tx, need, window, everywhere).find(Booked.NOT_IN_WINDOW, wanted)
    walk = _Walk(tx, need, window, _near(tx, first, last, point))
    if not need.whole:
        return [*walk.find(Booked.IN_PART, wanted + SPARE), *walk.find(Booked.NEVER, wanted)]
    found = walk.find(Booked.NEVER, wanted)
    return found if len(found) >= wanted else [*found, *walk.find(Booked.AT_OTHER_TIMES, wanted)]


def _near(tx: Transaction, first: int, last: int, point: int) -> Sequence[tuple[int, int]]:
    """Return the ids of a short walk from a point on; after the last host it goes on with the first.

    Hosts are counted, not ids: where hosts were deleted, a range of ids may contain none.
    """
    end, passed = tx.tuples(_STRETCH, {"low": point, "high": last, "hosts_max": NEAR_MAX})[0]
    if passed == NEAR_MAX:
        return ((point, end),)
    end, passed = tx.tuples(_STRETCH, {"low": first, "high": point - 1, "hosts_max": NEAR_MAX - passed})[0]
    return ((point, last), (first, end)) if passed else ((point, last),)


class _Walk:
    """Walks over ranges of the ids of hosts, until it has found enough of them."""

    def __init__(self, tx: Transaction, need: HostNeed, window: Window, ranges: Sequence[tuple[int, int]]) -> None:
        self._tx = tx
        self._ranges = ranges
        conditions = list(_conditions(need))
        self._kinds = tuple(condition.kind for condition in conditions)
        self._values = {
            "window_start": window.start,
            "window_end": window.end,
            **sets.numbered("name", [condition.name for condition in conditions]),
            **sets.numbered("value", [condition.value for condition in conditions]),
        }

    def find(self, booked: Booked, found_max: int) -> list[int]:
        found: list[int] = []
        for low, high in self._ranges:
            values = {**self._values, "low": low, "high": high, "found_max": found_max - len(found)}
            found += self._tx.values(_sample(booked, self._kinds), values)
            if len(found) >= found_max:
                break
        return found


def _conditions(need: HostNeed) -> Iterator[_Condition]:
    """Yield the requirements that a statement can check; the search compares hosts with the others."""
    for resource_class, amount in sorted(need.resources.items()):
        yield _Condition("class", resource_class, amount)
    for requirement in need.requirements:
        if not isinstance(requirement, Requirement):
            continue
        if requirement.trait is not None:
            yield _Condition("forbidden" if requirement.value == FORBIDDEN else "trait", requirement.trait)
        elif requirement.operator == "==" and requirement.key not in COLUMNS:
            yield _Condition("property", requirement.key, requirement.value)
        elif requirement.operator == "==":
            yield from _attribute(requirement)


def _attribute(requirement: Requirement) -> Iterator[_Condition]:
    if requirement.key in ("hypervisor_hostname", "resource_class"):
        yield _Condition(requirement.key, requirement.value)
    elif requirement.key == "id" and requirement.value.isdecimal():
        yield _Condition("id", int(requirement.value))


@sets.cached
def _sample(booked: Booked, kinds: tuple[str, ...]) -> Select[Any]:
    checks = (
        _CHECKS[kind](bindparam(f"name_{place}"), bindparam(f"value_{place}")) for place, kind in enumerate(kinds)
    )
    return (
        select(hosts.c.id)
        .where(_IN_RANGE, _IN_SERVICE, _NOT_HELD)
        .where(*_BOOKED[booked], *checks)
        .order_by(hosts.c.id)
        .limit(bindparam("found_max"))
    )


def _some(source: Any, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    return select(literal(1)).select_from(source).where(*conditions).limit(1).scalar_subquery().is_not(None)


def _none(source: Any, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    return select(literal(1)).select_from(source).where(*conditions).limit(1).scalar_subquery().is_(None)


def _has_trait(trait: Any) -> tuple[ColumnElement[bool], ...]:
    return provider_traits.c.provider_id == hosts.c.provider_id, provider_traits.c.trait == trait


_IS_NODE = nodes.c.id == hosts.c.provider_id
_OF_HOST = bookings.c.host_id == hosts.c.id
_OVERLAPS = and_(bookings.c.end_at > bindparam("window_start"), bookings.c.start_at < bindparam("window_end"))
_HAS_FAILED = nodes.c.provision_state.in_([literal(state) for state in sorted(FAILED_STATES)])
_OUT_OF_SERVICE = or_(nodes.c.maintenance == 1, nodes.c.retired == 1, _HAS_FAILED)
_IN_SERVICE = and_(_none(nodes, _IS_NODE, _OUT_OF_SERVICE), _none(provider_traits, *_has_trait(DISABLED_TRAIT)))
_NOT_HELD = _none(holds, holds.c.node_id == hosts.c.provider_id, holds.c.expires_at > bindparam("window_start"))
_USED_NODE = nodes.join(inventories, inventories.c.provider_id == nodes.c.id)
_OF_WHOLE_HOST = (
    lease_reservations.c.id == bookings.c.reservation_id,
    lease_reservations.c.resource_type == WHOLE_HOST,
)
_UNUSED = _none(_USED_NODE, _IS_NODE, or_(nodes.c.instance_uuid.is_not(None), inventories.c.used > 0))
_BOOKED = {
    Booked.NEVER: (_none(bookings, _OF_HOST), _UNUSED),
    Booked.AT_OTHER_TIMES: (_none(bookings, _OF_HOST, _OVERLAPS), _some(bookings, _OF_HOST)),
    Booked.NOT_IN_WINDOW: (_none(bookings, _OF_HOST, _OVERLAPS), or_(_some(bookings, _OF_HOST), _UNUSED)),
    Booked.IN_PART: (
        _some(bookings, _OF_HOST),
        _none(bookings.join(lease_reservations, _OF_WHOLE_HOST[0]), _OF_HOST, _OVERLAPS, _OF_WHOLE_HOST[1]),
    ),
}
_OF_CLASS = inventories.join(resource_classes, resource_classes.c.id == inventories.c.class_id)
_CHECKS: Mapping[str, Callable[[Any, Any], ColumnElement[bool]]] = {
    "id": lambda name, _: hosts.c.id == name,
    "hypervisor_hostname": lambda name, _: hosts.c.name == name,
    "resource_class": lambda name, _: _some(nodes, _IS_NODE, nodes.c.resource_class == name),
    "trait": lambda name, _: _some(provider_traits, *_has_trait(name)),
    "forbidden": lambda name, _: _none(provider_traits, *_has_trait(name)),
    "property": lambda name, value: _some(
        host_properties,
        host_properties.c.host_id == hosts.c.id,
        host_properties.c.name == name,
        host_properties.c.value == value,
    ),
    "class": lambda name, amount: _some(
        _OF_CLASS,
        inventories.c.provider_id == hosts.c.provider_id,
        resource_classes.c.name == name,
        inventories.c.max_unit >= amount,
    ),
}
