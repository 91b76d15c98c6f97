"""The hooks and laws of all packages, and the runner whose operations find them."""

import time

from dibs.allocations.operations import laws as allocation_laws
from dibs.allocations.operations.guards import AllocationNodeGuard, QueueUsage
from dibs.database import Store
from dibs.database.columns import CLEAR, Vault
from dibs.database.hooks import Hooks
from dibs.database.runner import Clock, Runner
from dibs.drivers import DRIVERS
from dibs.events.operations.recording import EventRecorder
from dibs.leases.operations import laws as lease_laws
from dibs.leases.operations.guards import LeaseLedgerGuard, LeaseNodeGuard, LeaseUsage
from dibs.ledger.operations import laws as ledger_laws
from dibs.machines.operations import laws as machine_laws
from dibs.machines.operations.guards import NodeDrivers, NodeLedgerGuard
from dibs.quotas.operations.guard import QuotaGuard
from dibs.quotas.operations.limits import LimitSource
from dibs.quotas.operations.shares import ShareKeeper
from dibs.quotas.operations.sources import NodeUsage
from dibs.servers.operations import laws as server_laws
from dibs.servers.operations.lease_uses import ServersOfLeases


def build_hooks(
    *,
    placement_quotas: bool = False,
    fair_share_half_life_seconds: float | None = None,
    limits: LimitSource | None = None,
) -> Hooks:
    """Build the hooks that packages register with the packages below them. Guards run in this order."""
    return Hooks(
        ShareKeeper(fair_share_half_life_seconds),
        QuotaGuard(placement=placement_quotas),
        EventRecorder(),
        limits or LimitSource(),
        NodeUsage(),
        NodeDrivers(DRIVERS),
        NodeLedgerGuard(),
        LeaseLedgerGuard(),
        LeaseNodeGuard(),
        LeaseUsage(),
        AllocationNodeGuard(),
        QueueUsage(),
        ServersOfLeases(),
    )


HOOKS = build_hooks()
"""The hooks of a site with the default settings."""

LAWS = (*ledger_laws.LAWS, *machine_laws.LAWS, *allocation_laws.LAWS, *lease_laws.LAWS, *server_laws.LAWS)
"""What ``dibs check`` verifies."""


def read_clock() -> int:
    """Return the time of the machine in microseconds since 1970 UTC; a server uses a ``DatabaseClock`` instead."""
    return time.time_ns() // 1_000


def build_runner(store: Store, clock: Clock = read_clock, vault: Vault = CLEAR, hooks: Hooks = HOOKS) -> Runner:
    """Build a runner whose operations find every hook; tests use it too, so that they run with all guards."""
    return Runner(store, clock, hooks, vault)
