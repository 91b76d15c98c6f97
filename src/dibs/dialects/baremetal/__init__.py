"""The bare-metal dialect: Ironic's HTTP contract for nodes, traits, ports, drivers and conductors.

Start with ``routes``; each row names a handler. ``documents`` parses and renders JSON, ``microversions`` lists the
versions, ``errors`` maps domain errors to statuses. Rules about nodes do not belong here but in ``machines``. Supported
operations, every quirk and all omissions: docs/dialects/baremetal.md.
"""

from dibs.dialects.baremetal.dialect import Baremetal
from dibs.dialects.baremetal.exchange import HoldTimes

__all__ = ["Baremetal", "HoldTimes"]
