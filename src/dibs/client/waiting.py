"""Looking again and again, with a deadline and somebody who is told how it goes."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from openstack import exceptions

SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 2.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How a wait goes."""

    seconds: float
    """Since it began."""
    text: str
    """What is waited for, in a few words."""


Watcher = Callable[[Progress], None]


def looks(what: str, timeout: float | None, progress: Watcher | None = None) -> Iterator[None]:
    """One turn for each look, at first soon and then seldom; ResourceTimeout when the time is up."""
    begin = time.monotonic()
    pause = SHORTEST_PAUSE
    while True:
        yield
        waited = time.monotonic() - begin
        if timeout is not None and waited >= timeout:
            raise exceptions.ResourceTimeout(f"Waited {waited:.0f} seconds for {what}.")
        if progress is not None:
            progress(Progress(waited, what))
        time.sleep(pause if timeout is None else min(pause, max(timeout - waited, 0.0)))
        pause = min(pause * 1.5, LONGEST_PAUSE)
