"""Conductors: the processes that do the work, and which of them is to do what."""

from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from dibs.machines.model.errors import NoConductorForDriver, NoLiveConductor

TIMEOUT_SECONDS = 30
"""How long a conductor may be silent before it counts as dead, unless it says otherwise."""

_MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Conductor:
    """A process that works on nodes, as it last said of itself."""

    id: int
    hostname: str
    conductor_group: str
    drivers: tuple[str, ...]
    incarnation: str
    """Made anew at each start, so that a process can tell that another has taken its name."""
    online: bool
    """False once it has stopped in good order."""
    heartbeat_at: int
    alive_until: int
    """When it counts as dead unless it beats again."""
    rpc_url: str | None = None
    """Where it takes calls from API processes; None when it takes none."""
    created_at: int

    def alive(self, now: int) -> bool:
        """True while it may be given work."""
        return self.online and now <= self.alive_until

    def supports(self, driver: str, group: str) -> bool:
        """True when it has the driver and serves the group."""
        return driver in self.drivers and self.conductor_group == group


def after(now: int, seconds: float) -> int:
    """The moment that many seconds later."""
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
    """A live conductor for work with a driver in a group: the preferred if it can, any other otherwise.

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
