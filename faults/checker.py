"""Compares what remains after the faults with what the clients were told, and with the laws of the ledger."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from dibs.database import open_store
from dibs.database.laws import violations
from dibs.events.tables import events
from dibs.wiring.hooks import LAWS
from faults.observation import observe
from faults.workload.client import DEADLINE_SECONDS, Client, Record
from faults.workload.memory import Doubt, Key, Memory, State
from tests.bed.schema import TABLES
from tests.laws import Tables, broken_laws, connect
from tests.lease_laws import broken_lease_laws


def check(url: str, tables: Tables, clients: Sequence[Client]) -> list[str]:
    """Describe every violation in the rows of a database whose work is finished."""
    return [
        *_broken_laws(url, tables),
        *_overbooked(tables),
        *not_once(tables),
        *compare(observe(tables, len(clients)), [client.memory for client in clients]),
        *(violation for client in clients for violation in (*bad_answers(client.records), *client.stale)),
    ]


WORK = ("nodes", "holds", "node_tasks", "outbox_calls", "leases", "allocations")
"""The tables that show work that is not finished; the table of events grows too large to be read again and again."""


def read_work(url: str) -> Tables:
    """Read the rows that show unfinished work, and of the events only those that are not published."""
    unpublished = events.select().where(events.c.position.is_(None))
    with connect(url) as connection, connection.begin():
        read = {table.name: table.select() for table in TABLES if table.name in WORK} | {"events": unpublished}
        return {name: [dict(row) for row in connection.execute(query).mappings()] for name, query in read.items()}


def unfinished(tables: Tables) -> list[str]:
    """Describe the work that conductors still have to do."""
    return [
        *(f"node {row['uuid']} is locked by {row['reservation']}" for row in tables["nodes"] if row["reservation"]),
        *(f"node {row['node_id']} has the task {row['work']}" for row in tables["node_tasks"]),
        *(f"outbox call {row['kind']} waits" for row in tables["outbox_calls"]),
        *(f"lease {row['name']} has not started" for row in tables["leases"] if _is_late(row)),
        *(f"event {row['type']} of {row['object_id']} is not published" for row in tables["events"]),
        *_waiting_allocations(tables),
    ]


def _waiting_allocations(tables: Tables) -> Iterator[str]:
    """Describe allocations that a conductor could settle; a batch waits for two nodes, and others behind it."""
    waiting = [row for row in tables["allocations"] if row["state"] == "allocating"]
    held = {row["node_id"] for row in tables["holds"]}
    fleet = [row for row in tables["nodes"] if row["resource_class"] == "fleet"]
    free = sum(row["instance_uuid"] is None and row["id"] not in held for row in fleet)
    enough = free >= (2 if any(row["batch"] for row in waiting) else 1)
    for row in waiting:
        if enough or row["wait_until"] is None:
            yield f"allocation {row['uuid']} is allocating, and {free} nodes are free"


def not_once(tables: Tables) -> Iterator[str]:
    """Describe events that were executed or published twice, and leases that are active without having started."""
    happened = Counter((row["type"], row["object_id"]) for row in tables["events"] if row["type"] in HAPPEN_ONCE)
    for (kind, identity), times in happened.items():
        if times > 1:
            yield f"{kind} of {identity} happened {times} times"
    for lease in tables["leases"]:
        if lease["status"] == "ACTIVE" and ("lease.started", lease["uuid"]) not in happened:
            yield f"lease {lease['uuid']} is active and never started"
    for position, times in Counter(row["position"] for row in tables["events"]).items():
        if times > 1 and position is not None:
            yield f"{times} events have the position {position}"


HAPPEN_ONCE = (
    "lease.created",
    "lease.started",
    "lease.ended",
    "lease.deleted",
    "node.created",
    "node.deleted",
    "allocation.created",
)
"""Events that each object has at most once."""


def compare(found: dict[Key, State], memories: Iterable[Memory]) -> Iterator[str]:
    """Describe acknowledged writes that are missing, unclear ones that are half done, and refused ones that exist."""
    explained: set[Key] = set()
    for memory in memories:
        explained.update(memory.known)
        for key, state in memory.known.items():
            if found.get(key) != state:
                yield f"{key[0]} {key[1]} was acknowledged as {state} and is {found.get(key)}"
        for doubt in memory.doubts:
            explained.update(doubt.before)
            yield from _half_done(found, doubt)
    for key in found.keys() - explained:
        yield f"{key[0]} {key[1]} exists, and the request that would create it was refused: {found[key]}"


def _half_done(found: dict[Key, State], doubt: Doubt) -> Iterator[str]:
    now = {key: found.get(key) for key in doubt.before}
    if now not in (doubt.before, doubt.after):
        yield f"{doubt.step.kind} without a clear answer is half done: {doubt.before} -> {now}, not {doubt.after}"


def bad_answers(records: Iterable[Record]) -> Iterator[str]:
    """Describe requests that were answered too late or with an internal error."""
    for record in records:
        if record.seconds > DEADLINE_SECONDS:
            yield f"{record.kind} at {record.at:.1f} s took {record.seconds:.1f} s: {record.status}"
        if record.status == 500:
            yield f"{record.kind} at {record.at:.1f} s got an internal error: {record.answer}"


def _broken_laws(url: str, tables: Tables) -> Iterator[str]:
    yield from broken_laws(tables, machines_only=False)
    yield from broken_lease_laws(tables)
    store = open_store(url, connections=1)
    try:
        for law in LAWS:
            for page in violations(store, law):
                yield from (f"{law.promise} {found}" for found in page)
    finally:
        store.close()


def _overbooked(tables: Tables) -> Iterator[str]:
    """Describe inventories that are used beyond their capacity; no client lowers a capacity below what is used."""
    for row in tables["inventories"]:
        capacity = (row["total"] - row["reserved"]) * row["allocation_ratio"]
        if row["used"] > max(capacity, row["total"] if row["reserved"] == row["total"] else 0):
            yield f"provider {row['provider_id']} has used {row['used']} of {capacity:g}"


def _is_late(lease: dict[str, object]) -> bool:
    """Return True for a lease that starts now: the others of the workload start in a far future."""
    return lease["status"] == "PENDING" and int(str(lease["start_at"])) < 3_000_000_000_000_000
