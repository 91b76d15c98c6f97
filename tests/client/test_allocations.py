"""Allocations from Python: by name, several at once, waiting, borrowed and given back."""

import threading

import pytest
from openstack import exceptions

from dibs.client import AlreadyDifferent, Dibs, Progress
from tests.clients.clouds import enrol, until_provisioned
from tests.clients.test_openstacksdk import fresh


def test_one_is_asked_for_waited_for_and_given_back(dibs: Dibs) -> None:
    kind, name = fresh("class"), fresh("allocation")
    node = enrol(dibs.connection, resource_class=kind)
    asked = dibs.allocations.create(kind, name=name, candidate_nodes=[node.name], extra={"why": "test"}, sticky=True)
    (given,) = dibs.allocations.wait([asked], timeout=30)
    assert (given.node_id, given.state, given.sticky, given.extra) == (node.id, "active", True, {"why": "test"})
    assert dibs.allocations.get(name).id == asked.id
    assert [each.id for each in dibs.allocations.list(resource_class=kind, state="active")] == [asked.id]
    dibs.allocations.delete(name)
    with pytest.raises(exceptions.NotFoundException):
        dibs.allocations.get(name)


def test_the_same_name_gives_the_same_allocation(dibs: Dibs) -> None:
    kind, name = fresh("class"), fresh("allocation")
    node = enrol(dibs.connection, resource_class=kind)
    wishes = {"candidate_nodes": [node.name], "extra": {"a": 1}}
    made = dibs.allocations.create(kind, name=name, **wishes)
    assert dibs.allocations.create(kind, name=name, **wishes).id == made.id
    with pytest.raises(AlreadyDifferent, match="its traits is \\[\\], not \\['CUSTOM_A'\\]"):
        dibs.allocations.create(kind, name=name, traits=["CUSTOM_A"], **wishes)
    with pytest.raises(AlreadyDifferent, match="its class is"):
        dibs.allocations.create("other", name=name, **wishes)
    dibs.allocations.wait([made])
    dibs.allocations.delete(name)


def test_the_reason_reaches_who_waits_and_another_try_succeeds(dibs: Dibs) -> None:
    kind, name = fresh("class"), fresh("allocation")
    asked = dibs.allocations.create(kind, name=name)
    with pytest.raises(exceptions.ResourceFailure, match=f"{name} failed: no nodes of class {kind}"):
        dibs.allocations.wait([asked], timeout=30)
    node = enrol(dibs.connection, resource_class=kind)
    again = dibs.allocations.retry(name, wait_seconds=60)
    (given,) = dibs.allocations.wait([again], timeout=30)
    assert (given.id, given.node_id) == (asked.id, node.id)
    with pytest.raises(exceptions.ConflictException):
        dibs.allocations.retry(name)
    dibs.allocations.delete(name)


def test_several_come_together_when_the_last_is_free_and_progress_is_told(dibs: Dibs) -> None:
    kind = fresh("class")
    nodes = {enrol(dibs.connection, resource_class=kind).id for _ in range(2)}
    (taken,) = dibs.allocations.wait([dibs.allocations.create(kind)], timeout=30)
    told: list[Progress] = []

    def free_the_node_when_told(progress: Progress) -> None:
        if not told:
            threading.Thread(target=dibs.allocations.delete, args=(taken.id,)).start()
        told.append(progress)

    asked = dibs.allocations.create_many(kind, 2, wait_seconds=60)
    given = dibs.allocations.wait(asked, timeout=30, progress=free_the_node_when_told)
    assert {each.node_id for each in given} == nodes
    assert told[0].text == f"2 nodes of class {kind}"
    for each in given:
        dibs.allocations.delete(each.id)


def test_a_wait_ends_with_its_time_and_keeps_its_place(dibs: Dibs) -> None:
    kind = fresh("class")
    asked = dibs.allocations.create(kind, wait_seconds=60)
    with pytest.raises(exceptions.ResourceTimeout, match=f"a node of class {kind}"):
        dibs.allocations.wait([asked], timeout=0.2)
    assert dibs.allocations.get(asked.id).state == "allocating"
    dibs.allocations.delete(asked.id)


def test_what_is_borrowed_is_given_back_even_when_it_was_deployed(dibs: Dibs) -> None:
    kind = fresh("class")
    node = enrol(dibs.connection, resource_class=kind)
    with dibs.allocations.borrowed(kind) as (mine,):
        assert mine.node_id == node.id
        dibs.connection.baremetal.set_node_provision_state(node, "active")
        until_provisioned(dibs.connection, node, "active")
    assert until_provisioned(dibs.connection, node, "available").instance_id is None


def test_what_is_borrowed_is_given_back_when_the_borrower_fails(dibs: Dibs) -> None:
    kind, name = fresh("class"), fresh("allocation")
    for _ in range(2):
        enrol(dibs.connection, resource_class=kind)
    with pytest.raises(KeyboardInterrupt), dibs.allocations.borrowed(kind, count=2) as both:
        assert len({each.node_id for each in both}) == 2
        raise KeyboardInterrupt
    assert dibs.why(kind).free == 2
    theirs = dibs.allocations.create(kind, name=name)
    with pytest.raises(exceptions.ConflictException), dibs.allocations.borrowed(kind, name=name):
        pass
    assert dibs.allocations.get(name).id == theirs.id
    with (
        pytest.raises(exceptions.ResourceTimeout),
        dibs.allocations.borrowed(kind, count=2, wait_seconds=60, timeout=0.1),
    ):
        pass
    dibs.allocations.wait([theirs], timeout=30)
    assert [each.id for each in dibs.allocations.list(resource_class=kind)] == [theirs.id]
    dibs.allocations.delete(name)
