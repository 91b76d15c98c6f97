"""Dibs answers one question for people who run machines: which machine may I have, and when?

Each noun has a package: ``ledger``, ``candidates``, ``machines``, ``flavors``, ``leases``, ``allocations`` and
``servers``, from low to high. In each one ``operations`` use ``queries``, ``queries`` use ``tables``, and ``model`` is
pure. Two entrances run the operations: ``dialects`` for HTTP requests and ``conductor`` for work in the background.
A package imports only those below it; the contracts in pyproject.toml state the order.

Start with ``wiring``, which builds a process from its parts, or with docs/architecture.md.
"""
