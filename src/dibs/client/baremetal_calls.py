"""The parent class of the calls that use the bare-metal API."""

import uuid

from openstack.baremetal.v1 import _proxy
from openstack.connection import Connection


class BaremetalCalls:
    """Calls over the bare-metal API of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    def _baremetal(self) -> _proxy.Proxy:
        # The first access sends a discovery request, so it must not happen before it is needed.
        return self._connection.baremetal

    def _uuid_of(self, node: str) -> str:
        """Return the uuid of a node that is given by uuid or name."""
        try:
            return str(uuid.UUID(node))
        except ValueError:
            return str(self._baremetal.get_node(node, fields=["uuid"]).id)
