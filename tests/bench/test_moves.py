"""The simulation of moves: the same requests, and never fewer of them accepted with moves."""

from bench.moves import HOSTS, HOURS, LOAD, requests_of, simulate
from dibs.leases.model.windows import MINUTE


def test_requests_ask_for_the_load() -> None:
    hours = [each.need.least * each.window.length // (60 * MINUTE) for each in requests_of(1)]
    assert 0 <= sum(hours) - LOAD * HOSTS * HOURS < max(hours)


def test_more_leases_are_accepted_with_moves() -> None:
    without, with_moves = (simulate(1, moving=moving) for moving in (False, True))
    assert without.asked == with_moves.asked
    assert without.accepted < with_moves.accepted
    assert (without.moved, with_moves.moved > 0) == (0, True)
