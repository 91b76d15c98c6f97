"""The only writer of claims: who has which machine.

The node is locked before any of these is called (``store.nodes.lock``), so of two that want the same machine one waits
here and then sees what the other did.
"""

from dibs.domain.errors import NodeClaimed
from dibs.domain.nodes import Node
from dibs.store import claims
from dibs.store.transaction import Transaction


def associate(tx: Transaction, now: int, node: Node, instance_uuid: str) -> None:
    """Give a locked node's unit to an instance.

    - The node offers no unit (it has no resource class): nothing is claimed, the association alone holds it.
    - The instance has claimed the unit already, as Nova does through Placement before it calls: nothing to do.
    - Somebody else has claimed it: refused.
    - Otherwise it is claimed, even while the node is reserved because it cannot be deployed: an operator who adopts a
      machine that already runs something says just that.
    """
    class_id = claims.unit_class(tx, node.id)
    if class_id is None:
        return
    if claims.take_unit(tx, node.id, class_id, instance_uuid, now):
        return
    holders = {claim["consumer"] for claim in claims.on_provider(tx, node.id)}
    if holders != {instance_uuid}:
        raise NodeClaimed(node=node.uuid, consumer=", ".join(sorted(holders)))


def release(tx: Transaction, node: Node) -> None:
    """Take a locked node's unit back from the instance that has it."""
    if node.instance_uuid is not None:
        claims.give_back(tx, node.id, node.instance_uuid)
