"""The prefilter: the trees that pass it."""

import pytest

from dibs.candidates.model.requirements import Requirement
from dibs.candidates.queries.prefilter import padded, prefilter_for
from dibs.candidates.queries.provider_trees import matching_trees
from dibs.database import Store
from dibs.database.transaction import Transaction
from dibs.ledger.model.criteria import ANYTHING, Criteria
from dibs.ledger.queries import resource_classes
from tests.candidates.queries.small_world import DISKS, GOLD, POOR, RICH, SILVER, put_small_world


def roots(store: Store, *requirements: Requirement, root_traits: Criteria = ANYTHING) -> list[str]:
    def read(tx: Transaction) -> list[str]:
        class_ids = resource_classes.ids_of(tx, ["DISK_GB", "MEMORY_MB", "VCPU"])
        found = matching_trees(tx, prefilter_for(requirements, root_traits, class_ids))
        return [tree.root.uuid for tree in found]

    put_small_world(store)
    return store.read(read)


def has(*names: str) -> Criteria:
    return Criteria(required=(frozenset(names),))


def lacks(*names: str) -> Criteria:
    return Criteria(forbidden=frozenset(names))


@pytest.mark.parametrize(
    ("requirement", "passing"),
    [
        (Requirement(), [RICH, POOR, DISKS]),
        (Requirement(resources=(("VCPU", 1),)), [RICH, POOR]),
        (Requirement(resources=(("VCPU", 2),)), [RICH]),
        (Requirement(resources=(("MEMORY_MB", 6),)), [RICH]),
        (Requirement(resources=(("MEMORY_MB", 7),)), []),
        (Requirement(resources=(("MEMORY_MB", 1), ("VCPU", 1))), []),
        (Requirement(resources=(("MEMORY_MB", 1), ("VCPU", 2)), any_resource=True, traits=has("CUSTOM_RED")), [RICH]),
        (Requirement(resources=(("MEMORY_MB", 7), ("VCPU", 1)), any_resource=True, traits=has("CUSTOM_RED")), []),
        (Requirement(traits=has("CUSTOM_RED", "CUSTOM_BLUE")), [RICH, POOR]),
        (Requirement(resources=(("VCPU", 1),), traits=has("CUSTOM_RED")), []),
        (Requirement(resources=(("VCPU", 1),), traits=lacks("CUSTOM_BLUE", "CUSTOM_RED")), [RICH]),
        (Requirement(resources=(("VCPU", 1),), aggregates=has(GOLD, SILVER)), [RICH]),
        (Requirement(resources=(("MEMORY_MB", 1),), aggregates=has(GOLD)), []),
        (Requirement(resources=(("MEMORY_MB", 1),), aggregates=has(GOLD), root_counts=True), [RICH]),
        (Requirement(resources=(("MEMORY_MB", 1),), aggregates=lacks(GOLD)), [RICH]),
        (Requirement(resources=(("MEMORY_MB", 1),), aggregates=lacks(GOLD), root_counts=True), []),
        (Requirement(resources=(("VCPU", 1),), in_tree=POOR), [POOR]),
        (Requirement(resources=(("DISK_GB", 1),)), [DISKS]),
        (Requirement(resources=(("DISK_GB", 1),), shared_in=frozenset({GOLD, SILVER})), [RICH, DISKS]),
    ],
)
def test_only_trees_that_meet_the_requirement_pass(store: Store, requirement: Requirement, passing: list[str]) -> None:
    assert roots(store, requirement) == passing


def test_the_root_itself_must_have_the_root_traits(store: Store) -> None:
    assert roots(store, root_traits=has("CUSTOM_ROOT")) == [RICH]
    assert roots(store, root_traits=has("CUSTOM_RED")) == []
    assert roots(store, root_traits=lacks("CUSTOM_ROOT")) == [POOR, DISKS]


@pytest.mark.parametrize(("count", "size"), [(0, 0), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (400, 512)])
def test_lists_of_values_are_padded_to_few_lengths(count: int, size: int) -> None:
    filled = padded(range(count))
    assert len(filled) == size
    assert set(filled) == set(range(count))
