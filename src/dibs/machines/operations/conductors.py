"""Conductors: register, record heartbeats, and find the one that is to do a piece of work."""

from dataclasses import dataclass

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.machines.model.conductors import TIMEOUT_SECONDS, Conductor, after, choose
from dibs.machines.model.errors import ConductorNotFound, ConductorReplaced, DriverNotFound
from dibs.machines.queries import conductors


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterConductor:
    """A process begins to work under a name."""

    hostname: str
    group: str
    drivers: tuple[str, ...]
    incarnation: str
    """A fresh uuid, made for this registration."""
    timeout_seconds: float = TIMEOUT_SECONDS
    """How long it may be silent before it counts as dead."""
    rpc_url: str | None = None
    """Where it takes calls from API processes; None when it takes none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """A registered conductor says that it is alive, or with ``online`` False that it stops."""

    hostname: str
    incarnation: str
    online: bool = True
    timeout_seconds: float = TIMEOUT_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class ListConductors:
    """All conductors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetConductor(ListConductors):
    """One conductor by name."""

    hostname: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GetDriver(ListConductors):
    """One driver by name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConductorView:
    """A conductor, and whether it is alive now."""

    conductor: Conductor
    alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverView:
    """A driver, and the live conductors that have it."""

    name: str
    hosts: tuple[str, ...]


def register_conductor(tx: Transaction, access: Access, now: int, command: RegisterConductor) -> None:
    """Enter the process under its name; a former process of that name finds out at its next heartbeat or write."""
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
    """Stay alive, or leave in good order."""
    alive_until = after(now, command.timeout_seconds)
    recorded = conductors.record_heartbeat(
        tx, command.incarnation, online=command.online, alive_until=alive_until, now=now
    )
    if not recorded:
        raise ConductorReplaced(conductor=command.hostname)


def list_conductors(tx: Transaction, access: Access, now: int, command: ListConductors) -> list[ConductorView]:
    """Every conductor that ever registered, the oldest first."""
    return [_view(conductor, now) for conductor in conductors.every(tx)]


def get_conductor(tx: Transaction, access: Access, now: int, command: GetConductor) -> ConductorView:
    """One conductor."""
    conductor = conductors.get(tx, command.hostname)
    if conductor is None:
        raise ConductorNotFound(conductor=command.hostname)
    return _view(conductor, now)


def list_drivers(tx: Transaction, access: Access, now: int, command: ListConductors) -> list[DriverView]:
    """The drivers that some live conductor has, by name."""
    hosts: dict[str, list[str]] = {}
    for conductor in conductors.every(tx):
        if conductor.alive(now):
            for driver in conductor.drivers:
                hosts.setdefault(driver, []).append(conductor.hostname)
    return [DriverView(name=name, hosts=tuple(sorted(hosts[name]))) for name in sorted(hosts)]


def get_driver(tx: Transaction, access: Access, now: int, command: GetDriver) -> DriverView:
    """One driver."""
    for driver in list_drivers(tx, access, now, command):
        if driver.name == command.name:
            return driver
    raise DriverNotFound(driver=command.name)


def choose_conductor(
    tx: Transaction,
    now: int,
    *,
    driver: str,
    group: str,
    seed: str,
    preferred: int | None = None,
) -> Conductor:
    """A live conductor that has the driver and serves the group; see ``domain.conductors.choose``."""
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
