"""Delete servers, and release the claims of consumers.

A server on a compute host is deleted at once. A server on a bare-metal node is deleted when the teardown of its node
starts. While the node is busy, the delete is deferred: the server stays, marked ``DELETE_DEFERRED``, and a conductor
finishes it when the node can be torn down.
"""

from collections.abc import Sequence

from dibs.access.access import Access
from dibs.database.transaction import Row, Transaction
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations import claiming
from dibs.ledger.queries import claim_views
from dibs.machines.model import states
from dibs.machines.model.nodes import Node
from dibs.machines.operations import node_claims
from dibs.machines.operations.provisioning import begin_teardown
from dibs.machines.operations.saving import save_node
from dibs.machines.queries import nodes
from dibs.servers.model.servers import DELETE_DEFERRED, Server
from dibs.servers.operations.servers import OneServer, lock_server
from dibs.servers.queries import launch_reservations, servers


def delete_server(tx: Transaction, access: Access, now: int, command: OneServer) -> None:
    """Delete a server."""
    _delete(tx, now, lock_server(tx, access, command).server)


def delete_servers_of(tx: Transaction, now: int, reservation_ids: Sequence[int]) -> None:
    """Delete all servers of reservations; no other transaction launches more until this one ends.

    Their claims on reservation providers are released here, their claims on nodes by the teardown.
    """
    launch_reservations.lock(tx, reservation_ids)
    locked = [servers.lock(tx, uuid) for uuid in servers.of_reservations(tx, reservation_ids)]
    views = [view for view in locked if view is not None]
    # All providers before the first consumer, in one order for every path (docs/adr/0010).
    claiming.lock_claimed_providers(tx, now, [view.server.uuid for view in views])
    for view in views:
        _delete(tx, now, view.server)


def list_deferred_deletes(tx: Transaction, access: Access, now: int, count_max: int) -> list[str]:
    """Return the uuids of deleted servers whose node can be torn down by now."""
    return servers.deferred_deletes(tx, count_max)


def finish_deferred_delete(tx: Transaction, access: Access, now: int, uuid: str) -> bool:
    """Retry the delete of a server; return True when the server no longer exists."""
    view = servers.lock(tx, uuid)
    if view is None or not view.delete_deferred:
        return view is None
    _delete(tx, now, view.server)
    return servers.get(tx, uuid) is None


def release_consumer(tx: Transaction, now: int, consumer: str) -> bool:
    """Release the claims of a server or another consumer; return False while its node is busy.

    The claim on the node itself is released by the teardown, which starts here.
    """
    found = nodes.with_instance(tx, consumer)
    claiming.lock_claimed_providers(tx, now, [consumer], {found.id} if found else set())
    _release_other_claims(tx, now, consumer, found)
    node = nodes.lock(tx, found.uuid, now) if found else None
    if node is None or node.instance_uuid != consumer:
        return True
    if begin_teardown(tx, now, node):
        return True
    if node.provision_state == states.AVAILABLE and node.reservation is None:
        # The instance was never deployed, so there is nothing to tear down.
        node_claims.release(tx, now, node)
        save_node(tx, node, now, instance_uuid=None)
        return True
    return False


def _delete(tx: Transaction, now: int, server: Server) -> None:
    """Release the claims of a locked server, and remove it or defer its delete."""
    if release_consumer(tx, now, server.uuid):
        servers.remove(tx, server)
    else:
        servers.set_status(tx, server, DELETE_DEFERRED, now)


def _release_other_claims(tx: Transaction, now: int, consumer: str, node: Node | None) -> None:
    """Release every claim of a consumer but the one on its node."""
    held = claim_views.of_consumer(tx, consumer)
    on_node = [row for row in held if node is not None and row["provider"] == node.uuid]
    if len(on_node) == len(held):
        return
    if on_node:
        claiming.replace_claims(tx, now, [_same_claims(on_node)])
    else:
        claiming.release_all(tx, now, consumer)


def _same_claims(rows: Sequence[Row]) -> ClaimRequest:
    """Return the request for the claims of one consumer on one provider."""
    first = rows[0]
    resources = {first["provider"]: {row["resource_class"]: row["amount"] for row in rows}}
    return ClaimRequest(
        consumer=first["consumer"], resources=resources, project_id=first["project_id"], user_id=first["user_id"]
    )
