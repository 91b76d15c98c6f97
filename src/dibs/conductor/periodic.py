"""Something that a conductor does over and over in a thread of its own, beside its work on machines."""

import logging
import threading
from collections.abc import Callable

from dibs.database.errors import StoreContended, StoreUnavailable

logger = logging.getLogger(__name__)


class Chore:
    """Runs ``do`` every few seconds while ``registered`` says that the conductor is one."""

    def __init__(
        self, name: str, do: Callable[[], object], *, registered: Callable[[], bool], poll_seconds: float
    ) -> None:
        self._name = name
        self._do = do
        self._registered = registered
        self._poll_seconds = poll_seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"dibs-{name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Finish what is being done, and begin nothing new."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(self._poll_seconds):
            if not self._registered():
                continue
            try:
                self._do()
            except (StoreUnavailable, StoreContended):
                # The store says once that the database is away.
                continue
            except Exception:
                logger.exception("%s broke", self._name)
