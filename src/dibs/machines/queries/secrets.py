"""The stored secrets of nodes, of their tasks and of their volume targets, to be encrypted anew."""

from collections.abc import Mapping

from sqlalchemy import bindparam, select, update

from dibs.database.transaction import Row, Transaction
from dibs.machines.tables import node_tasks, nodes, volume_targets

SECRETS: Mapping[str, tuple[str, ...]] = {
    "nodes": ("driver_info", "instance_info"),
    "node_tasks": ("arguments",),
    "volume_targets": ("properties",),
}
"""The columns with secrets of each table."""

_TABLES = {
    "nodes": (nodes, nodes.c.id),
    "node_tasks": (node_tasks, node_tasks.c.node_id),
    "volume_targets": (volume_targets, volume_targets.c.id),
}
_PAGES = {
    name: select(key.label("key"), *(table.c[column] for column in SECRETS[name]))
    .where(key > bindparam("after_key"))
    .order_by(key)
    .limit(bindparam("count_max"))
    for name, (table, key) in _TABLES.items()
}


_REPLACE = {
    name: update(table)
    .where(key == bindparam("of_key"), *(table.c[column] == bindparam(f"old_{column}") for column in SECRETS[name]))
    .values({column: bindparam(f"new_{column}") for column in SECRETS[name]})
    for name, (table, key) in _TABLES.items()
}


def page(tx: Transaction, table: str, after_key: int, count_max: int) -> list[Row]:
    """Return the stored secrets of some rows, each with the ``key`` of its row."""
    return tx.rows(_PAGES[table], {"after_key": after_key, "count_max": count_max})


def encrypt(tx: Transaction, table: str, row: Row) -> bool:
    """Encrypt the secrets of a row anew; return False when another transaction changed them meanwhile."""
    values = {"of_key": row["key"]}
    for column in SECRETS[table]:
        values[f"old_{column}"] = row[column]
        values[f"new_{column}"] = tx.vault.seal(tx.vault.unseal(row[column]))
    return tx.change(_REPLACE[table], values) == 1
