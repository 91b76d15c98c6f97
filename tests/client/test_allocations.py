"""Allocations from Python: names, batches, waiting, borrowing and release."""

import threading
from datetime import UTC, datetime

import pytest
from openstack import exceptions

from dibs.client import AlreadyDifferent, Dibs, Progress
from dibs.client.errors import AllocationFailed, Conflict, NotFound
from tests.bed.waiting import eventually
from tests.clients.clouds import enroll, fresh, until_provisioned


def test_an_allocation_is_created_waited_for_and_deleted(dibs: Dibs) -> None:
    kind, name = fresh("class"), fresh("allocation")
    node = enroll(dibs.connection, resource_class=kind)
    created = dibs.allocations.create(kind, name=name, candidate_nodes=[node.name], extra={"why": "test"}, sticky=True)
    (given,) = dibs.allocations.wait([created], timeout=30)
    assert (given.node_id, given.state, given.sticky, given.extra) == (node.id, "active", True, {"why": "test"})
    assert dibs.allocations.get(name).id == created.id
    assert [each.id for each in dibs.allocations.list(resource_class=kind, state="active")] == [created.id]
    dibs.allocations.delete(name)
    with pytest.raises(exceptions.NotFoundException):
        dibs.allocations.get(name)


def test_a_repeated_create_with_the_same_name_returns_the_same_allocation(dibs: Dibs) -> None:
    kind, name = fresh("class"), fresh("allocation")
    node = enroll(dibs.connection, resource_class=kind)
    options = {"candidate_nodes": [node.name], "extra": {"a": 1}}
    made = dibs.allocations.create(kind, name=name, **options)
    assert dibs.allocations.create(kind, name=name, **options).id == made.id
    with pytest.raises(AlreadyDifferent, match="its traits is \\[\\], not \\['CUSTOM_A'\\]"):
        dibs.allocations.create(kind, name=name, traits=["CUSTOM_A"], **options)
    with pytest.raises(AlreadyDifferent, match="its class is"):
        dibs.allocations.create("other", name=name, **options)
    dibs.allocations.wait([made])
    dibs.allocations.delete(name)


def test_a_failed_wait_raises_the_reason_and_a_retry_succeeds(dibs: Dibs) -> None:
    kind, name = fresh("class"), fresh("allocation")
    created = dibs.allocations.create(kind, name=name)
    with pytest.raises(exceptions.ResourceFailure, match=f"{name} failed: no nodes of class {kind}"):
        dibs.allocations.wait([created], timeout=30)
    node = enroll(dibs.connection, resource_class=kind)
    retried = dibs.allocations.retry(name, wait_seconds=60)
    (given,) = dibs.allocations.wait([retried], timeout=30)
    assert (given.id, given.node_id) == (created.id, node.id)
    with pytest.raises(exceptions.ConflictException):
        dibs.allocations.retry(name)
    dibs.allocations.delete(name)


def test_a_create_with_the_name_of_a_failed_allocation_retries_it(dibs: Dibs) -> None:
    kind, name = fresh("class"), fresh("allocation")
    failed = dibs.allocations.create(kind, name=name, keep_alive=60)
    with pytest.raises(AllocationFailed):
        dibs.allocations.wait([failed], timeout=30)
    with pytest.raises(AllocationFailed), dibs.allocations.borrowed(kind, name=name):
        pass
    with pytest.raises(NotFound):
        dibs.allocations.get(name)
    again = dibs.allocations.create(kind, name=name)
    with pytest.raises(AllocationFailed):
        dibs.allocations.wait([again], timeout=30)
    node = enroll(dibs.connection, resource_class=kind)
    with pytest.raises(AlreadyDifferent):
        dibs.allocations.create(kind, name=name, sticky=True)
    (given,) = dibs.allocations.wait([dibs.allocations.create(kind, name=name)], timeout=30)
    assert (given.id, given.node_id, given.keep_alive_seconds) == (again.id, node.id, None)
    dibs.allocations.delete(name)


def test_an_allocation_lives_by_heartbeats_until_it_is_kept(dibs: Dibs) -> None:
    kind = fresh("class")
    made = dibs.allocations.create(kind, wait_seconds=60, keep_alive=60)
    assert (dibs.allocations.heartbeat(made.id).alive_until or "") > (made.alive_until or "")
    kept = dibs.allocations.keep(made.id)
    assert (kept.keep_alive_seconds, kept.alive_until) == (None, None)
    with pytest.raises(Conflict):
        dibs.allocations.heartbeat(made.id)
    with pytest.raises(ValueError, match="needs no heartbeats"):
        dibs.allocations.kept_alive(kept)
    dibs.allocations.delete(made.id)


def test_an_allocation_has_an_end_that_can_be_renewed(dibs: Dibs) -> None:
    made = dibs.allocations.create(fresh("class"), wait_seconds=60, until=datetime(2090, 1, 1, 12, tzinfo=UTC))
    assert made.until == "2090-01-01T12:00:00.000000+00:00"
    renewed = dibs.allocations.renew(made.id, lifetime=600)
    assert (renewed.lifetime, renewed.until) == (600, None), "the lifetime begins with the node"
    dibs.allocations.delete(made.id)


def test_a_thread_sends_heartbeats_until_another_client_deletes_the_allocation(dibs: Dibs) -> None:
    made = dibs.allocations.create(fresh("class"), wait_seconds=60, keep_alive=60)
    before, ended = made.alive_until or "", threading.Event()
    made.keep_alive_seconds = 1  # The thread sends one heartbeat each third of a second.
    with pytest.raises(AllocationFailed, match="it was deleted"), dibs.allocations.kept_alive(made) as heartbeats:
        heartbeats.when_ended(ended.set)
        eventually(lambda: (dibs.allocations.get(made.id).alive_until or "") > before, what="a heartbeat")
        dibs.allocations.delete(made.id)
        assert ended.wait(60)


def test_a_batch_gets_its_nodes_when_the_last_is_released_and_progress_is_reported(dibs: Dibs) -> None:
    kind = fresh("class")
    nodes = {enroll(dibs.connection, resource_class=kind).id for _ in range(2)}
    (taken,) = dibs.allocations.wait([dibs.allocations.create(kind)], timeout=30)
    steps: list[Progress] = []

    def release_the_node_at_first_step(progress: Progress) -> None:
        if not steps:
            threading.Thread(target=dibs.allocations.delete, args=(taken.id,)).start()
        steps.append(progress)

    created = dibs.allocations.create_many(kind, 2, wait_seconds=60)
    given = dibs.allocations.wait(created, timeout=30, progress=release_the_node_at_first_step)
    assert {each.node_id for each in given} == nodes
    assert steps[0].text == f"2 nodes of class {kind}"
    for each in given:
        dibs.allocations.delete(each.id)


def test_a_wait_times_out_and_the_allocation_stays_in_the_queue(dibs: Dibs) -> None:
    kind = fresh("class")
    created = dibs.allocations.create(kind, wait_seconds=60)
    with pytest.raises(exceptions.ResourceTimeout, match=f"a node of class {kind}"):
        dibs.allocations.wait([created], timeout=0.2)
    assert dibs.allocations.get(created.id).state == "allocating"
    dibs.allocations.delete(created.id)


def test_a_borrowed_node_that_was_deployed_is_undeployed_and_released(dibs: Dibs) -> None:
    kind = fresh("class")
    node = enroll(dibs.connection, resource_class=kind)
    with dibs.allocations.borrowed(kind) as (mine,):
        assert mine.node_id == node.id
        dibs.connection.baremetal.set_node_provision_state(node, "active")
        until_provisioned(dibs.connection, node, "active")
    assert until_provisioned(dibs.connection, node, "available").instance_id is None


def test_borrowed_nodes_are_released_after_an_exception(dibs: Dibs) -> None:
    kind, name = fresh("class"), fresh("allocation")
    for _ in range(2):
        enroll(dibs.connection, resource_class=kind)
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
