"""The thread of a conductor that looks for work."""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from dibs.conductor.session import Session
from dibs.conductor.threads import WatchedThread
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.machines.model.errors import ConductorReplaced

logger = logging.getLogger(__name__)

Step = Callable[[Session], object]
"""Looks for one kind of work and starts it. Long work runs in a thread pool of the step."""


class Dispatcher:
    """Runs the steps one after the other, at each wake-up and every few seconds, while there is a session."""

    def __init__(
        self, name: str, steps: Sequence[Step], *, session: Callable[[], Session | None], poll_seconds: float
    ) -> None:
        self._name = name
        self._steps = steps
        self._session = session
        self._poll_seconds = poll_seconds
        self._stopping = threading.Event()
        self._woken = threading.Event()
        self.thread = WatchedThread(f"dispatch-{name}", self._run_until_stopped)

    def start(self) -> None:
        """Start the thread."""
        self.thread.start()

    def wake(self) -> None:
        """Run the steps now, and once more if they are running already: work was queued."""
        self._woken.set()

    def stop(self) -> None:
        """Begin no other step; the thread ends after the one that is running."""
        self._stopping.set()
        self._woken.set()

    def _run_until_stopped(self) -> None:
        while not self._stopping.is_set():
            self._woken.wait(self._poll_seconds)
            self._woken.clear()
            session = self._session()
            if session is not None and not self._stopping.is_set():
                self.thread.note_progress()
                self._run_steps(session)
                self.thread.rest()

    def _run_steps(self, session: Session) -> None:
        try:
            for step in self._steps:
                # Contention on one kind of work does not delay the others; the next round tries again.
                with suppress(StoreContended):
                    step(session)
        except (StoreUnavailable, ConductorReplaced):
            # The store logs the lost connection, once for all threads; the next heartbeat logs the replacement.
            self._stopping.wait(self._poll_seconds)
        except Exception:
            logger.exception("conductor %s failed to look for work", self._name)
            self._stopping.wait(self._poll_seconds)
