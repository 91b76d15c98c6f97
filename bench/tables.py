"""The tables that the bench prints, in Markdown: two services side by side, growth with size, and single figures."""

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from bench.load import Client, Load, Target, Work, measure

HEAD = (
    "| work | original: CPU ms, server + database | p50 ms | per s | Dibs: CPU ms, server + database | p50 ms | p99 ms"
    " | per s | ratio of CPU | goal |",
    "|---|---|---|---|---|---|---|---|---|---|",
)
FIGURES_HEAD = ("| figure | measured | goal |", "|---|---|---|")
WARMING_CLIENTS = 4
"""The connections of the first round, which the processes of a service share."""
LEAST_MILLISECONDS = 0.01
"""The clock of /proc counts in hundredths of a second; a ratio to zero would be meaningless."""


class Effort(Struct, frozen=True, kw_only=True):
    """How long each row is measured."""

    seconds: float
    """For one round of one service."""
    rounds: int
    """The services take turns, and the median of the rounds counts."""


THOROUGH = Effort(seconds=2.0, rounds=3)
QUICK = Effort(seconds=0.4, rounds=1)
_BEGAN = time.monotonic()


class Row(Struct, frozen=True, kw_only=True):
    """One row of the first table."""

    name: str
    work: Work
    goal: str = ""
    clients: int = 1
    count_max: int = 10**9
    """Pieces of work in a round at most, for work that uses something up."""
    warm: bool = False
    """Whether a row before it has brought the services to their usual speed."""
    after: Callable[[Client], object] | None = None
    """Undoes a round; not measured."""


def compare(rows: Sequence[Row], original: Target | None, dibs: Target, effort: Effort) -> Iterator[str]:
    """Measure both services in turns and yield the table; without an original its columns are empty."""
    yield from HEAD
    for number, row in enumerate(rows, start=1):
        progress(f"{row.name} ({number} of {len(rows)})")
        loads = measure_in_turns(row, [dibs] if original is None else [original, dibs], effort)
        yield _line(row, loads[0] if original else None, loads[-1])


def measure_in_turns(row: Row, targets: Sequence[Target], effort: Effort) -> list[Load]:
    """Return the medians of the rounds of each service, after a first one that is not counted."""
    rounds: list[list[Load]] = [[] for _ in targets]
    for target in () if row.warm else targets:
        _run(row, target, 0.0, WARMING_CLIENTS)
    for _ in range(effort.rounds):
        for target, loads in zip(targets, rounds, strict=True):
            loads.append(_run(row, target, effort.seconds, row.clients))
    return [_median(loads) for loads in rounds]


def _run(row: Row, target: Target, seconds: float, clients: int) -> Load:
    found = measure(target, row.work, clients, seconds, row.count_max)
    if row.after is not None:
        with Client(target) as client:
            row.after(client)
    return found


def _median(loads: Sequence[Load]) -> Load:
    return Load(**{name: statistics.median(getattr(load, name) for load in loads) for name in Load.__struct_fields__})


def _line(row: Row, original: Load | None, dibs: Load) -> str:
    theirs, ratio = "- | - | -", "-"
    if original is not None:
        theirs = f"{_cpu(original)} | {original.p50:,.1f} | {original.per_second:,.0f}"
        ratio = f"{_sum(original) / max(_sum(dibs), LEAST_MILLISECONDS):.1f}x"
    ours = f"{_cpu(dibs)} | {dibs.p50:,.1f} | {dibs.p99:,.1f} | {dibs.per_second:,.0f}"
    return f"| {row.name} | {theirs} | {ours} | {ratio} | {row.goal} |"


def _sum(load: Load) -> float:
    return load.server + load.database


def _cpu(load: Load) -> str:
    lost = f" ({load.unfinished:.0%} unfinished)" if load.unfinished else ""
    return f"{load.server:,.1f} + {load.database:,.1f}{lost}"


def curve(unit: str, columns: Mapping[int, Mapping[str, Load]]) -> Iterator[str]:
    """Yield a table with a column for each size: CPU milliseconds of server and database, and work per second."""
    yield f"| work | {' | '.join(f'{unit}: {size:,}' for size in columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for name in next(iter(columns.values())):
        cells = [f"{_cpu(loads[name])} ms, {loads[name].per_second:,.0f}/s" for loads in columns.values()]
        yield f"| {name} | {' | '.join(cells)} |"


def figure(name: str, measured: str, goal: str = "") -> str:
    """Return one row of the second table."""
    return f"| {name} | {measured} | {goal} |"


def progress(what: str) -> None:
    """Tell on standard error what the bench does now, and since when it runs."""
    print(f"{time.monotonic() - _BEGAN:5.0f} s  {what}", file=sys.stderr, flush=True)
