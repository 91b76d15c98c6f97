"""A search and a claim right after a fleet was loaded: no plan waits for the statistics of the database."""

from typing import Any

import pytest
from sqlalchemy import Insert, insert
from sqlalchemy.sql.base import Executable

from dibs.access.access import SERVICE
from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.operations.candidates import find_candidates
from dibs.candidates.queries import structure as loading
from dibs.candidates.queries import usage
from dibs.database import Store, open_store
from dibs.database.engines import timeouts
from dibs.database.sets import listed
from dibs.database.transaction import Transaction
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.criteria import Criteria
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.ledger.queries import structure
from dibs.ledger.queries.structure import BUCKETS
from dibs.ledger.tables import inventories, provider_traits, providers, resource_classes, traits
from dibs.wiring.hooks import build_runner
from tests.builders import FIRST_INSTANT
from tests.laws import connect

COUNT = 20_000
RARE, COMMON = "CUSTOM_RARE", "CUSTOM_COMMON"
ANY = RequestGroup(resources={"VCPU": 1, "MEMORY_MB": 1})
WITH_RARE = RequestGroup(resources={"VCPU": 1}, traits=Criteria(required=(frozenset({RARE}),)))


def load_fleet(url: str) -> None:
    """Insert providers with two inventories each, and traits, in one transaction."""
    numbers = range(1, COUNT + 1)
    made = {"created_at": FIRST_INSTANT}
    with connect(url) as connection, connection.begin():
        connection.execute(
            insert(resource_classes), [{"id": 1, "name": "VCPU", **made}, {"id": 2, "name": "MEMORY_MB", **made}]
        )
        connection.execute(insert(traits), [{"name": name, **made} for name in (RARE, COMMON)])
        connection.execute(insert(providers), [_provider(number) for number in numbers])
        sizes = {"total": 8, "max_unit": 8, **made}
        connection.execute(
            insert(inventories),
            [{"provider_id": n, "class_id": class_id, "used": n % 2, **sizes} for n in numbers for class_id in (1, 2)],
        )
        named = [{"provider_id": n, "trait": RARE if n % 200 == 0 else COMMON} for n in numbers]
        connection.execute(insert(provider_traits), named)


def _provider(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "name": f"p{number}",
        "root_id": number,
        "bucket": number % BUCKETS,
        "created_at": FIRST_INSTANT,
    }


def test_a_fleet_is_searched_right_after_it_was_loaded_within_a_second_a_statement(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeouts, "STATEMENT_SECONDS", 1)
    load_fleet(database_url)
    store = open_store(database_url)
    try:
        counts = [
            len(store.read(lambda tx, query=query: find_candidates(tx, SERVICE, FIRST_INSTANT, query)).candidates)
            for query in (
                CandidateQuery(groups=(ANY,), limit=100),
                CandidateQuery(groups=(WITH_RARE,)),
                CandidateQuery(groups=(ANY,)),
            )
        ]
        assert counts == [100, COUNT // 200, COUNT]
        hot = {
            "inventories": (usage._SOME, {"providers": listed(range(1, 129))}),
            "structure_versions": (structure._SUM, {}),
            "providers": (loading._READ_MEMBERS._some, {"listed": listed(range(1, 129))}),
            "provider_traits": (loading._READ_TRAITS._some, {"listed": listed(range(1, 129))}),
        }
        plans = {table: store.read(lambda tx, each=each: plan_of(tx, *each)) for table, each in hot.items()}
        for table in ("inventories", "providers", "provider_traits"):
            assert not scans(plans[table], table), plans[table]
        for sql, plan in plans_of_a_claim(store):
            assert not any(scans(plan, table) for table in ("inventories", "providers")), (sql, plan)
    finally:
        store.close()


def plans_of_a_claim(store: Store) -> list[tuple[str, list[str]]]:
    """Claim once, and return the SELECT and UPDATE statements with their plans."""
    ran: list[tuple[Executable, dict[str, Any]]] = []
    resources = {_provider(7)["uuid"]: {"VCPU": 1, "MEMORY_MB": 1}}
    request = ClaimRequest(consumer=_provider(8)["uuid"], resources=resources, project_id="p", user_id="u")
    run = Transaction._run

    def record(self: Transaction, statement: Executable, parameters: Any) -> Any:
        ran.append((statement, dict(parameters or {})))
        return run(self, statement, parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Transaction, "_run", record)
        build_runner(store, lambda: FIRST_INSTANT).write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
    shown = [each for each in ran if not isinstance(each[0], Insert)]
    return store.write(lambda tx: [(str(each[0]), plan_of(tx, *each)) for each in shown])


def plan_of(tx: Transaction, statement: Executable, parameters: dict[str, Any]) -> list[str]:
    """Return the lines of the engine's plan."""
    prefix = "EXPLAIN QUERY PLAN" if tx._engine.name == "sqlite" else "EXPLAIN"
    compiled = tx._compiler.compile(statement)
    tx._cursor.execute(f"{prefix} {compiled.sql}", compiled.bind(parameters))
    return [" ".join(map(str, row)) for row in tx._cursor.fetchall()]


def scans(plan: list[str], table: str) -> bool:
    """Return True when a plan reads a whole table: in the words of SQLite, of PostgreSQL or of MariaDB."""
    return any(
        f"SCAN {table}" in line
        or f"Seq Scan on {table}" in line
        or f" {table} ALL " in line
        or f" {table} index " in line
        for line in plan
    )
