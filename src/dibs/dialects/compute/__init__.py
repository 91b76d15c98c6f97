"""The compute dialect: Nova's API of flavors, servers, hypervisors and services over the ledger.

Start with ``routes``: each row names a handler. ``microversions`` lists what each version added, ``errors`` maps domain
errors to statuses. Rules about flavors and servers do not belong here but in ``dibs.flavors`` and ``dibs.servers``.
Supported operations, every quirk and all omissions: docs/dialects/compute.md.
"""

from dibs.dialects.compute.dialect import Compute

__all__ = ["Compute"]
