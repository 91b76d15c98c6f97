"""Simulate sites that are larger than one machine: ``python -m bench.simulate [--seconds 20]``.

Requests arrive at random. Each needs an API process, a connection, and CPU time of the database server: the costs are
those that ``python -m bench nodes`` measured (docs/benchmarks.md). The simulation shows where requests wait,
and how many reads a replica may answer when a client must see its own writes.
"""

import argparse
import heapq
import random
from collections.abc import Iterator, Sequence

from msgspec import Struct


class Kind(Struct, frozen=True, kw_only=True):
    """One kind of request."""

    name: str
    per_machine_hour: float
    server: float
    """Mean CPU milliseconds of the API process."""
    database: float
    writes: bool = False
    events: int = 0
    """Rows of history that it adds."""


KINDS = (
    Kind(name="show a node", per_machine_hour=30, server=0.6, database=0.1),
    Kind(name="list 100 nodes", per_machine_hour=1, server=0.6, database=0.1),
    Kind(name="candidates, limit=100", per_machine_hour=0.5, server=1.5, database=0.2),
    Kind(name="claim or release", per_machine_hour=0.5, server=1.0, database=0.6, writes=True, events=1),
    Kind(name="change a node's state", per_machine_hour=1, server=5.5, database=3.0, writes=True, events=1),
)
"""A busy site: monitoring reads every node every two minutes, and each machine changes hands six times a day."""
PEAK = 3
"""The busiest minutes have this many times the mean."""
FOLLOWING_READS = 0.2
"""The share of reads that a client sends right after a write of its own."""
READ_AFTER_SECONDS = 0.05
REPLICA_LAG_SECONDS = 0.02
ROUTER_MILLISECONDS = 0.1
HISTORY_DAYS = 365


class Layout(Struct, frozen=True, kw_only=True):
    """What a site runs; the processes and cores are those of one region."""

    machines: int
    regions: int
    processes: int
    database_cores: int
    replicas: int = 0
    """Servers with as many cores as the primary."""


LAYOUTS = (
    Layout(machines=10_000, regions=1, processes=2, database_cores=2),
    Layout(machines=100_000, regions=1, processes=6, database_cores=4),
    Layout(machines=1_000_000, regions=1, processes=60, database_cores=16),
    Layout(machines=1_000_000, regions=1, processes=60, database_cores=8, replicas=2),
    Layout(machines=1_000_000, regions=10, processes=6, database_cores=4),
)


class Pool:
    """Servers with one queue."""

    def __init__(self, count: int) -> None:
        self._free = [0.0] * count
        self._count = count
        self.busy = 0.0

    def serve(self, arrival: float, seconds: float) -> float:
        """Return when a request that arrives now and needs this much time is done; arrivals must be in order."""
        start = max(arrival, heapq.heappop(self._free))
        heapq.heappush(self._free, start + seconds)
        self.busy += seconds
        return start + seconds

    def utilisation(self, seconds: float) -> float:
        """Return the used part of the time."""
        return self.busy / (seconds * self._count)


class Result(Struct, frozen=True, kw_only=True):
    """What a simulated region did."""

    per_second: float
    p50: float
    p99: float
    api: float
    """Utilisation."""
    primary: float
    replica: float
    reads_on_primary: float
    connections: int


def simulate(layout: Layout, seconds: float, dice: random.Random, kinds: Sequence[Kind] = KINDS) -> Result:
    """Run one region for some seconds of its peak."""
    rates = [layout.machines / layout.regions * kind.per_machine_hour * PEAK / 3_600 for kind in kinds]
    api, primary = Pool(layout.processes), Pool(layout.database_cores)
    replica = Pool(layout.database_cores * layout.replicas) if layout.replicas else primary
    waiting: list[tuple[float, float, Kind]] = []
    times: list[float] = []
    ends: list[float] = []
    reads = on_primary = 0
    connections = 0
    now = 0.0
    while (now := now + dice.expovariate(sum(rates))) < seconds:
        (kind,) = dice.choices(kinds, rates)
        begun = api.serve(now, dice.expovariate(1_000 / kind.server))
        heapq.heappush(waiting, (begun, now, kind))
        while waiting and waiting[0][0] <= now:
            ready, arrived, each = heapq.heappop(waiting)
            stale = dice.random() < FOLLOWING_READS and dice.expovariate(1 / REPLICA_LAG_SECONDS) > READ_AFTER_SECONDS
            pool = primary if each.writes or stale else replica
            done = pool.serve(ready, dice.expovariate(1_000 / each.database))
            reads, on_primary = reads + (not each.writes), on_primary + (not each.writes and pool is primary)
            times.append(done - arrived + (layout.regions > 1) * ROUTER_MILLISECONDS / 1_000)
            heapq.heappush(ends, done)
            while ends[0] < ready:
                heapq.heappop(ends)
            connections = max(connections, len(ends))
    times.sort()
    return Result(
        per_second=len(times) / seconds,
        p50=times[len(times) // 2] * 1_000,
        p99=times[int(len(times) * 0.99)] * 1_000,
        api=api.utilisation(seconds),
        primary=primary.utilisation(seconds),
        replica=replica.utilisation(seconds) if layout.replicas else 0.0,
        reads_on_primary=on_primary / reads if reads else 0.0,
        connections=connections,
    )


def events_per_day(layout: Layout, kinds: Sequence[Kind] = KINDS) -> float:
    """Return the rows of history that one region adds in a day."""
    return sum(kind.events * kind.per_machine_hour for kind in kinds) * 24 * layout.machines / layout.regions


def table(seconds: float, seed: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield (
        "| machines | regions | per region: processes, cores of the database, replicas | requests/s | p50 ms | p99 ms"
        " | API busy | primary busy | replicas busy | reads on the primary | connections in use | events in a year |"
    )
    yield "|---" * 12 + "|"
    for layout in LAYOUTS:
        found = simulate(layout, seconds, random.Random(seed))
        size = f"{layout.processes}, {layout.database_cores}, {layout.replicas}"
        events = events_per_day(layout) * HISTORY_DAYS / 1_000_000
        yield (
            f"| {layout.machines:,} | {layout.regions} | {size} | {found.per_second:,.0f} | {found.p50:.1f}"
            f" | {found.p99:.1f} | {found.api:.0%} | {found.primary:.0%} | {found.replica:.0%}"
            f" | {found.reads_on_primary:.0%} | {found.connections} | {events:,.0f} million |"
        )


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.simulate", description="Simulate large sites at their peak.")
    parser.add_argument("--seconds", type=float, default=20.0, help="simulated time")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random numbers")
    arguments = parser.parse_args()
    for line in table(arguments.seconds, arguments.seed):
        print(line, flush=True)


if __name__ == "__main__":
    main()
