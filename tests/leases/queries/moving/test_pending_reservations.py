from dibs.leases.model.leases import START
from dibs.leases.model.matching.needs import need_of
from dibs.leases.model.moving.moves import Movable
from dibs.leases.model.windows import Window
from dibs.leases.operations.events import DueEvent, run_event
from dibs.leases.queries import bookings
from dibs.leases.queries.moving import pending_reservations
from tests.builders import Ledger
from tests.lease_builders import OWNER, at, booked, instances, lease, make_host, whole


def nearest(ledger: Ledger, moment: int, count_max: int = 9) -> list[Movable]:
    now = ledger.clock()

    def read(tx):
        return pending_reservations.nearest(tx, now, moment, bookings.from_moment(tx, now), count_max)

    return ledger.store.read(read)


def test_reservation_that_has_not_begun_has_its_need_window_and_hosts(ledger: Ledger) -> None:
    make_host(ledger, gpu="yes")
    wanted = instances(2, affinity=True, resource_properties='["==", "$gpu", "yes"]')
    made = lease(ledger, 1, 2, wanted)
    (found,) = nearest(ledger, at(1))
    reservation = made.reservations[0]
    assert (found.reservation_id, found.lease_id) == (reservation.id, made.id)
    assert found.need == need_of(reservation)
    assert (found.window, found.hosts) == (Window(made.start_at, made.end_at), booked(ledger, made))


def test_reservations_that_begin_next_to_the_moment_come_first(ledger: Ledger) -> None:
    make_host(ledger)
    first, second, third = (lease(ledger, hour, hour + 1, whole()) for hour in (1, 5, 9))
    assert [each.lease_id for each in nearest(ledger, at(6))] == [second.id, third.id, first.id]
    assert [each.lease_id for each in nearest(ledger, at(9), 1)] == [third.id]


def test_lease_that_begins_now_or_has_begun_is_not_moved(ledger: Ledger) -> None:
    make_host(ledger)
    made = lease(ledger, 1, 2, whole())
    ledger.clock.move((made.start_at - ledger.clock()) / 1_000_000)
    assert nearest(ledger, at(1)) == []
    ledger.runner.write(run_event, OWNER, DueEvent(lease=made.uuid, kind=START))
    assert nearest(ledger, at(1)) == []
