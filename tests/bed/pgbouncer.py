"""A throw-away PgBouncer in transaction mode, in front of a PostgreSQL server."""

import os
import pwd
import shutil
import socket
import tempfile
from pathlib import Path

from tests.bed.processes import as_user, free_port, start_process, stop_process, user_for_servers
from tests.bed.waiting import eventually

SETTINGS = """
[databases]
* = host=127.0.0.1 port={target} user=dibs

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
{more}
"""


class PgBouncer:
    """PgBouncer with two connections to the server for each database."""

    def __init__(self, target_port: int, more: str = "") -> None:
        program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
        if program is None:
            raise RuntimeError("PgBouncer is not installed: `make test` says which packages are missing")
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="dibs-bed-"))
        settings = self.folder / "pgbouncer.ini"
        settings.write_text(SETTINGS.format(target=target_port, port=self.port, more=more))
        user = user_for_servers("postgres")
        if os.geteuid() == 0:
            os.chown(self.folder, pwd.getpwnam(user).pw_uid, -1)
        self.process = start_process(as_user(user, [program, str(settings)]), self.folder / "log", os.environ)
        eventually(self._listens, what="PgBouncer")

    def url(self, server_url: str) -> str:
        """Return the URL of a server's database, through PgBouncer."""
        return f"postgresql://dibs@127.0.0.1:{self.port}/{server_url.rpartition('/')[2]}"

    def stop(self) -> None:
        stop_process(self.process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _listens(self) -> bool:
        socket.create_connection(("127.0.0.1", self.port)).close()
        return True
