"""The processes of a run: a database server behind a proxy, an API, and conductors."""

import contextlib
import os
import signal
import threading
import time
from functools import partial
from pathlib import Path

from dibs.database.migrate import upgrade
from faults.plan import CONDUCTOR_TIMEOUT_SECONDS
from tests.bed.databases import SqliteDatabases
from tests.bed.dibs_server import DibsServer
from tests.bed.forked import start_forked
from tests.bed.mariadb import MariadbServer
from tests.bed.postgresql import PostgresqlServer
from tests.bed.proxy import Proxy
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


class DurablePostgresql(PostgresqlServer):
    """PostgreSQL that keeps every commit when it is killed."""

    def serve_command(self) -> list[str]:
        settings = ("fsync=on", "synchronous_commit=on", "full_page_writes=on")
        return [*super().serve_command(), *(word for setting in settings for word in ("-c", setting))]


class DurableMariadb(MariadbServer):
    """MariaDB that keeps every commit when it is killed."""

    def serve_command(self) -> list[str]:
        durable = ("--innodb-flush-log-at-trx-commit=1", "--innodb-flush-method=fsync", "--innodb-doublewrite=ON")
        return [*super().serve_command(), *durable]


class Supervised(DibsServer):
    """A Dibs process that is started again when it has ended, as systemd does; ``bug`` names a defect to give it."""

    def __init__(self, database_url: str, folder: Path, *flags: str, command: str, bug: str) -> None:
        super().__init__(database_url, folder, *flags, command=command)
        self.program = ("dibs-with-bug", bug) if bug else ("dibs",)
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
    """A database with an API and two conductors; on SQLite with two processes that are both."""

    def __init__(self, engine: str, folder: Path, *, bug: str = "") -> None:
        self.engine = engine
        self.folder = folder
        self.database: PostgresqlServer | MariadbServer | None = None
        self.proxy: Proxy | None = None
        if engine == "sqlite":
            self.direct_url = url = SqliteDatabases(folder).fresh()
        else:
            self.database = DurablePostgresql() if engine == "postgresql" else DurableMariadb()
            self.database.address.execute("CREATE DATABASE faults")
            self.direct_url = self.database.address.url("faults")
            upgrade(self.direct_url)
            self.proxy = Proxy(self.database.address.port)
            url = self.direct_url.replace(f":{self.database.address.port}/", f":{self.proxy.port}/")
        self.dibs: list[Supervised] = []
        first, others = ("serve", "serve") if engine == "sqlite" else ("api", "conductor")
        count = 1 if engine == "sqlite" else 2
        for command in (first, *[others] * count):
            self.dibs.append(Supervised(url, folder, *FLAGS, SECRET, command=command, bug=bug))

    @property
    def api(self) -> Supervised:
        """The process that answers the clients."""
        return self.dibs[0]

    @property
    def conductors(self) -> list[Supervised]:
        """The processes whose conductors the faults hit."""
        return self.dibs[1:]

    @property
    def database_file(self) -> Path:
        """The file of an SQLite database."""
        return Path(self.direct_url.removeprefix("sqlite:///"))

    def wait_until_ready(self) -> None:
        """Wait until every process is ready."""
        for one in self.dibs:
            eventually(partial(_is_ready, one), seconds=120, what=f"{one.words[0]} on {self.engine}")

    def recover(self) -> None:
        """End every fault that still lasts."""
        for one in self.dibs:
            one.signal(signal.SIGCONT)
        if self.database is not None and self.proxy is not None:
            self.proxy.forward()
            self.database.thaw()
            self.database.start()

    def close(self) -> None:
        """Stop every process and delete what they wrote, except their logs."""
        for one in self.dibs:
            one.stop()
        if self.proxy is not None:
            self.proxy.close()
        if self.database is not None:
            self.database.remove()


def _is_ready(one: Supervised) -> bool:
    try:
        return one.is_ready()
    except RuntimeError:
        # It has ended, and its supervisor starts it again.
        return False
