"""The ledger: resource providers, inventories, traits, resource classes, aggregates, consumers and claims.

A claim is a consumer's share of one inventory. The ledger guarantees that claims never exceed an inventory's capacity
and that several requests are granted together or not at all. It does not know nodes, leases or servers: the packages
above register guards (``operations/guards.py``), which every change of claims, providers and classes calls under its
locks. It does not search for free capacity either; that is the candidates package.

Start with ``model/claims.py`` for the rules, then ``operations/claiming.py``, the only writer of claims.
"""
