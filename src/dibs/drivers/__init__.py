"""Drivers: each module implements ``machines.model.driver.Driver`` for one hardware type.

A driver receives a node and a kind of work, controls the hardware, and returns the outcome. It knows neither the
database nor the queue nor an API. To add a driver: write its module and add it to ``DRIVERS``; start with ``fake``.
"""

from collections.abc import Mapping

from dibs.drivers.fake import FakeDriver
from dibs.machines.model.driver import Driver

DRIVERS: Mapping[str, Driver] = {driver.name: driver for driver in (FakeDriver(),)}
"""Every hardware type, by name."""
