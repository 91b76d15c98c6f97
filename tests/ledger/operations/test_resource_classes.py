"""Resource classes, standard and custom."""

import pytest

from dibs.access.access import SERVICE
from dibs.ledger.model.errors import (
    ProviderOwnedByNode,
    ResourceClassExists,
    ResourceClassInUse,
    ResourceClassNotFound,
    StandardResourceClass,
)
from dibs.ledger.operations.resource_classes import (
    RenameClass,
    create_resource_class,
    delete_resource_class,
    ensure_resource_class,
    get_resource_class,
    list_resource_classes,
    rename_resource_class,
)
from dibs.ledger.queries.resource_classes import STANDARD
from tests.builders import Ledger
from tests.provider_builders import make, stock

GOLD = "CUSTOM_GOLD"


def names(ledger: Ledger) -> list[str]:
    return [one.name for one in ledger.runner.read(list_resource_classes, SERVICE, None)]


def test_standard_classes_are_listed_before_custom_ones(ledger: Ledger) -> None:
    assert names(ledger) == list(STANDARD)
    ledger.runner.write(create_resource_class, SERVICE, GOLD)
    make(ledger, VCPU=1)
    assert names(ledger) == [*STANDARD, "CUSTOM_GOLD"]


def test_the_class_of_a_node_is_listed(ledger: Ledger) -> None:
    ledger.enrol(resource_class="gold")
    assert names(ledger) == [*STANDARD, "CUSTOM_GOLD"]
    assert ledger.runner.read(get_resource_class, SERVICE, GOLD).changed_at is not None


def test_a_class_is_created_once(ledger: Ledger) -> None:
    assert ledger.runner.write(ensure_resource_class, SERVICE, GOLD) is True
    assert ledger.runner.write(ensure_resource_class, SERVICE, GOLD) is False
    with pytest.raises(ResourceClassExists):
        ledger.runner.write(create_resource_class, SERVICE, GOLD)


def test_a_renamed_class_is_renamed_on_every_provider(ledger: Ledger) -> None:
    ledger.runner.write(create_resource_class, SERVICE, GOLD)
    make(ledger, CUSTOM_GOLD=1)
    ledger.runner.write(rename_resource_class, SERVICE, RenameClass(name="CUSTOM_GOLD", new_name="CUSTOM_IRON"))
    assert names(ledger) == [*STANDARD, "CUSTOM_IRON"]
    with pytest.raises(ResourceClassNotFound):
        ledger.runner.write(rename_resource_class, SERVICE, RenameClass(name="CUSTOM_GOLD", new_name="CUSTOM_X"))
    ledger.runner.write(create_resource_class, SERVICE, GOLD)
    with pytest.raises(ResourceClassExists):
        ledger.runner.write(rename_resource_class, SERVICE, RenameClass(name="CUSTOM_GOLD", new_name="CUSTOM_IRON"))


def test_the_class_of_a_node_cannot_be_renamed(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold")
    with pytest.raises(ProviderOwnedByNode, match=node.uuid):
        ledger.runner.write(rename_resource_class, SERVICE, RenameClass(name="CUSTOM_GOLD", new_name="CUSTOM_IRON"))


def test_only_a_class_without_inventories_can_be_deleted(ledger: Ledger) -> None:
    ledger.runner.write(create_resource_class, SERVICE, GOLD)
    provider = make(ledger, CUSTOM_GOLD=1)
    with pytest.raises(ResourceClassInUse):
        ledger.runner.write(delete_resource_class, SERVICE, GOLD)
    stock(ledger, provider)
    ledger.runner.write(delete_resource_class, SERVICE, GOLD)
    with pytest.raises(ResourceClassNotFound):
        ledger.runner.write(delete_resource_class, SERVICE, GOLD)


def test_standard_classes_cannot_be_changed(ledger: Ledger) -> None:
    with pytest.raises(StandardResourceClass, match="delete"):
        ledger.runner.write(delete_resource_class, SERVICE, "VCPU")
    with pytest.raises(StandardResourceClass, match="update"):
        ledger.runner.write(rename_resource_class, SERVICE, RenameClass(name="VCPU", new_name="CUSTOM_X"))
