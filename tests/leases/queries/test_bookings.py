from dibs.leases.model.windows import Window
from dibs.leases.queries import bookings
from tests.builders import Ledger
from tests.lease_builders import at, delete, instances, lease, make_host, whole


def test_bookings_are_found_by_window_and_by_moment(ledger: Ledger) -> None:
    host = make_host(ledger)
    lease(ledger, 1, 2, whole())
    lease(ledger, 4, 5, instances(3))

    def starts(start: float, end: float) -> list[int]:
        asked = (None, [host.id], [host.id + 1])
        window = Window(at(start), at(end))
        every, own, of_others = (
            ledger.store.read(lambda tx, ids=ids: bookings.overlapping(tx, window, ids)) for ids in asked
        )
        assert every == own
        assert of_others == []
        return sorted(each.start_at for each in every)

    assert starts(0, 1) == starts(2, 4) == []
    assert starts(0, 1.5) == [at(1)]
    assert starts(0, 9) == [at(1), at(4)]
    (later,) = ledger.store.read(lambda tx: bookings.from_moment(tx, at(2)))
    assert (later.host_id, later.amount, later.whole, dict(later.resources)) == (
        host.id,
        3,
        False,
        {"VCPU": 1, "MEMORY_MB": 1024},
    )


def test_first_start_of_a_host_is_that_of_its_earliest_booking(ledger: Ledger) -> None:
    def first_starts(host_ids: list[int] | None) -> dict[int, int]:
        return ledger.store.read(lambda tx: bookings.first_starts(tx, host_ids))

    host, other = make_host(ledger), make_host(ledger)
    made = [lease(ledger, hour, hour + 1, whole(2)) for hour in (5, 3)]
    assert first_starts(None) == {host.id: at(3), other.id: at(3)}
    assert first_starts([host.id]) == {host.id: at(3)}
    for each in made:
        delete(ledger, each)
    assert first_starts(None) == {}


def test_requirements_on_a_host_are_those_of_its_bookings(ledger: Ledger) -> None:
    host = make_host(ledger, gpu="a100")
    text = '["==", "$gpu", "a100"]'
    lease(ledger, 1, 2, whole(resource_properties=text))
    lease(ledger, 3, 4, whole())
    assert ledger.store.read(lambda tx: bookings.requirements_on(tx, host.id)) == [text]


def test_bookings_are_listed_by_lease_and_by_end(ledger: Ledger) -> None:
    make_host(ledger)
    first, second = (lease(ledger, hour, hour + 1, whole()) for hour in (1, 3))

    def listed(**filters: object) -> list[str]:
        every = {"host_id": None, "lease": None, "reservation": None, "ending_after": None}
        return [each.lease for each in ledger.store.read(lambda tx: bookings.listed(tx, **{**every, **filters}))]

    assert listed() == [first.uuid, second.uuid]
    assert listed(lease=second.uuid) == listed(ending_after=at(3)) == [second.uuid]
    assert listed(reservation=first.reservations[0].uuid) == [first.uuid]
