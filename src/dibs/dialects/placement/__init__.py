"""The placement dialect: Placement's HTTP contract for resource providers, allocations and allocation candidates.

What is spoken, every quirk, and where Dibs does better than the original: docs/dialects/placement.md.
"""

from dibs.dialects.placement.dialect import Placement

__all__ = ["Placement"]
