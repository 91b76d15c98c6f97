from dibs.leases.model.leases import END, START
from dibs.leases.queries import events
from tests.builders import Ledger
from tests.lease_builders import NO_NOTICE, at, lease, make_host, whole


def test_ends_come_before_starts_of_the_same_moment(ledger: Ledger) -> None:
    make_host(ledger)
    second = lease(ledger, 2, 3, whole(), rules=NO_NOTICE)
    first = lease(ledger, 1, 2, whole(), rules=NO_NOTICE)
    assert ledger.store.read(lambda tx: events.due(tx, at(1) - 1, 9)) == []
    found = ledger.store.read(lambda tx: events.due(tx, at(2), 9))
    assert found == [(first.uuid, START), (first.uuid, END), (second.uuid, START)]
    assert ledger.store.read(lambda tx: events.due(tx, at(2), 1)) == found[:1]


def test_lease_follows_the_lease_that_has_its_host_before(ledger: Ledger) -> None:
    make_host(ledger)
    first = lease(ledger, 1, 2, whole())
    second = lease(ledger, 2, 3, whole())
    assert ledger.store.read(lambda tx: events.with_predecessor(tx, [first.id, second.id])) == {second.id}
