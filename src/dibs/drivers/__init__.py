"""What touches hardware. Each module is one hardware type and follows ``domain.driver.Driver``.

A driver knows nodes and nothing of the database, the queue or the API: it is handed a node and a piece of work, and
returns how that stands.
"""

from collections.abc import Mapping

from dibs.drivers.fake import FakeDriver
from dibs.machines.model.driver import Driver

DRIVERS: Mapping[str, Driver] = {driver.name: driver for driver in (FakeDriver(),)}
"""Every hardware type, by name."""
