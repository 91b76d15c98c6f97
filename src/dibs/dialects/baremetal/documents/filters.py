"""The filters of the list of nodes, one row each: the first version, and the condition for a value.

To add a filter: add a row; ``docs/dialects/baremetal.md`` and the OpenAPI document follow from it.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msgspec import Struct

from dibs.dialects.baremetal.documents.paging import LIST_QUERY
from dibs.dialects.baremetal.errors import bad_request, not_acceptable
from dibs.dialects.baremetal.query import Query
from dibs.ledger.model.errors import InvalidTrait
from dibs.ledger.model.traits import check_traits
from dibs.machines.model import states
from dibs.machines.model.node_query import (
    Condition,
    Contains,
    Equals,
    Held,
    OfConductor,
    OfProjects,
    OneOf,
    Present,
    Traits,
)
from dibs.machines.model.node_traits import TRAITS_PER_NODE_MAX

NAMES_MAX = 1_000

Reader = Callable[[Query, str], Condition | None]


class Filter(Struct, frozen=True, kw_only=True):
    """One filter."""

    name: str
    since: int = 1
    read: Reader
    """Return the condition for a parameter; None when it adds none."""
    schema: Mapping[str, Any]
    says_version: bool = True
    """True when a 406 names the required version."""


def _equals(query: Query, name: str) -> Condition:
    return Equals(name, query.text(name))


def _uuid(query: Query, name: str) -> Condition:
    return Equals(name, query.uuid(name))


def _flag(query: Query, name: str) -> Condition:
    return Equals(name, query.flag(name))


def _present(field: str, query: Query, name: str) -> Condition:
    return Present(field, bool(query.flag(name)))


def _provision_state(query: Query, name: str) -> Condition:
    state = query.text(name)
    if state not in states.ALL_STATES:
        raise bad_request(f'Provision state "{state}" is not valid')
    return Equals(name, state)


def _fault(query: Query, name: str) -> Condition:
    fault = query.text(name)
    if fault not in states.FAULTS:
        raise bad_request(f'Unrecognized fault "{fault}" is specified, allowed faults are {states.FAULTS}')
    return Equals(name, fault)


def _group(query: Query, name: str) -> Condition:
    return Equals(name, (query.text(name) or "").lower())


def _shards(query: Query, name: str) -> Condition:
    names = query.names(name) or ()
    if len(names) > NAMES_MAX:
        raise bad_request(f"The query parameter {name} takes at most {NAMES_MAX} names, not {len(names)}")
    return OneOf("shard", names)


def _contains(query: Query, name: str) -> Condition | None:
    text = query.text(name)
    return Contains("description", text) if text else None


def _conductor(query: Query, name: str) -> Condition:
    return OfConductor(query.text(name) or "")


def _project(query: Query, name: str) -> Condition:
    return OfProjects((query.text(name) or "",))


def _children(query: Query, name: str) -> Condition | None:
    """Check the value; ``read_conditions`` removes the default condition."""
    query.flag(name)
    return None


def _held(query: Query, name: str) -> Condition:
    return Held(bool(query.flag(name)))


def _traits(query: Query, name: str, *, any_of: bool, negated: bool) -> Condition:
    names = query.names(name) or ()
    if not names:
        raise bad_request(f"The query parameter {name} needs at least one trait")
    if len(names) > TRAITS_PER_NODE_MAX:
        raise bad_request(f"The query parameter {name} takes at most {TRAITS_PER_NODE_MAX} traits, not {len(names)}")
    try:
        check_traits(names)
    except InvalidTrait as error:
        raise bad_request(f"The query parameter {name}: {error}") from error
    return Traits(names, any_of=any_of, negated=negated)


_TEXT = {"type": "string"}
_TRUTH = {"type": "boolean"}
_UUID = {"type": "string", "format": "uuid"}
_NAMES = {"type": "string", "description": "Names, separated by commas; the parameter may be repeated."}

FILTERS: tuple[Filter, ...] = (
    Filter(name="associated", read=partial(_present, "instance_uuid"), schema=_TRUTH),
    Filter(name="chassis_uuid", read=_uuid, schema=_UUID),
    Filter(name="conductor", since=49, read=_conductor, schema=_TEXT),
    Filter(name="conductor_group", since=46, read=_group, schema=_TEXT),
    Filter(name="description_contains", since=51, read=_contains, schema=_TEXT),
    Filter(name="driver", since=16, read=_equals, schema=_TEXT),
    Filter(name="fault", since=42, read=_fault, schema={"enum": list(states.FAULTS)}),
    Filter(name="include_children", since=83, read=_children, schema=_TRUTH),
    Filter(name="instance_name", since=104, read=_equals, schema=_TEXT),
    Filter(name="instance_uuid", read=_uuid, schema=_UUID),
    Filter(name="lessee", since=65, read=_equals, schema=_TEXT),
    Filter(name="maintenance", read=_flag, schema=_TRUTH),
    Filter(name="owner", since=50, read=_equals, schema=_TEXT),
    Filter(name="parent_node", since=83, read=_uuid, schema=_UUID),
    Filter(name="project", since=65, read=_project, schema=_TEXT),
    Filter(
        name="provision_state",
        since=9,
        read=_provision_state,
        schema={"enum": sorted(states.ALL_STATES)},
        says_version=False,
    ),
    # From specification 001; no released service has reservations.
    Filter(name="reserved", since=37, read=_held, schema=_TRUTH),
    Filter(name="resource_class", since=21, read=_equals, schema=_TEXT),
    Filter(name="retired", since=61, read=_flag, schema=_TRUTH),
    Filter(name="shard", since=82, read=_shards, schema=_NAMES),
    Filter(name="sharded", since=82, read=partial(_present, "shard"), schema=_TRUTH),
    # From specification 004; no released service has these four (contract sample 088).
    Filter(name="traits", since=37, read=partial(_traits, any_of=False, negated=False), schema=_NAMES),
    Filter(name="traits-any", since=37, read=partial(_traits, any_of=True, negated=False), schema=_NAMES),
    Filter(name="not-traits", since=37, read=partial(_traits, any_of=False, negated=True), schema=_NAMES),
    Filter(name="not-traits-any", since=37, read=partial(_traits, any_of=True, negated=True), schema=_NAMES),
)


NODE_LIST: Mapping[str, Mapping[str, Any]] = {
    **LIST_QUERY,
    **{row.name: {**row.schema, "x-since": f"1.{row.since}"} for row in FILTERS},
}
"""The parameters of every list of nodes, besides those that select attributes."""

_ELIGIBLE = (Present("instance_uuid", False), Equals("provision_state", states.AVAILABLE))
"""The conditions of clients that look for a node to deploy."""


def read_conditions(query: Query, minor: int) -> tuple[Condition, ...]:
    """Return the conditions of a request.

    By default a list excludes the children of other nodes, and a list of nodes to deploy excludes reserved nodes. The
    latter applies to every version, so that old clients do not choose a reserved node.
    """
    conditions: list[Condition] = []
    for row in FILTERS:
        if row.name not in query:
            continue
        if row.since > minor:
            raise not_acceptable(row.since if row.says_version else None)
        condition = row.read(query, row.name)
        if condition is not None:
            conditions.append(condition)
    if not query.flag("include_children") and "parent_node" not in query:
        conditions.append(Present("parent_node", False))
    if "reserved" not in query and all(condition in conditions for condition in _ELIGIBLE):
        conditions.append(Held(False))
    return tuple(conditions)
