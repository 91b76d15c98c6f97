"""Create servers, flavors and compute hosts in tests."""

import uuid
from typing import Any

from dibs.access.access import EVERY_PROJECT, SERVICE, Access
from dibs.flavors.model.flavors import Flavor
from dibs.flavors.operations.flavors import create_flavor
from dibs.ledger.model.providers import Provider
from dibs.servers.model.servers import ServerView
from dibs.servers.operations.deleting import delete_server
from dibs.servers.operations.launching import LaunchServers, launch_servers
from dibs.servers.operations.servers import OneServer, get_server
from tests.builders import Ledger, trusted
from tests.provider_builders import make

MEMBER = trusted(user="mia", project="p", roles=frozenset({"member", "reader"}))


def host(ledger: Ledger, name: str = "", vcpus: int = 8, memory_mb: int = 8_192, disk_gb: int = 100) -> Provider:
    """Create a compute host."""
    return make(ledger, name, VCPU=vcpus, MEMORY_MB=memory_mb, DISK_GB=disk_gb)


def flavor(ledger: Ledger, *, vcpus: int = 1, memory_mb: int = 512, disk_gb: int = 1, **values: Any) -> Flavor:
    """Create a flavor; it is public unless the test says otherwise."""
    name = values.pop("name", f"flavor-{uuid.uuid4()}")
    sizes = {"vcpus": vcpus, "memory_mb": memory_mb, "disk_gb": disk_gb}
    attributes = {"flavor": name, "name": name, "public": True, **sizes, **values}
    return ledger.runner.write(create_flavor, SERVICE, attributes)


def node_flavor(ledger: Ledger, resource_class: str, **specs: str) -> Flavor:
    """Create a flavor for whole nodes of a resource class."""
    none = {"resources:VCPU": "0", "resources:MEMORY_MB": "0", "resources:DISK_GB": "0"}
    return flavor(ledger, extra_specs={**none, f"resources:CUSTOM_{resource_class.upper()}": "1", **specs})


def launch(ledger: Ledger, kind: Flavor, access: Access = MEMBER, name: str = "server", **options: Any) -> ServerView:
    """Launch one server."""
    command = LaunchServers(
        flavor=kind.flavor,
        visibility=options.pop("visibility", EVERY_PROJECT),
        servers=((str(uuid.uuid4()), name),),
        **options,
    )
    (made,) = ledger.runner.write(launch_servers, access, command)
    return made


def look(ledger: Ledger, view: ServerView) -> ServerView:
    """Read the current state of a server."""
    return ledger.runner.read(get_server, SERVICE, OneServer(uuid=view.server.uuid))


def delete(ledger: Ledger, view: ServerView) -> None:
    """Delete a server."""
    ledger.runner.write(delete_server, SERVICE, OneServer(uuid=view.server.uuid))
