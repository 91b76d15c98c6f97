"""Flavors: named sizes of servers, and the projects that may use private ones.

Here: creating, listing and deleting flavors, their extra specs, access to private flavors, and what a server of a
flavor takes of a provider.

Not here: servers (``dibs.servers``), the private flavors of reservations, which leases create and remove
(``dibs.leases``), and flavors that Nova keeps (``dibs.integrations``).

Start with ``model/flavors.py``.
"""
