"""The threads of a conductor: each notes its progress, so that a hang is reported instead of staying unnoticed."""

import threading
import time
from collections.abc import Callable

STUCK_SECONDS = 180
"""Time without progress after which a thread counts as stuck: longer than one transaction with all its retries."""


class WatchedThread(threading.Thread):
    """A daemon thread that works in rounds and rests between them."""

    def __init__(self, name: str, target: Callable[[], None]) -> None:
        super().__init__(target=target, name=f"dibs-{name}", daemon=True)
        self._progress_at: float | None = None

    def note_progress(self) -> None:
        """Note that a round begins or goes on."""
        self._progress_at = time.monotonic()

    def rest(self) -> None:
        """Note that a round has ended: to wait for the next one is not to hang."""
        self._progress_at = None

    def join_until(self, deadline: float) -> bool:
        """Wait for the end of the thread until a moment of the monotonic clock; return False when it goes on."""
        if self.is_alive():
            self.join(max(0.0, deadline - time.monotonic()))
        return not self.is_alive()

    def problem(self) -> str | None:
        """Return a sentence about a thread that hangs or has died; None when it works, rests or never started."""
        since = self._progress_at
        if since is not None and time.monotonic() - since > STUCK_SECONDS:
            return f"the thread {self.name} has made no progress for {time.monotonic() - since:.0f} seconds"
        if self.ident is not None and not self.is_alive():
            return f"the thread {self.name} has ended"
        return None


def note_progress() -> None:
    """Note the progress of the current thread, if it is watched. Called before each transaction of a conductor."""
    thread = threading.current_thread()
    if isinstance(thread, WatchedThread):
        thread.note_progress()
