"""How many leases are accepted at 80 % load, with and without moves of leases that have not begun.

A simulation on the pure model: leases of one to three hosts and of hours to days arrive in random order for the coming
two weeks, until they ask for 80 % of all hours of all hosts. Every third lease requires a property.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from bench.tables import figure
from dibs.leases.model.bookings import Booking
from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.budgets import BudgetSpent, SearchBudget
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.fleet import each_alone
from dibs.leases.model.matching.needs import Assignment, HostNeed
from dibs.leases.model.matching.requirements import parse
from dibs.leases.model.matching.selection import select_hosts
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.model.moving.moves import Movable
from dibs.leases.model.moving.search import MoveSearch
from dibs.leases.model.windows import MINUTE, Window
from dibs.leases.operations.matching.search import STEPS_MAX

HOSTS = 30
HOURS = 14 * 24
LOAD = 0.8
SEEDS = range(10)
HOUR = 60 * MINUTE


class Request(NamedTuple):
    """A lease that a client asks for."""

    need: HostNeed
    window: Window


class Outcome(NamedTuple):
    """What became of the requests of one run."""

    asked: int
    accepted: int
    moved: int
    """How many leases were moved."""
    undecided: int
    """How many refusals ended with the budget."""


def simulate(seed: int, *, moving: bool) -> Outcome:
    """Send the requests of a seed one after the other."""
    hosts = [_host(number) for number in range(HOSTS)]
    booked: dict[int, Movable] = {}
    moved = undecided = 0
    requests = requests_of(seed)
    for number, request in enumerate(requests):
        calendar = _calendar(hosts, list(booked.values()))
        found: Sequence[Assignment] | HostShortage | None = select_hosts(calendar, [request.need], request.window, seed)
        if isinstance(found, HostShortage):
            found = None
            if moving:
                try:
                    search = MoveSearch(calendar, list(booked.values()), SearchBudget(steps_max=STEPS_MAX), seed)
                    rearranged = search.fit([request.need], request.window)
                except BudgetSpent:
                    undecided += 1
                else:
                    if rearranged is not None:
                        found = rearranged.assignments
                        moved += len(rearranged.moves)
                        booked |= {move.of.reservation_id: _at(move.of, move.hosts) for move in rearranged.moves}
        if found is not None:
            made = Movable(
                reservation_id=number, lease_id=number, need=request.need, window=request.window, hosts=found[0]
            )
            booked[number] = made
    return Outcome(len(requests), len(booked), moved, undecided)


def acceptance_figures() -> Iterator[str]:
    """Yield the rates of acceptance with and without moves, over all seeds."""
    for name, moving in (("hosts stay as booked", False), ("leases that have not begun may move", True)):
        runs = [simulate(seed, moving=moving) for seed in SEEDS]
        asked, accepted, moved, undecided = (sum(column) for column in zip(*runs, strict=True))
        more = f"; {moved} moves, {undecided} refusals at the limit of the search" if moving else ""
        yield figure(name, f"{100 * accepted / asked:.1f} % of {asked:,}{more}")


def requests_of(seed: int) -> list[Request]:
    """Return requests for 80 % of all hours."""
    chance = Random(seed)
    made: list[Request] = []
    hours = 0
    while hours < LOAD * HOSTS * HOURS:
        length, count = chance.choice((4, 8, 24, 48, 72)), chance.choice((1, 1, 1, 2, 3))
        start = chance.randrange(1, HOURS - length + 1)
        wanted = parse('["==", "$gpu", "a100"]') if chance.random() < 1 / 3 else ()
        need = HostNeed(whole=True, least=count, most=count, requirements=wanted)
        made.append(Request(need, Window(start * HOUR, (start + length) * HOUR)))
        hours += length * count
    return made


def _host(number: int) -> Host:
    return Host(
        id=number + 1,
        name=f"h{number}",
        provider_id=number + 1,
        provider=str(number),
        reservation_provider_id=-number,
        reservation_provider=str(-number),
        properties={"gpu": "none" if number % 3 else "a100"},
        created_at=0,
    )


def _at(movable: Movable, hosts: Assignment) -> Movable:
    return Movable(
        reservation_id=movable.reservation_id,
        lease_id=movable.lease_id,
        need=movable.need,
        window=movable.window,
        hosts=hosts,
    )


def _calendar(hosts: Sequence[Host], booked: Sequence[Movable]) -> Calendar:
    rows: list[Booking] = [
        each.need.booking(each.reservation_id, host_id, amount, each.window)
        for each in booked
        for host_id, amount in each.hosts.items()
    ]
    return Calendar(
        fleet=each_alone(hosts), bookings=rows, first_starts={row.host_id: row.start_at for row in rows}, now=0
    )
