"""Reservations from Python."""

import uuid

import pytest
from openstack import exceptions

from dibs.client import AlreadyDifferent, Dibs
from tests.clients.clouds import enroll, fresh


def test_one_of_several_nodes_is_reserved_shown_renewed_and_released(dibs: Dibs) -> None:
    first, second = enroll(dibs.connection), enroll(dibs.connection)
    made = dibs.reservations.create([first.name, second.id], seconds=60)
    also = dibs.reservations.create([first.id, second.id])
    assert (made.node_id, also.node_id) == (first.id, second.id)
    assert {made.id, also.id} <= {each.id for each in dibs.reservations.list()}
    renewed = dibs.reservations.renew(made.id, seconds=600)
    assert renewed.expires_at > made.expires_at
    assert dibs.reservations.get(made.id).expires_at == renewed.expires_at
    with pytest.raises(exceptions.ConflictException, match="reserved already"):
        dibs.reservations.create([first.id])
    for each in (made, also):
        dibs.reservations.delete(each.id)
    with pytest.raises(exceptions.NotFoundException):
        dibs.reservations.get(made.id)
    with pytest.raises(exceptions.NotFoundException):
        dibs.reservations.delete(made.id)


def test_a_repeated_create_with_the_same_name_returns_the_same_reservation(dibs: Dibs) -> None:
    node, other = enroll(dibs.connection), enroll(dibs.connection)
    name = fresh("ci")
    made = dibs.reservations.create([node.name], name=name)
    assert dibs.reservations.create([other.id, node.id], name=name).id == made.id
    with pytest.raises(AlreadyDifferent, match=f"its node is '{node.id}', not '{other.id}'"):
        dibs.reservations.create([other.id], name=name)
    dibs.reservations.delete(made.id)


def test_an_instance_has_at_most_one_reservation(dibs: Dibs) -> None:
    node = enroll(dibs.connection)
    instance = str(uuid.uuid4())
    made = dibs.reservations.create([node.id], instance=instance)
    assert made.instance_id == instance
    assert dibs.reservations.create([node.id], instance=instance).id == made.id
    with pytest.raises(ValueError, match="only one of them"):
        dibs.reservations.create([node.id], instance=instance, name="x")
    dibs.reservations.delete(made.id)
