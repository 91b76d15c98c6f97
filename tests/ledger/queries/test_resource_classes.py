"""Rows of resource classes."""

from dibs.ledger.queries import resource_classes
from tests.builders import Ledger


def test_classes_are_sorted_by_the_library_and_then_by_name() -> None:
    names = ["CUSTOM_B", "DISK_GB", "CUSTOM_A", "MEMORY_MB", "VCPU"]
    assert resource_classes.in_order(names) == ["VCPU", "MEMORY_MB", "DISK_GB", "CUSTOM_A", "CUSTOM_B"]


def test_classes_get_a_row_at_first_use_and_keep_it(ledger: Ledger) -> None:
    assert ledger.store.read(lambda tx: resource_classes.ids_of(tx, ["VCPU"])) == {}
    assert ledger.store.read(lambda tx: resource_classes.get(tx, "VCPU")) is None
    first = ledger.run(lambda tx: resource_classes.ensure(tx, ["VCPU"], 1))
    both = ledger.run(lambda tx: resource_classes.ensure(tx, ["CUSTOM_A", "VCPU"], 2))
    assert both["VCPU"] == first["VCPU"]
    assert ledger.store.read(lambda tx: resource_classes.ids_of(tx, ["VCPU", "CUSTOM_A", "CUSTOM_B"])) == both
    assert [row["name"] for row in ledger.store.read(resource_classes.every)] == ["CUSTOM_A", "VCPU"]


def test_only_a_class_with_a_row_can_be_locked(ledger: Ledger) -> None:
    (class_id,) = ledger.run(lambda tx: resource_classes.ensure(tx, ["CUSTOM_A"], 1)).values()
    assert ledger.run(lambda tx: resource_classes.lock(tx, "CUSTOM_A")) == class_id
    assert ledger.run(lambda tx: resource_classes.lock(tx, "CUSTOM_B")) is None
