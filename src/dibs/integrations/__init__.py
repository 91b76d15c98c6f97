"""Clients of external services: Nova and the enforcement service, which leases use, the receivers of webhooks, and
message brokers.

Here: one module per service, which implements a protocol of ``dibs.leases.model`` or of the conductor. A call may take
long or fail, so no module here is called while a transaction is open: dialects call before it, and conductors after it.

Not here: authentication at Keystone (``dibs.http``), hardware (``dibs.drivers``), and reading the database of another
service (``dibs.importing``).

Start with ``nova.py``.
"""

from dibs.integrations.enforcement import HttpEnforcement
from dibs.integrations.notifications import OsloNotifier
from dibs.integrations.nova import Nova
from dibs.integrations.webhooks import HttpSender

__all__ = ["HttpEnforcement", "HttpSender", "Nova", "OsloNotifier"]
