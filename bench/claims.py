"""Claims: how often the engine refuses and Dibs retries, and what a claim costs beside its statements alone."""

import statistics
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from typing import Any

from bench.load import Client, Target, measure
from bench.placement import allocation
from bench.services.dibs import MOUNTS
from bench.services.engines import Engine
from bench.tables import FIGURES_HEAD, figure
from dibs.access.access import SERVICE
from dibs.database import Store, open_store
from dibs.database.hooks import Hooks
from dibs.database.transaction import Compiled, Transaction
from dibs.leases.operations.guards import LeaseLedgerGuard
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.machines.operations.guards import NodeLedgerGuard
from dibs.quotas.operations.guard import QuotaGuard
from dibs.wiring.hooks import build_runner
from tests.bed.dibs_server import DibsServer
from tests.builders import Ledger
from tests.provider_builders import make

CLIENTS = 32
CLAIMS = 1_000
PROVIDERS = 20
ROUNDS = 200
GOAL = "at most 2x"

_WITHOUT_EVENTS = Hooks(QuotaGuard(), NodeLedgerGuard(), LeaseLedgerGuard())
"""What a claim needs, except the hook that writes events."""

Statement = tuple[Compiled, dict[str, Any]]


def measure_claims(engine_name: str) -> Iterator[str]:
    """Yield figures: retries of concurrent claims, and the CPU time of a claim with and without Dibs around it."""
    engine = Engine(engine_name)
    try:
        yield f"\nClaims of {CLIENTS} clients without HTTP, and the CPU time of one\n"
        yield from FIGURES_HEAD
        yield from _figures(engine, engine.databases.fresh())
    finally:
        engine.close()


def _figures(engine: Engine, url: str) -> Iterator[str]:
    store = open_store(url, connections=CLIENTS)
    try:
        ledger = Ledger(store)
        uuids = [make(ledger, VCPU=100_000, MEMORY_MB=100_000).uuid for _ in range(PROVIDERS)]
        for name, providers in (("spread", uuids), ("on one provider", uuids[:1])):
            yield _retries(ledger, f"{CLAIMS:,} claims of {CLIENTS} clients, {name}", providers)
        statements = _recorded(ledger, uuids[0])
        ours = _median_milliseconds(lambda: _claim(ledger, uuids[0], str(uuid.uuid4())))
        bare = _median_milliseconds(lambda: _replay(store, statements))
        yield figure("a claim, CPU of the process", f"{ours:.2f} ms, {ours / bare:.1f}x the bare driver", GOAL)
        yield figure("the same statements on the bare driver", f"{bare:.2f} ms")
        yield cost_of_events(ledger)
        over_http = _milliseconds_over_http(engine, url, uuids)
        yield figure(
            "a claim over HTTP, one client", f"{over_http:.2f} ms, {over_http / bare:.1f}x the bare driver", GOAL
        )
    finally:
        store.close()


def cost_of_events(ledger: Ledger) -> str:
    """Return the figure of a claim with its event beside one without, measured in turns."""
    provider = make(ledger, VCPU=100_000, MEMORY_MB=100_000).uuid
    without = copy(ledger)
    without.runner = build_runner(ledger.store, ledger.clock, hooks=_WITHOUT_EVENTS)
    turns = [
        [_milliseconds(partial(_claim, each, provider, str(uuid.uuid4()))) for each in (ledger, without)]
        for _ in range(ROUNDS)
    ]
    ours, bare = (statistics.median(times) for times in zip(*turns, strict=True))
    measured = f"{ours:.2f} ms, of which the event {ours - bare:.2f} ms ({ours / bare - 1:.0%} more than without)"
    return figure("a claim with its event", measured, "at most 10 % of a request")


def _claim(ledger: Ledger, provider: str, consumer: str) -> None:
    resources = {provider: {"VCPU": 1, "MEMORY_MB": 1}}
    request = ClaimRequest(consumer=consumer, resources=resources, project_id="p", user_id="u")
    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))


def _retries(ledger: Ledger, name: str, providers: list[str]) -> str:
    before, began = ledger.store.statistics.reruns, time.perf_counter()

    def run(client: int) -> None:
        for turn in range(CLAIMS // CLIENTS):
            _claim(ledger, providers[(client + turn) % len(providers)], str(uuid.uuid4()))

    threads = [threading.Thread(target=run, args=(client,)) for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = CLAIMS // CLIENTS * CLIENTS
    retries = (ledger.store.statistics.reruns - before) * 1_000 / made
    per_second = made / (time.perf_counter() - began)
    return figure(name, f"{retries:.0f} retries per 1,000, {per_second:,.0f} claims/s")


def _recorded(ledger: Ledger, provider: str) -> list[Statement]:
    """Return the statements of a claim; its consumer is called "consumer", and its row id is in the parameters."""
    found: list[Statement] = []
    run = Transaction._run

    def record(self: Transaction, statement: Any, parameters: Any) -> Any:
        compiled = run(self, statement, parameters)
        found.append((compiled, {**compiled.fixed, **(parameters or {})}))
        return compiled

    consumer = str(uuid.uuid4())
    Transaction._run = record  # type: ignore[method-assign]
    try:
        _claim(ledger, provider, consumer)
    finally:
        Transaction._run = run  # type: ignore[method-assign]
    return [(each, {k: "consumer" if v == consumer else v for k, v in values.items()}) for each, values in found]


def _replay(store: Store, statements: list[Statement]) -> None:
    """Run recorded statements for a new consumer on the cursor of the driver, in a transaction of the store."""
    consumer = str(uuid.uuid4())

    def run(tx: Transaction) -> None:
        cursor, row_id = tx._cursor, None
        for compiled, values in statements:
            own = {k: consumer if v == "consumer" else v for k, v in values.items()}
            if row_id is not None:
                own |= {k: row_id for k in own if k.startswith("consumer_") and k[9:].isdigit()}
            cursor.execute(compiled.sql, compiled.bind(own))
            if cursor.description is not None:
                rows = cursor.fetchall()
                if compiled.sql.startswith("INSERT INTO consumers"):
                    row_id = rows[0][0]

    store.write(run)


def _milliseconds_over_http(engine: Engine, url: str, providers: list[str]) -> float:
    """Return the CPU milliseconds of a server for a claim."""
    server = DibsServer(url, engine.folder)
    server.start()
    try:
        target = Target(name="Dibs", port=server.port, pid=server.pid, database_pid=None, mounts=MOUNTS)
        body = allocation(providers[0], {"VCPU": 1, "MEMORY_MB": 1})

        def claim(client: Client) -> None:
            client.send("PUT", "placement", f"/allocations/{uuid.uuid4()}", body)

        measure(target, claim, clients=1, seconds=60, count_max=ROUNDS)
        return measure(target, claim, clients=1, seconds=60, count_max=ROUNDS).server
    finally:
        server.stop()


def _median_milliseconds(act: Callable[[], None]) -> float:
    return statistics.median(_milliseconds(act) for _ in range(ROUNDS))


def _milliseconds(act: Callable[[], None]) -> float:
    """Return the CPU time of one call."""
    began = time.process_time()
    act()
    return (time.process_time() - began) * 1_000
