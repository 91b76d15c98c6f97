"""Clients of external services that leases use: Nova, and the enforcement service.

Here: one module per service, which implements a protocol of ``dibs.leases.model``. A call may take long or fail, so no
module here is called while a transaction is open: dialects call before it, and conductors after it, from the outbox.

Not here: Keystone (``dibs.http``), hardware (``dibs.drivers``), and reading the database of another service
(``dibs.importing``).

Start with ``nova.py``.
"""

from dibs.integrations.enforcement import HttpEnforcement
from dibs.integrations.nova import Nova

__all__ = ["HttpEnforcement", "Nova"]
