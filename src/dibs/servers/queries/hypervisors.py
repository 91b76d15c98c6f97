"""Hypervisors: the providers and nodes that servers can run on.

A page takes the same number of statements for any number of hypervisors.
"""

import json
from functools import lru_cache
from typing import Any

from sqlalchemy import Select, bindparam, exists, func, or_, select

from dibs.database.transaction import Row, Transaction
from dibs.leases.model.hosts import DISABLED_TRAIT
from dibs.leases.tables import hosts
from dibs.ledger.model.inventories import Inventory
from dibs.ledger.queries import inventories
from dibs.ledger.tables import inventories as inventory_rows
from dibs.ledger.tables import provider_traits, providers, resource_classes
from dibs.machines.tables import nodes
from dibs.servers.model.hypervisors import COMPUTE_TYPE, NODE_TYPE, Hypervisor, HypervisorQuery
from dibs.servers.queries import servers

_HAS_PROCESSORS = exists(
    select(inventory_rows.c.provider_id)
    .join(resource_classes, resource_classes.c.id == inventory_rows.c.class_id)
    .where(inventory_rows.c.provider_id == providers.c.id, resource_classes.c.name == "VCPU")
)
_DISABLED = exists().where(provider_traits.c.provider_id == providers.c.id, provider_traits.c.trait == DISABLED_TRAIT)
_SELECT = (
    select(
        providers.c.id,
        providers.c.uuid,
        providers.c.name,
        func.coalesce(providers.c.updated_at, providers.c.created_at).label("changed_at"),
        _DISABLED.label("has_trait"),
        nodes.c.id.label("node_id"),
        nodes.c.maintenance,
        nodes.c.retired,
        nodes.c.instance_uuid,
        nodes.c.properties,
        hosts.c.hypervisor_type,
        hosts.c.hypervisor_version,
        hosts.c.cpu_info,
    )
    .select_from(providers)
    .outerjoin(nodes, nodes.c.id == providers.c.id)
    .outerjoin(hosts, hosts.c.provider_id == providers.c.id)
    .where(providers.c.parent_id.is_(None), providers.c.id > bindparam("after_id"))
    .order_by(providers.c.id)
    .limit(bindparam("page_limit"))
)
_CLAUSES = {
    "name_part": func.lower(providers.c.name).like(bindparam("name_part"), escape="/"),
    "name": providers.c.name == bindparam("name"),
    "uuid": providers.c.uuid == bindparam("uuid"),
    "row_id": providers.c.id == bindparam("row_id"),
}


def page(tx: Transaction, query: HypervisorQuery) -> list[Hypervisor]:
    """Return one page of hypervisors."""
    given = {name: getattr(query, name) for name in _CLAUSES if getattr(query, name) is not None}
    if "name_part" in given:
        part = given["name_part"].lower().replace("/", "//").replace("%", "/%").replace("_", "/_")
        given["name_part"] = f"%{part}%"
    values = {"after_id": query.after_id, "page_limit": query.limit, **given}
    rows = tx.rows(_page(tuple(given), query.services_only), values)
    ids = [row["id"] for row in rows]
    inventories_of: dict[int, dict[str, Inventory]] = {row_id: {} for row_id in ids}
    for key, inventory in inventories.of_providers(tx, ids).items():
        inventories_of[key.provider_id][inventory.resource_class] = inventory
    running = servers.on_providers(tx, ids)
    return [_hypervisor(row, inventories_of[row["id"]], running[row["id"]]) for row in rows]


@lru_cache(maxsize=64)
def _page(given: tuple[str, ...], services_only: bool) -> Select[Any]:
    kind = _HAS_PROCESSORS if services_only else or_(nodes.c.id.is_not(None), _HAS_PROCESSORS)
    return _SELECT.where(kind, *(_CLAUSES[name] for name in given))


def _hypervisor(row: Row, found: dict[str, Inventory], running: list[tuple[str, str]]) -> Hypervisor:
    node = row["node_id"] is not None
    return Hypervisor(
        id=row["id"],
        uuid=row["uuid"],
        name=row["name"],
        node=node,
        disabled=bool(row["has_trait"] or row["maintenance"] or row["retired"]),
        up=not row["maintenance"],
        in_use=row["instance_uuid"] is not None or any(each.used for each in found.values()),
        hypervisor_type=row["hypervisor_type"] or (NODE_TYPE if node else COMPUTE_TYPE),
        hypervisor_version=row["hypervisor_version"] or 0,
        cpu_info=row["cpu_info"],
        properties=json.loads(row["properties"]) if node else {},
        inventories=found,
        servers=tuple(running),
        changed_at=row["changed_at"],
    )
