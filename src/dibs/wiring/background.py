"""What each process reads again and again in threads of its own: the time of the database, and limits of Keystone."""

from typing import TYPE_CHECKING, NamedTuple

from dibs.database.runner import DatabaseClock

if TYPE_CHECKING:
    from dibs.integrations.keystone_limits import KeystoneLimits


class Background(NamedTuple):
    """The threads of one process."""

    clock: DatabaseClock
    limits: "KeystoneLimits | None" = None
    """None where quotas are set in Dibs."""

    def start(self) -> None:
        """Start to read; a second start does nothing."""
        self.clock.start()
        if self.limits is not None:
            self.limits.start()

    def stop(self) -> None:
        """Read no more."""
        self.clock.stop()
        if self.limits is not None:
            self.limits.stop()
