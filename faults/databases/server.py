"""One PostgreSQL or MariaDB server."""

import contextlib
from collections.abc import Iterator, Sequence

from dibs.database.migrate import upgrade
from faults.databases.proxied import Proxied
from faults.plan import Fault
from tests.bed.mariadb import MariadbServer
from tests.bed.postgresql import PostgresqlServer


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


class Server(Proxied):
    """One server, with an API and two conductors."""

    commands: Sequence[str] = ("api", "conductor", "conductor")

    def __init__(self, engine: str) -> None:
        self.server = DurablePostgresql() if engine == "postgresql" else DurableMariadb()
        self.server.address.execute("CREATE DATABASE faults")
        self.direct_url = self.server.address.url("faults")
        upgrade(self.direct_url)
        super().__init__([self.server.address.port])
        self.breaks |= {"kill-database": self._killed, "freeze-database": self._frozen}

    def url(self, process: int) -> str:
        """Return the URL of the proxy."""
        return self.direct_url.replace(f"127.0.0.1:{self.server.address.port}", self.hosts(process))

    def recover(self) -> None:
        """Forward connections to a server that runs."""
        self.proxies[0].forward()
        self.server.thaw()
        self.server.start()

    def close(self) -> None:
        """Stop the server and delete what it wrote."""
        self.close_proxies()
        self.server.remove()

    @contextlib.contextmanager
    def _killed(self, _: Fault) -> Iterator[None]:
        self.server.kill()
        yield
        self.server.start()

    @contextlib.contextmanager
    def _frozen(self, _: Fault) -> Iterator[None]:
        self.server.freeze()
        yield
        self.server.thaw()
