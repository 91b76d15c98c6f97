"""Reads of claims."""

from dibs.ledger.queries import claim_views
from tests.builders import Ledger
from tests.provider_builders import claim, make


def test_claims_are_read_by_consumer_and_by_provider(ledger: Ledger) -> None:
    provider, other = make(ledger, VCPU=4, DISK_GB=10), make(ledger, VCPU=4)
    consumer, neighbour = claim(ledger, provider, VCPU=1, DISK_GB=2), claim(ledger, provider, VCPU=2)
    claim(ledger, other, VCPU=1)
    rows = ledger.store.read(lambda tx: claim_views.of_consumer(tx, consumer))
    assert [(row["provider"], row["resource_class"], row["amount"]) for row in rows] == [
        (provider.uuid, "DISK_GB", 2),
        (provider.uuid, "VCPU", 1),
    ]
    assert (rows[0]["project_id"], rows[0]["consumer_generation"]) == ("p", 1)
    on_provider = ledger.store.read(lambda tx: claim_views.on_provider(tx, provider.id))
    assert [row["consumer"] for row in on_provider] == [consumer, consumer, neighbour]


def test_consumers_are_found_by_class_and_by_tree(ledger: Ledger) -> None:
    root, alone = make(ledger, VCPU=4), make(ledger, DISK_GB=4)
    child = make(ledger, parent=root, VCPU=4)
    on_root, on_child, on_alone = (
        claim(ledger, root, VCPU=1),
        claim(ledger, child, VCPU=1),
        claim(ledger, alone, DISK_GB=1),
    )

    def found(*classes: str, roots: tuple[int, ...] = ()) -> list[str]:
        return ledger.store.read(lambda tx: claim_views.consumers_of(tx, classes=classes, roots=roots))

    assert found("DISK_GB") == [on_alone]
    assert found(roots=(root.id,)) == sorted([on_root, on_child])
    assert found("DISK_GB", "VCPU", roots=(root.id,)) == sorted([on_root, on_child, on_alone])
