"""Counts of free nodes that a changed request could have."""

from dibs.allocations.model.allocations import Requirements
from dibs.allocations.queries import offers
from tests.allocation_builders import allocate, force
from tests.builders import Ledger

MANY = tuple(f"CUSTOM_T{number}" for number in range(50))


def test_nodes_are_counted_by_each_of_many_traits_that_they_lack(ledger: Ledger) -> None:
    ledger.enrol(resource_class="gold", with_traits=MANY[:-1])
    ledger.enrol(resource_class="gold", with_traits=MANY)
    force(ledger, ledger.enrol(resource_class="gold"), maintenance=True)
    ledger.enrol(resource_class="tin", with_traits=MANY[:-1])
    found = ledger.store.read(lambda tx: offers.by_missing_traits(tx, Requirements(resource_class="gold", traits=MANY)))
    assert found == {frozenset(): 1, frozenset({MANY[-1]}): 1}


def test_other_classes_are_counted_for_the_same_project_and_candidates(ledger: Ledger) -> None:
    own = ledger.enrol(resource_class="tin", owner="red", with_traits=("CUSTOM_A",))
    ledger.enrol(resource_class="tin", with_traits=("CUSTOM_A",))
    ledger.enrol(resource_class="iron", owner="red")
    ledger.enrol(resource_class="gold", owner="red", with_traits=("CUSTOM_A",))
    ledger.enrol(owner="red", with_traits=("CUSTOM_A",))

    def count(**values) -> dict[str, int]:
        required = Requirements(resource_class="gold", traits=("CUSTOM_A",), **values)
        return ledger.store.read(lambda tx: offers.by_class(tx, required))

    assert count() == {"tin": 2}
    assert count(owner="red") == count(candidate_nodes=(own.uuid,)) == {"tin": 1}


def test_allocations_without_a_node_are_counted_by_class(ledger: Ledger) -> None:
    for resource_class in ("gold", "gold", "tin"):
        allocate(ledger, resource_class=resource_class, wait_seconds=60)
    assert ledger.store.read(offers.queued) == {"gold": 2, "tin": 1}
