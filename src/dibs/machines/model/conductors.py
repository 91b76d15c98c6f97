"""Conductors: the processes that run tasks, and the choice of a conductor for a task."""

from collections.abc import Iterable
from zlib import crc32

from msgspec import Struct

from dibs.machines.model.errors import NoConductorForDriver, NoLiveConductor

TIMEOUT_SECONDS = 30
"""Default time without a heartbeat after which a conductor counts as failed."""

_MICROSECONDS = 1_000_000


class Conductor(Struct, frozen=True, kw_only=True):
    """A process that works on nodes, as of its last registration or heartbeat."""

    id: int
    hostname: str
    conductor_group: str
    drivers: tuple[str, ...]
    incarnation: str
    """A new uuid at each start, so that a process notices when another one registers under its name."""
    online: bool
    """False after an orderly stop."""
    heartbeat_at: int
    alive_until: int
    """The moment from which it counts as failed without another heartbeat."""
    rpc_url: str | None = None
    """The URL for calls from API processes; None when it accepts no calls."""
    created_at: int

    def alive(self, now: int) -> bool:
        """Return True while it may be given tasks."""
        return self.online and now <= self.alive_until

    def supports(self, driver: str, group: str) -> bool:
        """Return True when it has the driver and belongs to the group."""
        return driver in self.drivers and self.conductor_group == group


def after(now: int, seconds: float) -> int:
    """Return the moment that is this many seconds later."""
    return now + int(seconds * _MICROSECONDS)


def choose(
    conductors: Iterable[Conductor],
    *,
    driver: str,
    group: str,
    now: int,
    seed: str,
    preferred: int | None = None,
) -> Conductor:
    """Return a live conductor with the driver in the group: the preferred one if it qualifies, otherwise any.

    ``seed`` spreads the choice: the same seed at the same moment gives the same conductor.
    """
    able = [conductor for conductor in conductors if conductor.supports(driver, group)]
    if not able:
        raise NoConductorForDriver(driver=driver, group=group)
    live = [conductor for conductor in able if conductor.alive(now)]
    if not live:
        raise NoLiveConductor(driver=driver, group=group)
    for conductor in live:
        if conductor.id == preferred:
            return conductor
    return live[(crc32(seed.encode()) + now) % len(live)]
