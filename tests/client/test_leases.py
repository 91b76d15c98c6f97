"""Leases from Python."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from openstack import exceptions

from dibs.client import AlreadyDifferent, Dibs, hosts, instances
from tests.bed.dibs_server import DibsServer
from tests.clients.clouds import fresh
from tests.clients.test_blazarclient import PROPERTY, client_of, create_provider

START, END = datetime(2093, 5, 1, 10, tzinfo=UTC), datetime(2093, 5, 1, 12, tzinfo=UTC)
LATER = datetime(2093, 5, 1, 14, tzinfo=UTC)


@pytest.fixture
def only(dibs: Dibs, running: DibsServer) -> Iterator[list[str]]:
    """Register a host and yield a requirement that only this host meets."""
    name = create_provider(dibs.connection)
    blazar = client_of(dibs.connection, running)
    host: Any = blazar.host.create(name, **{PROPERTY: name})
    yield ["==", f"${PROPERTY}", name]
    for lease in dibs.leases.list():
        if any(name in part.get("resource_properties", "") for part in lease.reservations):
            dibs.leases.delete(lease.id)
    blazar.host.delete(host["id"])


def test_a_lease_of_a_host_is_created_found_extended_and_deleted(dibs: Dibs, only: list[str]) -> None:
    name = fresh("lease")
    made = dibs.leases.create(name, END, [hosts(properties=only)], start=START)
    assert (made.name, made.start_date[:16], made.end_date[:16]) == (name, "2093-05-01T10:00", "2093-05-01T12:00")
    assert dibs.leases.get(name).id == dibs.leases.get(made.id).id == made.id
    assert [part["resource_type"] for part in made.reservations] == ["physical:host"]
    changed = dibs.leases.update(name, end=LATER, name=f"{name}-2")
    assert (changed.name, changed.end_date[:16]) == (f"{name}-2", "2093-05-01T14:00")
    dibs.leases.delete(made.id)
    with pytest.raises(exceptions.NotFoundException):
        dibs.leases.get(made.id)


def test_a_repeated_create_with_the_same_name_returns_the_same_lease(dibs: Dibs, only: list[str]) -> None:
    name, room = fresh("lease"), instances(2, vcpus=8, memory_mb=1024, disk_gb=10, properties=only)
    made = dibs.leases.create(name, END, [room], start=START)
    assert dibs.leases.create(name, END, [room], start=START).id == made.id
    assert dibs.leases.create(name, END, [room]).id == made.id
    with pytest.raises(AlreadyDifferent, match="its end is '2093-05-01 12:00', not '2093-05-01 14:00'"):
        dibs.leases.create(name, LATER, [room], start=START)
    with pytest.raises(AlreadyDifferent, match="its reservations is"):
        dibs.leases.create(name, END, [hosts()], start=START)


def test_why_explains_a_booked_window_and_names_the_earliest_start(dibs: Dibs, only: list[str]) -> None:
    whole = hosts(properties=only)
    assert dibs.leases.why(END, whole, start=START).fits
    dibs.leases.create(fresh("lease"), END, [whole], start=START)
    answer = dibs.leases.why(END, whole, start=START)
    assert (answer.fits, answer.earliest) == (False, END)
    assert "1 booked in that time" in answer.text
    with pytest.raises(exceptions.ConflictException):
        dibs.leases.create(fresh("lease"), END, [whole], start=START)


def test_a_name_of_several_leases_is_refused(dibs: Dibs, only: list[str]) -> None:
    name = fresh("lease")
    first = dibs.leases.create(name, END, [hosts(properties=only)], start=START)
    second = dibs.leases.create(fresh("lease"), LATER, [hosts(properties=only)], start=END)
    dibs.leases.update(second.id, name=name)
    with pytest.raises(exceptions.DuplicateResource, match="2 leases have the name"):
        dibs.leases.get(name)
    assert dibs.leases.get(first.id).name == name
