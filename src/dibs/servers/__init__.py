"""Servers: instances on compute hosts and on bare-metal nodes, and the hypervisors that they run on.

Here: launching a server (find a host, claim it, deploy it when it is a node), its name and metadata, its power, its
deletion, and hypervisors and compute services as the compute API shows them.

Not here: flavors (``dibs.flavors``), leases and their reservations (``dibs.leases``), the state of a node
(``dibs.machines``: a server on a node stores none of its own), claims (``dibs.ledger``), and Nova's JSON
(``dibs.dialects.compute``).

Start with ``operations/launching.py``, then ``operations/deleting.py``.
"""
