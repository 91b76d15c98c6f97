"""The index of the structure: what providers are, in the memory of each process, without what of them is used.

- ``shapes``: trees that have the same members share a *shape*. A fleet of 100,000 machines has a few hundred shapes.
- ``building``: makes trees and their shapes from rows.
- ``structure``: all trees, grouped by shape, with a list of groups for each trait, class and aggregate.

A structure never changes. ``candidates.queries.structure`` loads it, and decides for each transaction whether it is
still the structure of the database; docs/adr/0016-an-index-of-the-structure.md proves that this decision is right.
"""
