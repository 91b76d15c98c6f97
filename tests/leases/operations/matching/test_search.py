"""Leases for which others that have not begun are moved to other hosts."""

import pytest

from dibs.access.access import SERVICE
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.leases import START, Lease
from dibs.leases.operations.events import DueEvent, run_event
from dibs.leases.operations.matching import search
from tests import event_rows
from tests.builders import Ledger, trusted
from tests.lease_builders import (
    at,
    booked,
    change,
    instances,
    lease,
    make_host,
    read_availability,
    shown,
    whole,
)

OTHER = trusted(user="v", project="q", roles=frozenset({"member"}))


def split(ledger: Ledger) -> tuple[Lease, Lease]:
    """Book one of two hosts until hour 2, and the other one from then on."""
    make_host(ledger, "one")
    make_host(ledger, "two")
    made = lease(ledger, 1, 2, whole()), lease(ledger, 2, 3, whole())
    assert booked(ledger, made[0]).keys().isdisjoint(booked(ledger, made[1]))
    return made


def test_lease_that_fits_after_a_move_is_created(ledger):
    first, second = split(ledger)
    assert read_availability(ledger, 1, 3, whole()).fits
    made = lease(ledger, 1, 3, whole())
    assert len(booked(ledger, made)) == 1
    assert booked(ledger, first) == booked(ledger, second)
    assert (shown(ledger, second).start_at, shown(ledger, second).end_at) == (at(2), at(3))
    assert not shown(ledger, second).degraded


def test_move_is_an_event_of_the_moved_lease_without_the_name_of_who_caused_it(ledger):
    first, second = split(ledger)
    lease(ledger, 1, 3, whole(), access=OTHER)
    (event,) = (row for row in event_rows.rows(ledger.store) if row["type"] == "lease.moved")
    assert event["object_id"] in (first.uuid, second.uuid)
    assert event["project_id"] == "p"
    assert (event["actor_user"], event["actor_project"]) == (None, None)
    assert sorted(event["before_state"]["hosts"] + event["after_state"]["hosts"]) == ["one", "two"]


def test_lease_that_may_not_move_others_is_refused(ledger):
    split(ledger)
    with pytest.raises(NotEnoughHosts, match="2 booked in that time"):
        lease(ledger, 1, 3, whole(), moving=False)


def test_lease_bound_to_a_host_by_its_id_is_not_moved(ledger):
    hosts = [make_host(ledger), make_host(ledger)]
    for number, host in enumerate(hosts):
        lease(ledger, 1 + number, 2 + number, whole(resource_properties=f'["==", "$id", "{host.id}"]'))
    with pytest.raises(NotEnoughHosts):
        lease(ledger, 1, 3, whole())


def test_active_lease_is_not_moved(ledger):
    for made in split(ledger):
        ledger.clock.move((made.start_at - ledger.clock()) / 1_000_000)
        assert ledger.runner.write(run_event, SERVICE, DueEvent(lease=made.uuid, kind=START))
    with pytest.raises(NotEnoughHosts):
        lease(ledger, 2.1, 2.9, whole(2))


def test_cleaning_time_is_kept_around_moved_leases(ledger):
    split(ledger)
    with pytest.raises(NotEnoughHosts):
        lease(ledger, 1, 3, whole(), rules=LeaseRules(cleaning_minutes=1))


def test_instances_are_moved_off_a_host_that_is_needed_whole(ledger):
    make_host(ledger)
    make_host(ledger)
    apart = lease(ledger, 1, 2, instances(2, vcpus=30, affinity=False))
    assert len(booked(ledger, apart)) == 2
    loose = lease(ledger, 3, 4, instances(3, vcpus=30))
    assert len(booked(ledger, loose)) == 2
    with pytest.raises(NotEnoughHosts):
        lease(ledger, 1, 2, whole())
    fillers = [lease(ledger, 5, 6, instances(1, vcpus=20)) for _ in range(2)]
    made = lease(ledger, 5, 6, whole())
    assert booked(ledger, fillers[0]) == booked(ledger, fillers[1])
    assert booked(ledger, made).keys().isdisjoint(booked(ledger, fillers[0]))


def test_several_reservations_of_a_lease_are_matched_completely(ledger):
    """A host with both properties must go to the reservation that no other host suits."""
    make_host(ledger, gpu="a", disk="big")
    make_host(ledger, gpu="a", disk="small")
    make_host(ledger, gpu="b", disk="big")
    wanted = [
        whole(resource_properties='["==", "$gpu", "a"]'),
        whole(resource_properties='["==", "$disk", "big"]'),
        whole(resource_properties='["or", ["==", "$gpu", "a"], ["==", "$disk", "big"]]'),
    ]
    assert len(booked(ledger, lease(ledger, 1, 2, *wanted))) == 3


def test_prolonged_lease_moves_the_one_behind_it(ledger):
    make_host(ledger)
    first = lease(ledger, 1, 2, whole())
    second = lease(ledger, 2, 3, whole())
    make_host(ledger)
    assert booked(ledger, first) == booked(ledger, second)
    ledger.clock.move((at(1) - ledger.clock()) / 1_000_000)
    assert ledger.runner.write(run_event, SERVICE, DueEvent(lease=first.uuid, kind=START))
    host = booked(ledger, first)
    change(ledger, first, end_at=at(3))
    assert booked(ledger, first) == host
    assert booked(ledger, second) != host


def test_refusal_says_that_the_search_for_moves_was_given_up(ledger, monkeypatch):
    split(ledger)
    monkeypatch.setattr(search, "STEPS_MAX", 1)
    with pytest.raises(NotEnoughHosts, match="the search for leases to move reached its limit without a result"):
        lease(ledger, 1, 3, whole())


def test_refusal_of_what_would_never_fit_does_not_search_for_moves(ledger, monkeypatch):
    split(ledger)
    monkeypatch.setattr(search, "read_movables", pytest.fail)
    with pytest.raises(NotEnoughHosts, match=r"2 hosts: 2 booked in that time\.$") as raised:
        lease(ledger, 1, 3, whole(3))
    assert raised.value.final
    with pytest.raises(NotEnoughHosts) as raised:
        lease(ledger, 1, 3, whole(2), moving=False)
    assert not raised.value.final
