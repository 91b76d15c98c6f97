"""The processes of a run: a database, and the API and conductor processes that use it."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from faults.clocks import set_clock
from faults.databases import open_database
from faults.plan import CONDUCTOR_TIMEOUT_SECONDS
from tests.bed.dibs_server import DibsServer
from tests.bed.forked import start_forked
from tests.bed.waiting import eventually

TAKE_OVER_SECONDS = 2 * CONDUCTOR_TIMEOUT_SECONDS
FLAGS = (
    "--heartbeat-seconds=0.2",
    f"--conductor-timeout-seconds={CONDUCTOR_TIMEOUT_SECONDS}",
    f"--take-over-seconds={TAKE_OVER_SECONDS}",
    "--hold-seconds=3600",
    "--caller-limit=0",
)
SECRET = "--rpc-secret=a secret of all processes"


class Supervised(DibsServer):
    """A Dibs process that is started again when it has ended, as systemd does; ``bug`` names a defect to give it."""

    def __init__(
        self, database_url: str, folder: Path, *flags: str, command: str, bug: str, movable_clock: bool = False
    ) -> None:
        super().__init__(database_url, folder, *flags, command=command)
        self.program: tuple[str, ...] = ("dibs-with-bug", bug) if bug else ("dibs",)
        self.clock = folder / f"clock-{self.port}"
        if movable_clock and not bug:
            set_clock(self.clock, 0)
            self.program = ("dibs-with-clock", str(self.clock))
        self.stopping = False
        self.starts = 0
        self._lock = threading.Lock()
        self._spawn()
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)
        self._thread.start()

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        with self._lock, contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def stop(self) -> int:
        """Kill the process for good; a graceful stop would take longer, and its rows are checked by now."""
        self.stopping = True
        self._thread.join()
        self.kill()
        return 0

    def _spawn(self) -> None:
        self.process = start_forked(*self.program, *self.words, log=self.log_path)
        self.starts += 1

    def _watch(self) -> None:
        while not self.stopping:
            with self._lock:
                if self.process is None or self.process.poll() is not None:
                    self._spawn()
            time.sleep(0.1)


class Site:
    """A database with the Dibs processes that use it."""

    def __init__(self, engine: str, folder: Path, kinds: Sequence[str] = (), *, bug: str = "") -> None:
        self.engine = engine
        self.folder = folder
        self.database = open_database(engine, folder, kinds)
        self.dibs = [
            Supervised(
                self.database.url(number),
                folder,
                *FLAGS,
                SECRET,
                command=command,
                bug=bug,
                movable_clock="jump-clock" in kinds,
            )
            for number, command in enumerate(self.database.commands)
        ]

    @property
    def apis(self) -> list[Supervised]:
        """The processes that answer the clients."""
        return [one for one in self.dibs if one.words[0] == "api"] or self.dibs[:1]

    @property
    def conductors(self) -> list[Supervised]:
        """The processes whose conductors the faults hit."""
        return [one for one in self.dibs if one not in self.apis]

    def set_clock(self, process: int, seconds: int) -> None:
        """Set the clock of one process; on SQLite of all, which are on one machine."""
        for number, one in enumerate(self.dibs):
            if self.engine == "sqlite" or number == process % len(self.dibs):
                set_clock(one.clock, seconds)

    def wait_until_ready(self) -> None:
        """Wait until every process is ready."""
        for one in self.dibs:
            eventually(partial(_is_ready, one), seconds=120, what=f"{one.words[0]} on {self.engine}")

    def recover(self) -> None:
        """End every fault that still lasts."""
        for one in self.dibs:
            one.signal(signal.SIGCONT)
        self.database.recover()

    def close(self) -> None:
        """Stop every process and delete what they wrote, except their logs."""
        for one in self.dibs:
            one.stop()
        self.database.close()


def _is_ready(one: Supervised) -> bool:
    try:
        return one.is_ready()
    except RuntimeError:
        # It has ended, and its supervisor starts it again.
        return False
