"""Carries out the faults of a plan on a site."""

import contextlib
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from faults.plan import AT_COMMIT, Fault
from faults.site import Site, Supervised

DELAY_SECONDS = 0.05
"""How much longer each message to and from the database takes."""


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
        action, _, subject = fault.kind.partition("-")
        if subject in ("api", "conductor"):
            conductors = self.site.conductors
            process = self.site.api if subject == "api" else conductors[fault.target % len(conductors)]
            return _killed(process) if action == "kill" else _frozen(process)
        if fault.kind == "read-only":
            return _read_only(self.site)
        return self._broken_database(fault)

    @contextlib.contextmanager
    def _broken_database(self, fault: Fault) -> Iterator[None]:
        database, proxy = self.site.database, self.site.proxy
        if database is None or proxy is None:
            raise ValueError(f"SQLite has no server for {fault.kind}")
        if fault.kind == "kill-database":
            database.kill()
            yield
            database.start()
        elif fault.kind == "freeze-database":
            database.freeze()
            yield
            database.thaw()
        elif fault.kind in AT_COMMIT:
            proxy.at(b"COMMIT", AT_COMMIT[fault.kind])
            yield
        elif fault.kind == "swallow":
            proxy.swallow()
            yield
            # Bytes are missing in the middle of these connections; TCP would never deliver what follows.
            proxy.cut()
            proxy.forward()
        elif fault.kind == "delay":
            proxy.delay(DELAY_SECONDS)
            yield
            proxy.forward()
        else:
            {"cut": proxy.cut, "truncate": proxy.truncate}[fault.kind]()
            yield


@contextlib.contextmanager
def _killed(process: Supervised) -> Iterator[None]:
    process.signal(signal.SIGKILL)
    yield


@contextlib.contextmanager
def _frozen(process: Supervised) -> Iterator[None]:
    process.signal(signal.SIGSTOP)
    yield
    process.signal(signal.SIGCONT)


@contextlib.contextmanager
def _read_only(site: Site) -> Iterator[None]:
    """Make the files of an SQLite database immutable: processes that have them open cannot write either."""
    files = [str(path) for path in site.folder.glob(f"{site.database_file.name}*")]
    subprocess.run(["chattr", "+i", *files], check=True)
    try:
        yield
    finally:
        subprocess.run(["chattr", "-i", *files], check=True)
