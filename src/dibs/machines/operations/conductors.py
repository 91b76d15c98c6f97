"""Conductors: register, record heartbeats, and choose a conductor for a task."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.machines.model.conductors import TIMEOUT_SECONDS, Conductor, after, choose
from dibs.machines.model.errors import ConductorNotFound, ConductorReplaced, DriverNotFound
from dibs.machines.queries import conductors


class RegisterConductor(Struct, frozen=True, kw_only=True):
    """Register a process as conductor under a name."""

    hostname: str
    group: str
    drivers: tuple[str, ...]
    incarnation: str
    """A new uuid for this registration."""
    timeout_seconds: float = TIMEOUT_SECONDS
    """Time without a heartbeat after which it counts as failed."""
    rpc_url: str | None = None
    """The URL for calls from API processes; None when it accepts no calls."""


class Heartbeat(Struct, frozen=True, kw_only=True):
    """Report that a registered conductor is alive, or with ``online`` False that it stops."""

    hostname: str
    incarnation: str
    online: bool = True
    timeout_seconds: float = TIMEOUT_SECONDS


class ConductorView(Struct, frozen=True, kw_only=True):
    """A conductor, and whether it is alive now."""

    conductor: Conductor
    alive: bool


class DriverView(Struct, frozen=True, kw_only=True):
    """A driver, and the live conductors that have it."""

    name: str
    hosts: tuple[str, ...]


def register_conductor(tx: Transaction, access: Access, now: int, command: RegisterConductor) -> None:
    """Register the process; an earlier process of that name notices at its next heartbeat or write."""
    conductors.register(
        tx,
        command.hostname,
        group=command.group,
        drivers=command.drivers,
        incarnation=command.incarnation,
        rpc_url=command.rpc_url,
        alive_until=after(now, command.timeout_seconds),
        now=now,
    )


def record_heartbeat(tx: Transaction, access: Access, now: int, command: Heartbeat) -> None:
    """Record a heartbeat, or an orderly stop."""
    alive_until = after(now, command.timeout_seconds)
    recorded = conductors.record_heartbeat(
        tx, command.incarnation, online=command.online, alive_until=alive_until, now=now
    )
    if not recorded:
        raise ConductorReplaced(conductor=command.hostname)


def list_conductors(tx: Transaction, access: Access, now: int, command: None) -> list[ConductorView]:
    """Return every conductor that ever registered, the oldest first."""
    return [_view(conductor, now) for conductor in conductors.every(tx)]


def get_conductor(tx: Transaction, access: Access, now: int, hostname: str) -> ConductorView:
    """Return a conductor."""
    conductor = conductors.get(tx, hostname)
    if conductor is None:
        raise ConductorNotFound(conductor=hostname)
    return _view(conductor, now)


def list_drivers(tx: Transaction, access: Access, now: int, command: None) -> list[DriverView]:
    """Return the drivers of live conductors, ordered by name."""
    hosts: dict[str, list[str]] = {}
    for conductor in conductors.every(tx):
        if conductor.alive(now):
            for driver in conductor.drivers:
                hosts.setdefault(driver, []).append(conductor.hostname)
    return [DriverView(name=name, hosts=tuple(sorted(hosts[name]))) for name in sorted(hosts)]


def get_driver(tx: Transaction, access: Access, now: int, name: str) -> DriverView:
    """Return a driver of a live conductor."""
    for driver in list_drivers(tx, access, now, None):
        if driver.name == name:
            return driver
    raise DriverNotFound(driver=name)


def choose_conductor(
    tx: Transaction,
    now: int,
    *,
    driver: str,
    group: str,
    seed: str,
    preferred: int | None = None,
) -> Conductor:
    """Return a live conductor with the driver in the group; see ``model.conductors.choose``."""
    return choose(
        conductors.every(tx),
        driver=driver,
        group=group,
        now=now,
        seed=seed,
        preferred=preferred,
    )


def _view(conductor: Conductor, now: int) -> ConductorView:
    return ConductorView(conductor=conductor, alive=conductor.alive(now))
