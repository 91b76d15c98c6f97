"""A target with servers: one on a compute host, one that is a node, and capacity for more of both kinds."""

from collections.abc import Iterator

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.database.transaction import Transaction
from dibs.flavors.model.flavors import Flavor
from dibs.flavors.operations.flavors import ChangeFlavorAccess, add_flavor_access
from dibs.ledger.operations.providers import CreateProvider, create_provider
from dibs.machines.queries import nodes
from dibs.servers.model.servers import BUILD, Server, embedded_flavor
from dibs.servers.operations.launching import LaunchServers, launch_servers
from dibs.servers.queries import servers
from tests.attacks.target import INSTANCE, NODES, Target
from tests.laws import Tables, broken_laws
from tests.provider_builders import stock
from tests.server_builders import flavor

COMPUTE_HOST = "3c000000-0000-4000-8000-000000000001"
FREE_NODE = "3c000000-0000-4000-8000-000000000002"
SERVER = "3c000000-0000-4000-8000-000000000003"
MACHINE = INSTANCE
"""The server that is the active node."""
KEY = "rack"
"""Key of an extra spec and of metadata."""

_NO_SIZES = {f"resources:{name}": "0" for name in ("VCPU", "MEMORY_MB", "DISK_GB")}
_WHOLE_NODE = {**_NO_SIZES, "resources:CUSTOM_HUGE": "1"}


class ComputeTarget(Target):
    """Target with a compute host, another node, a flavor for each, and two servers."""

    def fill(self) -> None:
        """Write the initial rows of every attack."""
        super().fill()
        write = self.ledger.runner.write
        made = write(create_provider, SERVICE, CreateProvider(uuid=COMPUTE_HOST, name="open-1"))
        stock(self.ledger, made, VCPU=8, MEMORY_MB=8_192, DISK_GB=100)
        self.ledger.enrol(uuid=FREE_NODE, name="free", resource_class="huge")
        small = flavor(self.ledger, name="small", public=False, extra_specs={KEY: "r1"})
        write(add_flavor_access, SERVICE, ChangeFlavorAccess(flavor="small", visibility=EVERY_PROJECT, project="p"))
        flavor(self.ledger, name="metal", extra_specs=_WHOLE_NODE)
        command = LaunchServers(
            flavor="small",
            visibility=EVERY_PROJECT,
            servers=((SERVER, "server"),),
            properties={"metadata": {KEY: "r1"}},
        )
        write(launch_servers, SERVICE, command)
        self.store.write(lambda tx: _add_server_on_the_active_node(tx, small))

    def broken_laws(self, rows: Tables) -> list[str]:
        """Return violations of the laws of the ledger and of servers."""
        return [*broken_laws(rows, machines_only=False), *_broken_server_laws(rows)]


def _add_server_on_the_active_node(tx: Transaction, kind: Flavor) -> None:
    """Write the row of a server that a conductor has deployed on the active node."""
    node = nodes.get(tx, NODES["active"])
    assert node is not None
    server = Server(
        id=0,
        uuid=MACHINE,
        name="machine",
        project_id=None,
        user_id=None,
        status=BUILD,
        flavor=embedded_flavor(kind),
        properties={"metadata": {KEY: "r1"}},
        provider_id=node.id,
        created_at=node.created_at,
    )
    servers.add(tx, server)


def _broken_server_laws(rows: Tables) -> Iterator[str]:
    """Describe servers without a claim on their host, and servers without a host that have a claim."""
    consumers = {row["id"]: row["uuid"] for row in rows["consumers"]}
    claimed = {(consumers[row["consumer_id"]], row["provider_id"]) for row in rows["claims"]}
    holders = {uuid for uuid, _ in claimed}
    for row in rows["servers"]:
        if row["provider_id"] is not None and (row["uuid"], row["provider_id"]) not in claimed:
            yield f"server {row['uuid']} has no claim on provider {row['provider_id']}, on which it runs"
        if row["provider_id"] is None and row["uuid"] in holders:
            yield f"server {row['uuid']} has no provider, and claims"
