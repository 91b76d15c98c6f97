"""Reads the objects of all clients from the rows, in the form in which clients remember them."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from faults.workload.claims import POOL, TREES_EACH, tree_uuids
from faults.workload.memory import Key, State
from tests.laws import Row, Tables


def observe(tables: Tables, clients: int) -> dict[Key, State]:
    """Return the state of every object that exists."""
    found: dict[Key, State] = {}
    for kind in (_consumers, _nodes, _holds, _allocations, _leases, _servers):
        found.update(kind(tables))
    found.update(_trees(tables, clients))
    return found


def observe_ids(tables: Tables) -> dict[Key, str]:
    """Return the identifiers that the server chose."""
    ids: dict[Key, str] = {("hold", row["instance_uuid"]): row["uuid"] for row in tables["holds"]}
    for kind in ("lease", "server"):
        ids.update({(kind, row["name"]): row["uuid"] for row in tables[f"{kind}s"]})
    batches: dict[str, list[str]] = defaultdict(list)
    for row in tables["allocations"]:
        if mark := _document(row["extra"]).get("batch"):
            batches[mark].append(row["uuid"])
    return ids | {("batch", mark): " ".join(uuids) for mark, uuids in batches.items()}


def _claims(tables: Tables) -> dict[str, dict[str, int]]:
    """Return the claimed amounts by consumer and provider."""
    providers = {row["id"]: row["uuid"] for row in tables["providers"]}
    consumers = {row["id"]: row["uuid"] for row in tables["consumers"]}
    claimed: dict[str, dict[str, int]] = defaultdict(dict)
    for row in tables["claims"]:
        claimed[consumers[row["consumer_id"]]][providers[row["provider_id"]]] = row["amount"]
    return claimed


def _consumers(tables: Tables) -> Iterator[tuple[Key, State]]:
    for consumer, amounts in _claims(tables).items():
        if amounts.keys() & set(POOL):
            yield ("consumer", consumer), amounts


def _trees(tables: Tables, clients: int) -> Iterator[tuple[Key, State]]:
    providers = {row["id"]: row["uuid"] for row in tables["providers"]}
    offering = {providers[row["provider_id"]] for row in tables["inventories"]}
    generations = {row["uuid"]: row["generation"] for row in tables["consumers"]}
    claims = _claims(tables)
    for client in range(clients):
        for number in range(TREES_EACH):
            parent, child, consumer = tree_uuids(client, number)
            places = {"parent": parent, "child": child}
            on = [name for name, one in places.items() if one in offering and claims.get(consumer) == {one: 3}]
            whole = len(on) == 1 and len(offering & {parent, child}) == 1
            state = {"on": on[0] if whole else "divided", "generation": generations.get(consumer)}
            yield ("tree", f"{client}-{number}"), state


def _nodes(tables: Tables) -> Iterator[tuple[Key, State]]:
    traits: dict[int, list[str]] = defaultdict(list)
    for row in tables["provider_traits"]:
        traits[row["provider_id"]].append(row["trait"])
    for row in tables["nodes"]:
        if row["resource_class"] == "own":
            state = {
                "turn": _document(row["extra"]).get("turn"),
                "traits": sorted(traits[row["id"]]),
                "state": row["provision_state"],
            }
            yield ("node", row["uuid"]), state


def _holds(tables: Tables) -> Iterator[tuple[Key, State]]:
    for row in tables["holds"]:
        yield ("hold", row["instance_uuid"]), "held"


def _allocations(tables: Tables) -> Iterator[tuple[Key, State]]:
    batches: Counter[str] = Counter()
    for row in tables["allocations"]:
        if mark := _document(row["extra"]).get("batch"):
            batches[mark] += 1
        else:
            yield ("allocation", row["uuid"]), "exists"
    for mark, count in batches.items():
        yield ("batch", mark), count


def _leases(tables: Tables) -> Iterator[tuple[Key, State]]:
    parts = Counter(row["lease_id"] for row in tables["lease_reservations"])
    for row in tables["leases"]:
        end = datetime.fromtimestamp(row["end_at"] / 1e6, UTC).strftime("%Y-%m-%d %H:%M")
        yield ("lease", row["name"]), {"end": end, "reservations": parts[row["id"]]}


def _servers(tables: Tables) -> Iterator[tuple[Key, State]]:
    for row in tables["servers"]:
        yield ("server", row["name"]), "exists"


def _document(stored: Any) -> Row:
    return dict(json.loads(stored) if isinstance(stored, str) else stored or {})
