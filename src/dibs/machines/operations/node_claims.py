"""The claim of an instance on a node. The caller has locked the node, and with it the node's provider."""

from dibs.database.transaction import Transaction
from dibs.ledger.operations import claiming
from dibs.ledger.queries import claim_views
from dibs.machines.model.errors import InstanceOfAnother, NodeClaimed
from dibs.machines.model.nodes import Node
from dibs.machines.operations.guards import node_guards


def associate(tx: Transaction, now: int, node: Node, instance_uuid: str, project: str | None = None) -> None:
    """Claim a locked node's unit for an instance of a project, by default of the lessee or owner of the node.

    - The node offers no unit because it has no resource class: nothing is claimed.
    - The instance has claimed the unit already, as Nova does through Placement: nothing to do.
    - Another consumer has claimed the unit, or a lease that did not launch the instance has booked the node: refused.
    - Otherwise the unit is claimed, even while it is reserved because the node cannot be deployed: an operator may
      adopt a running machine.
    """
    _check_guards(tx, node, instance_uuid)
    if node.inventory_class is None:
        return
    if not _check_claims(tx, node, instance_uuid):
        known = claiming.lock_consumer(tx, now, instance_uuid)
        claiming.claim_unit(tx, now, node.id, instance_uuid, known, project or node.lessee or node.owner)


def claim_for_hold(
    tx: Transaction, now: int, node: Node, instance_uuid: str, project: str | None, *, for_any_project: bool
) -> None:
    """Claim the unit of an unclaimed node for the future instance of a hold.

    An instance with claims belongs to a project. Another project must not add claims to it: that would change the
    consumer's generation and use the quota of its project.
    """
    known = claiming.lock_consumer(tx, now, instance_uuid)
    if known is not None and known.project_id != project and not for_any_project:
        raise InstanceOfAnother(instance=instance_uuid)
    if node.inventory_class is not None:
        claiming.claim_unit(tx, now, node.id, instance_uuid, known, project)


def check_holder(tx: Transaction, node: Node) -> None:
    """Refuse to deploy a node that another consumer has claimed or a lease has booked."""
    _check_guards(tx, node, node.instance_uuid)
    _check_claims(tx, node, node.instance_uuid)


def release(tx: Transaction, now: int, node: Node) -> None:
    """Release the node's unit from its instance; the instance keeps its other claims."""
    if node.instance_uuid is not None:
        claiming.release_provider(tx, now, node.id, node.instance_uuid)


def _check_guards(tx: Transaction, node: Node, instance_uuid: str | None) -> None:
    for guard in node_guards(tx):
        guard.check_instance(tx, node, instance_uuid)


def _check_claims(tx: Transaction, node: Node, instance_uuid: str | None) -> bool:
    """Return True when the instance has claimed the node; raise when another consumer has."""
    holders = {claim["consumer"] for claim in claim_views.on_provider(tx, node.id)}
    if holders - {instance_uuid}:
        raise NodeClaimed(node=node.uuid, consumer=", ".join(sorted(holders)))
    return bool(holders)
