"""Allocations of nodes: a client asks for a node of a class with traits, and a conductor finds it.

Here belong allocations, their queue, matching, batches and explanations. Nodes and holds are facts about machines
(``dibs.machines``); claims are written by the ledger. The path of an allocation reads downwards:

1. ``operations/creating`` stores it for a conductor; ``operations/intake`` does so in another process when necessary;
2. ``operations/queue`` decides which entries come next, by the simulation in ``model/queue``;
3. ``operations/matching`` finds nodes, without a lock, or explains the shortage;
4. ``operations/granting`` locks the nodes, checks again, and gives them to the allocation.

``dibs.conductor.allocations`` runs steps 2 to 4; ``operations/queue`` moves them to another conductor.
"""
