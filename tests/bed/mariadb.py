"""A throw-away MariaDB."""

import shutil
import signal

from tests.bed.addresses import MariadbAddress
from tests.bed.database_server import DatabaseServer


def binary(name: str) -> str:
    """Find a MariaDB program; the server is not in the PATH of ordinary users."""
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if found is None:
        raise RuntimeError("MariaDB's server is not installed: `make test` says which packages are missing")
    return found


class MariadbServer(DatabaseServer):
    """MariaDB without flushing at commit: fast, and safe enough for data that is needed for a minute."""

    address_type = MariadbAddress
    system_user = "mysql"
    stop_signal = signal.SIGTERM

    def make_data(self) -> None:
        self.run_tool(
            binary("mariadb-install-db"),
            "--no-defaults",
            f"--datadir={self.data}",
            # A starting server deletes the temporary tables that it finds, those of other servers too.
            f"--tmpdir={self.folder}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        )
        (self.folder / "init.sql").write_text(
            "CREATE USER IF NOT EXISTS dibs@'127.0.0.1';\nGRANT ALL ON *.* TO dibs@'127.0.0.1' WITH GRANT OPTION;\n"
        )

    def serve_command(self) -> list[str]:
        return [
            binary("mariadbd"),
            "--no-defaults",
            f"--datadir={self.data}",
            f"--tmpdir={self.folder}",
            f"--init-file={self.folder / 'init.sql'}",
            f"--socket={self.folder / 'sock'}",
            f"--pid-file={self.folder / 'pid'}",
            f"--port={self.address.port}",
            "--bind-address=127.0.0.1",
            "--skip-name-resolve",
            "--character-set-server=utf8mb4",
            "--max-connections=200",
            "--performance-schema=OFF",
            "--innodb-buffer-pool-size=96M",
            "--innodb-log-file-size=64M",
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-flush-method=nosync",
            "--innodb-doublewrite=OFF",
            "--innodb-use-native-aio=OFF",
        ]
