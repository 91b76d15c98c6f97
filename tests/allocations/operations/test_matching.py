"""Find nodes for a queue entry, or decide that it waits, is retried or fails."""

import uuid
from typing import Any

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.operations.matching import MatchEntry, MatchTogether, match_entry, match_together
from dibs.machines.model import states
from dibs.machines.queries import nodes
from tests.allocation_builders import Steps, allocate, allocate_batch, entry_of, force, gold, hold, show
from tests.builders import Ledger
from tests.quota_builders import limit
from tests.share_builders import share_fairly


@pytest.fixture
def steps(ledger: Ledger) -> Steps:
    return Steps(ledger, "conductor-1")


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"maintenance": True}, "in maintenance"),
        ({"state": states.MANAGEABLE}, "not available"),
        ({"power_state": None}, "with unknown power state"),
        ({"power_state": "error"}, "with unknown power state"),
        ({"instance_uuid": "171959d6-27fd-4102-9add-f26ead472dd0"}, "in use"),
        ({"retired": True}, "retired"),
        ({}, "lacks CUSTOM_A"),
    ],
)
def test_node_that_is_not_free_is_not_offered_and_its_reason_is_named(
    ledger: Ledger, steps: Steps, values: dict[str, Any], reason: str
) -> None:
    node = gold(ledger, **values)
    allocation = allocate(ledger, traits=("CUSTOM_A",) if not values else ())
    match = steps.match(allocation)
    assert match == ((), Outcome.FAILED, f"1 node of class gold: 1 {reason}")
    assert steps.grant(allocation, node.uuid) is Outcome.LOST


def test_held_node_is_not_offered(ledger: Ledger, steps: Steps) -> None:
    hold(ledger, gold(ledger))
    assert steps.match(allocate(ledger)).reason == "1 node of class gold: 1 held by a reservation"


def test_only_candidates_and_nodes_of_the_project_are_offered(ledger: Ledger, steps: Steps) -> None:
    owned, leased, free = gold(ledger, owner="p"), gold(ledger, lessee="p"), gold(ledger)
    assert set(steps.found(allocate(ledger))) == {owned.uuid, leased.uuid, free.uuid}
    assert set(steps.found(allocate(ledger, owner="p"))) == {owned.uuid, leased.uuid}
    assert steps.found(allocate(ledger, candidate_nodes=(free.uuid,))) == [free.uuid]
    nothing = allocate(ledger, candidate_nodes=(free.uuid,), owner="p")
    assert steps.match(nothing).reason == "no candidate nodes of class gold of project p"


def test_node_with_the_name_of_the_allocation_is_tried_first(ledger: Ledger, steps: Steps) -> None:
    for number in range(40):
        gold(ledger, name=f"db-{number}")
    for number in (0, 39):
        namesake = ledger.store.read(lambda tx, number=number: nodes.get(tx, f"db-{number}"))
        assert steps.found(allocate(ledger, name=f"db-{number}"), seed=number)[0] == namesake.uuid


def test_seeds_give_different_sequences(ledger: Ledger, steps: Steps) -> None:
    for _ in range(10):
        gold(ledger)
    allocation = allocate(ledger)
    sequences = [steps.found(allocation, seed) for seed in range(10)]
    assert len({tuple(sequence) for sequence in sequences}) > 5
    assert len({sequence[0] for sequence in sequences}) > 3


def test_node_is_found_wherever_the_search_begins(ledger: Ledger, steps: Steps) -> None:
    only = gold(ledger)
    for _ in range(20):
        ledger.enrol(resource_class="tin")
    allocation = allocate(ledger)
    assert {tuple(steps.found(allocation, seed)) for seed in range(20)} == {(only.uuid,)}


def test_entry_whose_only_node_is_locked_is_retried_a_few_times(ledger: Ledger, steps: Steps) -> None:
    force(ledger, gold(ledger), reservation="conductor-1")
    allocation = allocate(ledger)
    assert steps.match(allocation).outcome is Outcome.RETRY
    assert steps.match(allocation, retry=False) == ((), Outcome.FAILED, "1 node of class gold: 1 locked")


def test_waiting_entry_fails_at_its_deadline_with_the_reasons(ledger: Ledger, steps: Steps) -> None:
    gold(ledger, maintenance=True)
    allocation = allocate(ledger, wait_seconds=20)
    assert steps.match(allocation).outcome is Outcome.WAITING
    ledger.clock.move(21)
    assert steps.match(allocation) == ((), Outcome.FAILED, "1 node of class gold: 1 in maintenance")


def test_entry_that_waits_longer_is_matched_first(ledger: Ledger, steps: Steps) -> None:
    older, younger, hasty = allocate(ledger, wait_seconds=60), allocate(ledger, wait_seconds=60), allocate(ledger)
    node = gold(ledger)
    assert steps.match(younger).outcome is Outcome.WAITING
    assert steps.match(hasty).outcome is Outcome.RETRY
    assert steps.match(hasty, retry=False).reason == (
        "1 node of class gold: 1 promised to allocations ahead in the queue"
    )
    assert steps.found(older) == [node.uuid]
    steps.grant(older, node.uuid)
    assert steps.match(hasty).reason == "1 node of class gold: 1 in use"


def test_settled_entry_has_no_match(ledger: Ledger, steps: Steps) -> None:
    node, allocation = gold(ledger), allocate(ledger)
    steps.grant(allocation, node.uuid)
    assert steps.match(allocation).outcome is Outcome.SETTLED
    assert steps.match(allocate_batch(ledger, 1)[0]).outcome is Outcome.FAILED


def test_batch_that_finds_too_few_nodes_fails_with_the_reasons(ledger: Ledger, steps: Steps) -> None:
    gold(ledger)
    gold(ledger, maintenance=True)
    batch = allocate_batch(ledger, 2)
    reason = "2 nodes wanted together, 1 free; 1 node of class gold: 1 in maintenance"
    assert steps.match(batch[0]) == ((), Outcome.FAILED, reason)
    steps.conclude(batch[0])
    assert [(found.state, found.last_error) for found in (show(ledger, each) for each in batch)] == [
        ("error", reason)
    ] * 2


def test_batch_waits_only_while_enough_nodes_exist(ledger: Ledger, steps: Steps) -> None:
    gold(ledger)
    batch = allocate_batch(ledger, 2, wait_seconds=20)
    assert "2 nodes wanted together, 1 free" in steps.match(batch[0]).reason
    gold(ledger, maintenance=True)
    assert steps.match(batch[0]).outcome is Outcome.WAITING
    ledger.clock.move(21)
    assert steps.match(batch[0]).outcome is Outcome.FAILED


def test_batch_gets_no_node_that_an_entry_ahead_waits_for(ledger: Ledger, steps: Steps) -> None:
    allocate(ledger, wait_seconds=60)
    gold(ledger)
    gold(ledger)
    assert steps.found(allocate_batch(ledger, 2)[0]) == []


@pytest.mark.parametrize("free", [True, False])
def test_match_simulates_the_queue_once(ledger: Ledger, steps: Steps, free: bool) -> None:
    """With a name, with a shortage, with allocations ahead: the queue is read and searched once."""
    allocate(ledger, wait_seconds=60)
    gold(ledger)
    if free:
        gold(ledger)
    allocation = allocate(ledger, name="web")
    counted = []

    def match(tx: Any, access: Any, now: int, command: MatchEntry) -> Any:
        before = tx.statements
        found = match_entry(tx, access, now, command)
        counted.append(tx.statements - before)
        return found

    found = ledger.runner.read(match, SERVICE, MatchEntry(entry=entry_of(allocation)))
    assert bool(found.choices) is free
    allocation_read, kinds_and_queue, searches_of_the_queue, own_search, namesake_or_reasons = 1, 2, 2, 3, 1
    assert counted[0] <= allocation_read + kinds_and_queue + searches_of_the_queue + own_search + namesake_or_reasons


def test_match_takes_few_statements_for_any_number_of_nodes(ledger: Ledger, steps: Steps) -> None:
    counts = []
    for count in (1, 60):
        for _ in range(count):
            gold(ledger, with_traits=("CUSTOM_A",))
        allocation = allocate(ledger, traits=("CUSTOM_A",), uuid=str(uuid.uuid4()))
        steps.found(allocation)  # Loads the new traits into the index.
        before = ledger.store.statistics.statements
        steps.grant(allocation, steps.found(allocation)[0])
        assert show(ledger, allocation).state == "active"
        counts.append(ledger.store.statistics.statements - before)
    assert max(counts) <= 22


# --- many entries at once ---


def together(ledger: Ledger, *allocations: Allocation) -> dict[str, tuple[str, ...]]:
    command = MatchTogether(entries=tuple(entry_of(each) for each in allocations))
    return {choice.entry.key: choice.nodes for choice in ledger.runner.read(match_together, SERVICE, command)}


def test_entries_matched_together_get_different_nodes(ledger: Ledger, steps: Steps) -> None:
    nodes = {gold(ledger).uuid for _ in range(3)}
    allocations = [allocate(ledger) for _ in range(4)]
    chosen = together(ledger, *allocations)
    assert {node for (node,) in chosen.values()} == nodes
    assert allocations[3].uuid not in chosen, "it is matched alone, which names the reasons"


def test_entries_matched_together_leave_nodes_to_those_ahead(ledger: Ledger, steps: Steps) -> None:
    first, second = gold(ledger), gold(ledger)
    allocate(ledger, wait_seconds=60)
    chosen = together(ledger, younger := allocate(ledger), allocate(ledger))
    assert chosen == {younger.uuid: (second.uuid,)}
    assert first.uuid not in chosen.values()


def test_namesake_is_preferred_among_many_too(ledger: Ledger, steps: Steps) -> None:
    nodes = {f"db-{number}": gold(ledger, name=f"db-{number}").uuid for number in range(10)}
    allocations = [allocate(ledger, name=f"db-{number}") for number in (7, 2, 11)]
    chosen = together(ledger, *allocations)
    assert [chosen[each.uuid] for each in allocations[:2]] == [(nodes["db-7"],), (nodes["db-2"],)]
    assert len({node for (node,) in chosen.values()}) == 3


def test_batches_and_entries_of_fair_share_are_matched_one_by_one(ledger: Ledger, steps: Steps) -> None:
    for _ in range(3):
        gold(ledger)
    batch, single = allocate_batch(ledger, 2), allocate(ledger)
    assert together(ledger, batch[0], single).keys() == {single.uuid}
    share_fairly(ledger)
    assert together(ledger, single) == {}


def test_entries_matched_together_stay_within_the_quota(ledger: Ledger, steps: Steps) -> None:
    for _ in range(3):
        gold(ledger, owner="p")
    allocations = [allocate(ledger, owner="p") for _ in range(3)]
    limit(ledger, "p", nodes=2)
    assert together(ledger, *allocations).keys() == {each.uuid for each in allocations[:2]}
