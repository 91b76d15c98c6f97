"""Moves compared with an exact search, which tries every assignment of small calendars minute by minute."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.budgets import BudgetSpent, SearchBudget
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.requirements import about_traits
from dibs.leases.model.matching.selection import fits_together
from dibs.leases.model.moving.moves import Movable, Move
from dibs.leases.model.moving.search import MoveSearch, Rearrangement
from dibs.leases.model.windows import MINUTE, Window
from tests.leases.model.matching.calendars import bookings_of, calendar_of, make_host, make_node

SPAN = 6
"""The number of minutes in which all windows lie."""
PROCESSORS = 3

Booked = list[tuple[HostNeed, Window, dict[int, int]]]


class Exact:
    """Every way to assign hosts, the fewest moves among those that fit."""

    def __init__(self, hosts: list[Host], fixed: list[Movable], movables: list[Movable]) -> None:
        self.hosts = hosts
        self.fixed = fixed
        self.movables = movables

    def fewest_moves(self, need: HostNeed, window: Window) -> int | None:
        """Assign the need before the leases: a need that does not fit ends most ways early."""
        taken: Booked = [(each.need, each.window, dict(each.hosts)) for each in self.fixed]
        fewest = None
        for hosts in self._choices(need, need.least):
            fewest = self._fewest(self.movables, [*taken, (need, window, hosts)], 0, fewest)
        return fewest

    def _fewest(self, left: list[Movable], taken: Booked, moves: int, fewest: int | None) -> int | None:
        """Return the fewest moves of all ways that begin like this; ``fewest`` when none has fewer."""
        if (fewest is not None and moves >= fewest) or not all(self._holds(host, taken) for host in self.hosts):
            return fewest
        if not left:
            return moves
        first, *rest = left
        choices = self._choices(first.need, sum(first.hosts.values()), dict(first.hosts))
        for hosts in sorted(choices, key=lambda hosts: moved_units(first, hosts)):
            booked = (first.need, first.window, hosts)
            fewest = self._fewest(rest, [*taken, booked], moves + moved_units(first, hosts), fewest)
        return fewest

    def _choices(self, need: HostNeed, count: int, had: dict[int, int] | None = None) -> Iterator[dict[int, int]]:
        suitable = [host.id for host in self.hosts if all(each.met_by(host) for each in need.requirements)]
        suitable += [host for host in had or {} if host not in suitable]
        for chosen in combinations_with_replacement(suitable, count):
            hosts = dict(Counter(chosen))
            if (need.whole or need.affinity is False) and max(hosts.values()) > 1:
                continue
            if not (need.whole or not need.affinity or len(hosts) == 1):
                continue
            yield hosts

    def _holds(self, host: Host, taken: Booked) -> bool:
        for minute in range(SPAN):
            here = [
                (need, hosts[host.id])
                for need, window, hosts in taken
                if host.id in hosts and window.start <= minute * MINUTE < window.end
            ]
            if any(need.whole for need, _ in here) and len(here) > 1:
                return False
            if sum(need.resources.get("VCPU", 0) * amount for need, amount in here) > host.capacity("VCPU"):
                return False
        return True


def moved_units(movable: Movable, hosts: dict[int, int]) -> int:
    lost = sum((Counter(movable.hosts) - Counter(hosts)).values())
    return min(lost, 1) if movable.need.affinity and not movable.need.whole else lost


windows = st.builds(
    lambda start, length: Window(start * MINUTE, min(start + length, SPAN) * MINUTE),
    st.integers(0, SPAN - 1),
    st.integers(1, 4),
)
traits = st.sampled_from(["", "", "GPU", "SSD"])
needs = st.one_of(
    st.builds(
        lambda count, trait: HostNeed(
            whole=True, least=count, most=count, requirements=about_traits([trait] if trait else [], [])
        ),
        st.sampled_from([1, 1, 1, 2]),
        traits,
    ),
    st.builds(
        lambda count, size, affinity, trait: HostNeed(
            whole=False,
            least=count,
            most=count,
            affinity=affinity,
            resources={"VCPU": size},
            requirements=about_traits([trait] if trait else [], []),
        ),
        st.integers(1, 2),
        st.integers(1, 3),
        st.sampled_from([None, True, False]),
        traits,
    ),
)
hosts_of = st.lists(st.sets(st.sampled_from(["GPU", "SSD"])), min_size=1, max_size=5)
asked = st.lists(st.tuples(needs, windows, st.integers(0, 4)), max_size=6)


def fill(hosts: list[Host], wanted: list[tuple[HostNeed, Window, int]]) -> tuple[list[Movable], list[Movable]]:
    """Book what fits one after the other; every fifth is fixed."""
    exact = Exact(hosts, [], [])
    taken: Booked = []
    fixed: list[Movable] = []
    movable: list[Movable] = []
    for number, (need, window, kind) in enumerate(wanted):
        for chosen in exact._choices(need, need.least):
            if all(exact._holds(host, [*taken, (need, window, chosen)]) for host in hosts):
                taken.append((need, window, chosen))
                made = Movable(reservation_id=number + 1, lease_id=number, need=need, window=window, hosts=chosen)
                (fixed if kind == 0 else movable).append(made)
                break
    return fixed, movable


def calendar(hosts: list[Host], booked: list[Movable], pause: int = 0):
    rows = [row for each in booked for row in bookings_of(each.reservation_id, each.need, each.hosts, each.window)]
    return calendar_of(hosts, rows, pause)


@settings(max_examples=60, deadline=None)
@given(hosts_of, asked, needs, windows)
def test_whatever_an_exact_search_fits_is_found_with_the_fewest_moves(having, wanted, need, window):
    hosts = [make_host(n + 1, PROCESSORS, traits=frozenset(each)) for n, each in enumerate(having)]
    fixed, movable = fill(hosts, wanted)
    found = MoveSearch(calendar(hosts, fixed + movable), movable, SearchBudget()).fit([need], window)
    fewest = Exact(hosts, fixed, movable).fewest_moves(need, window)
    assert (found is None) == (fewest is None)
    if found is not None:
        assert sum(moved_units(move.of, dict(move.hosts)) for move in found.moves) == fewest
        check(hosts, fixed, movable, found, need, window)


def check(hosts, fixed: list[Movable], movable: list[Movable], found: Rearrangement, need, window) -> None:
    """Check a solution minute by minute, and with the function that checks it under locks."""
    after = {each.reservation_id: each.hosts for each in movable}
    after |= {move.of.reservation_id: move.hosts for move in found.moves}
    taken: Booked = [(each.need, each.window, dict(each.hosts)) for each in fixed]
    taken += [(each.need, each.window, dict(after[each.reservation_id])) for each in movable]
    taken += [(need, window, dict(found.assignments[0]))]
    assert all(Exact(hosts, [], [])._holds(host, taken) for host in hosts)
    moved = {move.of.reservation_id for move in found.moves}
    still = calendar(hosts, fixed + [each for each in movable if each.reservation_id not in moved])
    placed = [(move.need, move.hosts, move.of.window) for move in found.moves]
    assert fits_together(still, [*placed, (need, found.assignments[0], window)])


def whole(number: int, host: int, start: int, end: int, *traits: str) -> Movable:
    return Movable(
        reservation_id=number,
        lease_id=number,
        need=HostNeed(whole=True, least=1, most=1, requirements=about_traits(traits, [])),
        window=Window(start * MINUTE, end * MINUTE),
        hosts={host: 1},
    )


ONE = HostNeed(whole=True, least=1, most=1)


def test_two_leases_that_split_the_free_time_are_put_on_one_host():
    hosts = [make_host(1), make_host(2)]
    movable = [whole(1, 1, 0, 2), whole(2, 2, 2, 4)]
    found = MoveSearch(calendar(hosts, movable), movable, SearchBudget()).fit([ONE], Window(0, 4 * MINUTE))
    assert found is not None
    assert len(found.moves) == 1


def test_cleaning_time_keeps_moved_leases_apart():
    hosts = [make_host(1), make_host(2)]
    movable = [whole(1, 1, 0, 2), whole(2, 2, 2, 4)]
    cleaned = calendar(hosts, movable, pause=1)
    assert MoveSearch(cleaned, movable, SearchBudget()).fit([ONE], Window(0, 4 * MINUTE)) is None


def test_host_that_a_need_keeps_is_cleared():
    hosts = [make_host(1), make_host(2)]
    movable = [whole(1, 1, 2, 4)]
    need = replace(ONE, kept={1: 1})
    found = MoveSearch(calendar(hosts, movable), movable, SearchBudget()).fit([need], Window(0, 3 * MINUTE))
    assert found == Rearrangement([{1: 1}], (Move(of=movable[0], hosts={2: 1}),))


def test_lease_moves_among_nodes_of_its_class_only():
    nodes = [make_node(1, None, used=False), make_node(2, None, used=False)]
    assert nodes[1].node is not None
    other = replace(nodes[1], node=replace(nodes[1].node, resource_class="silver"), traits=frozenset({"GPU"}))
    movable = [whole(1, 1, 0, 2)]
    first = replace(ONE, kept={1: 1})
    search = MoveSearch(calendar([nodes[0], other], movable), movable, SearchBudget())
    assert search.fit([first], Window(0, MINUTE)) is None
    assert MoveSearch(calendar(nodes, movable), movable, SearchBudget()).fit([first], Window(0, MINUTE)) is not None


def test_search_says_when_its_budget_is_spent():
    hosts = [make_host(number) for number in range(1, 9)]
    movable = [whole(number, number, 0, 4) for number in range(1, 9)]
    search = MoveSearch(calendar(hosts, movable), movable, SearchBudget(steps_max=20))
    with pytest.raises(BudgetSpent):
        search.fit([ONE], Window(0, MINUTE))
