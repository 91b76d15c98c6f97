"""Dibs and OpenStack Placement with the same providers: candidates, claims, lists."""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence

from bench.load import Client, Target, get
from bench.services.dibs import Dibs
from bench.services.engines import Engine
from bench.services.placement import Placement
from bench.tables import Effort, Row, compare, progress
from bench.worlds import (
    AGGREGATES,
    FUNCTIONS,
    GPUS,
    HALF,
    RARE,
    SIZE,
    SUBTREE,
    World,
    flat,
    nested,
    roomy,
    roomy_uuid,
    wide,
)

WORKERS = 2
HOSTS = 1_000
CLAIMING_CLIENTS = 16
RESOURCES = {"VCPU": 1, "MEMORY_MB": 64, "DISK_GB": 1}


def measure_placement(engine_name: str, effort: Effort, with_original: bool) -> Iterator[str]:
    """Yield one table per world."""
    engines = [Engine(engine_name) for _ in range(1 + with_original)]
    dibs = Dibs(engines[0], WORKERS)
    placement = Placement(engines[1], WORKERS) if with_original else None
    services: list[Dibs | Placement] = [dibs, placement] if placement else [dibs]
    try:
        progress("starting the services")
        ours = dibs.start()
        theirs = placement.start() if placement else None
        for title, (world, rows) in worlds().items():
            progress(f"writing {title}")
            for service in services:
                service.put_world(world)
            if theirs is not None:
                check_same_answers(rows, theirs, ours)
            yield f"\n{title}\n"
            yield from compare(rows, theirs, ours, effort)
    finally:
        for service in services:
            service.stop()
        for engine in engines:
            engine.close()


def worlds() -> Mapping[str, tuple[World, Sequence[Row]]]:
    """Return the rows by the providers that they need; what writes claims is last."""
    half, aggregates = f"{SIZE}&required={HALF}", f"member_of=in:{AGGREGATES[0]},{AGGREGATES[1]}"
    return {
        f"Candidates, {HOSTS:,} providers": (
            flat(HOSTS),
            [
                candidates("no limit", SIZE, "12x"),
                candidates("limit=100", f"{SIZE}&limit=100", "50x"),
                candidates("limit=1", f"{SIZE}&limit=1", "50x"),
                candidates("trait of 50 %", half, "15x"),
                candidates("trait of 1 %", f"{SIZE}&required={RARE}", "40x"),
                candidates("aggregate and trait", f"{half}&{aggregates}", "20x"),
            ],
        ),
        "Candidates, 5,000 providers": (
            flat(5_000),
            [
                candidates("limit=100", f"{SIZE}&limit=100", "200x, no growth"),
                candidates("trait of 1 %", f"{SIZE}&required={RARE}", "in proportion to the answer"),
            ],
        ),
        "Candidates, 200 hosts of 7 providers": (
            nested(200),
            [
                candidates("NUMA and 2 VFs isolated", FUNCTIONS, "8x"),
                candidates("NUMA and 2 VFs isolated, limit=100", f"{FUNCTIONS}&limit=100", "40x"),
                candidates("physical network, same_subtree", SUBTREE, "8x"),
                candidates("physical network, same_subtree, limit=10", f"{SUBTREE}&limit=10", "40x"),
            ],
        ),
        "Candidates, 10 hosts of 9 providers": (
            wide(10),
            [candidates("four GPU groups, limit=10", f"{GPUS}&limit=10", "190x")],
        ),
        f"Claims and providers, {HOSTS:,} providers": (roomy(HOSTS), claims_and_lists()),
    }


def candidates(name: str, query: str, goal: str) -> Row:
    """Return the row of one search."""
    return Row(name=f"candidates, {name}", goal=goal, work=get("placement", f"/allocation_candidates?{query}"))


def claims_and_lists() -> list[Row]:
    """Return the rows of claims, of moves from one provider to another, and of lists."""
    many = f"{CLAIMING_CLIENTS} clients"
    at_most = "at most 2x the bare driver"
    return [
        Row(name="list 1,000 providers", goal="10x", work=get("placement", "/resource_providers")),
        Row(name="get one provider", goal="10x", work=_get_provider),
        Row(name=f"claim, spread, {many}", goal=at_most, clients=CLAIMING_CLIENTS, work=_claim_spread),
        Row(name=f"claim, one provider, {many}", goal=at_most, clients=CLAIMING_CLIENTS, work=_claim_hot),
        Row(name=f"swap two consumers, {many}", goal=at_most, clients=CLAIMING_CLIENTS, work=_swap),
    ]


def _get_provider(client: Client) -> None:
    client.send("GET", "placement", f"/resource_providers/{_spread(client)}")


def _claim_spread(client: Client) -> None:
    _claim(client, _spread(client))


def _claim_hot(client: Client) -> None:
    _claim(client, roomy_uuid(0))


def _claim(client: Client, provider: str) -> None:
    client.send("PUT", "placement", f"/allocations/{uuid.uuid4()}", allocation(provider, RESOURCES))


def allocation(provider: str, resources: Mapping[str, int], generation: int | None = None) -> dict[str, object]:
    """Return the body of a claim."""
    return {
        "allocations": {provider: {"resources": resources}},
        "project_id": "p",
        "user_id": "u",
        "consumer_generation": generation,
        "consumer_type": "INSTANCE",
    }


def _swap(client: Client) -> None:
    """Exchange the providers of two consumers in one request, as a migration does; the first turn creates them."""
    consumers = client.memory.setdefault("consumers", (str(uuid.uuid4()), str(uuid.uuid4())))
    providers = [roomy_uuid(2 * client.number + (client.turn + place) % 2) for place in range(2)]
    pairs = zip(consumers, providers, strict=True)
    bodies = {consumer: allocation(provider, RESOURCES, client.turn or None) for consumer, provider in pairs}
    client.send("POST", "placement", "/allocations", bodies)


def _spread(client: Client) -> str:
    return roomy_uuid((client.number * 97 + client.turn) % HOSTS)


def check_same_answers(rows: Sequence[Row], *targets: Target) -> None:
    """Raise unless both services find the same number of candidates: a faster answer must not be a shorter one."""
    for row in rows:
        if row.name.startswith("candidates"):
            counts = {}
            for target in targets:
                with Client(target) as client:
                    counts[target.name] = len(json.loads(row.work(client))["allocation_requests"])  # type: ignore[arg-type]
            if len(set(counts.values())) > 1:
                raise RuntimeError(f"{row.name}: the numbers of candidates differ: {counts}")
