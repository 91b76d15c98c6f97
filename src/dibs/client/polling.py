"""Poll with increasing pauses, a deadline and a progress callback."""

import time
from collections.abc import Callable, Iterator

from msgspec import Struct

from dibs.client.errors import TimedOut

SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 2.0


class Progress(Struct, frozen=True):
    """The progress of a wait."""

    seconds: float
    """The time since the wait began."""
    text: str
    """What the client waits for, in a few words."""


ProgressCallback = Callable[[Progress], None]


def polls(what: str, timeout: float | None, progress: ProgressCallback | None = None) -> Iterator[None]:
    """Yield once per poll, with increasing pauses in between; raise TimedOut after the timeout."""
    begin = time.monotonic()
    pause = SHORTEST_PAUSE_SECONDS
    while True:
        yield
        waited = time.monotonic() - begin
        if timeout is not None and waited >= timeout:
            raise TimedOut(f"Timed out after {waited:.0f} seconds waiting for {what}.")
        if progress is not None:
            progress(Progress(waited, what))
        time.sleep(pause if timeout is None else min(pause, max(timeout - waited, 0.0)))
        pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)
