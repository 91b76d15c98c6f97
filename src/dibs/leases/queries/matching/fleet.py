"""All hosts, from the memory of the process.

What a host is (sizes, traits, properties) changes rarely, and each change raises a version of the structure. So a
search compares one number and reads only the hosts that have changed since the process read them. The state of nodes
changes all the time and is read each time. docs/adr/0016-an-index-of-the-structure.md proves that no transaction sees
hosts older than its own snapshot.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import select

from dibs.database.sets import Among, listed
from dibs.database.transaction import Transaction
from dibs.leases.model.hosts import EVERYTHING, Host
from dibs.leases.model.matching.fleet import Fleet
from dibs.leases.queries import hosts
from dibs.leases.tables import hosts as host_rows
from dibs.ledger.queries import structure
from dibs.ledger.tables import providers

REMEMBERED = "hosts"

_BUCKETS = select(host_rows.c.id, providers.c.bucket).join(providers, providers.c.id == host_rows.c.provider_id)
# The provider of a host is the root of its tree as long as it is a host.
_ROOTS = Among(
    select(providers.c.id, providers.c.bucket).where(providers.c.parent_id.is_(None)), providers.c.bucket, "listed"
)
_HOSTS = Among(select(host_rows.c.id, host_rows.c.provider_id), host_rows.c.provider_id, "listed")

_SHARED = ("availability_zone", "hypervisor_type", "cpu_info", "inventories", "traits", "properties")
Kind = tuple[object, ...]
_Rows = tuple[Sequence[Host], Mapping[int, int]]
"""Hosts, and the bucket of each by its id."""


class _Member(NamedTuple):
    """A host, without the state of its node."""

    kind: Kind
    host: Host
    is_node: bool


class _Part(NamedTuple):
    """The hosts of one bucket at one version."""

    version: int
    members: Sequence[_Member]


class _KnownHosts(Struct, frozen=True):
    """All hosts at one version of each bucket."""

    parts: Mapping[int, _Part]
    sum_of_versions: int
    fleet: Fleet
    """The compute hosts."""
    nodes: Mapping[int, _Member]
    """The hosts that are nodes, by their ids."""


_NOTHING = _KnownHosts({}, 0, Fleet(()), {})


def every(tx: Transaction) -> Fleet:
    """Return every host that this transaction sees."""
    known = _current(tx)
    if not known.nodes:
        return known.fleet
    kinds: dict[object, list[Host]] = defaultdict(list)
    for host_id, *row in tx.tuples(hosts.NODES):
        # A node that became a host after the comparison is left out.
        if host_id in known.nodes:
            kind, host, _ = known.nodes[host_id]
            node = hosts.node_of(row)
            # Whether its user leaves in time depends on its bookings.
            used = node is not None and (node.claimed or node.instance_uuid is not None)
            kinds[host_id if used else (kind, *row[1:])].append(replace(host, node=node))
    return Fleet((*known.fleet.kinds, *kinds.values()))


def _current(tx: Transaction) -> _KnownHosts:
    if structure.is_changing(tx):
        # The changes of this transaction have no versions yet. To raise them now would lock them before the hosts.
        return _known(_parts(_read(tx, range(structure.BUCKETS)), dict.fromkeys(range(structure.BUCKETS), 0)))
    known: _KnownHosts = tx.recall(REMEMBERED) or _NOTHING
    if known.parts and known.sum_of_versions == structure.sum_of_versions(tx):
        return known
    loaded = _load(tx, known)
    tx.remember(REMEMBERED, loaded)
    return loaded


def _load(tx: Transaction, known: _KnownHosts) -> _KnownHosts:
    """Return every bucket, those of the known version as they are."""
    rows, versions = structure.read_changed(tx, {bucket: part.version for bucket, part in known.parts.items()}, _read)
    return _known({**known.parts, **_parts(rows, versions)})


def _read(tx: Transaction, buckets: Collection[int]) -> _Rows:
    """Return the hosts of some buckets; or all, which is cheaper if they are many."""
    if len(buckets) > structure.BUCKETS // 2:
        found = hosts.every(tx, EVERYTHING)
        return found, dict(tx.tuples(_BUCKETS))
    bucket_of = dict(tx.tuples(_ROOTS, {"listed": listed(buckets)}))
    ids = dict(tx.tuples(_HOSTS, {"listed": listed(bucket_of)}))
    return hosts.some(tx, sorted(ids), EVERYTHING), {host_id: bucket_of[provider] for host_id, provider in ids.items()}


def _parts(rows: _Rows, versions: Mapping[int, int]) -> dict[int, _Part]:
    found: dict[int, list[_Member]] = defaultdict(list)
    firsts: dict[Kind, _Member] = {}
    for host in rows[0]:
        # A host that was removed between two statements of a writing transaction has no bucket.
        if host.id in rows[1]:
            kind = _kind(host)
            if kind not in firsts:
                firsts[kind] = _Member(kind, _first(host), host.node is not None)
            found[rows[1][host.id]].append(_like(firsts[kind], host))
    return {bucket: _Part(version, found[bucket]) for bucket, version in versions.items()}


def _known(parts: Mapping[int, _Part]) -> _KnownHosts:
    kinds: dict[Kind, list[Host]] = defaultdict(list)
    nodes: dict[int, _Member] = {}
    for member in chain.from_iterable(part.members for part in parts.values()):
        if member.is_node:
            nodes[member.host.id] = member
        else:
            kinds[member.kind].append(member.host)
    return _KnownHosts(parts, sum(part.version for part in parts.values()), Fleet(kinds.values()), nodes)


def _first(host: Host) -> Host:
    """Return a host with what it shares with those that are like it: neither the uuid of a provider nor a node."""
    inventories = {name: replace(each, provider="") for name, each in host.inventories.items()}
    return replace(host, inventories=inventories, node=None)


def _like(first: _Member, host: Host) -> _Member:
    """Return a host that shares what is equal with the first of its kind, so that a large fleet takes little memory."""
    shared = {name: getattr(first.host, name) for name in _SHARED}
    return first._replace(host=replace(host, **shared, node=None))


def _kind(host: Host) -> Kind:
    """Return what hosts that are alike have in common, apart from the state of a node."""
    sizes = (
        (name, each.total, each.reserved, each.min_unit, each.max_unit, each.step_size, each.allocation_ratio)
        for name, each in host.inventories.items()
    )
    return (
        host.availability_zone,
        host.hypervisor_type,
        host.hypervisor_version,
        host.cpu_info,
        frozenset(sizes),
        host.traits,
        frozenset(host.properties.items()),
        host.node is None,
    )
