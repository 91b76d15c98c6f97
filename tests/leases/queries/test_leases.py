import pytest
from msgspec.structs import replace

from dibs.access.access import EVERY_PROJECT
from dibs.leases.queries import leases
from tests.builders import Ledger, trusted
from tests.lease_builders import instances, lease, make_host, whole


def test_lease_is_read_as_it_was_added(ledger: Ledger) -> None:
    make_host(ledger)
    made = lease(ledger, 1, 2, instances(2, affinity=True), whole(0, 1, before_end="snapshot"))
    assert ledger.store.read(lambda tx: leases.get(tx, made.uuid)) == made
    assert ledger.store.read(lambda tx: leases.get(tx, "unknown")) is None


def test_leases_of_projects_are_ordered_by_age(ledger: Ledger) -> None:
    make_host(ledger)
    made = [lease(ledger, n, n + 1, whole(), access=trusted(user="u", project=p)) for n, p in enumerate("pqp")]
    other = lease(ledger, 1, 2, access=trusted(user="u", project="r"))
    assert ledger.store.read(lambda tx: leases.page(tx, frozenset("qp"), 0, 10)) == made
    assert ledger.store.read(lambda tx: leases.page(tx, frozenset(), 0, 10)) == []
    assert ledger.store.read(lambda tx: leases.page(tx, EVERY_PROJECT, 0, 10)) == [*made, other]


def test_page_has_the_leases_after_its_marker_up_to_its_limit(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "PIECE_ROWS", 2)
    made = [lease(ledger, 1, 2) for _ in range(6)]
    place = ledger.store.read(lambda tx: leases.position(tx, made[0].uuid))
    assert place == made[0].id
    assert ledger.store.read(lambda tx: leases.page(tx, EVERY_PROJECT, place, 3)) == made[1:4]
    assert ledger.store.read(lambda tx: leases.position(tx, "unknown")) is None


def test_page_ends_at_its_size(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [lease(ledger, 1, 2) for _ in range(3)]
    monkeypatch.setattr(leases, "PAGE_BYTES_MAX", 500)
    page = ledger.store.read(lambda tx: leases.page(tx, EVERY_PROJECT, 0, 10))
    assert page == made[:2]
    assert page.cut


def test_changes_are_written_and_returned(ledger: Ledger) -> None:
    make_host(ledger)
    made = lease(ledger, 1, 2, instances(1))
    (reservation,) = made.reservations

    def change(tx):
        leases.change_reservation(tx, made, reservation, 7, resources={"VCPU": 3}, missing_resources=True)
        return leases.change(tx, made, 7, degraded=True)

    assert ledger.run(change) == replace(made, degraded=True, updated_at=7)
    found = ledger.store.read(lambda tx: leases.get(tx, made.uuid))
    assert found is not None
    assert found.reservations == (replace(reservation, resources={"VCPU": 3}, missing_resources=True, updated_at=7),)


def test_locking_an_unknown_lease_returns_none(ledger: Ledger) -> None:
    assert ledger.run(lambda tx: leases.lock(tx, "unknown")) is None
