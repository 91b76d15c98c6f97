"""The placement dialect: Placement's HTTP API for resource providers, allocations and allocation candidates.

docs/dialects/placement.md lists the versions, every quirk, and where Dibs does better than the original.
"""

from dibs.dialects.placement.dialect import Placement

__all__ = ["Placement"]
