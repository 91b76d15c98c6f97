"""The laws of nodes: each is one provider with one unit, has one holder, and is locked while a task works on it."""

from collections.abc import Iterator

from dibs.database.laws import Law, Page
from dibs.database.transaction import Transaction
from dibs.machines.model import states
from dibs.machines.queries import laws as queries


def _providers(tx: Transaction, page: Page) -> Iterator[str]:
    for row in queries.with_another_provider(tx, page):
        yield f"Node {row['uuid']} has the provider {row['provider']} with the name {row['provider_name']}."


def _units(tx: Transaction, page: Page) -> Iterator[str]:
    offered = queries.units(tx, page)
    for node in queries.nodes_of(tx, page):
        expected = [(node.inventory_class, 1, node.units_reserved)] if node.inventory_class else []
        found = offered.get(node.id, [])
        if found != expected:
            yield f"Node {node.uuid} offers {_inventories(found)}; expected is {_inventories(expected)}."


def _inventories(units: list[tuple[str, int, int]]) -> str:
    return ", ".join(f"{total} of {name} ({reserved} reserved)" for name, total, reserved in units) or "nothing"


def _holders(tx: Transaction, page: Page) -> Iterator[str]:
    claimed, held = queries.holders(tx, page), queries.held_for(tx, page)
    for node in queries.nodes_of(tx, page):
        found = claimed.get(node.id, [])
        expected = [instance for instance in (node.instance_uuid, held.get(node.id)) if instance]
        if len(expected) > 1:
            yield f"Node {node.uuid} has the instance {expected[0]} and is reserved for {expected[1]}."
        # A client may have claimed the node through Placement and not set its instance yet.
        elif node.inventory_class and found != expected and (expected or len(found) > 1):
            yield f"Node {node.uuid} is claimed by {_names(found)}; expected is {_names(expected)}."


def _names(consumers: list[str]) -> str:
    return ", ".join(consumers) or "no consumer"


def _locks(tx: Transaction, page: Page) -> Iterator[str]:
    tasks = queries.tasks(tx, page)
    for node in queries.nodes_of(tx, page):
        busy = node.provision_state in states.PHASES or node.provision_state in states.PAUSED
        if node.id not in tasks:
            if node.reservation or busy:
                lock = f"locked by {node.reservation}" if node.reservation else "not locked"
                yield f"Node {node.uuid} is {node.provision_state}, {lock}, and has no task."
            continue
        work, conductor = tasks[node.id]
        if node.reservation != (None if node.provision_state in states.PAUSED else conductor):
            yield f"Node {node.uuid} is locked by {node.reservation}; its task {work} belongs to {conductor}."


LAWS = (
    Law(
        promise="A node and its provider have the same uuid and name.",
        remedy="Set uuid and name of the provider to those of the node.",
        page_end=queries.nodes_page,
        violations=_providers,
    ),
    Law(
        promise="A node with a resource class offers one unit, which is reserved while the node cannot be deployed.",
        remedy="Set the node into maintenance and back (`openstack baremetal node maintenance set NODE`): "
        "each change writes the unit anew.",
        page_end=queries.nodes_page,
        violations=_units,
    ),
    Law(
        promise="A node is claimed by its instance, or by the instance for which a reservation holds it.",
        remedy="Find out which of the consumers uses the machine, and delete the allocations of the others.",
        page_end=queries.nodes_page,
        violations=_holders,
    ),
    Law(
        promise="A node is locked exactly while its task belongs to a conductor.",
        remedy="Restart the conductor that the lock names: it takes up its tasks and releases its locks.",
        page_end=queries.nodes_page,
        violations=_locks,
    ),
)
