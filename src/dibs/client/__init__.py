"""Dibs from Python: what openstacksdk has no words for, over openstacksdk's connections and resource classes.

    from dibs.client import Dibs

    dibs = Dibs.connect("http://127.0.0.1:8780")    # or Dibs.connect(cloud="dibs"), or Dibs(a_connection)
    with dibs.allocations.borrowed("gold", traits=["CUSTOM_NVME"], wait_seconds=600) as (machine,):
        print(machine.node_id)

What goes wrong is raised as openstacksdk raises it: NotFoundException, ConflictException, ForbiddenException,
ResourceFailure, ResourceTimeout; see docs/howto/use-from-python.md. It knows nothing of the server's code.
"""

from dibs.extras import needs_extra

with needs_extra("client", "dibs.client"):
    from dibs.client.allocations import Allocation
    from dibs.client.answers import Candidate, Why
    from dibs.client.dibs import Dibs
    from dibs.client.errors import AlreadyDifferent
    from dibs.client.leases import Lease, hosts, instances
    from dibs.client.nodes import Node
    from dibs.client.reservations import Reservation
    from dibs.client.waiting import Progress

__all__ = [
    "Dibs",
    "Allocation",
    "Candidate",
    "Lease",
    "Node",
    "Progress",
    "Reservation",
    "Why",
    "AlreadyDifferent",
    "hosts",
    "instances",
]
