"""Holds in a real ledger: creation, visibility, expiry, and the operations that consume or respect them."""

import pytest

from dibs.access.access import SERVICE
from dibs.errors import Forbidden
from dibs.ledger.model.errors import CapacityExceeded
from dibs.ledger.operations.claims import release_claims
from dibs.machines.model import states
from dibs.machines.model.errors import (
    HoldExists,
    HoldNotFound,
    NodeHeld,
    NodeInMaintenance,
    NothingToHold,
)
from dibs.machines.operations.holds import (
    ListHolds,
    RenewHold,
    consume_for_instance,
    delete_hold,
    expire_hold,
    list_expired_holds,
    list_holds,
    renew_hold,
)
from dibs.machines.operations.node_claims import NewInstance, associate
from dibs.machines.operations.nodes import SetMaintenance, delete_node, set_maintenance
from tests.builders import granted
from tests.hold_builders import (
    BLUE,
    FREE,
    RED,
    SYSTEM_READER,
    TAKEN,
    claim,
    claimed_by,
    consume,
    deploy,
    gone,
    hold,
    new,
    put,
    show,
)


def test_a_hold_keeps_the_node_and_claims_its_unit_for_the_instance(ledger):
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    assert (made.node_uuid, made.project_id, made.expires_at) == (node.uuid, "blue", made.created_at + 60_000_000)
    assert ledger.node(node).instance_uuid is None
    assert ledger.unit(node) == TAKEN
    assert claimed_by(ledger, made.instance_uuid) == [node.uuid]
    assert show(ledger, made) == made


def test_the_first_node_that_can_be_held_is_held(ledger):
    busy, first, second = (ledger.enrol(resource_class="gold") for _ in range(3))
    ledger.change(busy, instance_uuid=new())
    assert hold(ledger, busy, first, second).node_uuid == first.uuid
    assert hold(ledger, busy, first, second).node_uuid == second.uuid


def test_the_error_has_the_reason_for_each_node_in_the_order_tried(ledger):
    unknown = new()
    enrolled = ledger.enrol(state=states.ENROLL)
    broken, instance, held, claimed, locked, retired = (ledger.enrol(resource_class="gold") for _ in range(6))
    put(ledger, broken, maintenance=True)
    put(ledger, locked, reservation="conductor-1")
    put(ledger, retired, retired=True)
    ledger.change(instance, instance_uuid=new())
    hold(ledger, held)
    claim(ledger, claimed, new())
    tried = (unknown, enrolled, broken, instance, held, claimed, locked, retired)
    with pytest.raises(NothingToHold) as refusal:
        hold(ledger, *tried, unknown)
    assert str(refusal.value) == (
        f"No node could be reserved: node {unknown} could not be found; "
        f"node {enrolled.uuid} is in provision state enroll, not available; node {broken.uuid} is in maintenance; "
        f"node {instance.uuid} is associated with an instance; node {held.uuid} is reserved already; "
        f"node {claimed.uuid} is claimed by another consumer; "
        f"node {locked.uuid} is locked, since a conductor is working on it; node {retired.uuid} is retired."
    )


def test_a_node_that_the_caller_may_not_see_is_not_found(ledger):
    node = ledger.enrol()
    blind = granted(project="blue", roles=frozenset({"member"}))
    with pytest.raises(NothingToHold, match=f"node {node.uuid} could not be found"):
        hold(ledger, node, access=blind)


def test_an_instance_has_one_hold_or_one_node(ledger):
    one, other = ledger.enrol(resource_class="gold"), ledger.enrol(resource_class="gold")
    instance = new()
    made = hold(ledger, one, instance=instance)
    with pytest.raises(HoldExists):
        hold(ledger, other, instance=instance)
    deploy(ledger, one, made.uuid)
    with pytest.raises(HoldExists):
        hold(ledger, other, instance=instance)
    assert ledger.unit(other) == FREE


def test_a_caller_without_project_and_system_scope_cannot_hold(ledger):
    with pytest.raises(Forbidden):
        hold(ledger, ledger.enrol(), access=SYSTEM_READER)


def test_a_deleted_hold_frees_the_node(ledger):
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    ledger.runner.write(delete_hold, BLUE, made.uuid)
    assert gone(ledger, made)
    assert ledger.unit(node) == FREE
    assert hold(ledger, node).node_uuid == node.uuid


@pytest.mark.parametrize("stranger", [RED, SYSTEM_READER], ids=["another project", "a system reader"])
def test_other_projects_neither_see_nor_renew_nor_use_nor_delete_a_hold(ledger, stranger):
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    assert gone(ledger, made, stranger)
    assert ledger.runner.read(list_holds, stranger, ListHolds(limit=10)) == []
    with pytest.raises(HoldNotFound):
        ledger.runner.write(delete_hold, stranger, made.uuid)
    with pytest.raises(HoldNotFound):
        ledger.runner.write(renew_hold, stranger, RenewHold(uuid=made.uuid, seconds=1))
    with pytest.raises(HoldNotFound):
        consume(ledger, made.uuid, new(), stranger)
    with pytest.raises(NodeHeld):
        deploy(ledger, node, made.uuid, stranger)
    with pytest.raises(NodeHeld):
        ledger.run(lambda tx: consume_for_instance(tx, stranger, ledger.clock(), ledger.node(node), made.instance_uuid))
    assert show(ledger, made) == made


def test_administrators_of_the_system_see_and_use_every_hold(ledger):
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    assert show(ledger, made, SERVICE) == made
    assert ledger.runner.read(list_holds, SERVICE, ListHolds(limit=10)) == [made]
    assert deploy(ledger, node, made.uuid, SERVICE).instance_uuid == made.instance_uuid


def test_a_project_lists_its_own_holds_in_pages(ledger):
    mine = [hold(ledger, ledger.enrol()) for _ in range(3)]
    other = hold(ledger, ledger.enrol(), access=RED)
    page = ledger.runner.read(list_holds, BLUE, ListHolds(limit=2))
    rest = ledger.runner.read(list_holds, BLUE, ListHolds(limit=2, marker=page[-1].uuid))
    assert page + rest == mine
    with pytest.raises(HoldNotFound):
        ledger.runner.read(list_holds, BLUE, ListHolds(limit=2, marker=other.uuid))


# --- how it ends ---


def test_a_hold_expires_exactly_at_its_end(ledger):
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    ledger.clock.move(59)
    assert ledger.runner.read(list_expired_holds, SERVICE, 10) == []
    assert ledger.runner.write(expire_hold, SERVICE, made.uuid) is False
    assert show(ledger, made) == made
    ledger.clock.move(1)
    assert gone(ledger, made)
    assert ledger.runner.read(list_holds, BLUE, ListHolds(limit=10)) == []
    assert ledger.runner.read(list_expired_holds, SERVICE, 10) == [made.uuid]
    assert ledger.runner.write(expire_hold, SERVICE, made.uuid) is True
    assert ledger.runner.write(expire_hold, SERVICE, made.uuid) is False
    assert ledger.unit(node) == FREE


def test_an_expired_hold_has_no_effect_before_a_conductor_removes_it(ledger):
    one, other, third = (ledger.enrol(resource_class="gold") for _ in range(3))
    instance = new()
    for node in (one, other, third):
        hold(ledger, node, instance=instance if node is third else None)
    ledger.clock.move(60)
    assert hold(ledger, one, access=RED).node_uuid == one.uuid
    assert ledger.change(other, instance_uuid=instance).instance_uuid == instance
    with pytest.raises(HoldExists):
        hold(ledger, third, instance=instance)
    assert hold(ledger, third).node_uuid == third.uuid


def test_an_instance_whose_hold_expired_may_hold_another_node(ledger):
    one, other = ledger.enrol(resource_class="gold"), ledger.enrol(resource_class="gold")
    instance = new()
    hold(ledger, one, instance=instance)
    ledger.clock.move(60)
    assert hold(ledger, other, instance=instance).node_uuid == other.uuid
    assert (ledger.unit(one), ledger.unit(other)) == (FREE, TAKEN)


def test_an_expired_hold_is_no_proof(ledger):
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    ledger.clock.move(60)
    with pytest.raises(HoldNotFound):
        deploy(ledger, node, made.uuid)
    with pytest.raises(HoldNotFound):
        consume(ledger, made.uuid, new())


def test_a_renewed_hold_ends_later(ledger):
    made = hold(ledger, ledger.enrol(resource_class="gold"))
    ledger.clock.move(50)
    renewed = ledger.runner.write(renew_hold, BLUE, RenewHold(uuid=made.uuid, seconds=30))
    assert renewed.expires_at == renewed.updated_at + 30_000_000
    assert show(ledger, made) == renewed
    ledger.clock.move(15)
    assert ledger.runner.write(expire_hold, SERVICE, made.uuid) is False
    ledger.clock.move(16)
    with pytest.raises(HoldNotFound):
        ledger.runner.write(renew_hold, BLUE, RenewHold(uuid=made.uuid, seconds=30))


# --- what it keeps from whom ---


@pytest.mark.parametrize("resource_class", ["gold", None])
def test_a_held_node_is_deployed_only_with_the_proof(ledger, resource_class):
    node = ledger.enrol(resource_class=resource_class)
    made = hold(ledger, node)
    for proof in (None, new(), made.instance_uuid):
        with pytest.raises(NodeHeld):
            deploy(ledger, node, proof)
    assert ledger.node(node).provision_state == "available"
    after = deploy(ledger, node, made.uuid)
    assert (after.provision_state, after.instance_uuid) == ("deploying", made.instance_uuid)
    assert gone(ledger, made)
    assert claimed_by(ledger, made.instance_uuid) == ([node.uuid] if resource_class else [])


def test_a_proof_without_a_hold_is_refused(ledger):
    node = ledger.enrol()
    with pytest.raises(HoldNotFound):
        deploy(ledger, node, new())
    held = hold(ledger, ledger.enrol())
    with pytest.raises(HoldNotFound):
        deploy(ledger, node, held.uuid)


def test_the_proof_is_accepted_again_for_the_instance_that_it_put_on_the_node(ledger):
    for by_hand in (True, False):
        node = ledger.enrol(resource_class="gold")
        made = hold(ledger, node)
        if by_hand:
            ledger.change(node, instance_uuid=made.instance_uuid)
        else:
            deploy(ledger, node, made.uuid)
            put(ledger, node, provision_state=states.DEPLOY_FAILED, target_provision_state=None, reservation=None)
        with pytest.raises(HoldNotFound):
            deploy(ledger, node, new())
        assert deploy(ledger, node, made.uuid).provision_state == "deploying"


def test_a_used_proof_is_refused_for_the_next_instance(ledger):
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    ledger.change(node, instance_uuid=made.instance_uuid)
    ledger.change(node, instance_uuid=None)
    ledger.change(node, instance_uuid=new())
    with pytest.raises(HoldNotFound):
        deploy(ledger, node, made.uuid)


def test_a_refused_deployment_leaves_the_hold_unchanged(ledger):
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    ledger.runner.write(set_maintenance, SERVICE, SetMaintenance(ident=node.uuid, rules=(), on=True))
    with pytest.raises(NodeInMaintenance):
        deploy(ledger, node, made.uuid)
    assert show(ledger, made) == made
    assert ledger.node(node).instance_uuid is None


@pytest.mark.parametrize("resource_class", ["gold", None])
def test_only_the_instance_of_the_hold_is_put_on_the_node(ledger, resource_class):
    node = ledger.enrol(resource_class=resource_class)
    made = hold(ledger, node)
    with pytest.raises(NodeHeld):
        ledger.change(node, instance_uuid=new())
    assert ledger.change(node, instance_uuid=made.instance_uuid).instance_uuid == made.instance_uuid
    assert gone(ledger, made)
    assert deploy(ledger, node).provision_state == "deploying"


def test_another_consumer_cannot_claim_a_held_node_through_placement(ledger):
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    with pytest.raises(CapacityExceeded):
        claim(ledger, node, new())
    claim(ledger, node, made.instance_uuid)
    assert show(ledger, made) == made
    assert deploy(ledger, node, made.uuid).instance_uuid == made.instance_uuid


def test_releasing_the_claim_through_placement_ends_the_hold(ledger):
    node, other = ledger.enrol(resource_class="gold"), ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    ledger.runner.write(release_claims, SERVICE, made.instance_uuid)
    assert gone(ledger, made)
    made = hold(ledger, node)
    claim(ledger, other, made.instance_uuid)
    assert gone(ledger, made)
    assert ledger.unit(node) == FREE


def test_the_resource_class_of_a_held_node_cannot_change(ledger):
    for before in ("gold", None):
        node = ledger.enrol(resource_class=before)
        hold(ledger, node)
        with pytest.raises(NodeHeld):
            ledger.change(node, resource_class="silver")


def test_a_held_node_is_deleted_only_in_maintenance(ledger):
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    with pytest.raises(NodeHeld):
        ledger.runner.write(delete_node, SERVICE, node.uuid)
    ledger.runner.write(set_maintenance, SERVICE, SetMaintenance(ident=node.uuid, rules=(), on=True))
    ledger.runner.write(delete_node, SERVICE, node.uuid)
    assert gone(ledger, made)
    assert claimed_by(ledger, made.instance_uuid) == []


# --- what it turns into ---


def test_an_allocation_takes_over_the_claim_of_a_hold(ledger):
    node = ledger.enrol(resource_class="gold")
    made, request = hold(ledger, node), new()
    assert consume(ledger, made.uuid, request).uuid == node.uuid
    assert gone(ledger, made)
    assert (claimed_by(ledger, made.instance_uuid), claimed_by(ledger, request)) == ([], [node.uuid])
    assert ledger.unit(node) == TAKEN


def test_an_allocation_cannot_consume_the_hold_of_a_node_that_cannot_be_deployed(ledger):
    node = ledger.enrol(resource_class="gold")
    made = hold(ledger, node)
    put(ledger, node, maintenance=True)
    with pytest.raises(NothingToHold, match="is in maintenance"):
        consume(ledger, made.uuid, new())
    assert show(ledger, made) == made


def test_another_instance_cannot_be_associated_with_a_held_node(ledger):
    node = ledger.enrol(resource_class="gold")
    hold(ledger, node)
    with pytest.raises(Exception, match="is claimed by consumer"):
        ledger.run(lambda tx: associate(tx, ledger.clock(), [NewInstance(ledger.node(node), new())]))
