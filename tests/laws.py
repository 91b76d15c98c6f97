"""The laws of the ledger, checked on the rows of all tables, independently of the operations that wrote them.

``broken_laws`` describes each violation; an empty list means that the ledger is consistent. By default it expects that
every provider is a node, as in databases that only the bare-metal dialect and conductors wrote.
"""

import functools
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import Dialect
from sqlalchemy.pool import NullPool

from dibs.machines.model import states
from dibs.machines.model.node_traits import TRAITS_PER_NODE_MAX
from dibs.machines.model.nodes import Node
from dibs.machines.queries.nodes import COLUMNS
from tests.bed.schema import TABLES

Row = dict[str, Any]
Tables = dict[str, list[Row]]

_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "mariadb": "mariadb+pymysql"}
_QUERIES = {table.name: table.select().order_by(*table.primary_key) for table in TABLES}
_FILLED = " UNION ALL ".join(f"SELECT '{name}' FROM (SELECT 1 FROM {name} LIMIT 1) AS found" for name in _QUERIES)
_connecting = threading.local()


def connect(url: str) -> Connection:
    """Connect to a database without the store, for reading."""
    _connecting.url = make_url(url)
    return _engine(_connecting.url.get_backend_name()).connect()


@functools.cache
def _engine(backend: str) -> Engine:
    """Return the engine for all databases of a kind: it compiles each query once, and not for each database."""
    engine = create_engine(f"{_DRIVERS[backend]}://", poolclass=NullPool)
    event.listen(engine, "do_connect", _connect_to_url)
    return engine


def _connect_to_url(dialect: Dialect, record: Any, arguments: list[Any], options: dict[str, Any]) -> Any:
    """Connect to the database that this thread asked for, instead of the one that the engine was created with."""
    own_arguments, own_options = dialect.create_connect_args(_connecting.url)
    return dialect.connect(*own_arguments, **own_options)


def rows_of(connection: Connection) -> Tables:
    """Read every row of every table in one transaction. Most tables are empty, and one query finds out which."""
    with connection.begin():
        filled = {name for (name,) in connection.exec_driver_sql(_FILLED)}
        return {
            name: [dict(row) for row in connection.execute(query).mappings()] if name in filled else []
            for name, query in _QUERIES.items()
        }


def read_tables(url: str) -> Tables:
    """Read every row of every table through a connection of its own."""
    with connect(url) as connection:
        return rows_of(connection)


def assert_lawful(url: str) -> Tables:
    """Fail with every violation in a database; return its rows."""
    tables = read_tables(url)
    assert broken_laws(tables) == []
    return tables


def broken_laws(tables: Tables, *, machines_only: bool = True) -> list[str]:
    """Describe every violation."""
    ledger = _Ledger(tables)
    return [*ledger.violations(), *(ledger.violations_among_machines() if machines_only else ())]


@dataclass
class _Ledger:
    tables: Tables

    def __post_init__(self) -> None:
        self.providers = {row["id"]: row for row in self.tables["providers"]}
        self.classes = {row["id"]: row["name"] for row in self.tables["resource_classes"]}
        self.consumers = {row["id"]: row["uuid"] for row in self.tables["consumers"]}
        self.conductors = {row["id"]: row["hostname"] for row in self.tables["conductors"]}
        self.tasks = {row["node_id"]: row for row in self.tables["node_tasks"]}
        self.nodes = {row["id"]: Node(**COLUMNS.decode(row)) for row in self.tables["nodes"]}
        self.held_for = {row["node_id"]: row["instance_uuid"] for row in self.tables["holds"]}
        self.inventories: dict[int, list[Row]] = defaultdict(list)
        for row in self.tables["inventories"]:
            self.inventories[row["provider_id"]].append(row)
        self.claims: dict[int, list[Row]] = defaultdict(list)
        for row in self.tables["claims"]:
            self.claims[row["provider_id"]].append(row)

    def violations(self) -> Iterator[str]:
        for node in self.nodes.values():
            yield from self._of_provider(node)
            yield from self._of_unit(node)
            yield from self._of_instance(node)
            yield from self._of_lock(node)
        yield from self._of_allocations()
        yield from self._of_used()
        yield from self._of_idle_consumers()

    def violations_among_machines(self) -> Iterator[str]:
        """Describe the violations in a database in which every provider must be a node."""
        yield from self._of_orphans()
        yield from self._of_traits()

    def _of_provider(self, node: Node) -> Iterator[str]:
        provider = self.providers.get(node.id)
        if provider is None or (provider["uuid"], provider["name"]) != (node.uuid, node.name or node.uuid):
            yield f"node {node.uuid} has the provider {provider}"

    def _of_unit(self, node: Node) -> Iterator[str]:
        units = [(self.classes[row["class_id"]], row["total"], row["reserved"]) for row in self.inventories[node.id]]
        expected = [(node.inventory_class, 1, node.units_reserved)] if node.inventory_class else []
        if units != expected:
            yield f"node {node.uuid} should offer {expected} and offers {units}"
        claimed = sum(row["amount"] for row in self.claims[node.id])
        used = sum(row["used"] for row in self.inventories[node.id])
        if used != claimed or used > len(units):
            yield f"node {node.uuid} has used {used} of {len(units)}, claims add up to {claimed}"

    def _of_instance(self, node: Node) -> Iterator[str]:
        holders = [self.consumers[row["consumer_id"]] for row in self.claims[node.id]]
        expected = [one for one in (node.instance_uuid, self.held_for.get(node.id)) if one]
        if len(expected) > 1:
            yield f"node {node.uuid} has an instance and is held: {expected}"
        # A client may have claimed the node through Placement and not set its instance yet.
        claimed_beforehand = not expected and len(holders) == 1
        if node.inventory_class and holders != expected and not claimed_beforehand:
            yield f"node {node.uuid} should be claimed by {expected} and is claimed by {holders}"

    def _of_lock(self, node: Node) -> Iterator[str]:
        task = self.tasks.get(node.id)
        busy = node.provision_state in states.PHASES or node.provision_state in states.PAUSED
        if task is None:
            if node.reservation or busy:
                yield f"node {node.uuid} is {node.provision_state}, locked by {node.reservation}, and has no task"
            return
        owner = None if node.provision_state in states.PAUSED else self.conductors[task["conductor_id"]]
        if node.reservation != owner:
            yield f"node {node.uuid} is locked by {node.reservation}, its task {task['work']} is for {owner}"

    def _of_allocations(self) -> Iterator[str]:
        for row in self.tables["allocations"]:
            node = self.nodes.get(row["node_id"])
            if (row["state"] == "active") != (node is not None):
                yield f"allocation {row['uuid']} is {row['state']} and has the node {row['node_id']}"
            elif node is not None and node.instance_uuid != row["uuid"]:
                yield f"allocation {row['uuid']} has node {node.uuid}, whose instance is {node.instance_uuid}"
            elif row["state"] == "error" and not row["last_error"]:
                yield f"allocation {row['uuid']} failed without a reason"

    def _of_orphans(self) -> Iterator[str]:
        for table, column in (("provider_traits", "provider_id"), ("inventories", "provider_id"), ("ports", "node_id")):
            for row in self.tables[table]:
                if row[column] not in self.nodes:
                    yield f"a row of {table} belongs to no node: {row}"
        for provider_id in self.providers.keys() - self.nodes.keys():
            yield f"provider {provider_id} has no node"

    def _of_used(self) -> Iterator[str]:
        claimed: Counter[tuple[int, int]] = Counter()
        for row in self.tables["claims"]:
            claimed[row["provider_id"], row["class_id"]] += row["amount"]
        used = {(row["provider_id"], row["class_id"]): row["used"] for row in self.tables["inventories"]}
        for key in claimed.keys() | used.keys():
            if used.get(key) != claimed[key]:
                yield f"inventory {key} has used {used.get(key)}, claims add up to {claimed[key]}"

    def _of_idle_consumers(self) -> Iterator[str]:
        idle = self.consumers.keys() - {row["consumer_id"] for row in self.tables["claims"]}
        yield from (f"consumer {self.consumers[one]} has no claim" for one in idle)

    def _of_traits(self) -> Iterator[str]:
        counts = Counter(row["provider_id"] for row in self.tables["provider_traits"])
        for provider_id, count in counts.items():
            if count > TRAITS_PER_NODE_MAX:
                yield f"provider {provider_id} has {count} traits"
