"""A throw-away PostgreSQL."""

import signal
from pathlib import Path

from tests.bed.addresses import PostgresqlAddress
from tests.bed.database_server import DatabaseServer


def binaries() -> Path:
    """Find the newest installed PostgreSQL server; Debian keeps it out of PATH."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda found: int(found.parts[-3]))
    if not versions:
        raise RuntimeError("PostgreSQL's server is not installed: `make test` says which packages are missing")
    return versions[-1].parent


class PostgresqlServer(DatabaseServer):
    """PostgreSQL without fsync: fast, and safe enough for data that is needed for a minute."""

    address_type = PostgresqlAddress
    system_user = "postgres"
    stop_signal = signal.SIGINT

    def make_data(self) -> None:
        self.run_tool(
            str(binaries() / "initdb"),
            f"--pgdata={self.data}",
            "--username=dibs",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        )

    def serve_command(self) -> list[str]:
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.address.port),
            "unix_socket_directories": str(self.folder),
            "fsync": "off",
            "synchronous_commit": "off",
            "full_page_writes": "off",
            "max_connections": "200",
            "autovacuum": "off",
            "timezone": "UTC",
        }
        settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        return [str(binaries() / "postgres"), "-D", str(self.data), *settings]
