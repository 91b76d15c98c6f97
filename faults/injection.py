"""Carries out the faults of a plan on a site."""

import contextlib
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from faults.plan import Fault
from faults.site import Site, Supervised

JUMP_SECONDS_MAX = 600
JUMP_SECONDS_MAX_ON_SQLITE = 30
"""The clock of an SQLite file is that of its machine: what is due at once is late by the time that it was set back."""


class Injector:
    """A thread that carries out the faults at their times; ``done`` counts them by kind."""

    def __init__(self, site: Site, faults: Sequence[Fault]) -> None:
        self.site = site
        self.faults = faults
        self.done: Counter[str] = Counter()
        self.failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="faults", daemon=True)

    def start(self) -> None:
        """Begin with the plan now."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the last fault, and end every fault that still lasts."""
        self._thread.join()
        self.site.recover()
        if self.failure is not None:
            raise self.failure

    def _run(self) -> None:
        began = time.monotonic()
        try:
            for fault in self.faults:
                time.sleep(max(0.0, began + fault.at - time.monotonic()))
                with self._broken(fault):
                    time.sleep(fault.seconds)
                self.done[fault.kind] += 1
        except Exception as error:
            self.failure = error

    def _broken(self, fault: Fault) -> contextlib.AbstractContextManager[None]:
        """Return the context in which the fault lasts."""
        if fault.kind == "jump-clock":
            return self._clock_set(fault)
        action, _, subject = fault.kind.partition("-")
        if subject not in ("api", "conductor"):
            return self.site.database.broken(fault)
        processes = self.site.apis if subject == "api" else self.site.conductors
        process = processes[fault.target % len(processes)]
        return _killed(process) if action == "kill" else _frozen(process)

    @contextlib.contextmanager
    def _clock_set(self, fault: Fault) -> Iterator[None]:
        """Set a clock wrong, and right again."""
        most = JUMP_SECONDS_MAX_ON_SQLITE if self.site.engine == "sqlite" else JUMP_SECONDS_MAX
        self.site.set_clock(fault.target, fault.target % (2 * most) - most)
        yield
        self.site.set_clock(fault.target, 0)


@contextlib.contextmanager
def _killed(process: Supervised) -> Iterator[None]:
    process.signal(signal.SIGKILL)
    yield


@contextlib.contextmanager
def _frozen(process: Supervised) -> Iterator[None]:
    process.signal(signal.SIGSTOP)
    yield
    process.signal(signal.SIGCONT)
