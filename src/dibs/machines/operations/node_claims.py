"""The claim of an instance on a node. The caller has locked the node, and with it the node's provider."""

from collections.abc import Sequence
from typing import NamedTuple

from dibs.database.transaction import Transaction
from dibs.ledger.operations import claiming
from dibs.ledger.operations.claiming import UnitClaim
from dibs.ledger.queries import claim_views, inventories
from dibs.machines.model.errors import InstanceOfAnother, NodeClaimed
from dibs.machines.model.nodes import Node
from dibs.machines.operations.guards import node_guards


class NewInstance(NamedTuple):
    """An instance of a project, by default of the lessee or owner of the node, that gets a node."""

    node: Node
    uuid: str
    project: str | None = None


def associate(tx: Transaction, now: int, instances: Sequence[NewInstance]) -> None:
    """Claim the units of locked nodes, each for its instance.

    - The node offers no unit because it has no resource class: nothing is claimed.
    - The instance has claimed the unit already, as Nova does through Placement: nothing to do.
    - Another consumer has claimed the unit, or a lease that did not launch the instance has booked the node: refused.
    - Otherwise the unit is claimed, even while it is reserved because the node cannot be deployed: an operator may
      adopt a running machine.
    """
    _check_guards(tx, [(each.node, each.uuid) for each in instances])
    offered = [each for each in instances if each.node.inventory_class is not None]
    units = inventories.of_providers(tx, [each.node.id for each in offered])
    claimed = {key.provider_id for key, unit in units.items() if unit.used}
    holding = _check_claims(tx, [(each.node, each.uuid) for each in offered if each.node.id in claimed])
    wanted = [
        UnitClaim(each.node.id, each.uuid, each.project or each.node.lessee or each.node.owner)
        for each in offered
        if each.node.id not in holding
    ]
    if wanted:
        known = claiming.lock_consumers(tx, now, [each.consumer for each in wanted])
        claiming.claim_units(tx, now, wanted, known, units)


def claim_for_hold(
    tx: Transaction, now: int, node: Node, instance_uuid: str, project: str | None, *, for_any_project: bool
) -> None:
    """Claim the unit of an unclaimed node for the future instance of a hold.

    An instance with claims belongs to a project. Another project must not add claims to it: that would change the
    consumer's generation and use the quota of its project.
    """
    known = claiming.lock_consumers(tx, now, [instance_uuid])
    if instance_uuid in known and known[instance_uuid].project_id != project and not for_any_project:
        raise InstanceOfAnother(instance=instance_uuid)
    if node.inventory_class is not None:
        unit = inventories.of_providers(tx, [node.id])
        claiming.claim_units(tx, now, [UnitClaim(node.id, instance_uuid, project)], known, unit)


def check_holder(tx: Transaction, node: Node) -> None:
    """Refuse to deploy a node that another consumer has claimed or a lease has booked."""
    _check_guards(tx, [(node, node.instance_uuid)])
    _check_claims(tx, [(node, node.instance_uuid)])


def release(tx: Transaction, now: int, node: Node) -> None:
    """Release the node's unit from its instance; the instance keeps its other claims."""
    if node.instance_uuid is not None:
        claiming.release_provider(tx, now, node.id, node.instance_uuid)


def _check_guards(tx: Transaction, instances: Sequence[tuple[Node, str | None]]) -> None:
    for guard in node_guards(tx):
        guard.check_instances(tx, instances)


def _check_claims(tx: Transaction, instances: Sequence[tuple[Node, str | None]]) -> set[int]:
    """Return the ids of the nodes that their instances have claimed; raise when another consumer has claimed one."""
    holders = claim_views.consumers_on(tx, [node.id for node, _ in instances])
    for node, instance_uuid in instances:
        if holders[node.id] - {instance_uuid}:
            raise NodeClaimed(node=node.uuid, consumer=", ".join(sorted(holders[node.id])))
    return {node_id for node_id, found in holders.items() if found}
