"""Machines: nodes, their traits, ports and states, their tasks, the conductors that run the tasks, and holds.

A node shares its id and uuid with its resource provider in ``ledger``, and both change in one transaction
(``operations.saving``, ``queries.nodes``). Holds belong here because a hold is a fact about one node: every operation
that assigns or changes the node must check it under the node's lock. The search for a node does not belong here (see
``allocations``), nor do bookings of a node's future (see ``leases``). Packages above add their checks as
``operations.guards.NodeGuard``; ``drivers`` control the hardware.

Start with ``model.states`` for the states and verbs, then read ``operations.provisioning`` (what a client requests) and
``operations.tasks`` (what a conductor does with it).
"""
