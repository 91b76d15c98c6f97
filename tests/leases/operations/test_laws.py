"""Each law of leases holds for what operations wrote, and finds a row that was changed by hand."""

import pytest
from sqlalchemy import insert, update
from sqlalchemy.sql.base import Executable

from dibs.conductor.leases import LeaseWorker
from dibs.leases.model.leases import END, START, TERMINATED, class_of
from dibs.leases.tables import bookings, lease_events, lease_reservations, leases
from dibs.ledger.tables import resource_classes
from tests import lease_builders as build
from tests.builders import Ledger
from tests.law_checks import broken, change

ORPHAN = class_of("00000000-0000-4000-8000-000000000001")


@pytest.fixture
def booked(ledger: Ledger) -> Ledger:
    """An ended lease, an active one of instances, and two pending ones, one of them of the whole host."""
    build.make_host(ledger)
    worker = LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=1, cleaning_minutes=0)
    build.lease(ledger, 1, 2, build.whole(), name="ended")
    build.lease(ledger, 3, 5, build.instances(2, vcpus=30), name="active")
    for hours in (1, 2, 3):
        ledger.clock.move((build.at(hours) - ledger.clock()) / 1_000_000)
        worker.run_events()
    build.lease(ledger, 5, 6, build.whole(), name="whole")
    build.lease(ledger, 6, 8, build.instances(1), name="last")
    return ledger


def moved(name: str, start: float, end: float) -> Executable:
    """Return the statement that moves the bookings of a lease."""
    reservations = (
        lease_reservations.join(leases).select().with_only_columns(lease_reservations.c.id).where(leases.c.name == name)
    )
    mine = bookings.c.reservation_id.in_(reservations)
    return update(bookings).where(mine).values(start_at=build.at(start), end_at=build.at(end))


def test_what_operations_write_keeps_every_law(booked: Ledger) -> None:
    assert broken(booked) == []


@pytest.mark.parametrize(
    ("by_hand", "sentence"),
    [
        (moved("whole", 4, 6), "is booked whole and once more"),
        (update(bookings).where(bookings.c.amount == 2).values(amount=3), "has 64 of VCPU; 90 are booked."),
        (update(lease_events).where(lease_events.c.kind == END).values(status="DONE"), "its undone events are"),
        (insert(resource_classes).values(name=ORPHAN, created_at=1), f"{ORPHAN} belongs to no reservation."),
        (update(leases).where(leases.c.name == "last").values(status=TERMINATED), "has ended and still has hosts."),
    ],
)
def test_a_row_that_breaks_a_law_is_found(booked: Ledger, by_hand: Executable, sentence: str) -> None:
    change(booked, by_hand)
    assert any(sentence in violation for violation in broken(booked))


def test_a_whole_host_within_a_longer_booking_is_found(booked: Ledger) -> None:
    change(booked, moved("active", 3, 9))
    assert len([violation for violation in broken(booked) if "is booked whole" in violation]) == 1


def test_a_start_that_was_forgotten_is_found(booked: Ledger) -> None:
    change(booked, update(lease_events).where(lease_events.c.kind == START).values(status="UNDONE"))
    assert len([violation for violation in broken(booked) if "undone events are" in violation]) == 2
