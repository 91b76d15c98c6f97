"""The bare-metal dialect: Ironic's HTTP contract for nodes, traits, ports, drivers and conductors.

What is spoken, every quirk, and what is left out: docs/dialects/baremetal.md.
"""

from dibs.dialects.baremetal.dialect import Baremetal
from dibs.dialects.baremetal.exchange import HoldTimes

__all__ = ["Baremetal", "HoldTimes"]
