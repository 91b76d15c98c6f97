"""The Python client: calls that openstacksdk does not have, on its connections and resource classes.

    from dibs.client import Dibs

    dibs = Dibs.connect("http://127.0.0.1:8780")    # or Dibs.connect(cloud="dibs"), or Dibs(a_connection)
    with dibs.allocations.borrowed("gold", traits=["CUSTOM_NVME"], wait_seconds=600) as (allocation,):
        print(allocation.node_id)

Start with ``dibs`` (the class behind everything); ``allocations``, ``hosts``, ``leases``, ``nodes`` and
``reservations`` have one resource class and its calls each. ``errors`` has every exception; see
docs/howto/use-from-python.md. Nothing here imports the server's code or prints: output belongs to ``dibs.cli``.
"""

from dibs.extras import needs_extra

with needs_extra("client", "dibs.client"):
    from dibs.client.allocation_resource import Allocation
    from dibs.client.dibs import Dibs
    from dibs.client.errors import AlreadyDifferent, DibsError
    from dibs.client.hosts import Host
    from dibs.client.leases import Lease, hosts, instances
    from dibs.client.nodes import Node
    from dibs.client.polling import Progress
    from dibs.client.reservations import Reservation
    from dibs.client.results import Candidate, FunnelStage, LatestEnd, NodeReason, NodeReasons, Offer, Why

__all__ = [
    "Dibs",
    "Allocation",
    "Candidate",
    "FunnelStage",
    "Host",
    "LatestEnd",
    "Lease",
    "Node",
    "NodeReason",
    "NodeReasons",
    "Offer",
    "Progress",
    "Reservation",
    "Why",
    "AlreadyDifferent",
    "DibsError",
    "hosts",
    "instances",
]
