"""Start, stop, kill and freeze a throw-away database server: the parts that PostgreSQL and MariaDB share."""

import os
import pwd
import shutil
import signal
import subprocess

from tests.bed.addresses import MariadbAddress, PostgresqlAddress
from tests.bed.processes import (
    as_user,
    children_of,
    free_port,
    make_folder,
    start_process,
    stop_process,
    tail_of,
    user_for_servers,
)
from tests.bed.waiting import eventually

Address = PostgresqlAddress | MariadbAddress


class DatabaseServer:
    """One database server in a temporary folder, on a free port of the loopback interface.

    The data survives ``stop``, ``kill`` and ``start``; ``remove`` deletes it.
    """

    address_type: type[Address]
    system_user: str
    stop_signal: int

    def __init__(self) -> None:
        self.address: Address = self.address_type(port=free_port())
        self.user = user_for_servers(self.system_user)
        # The path of a folder must be short: the path of a Unix socket has at most 107 characters.
        self.folder = make_folder()
        self.data = self.folder / "data"
        self.log = self.folder / "server.log"
        self.process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            os.chown(self.folder, pwd.getpwnam(self.user).pw_uid, -1)
        try:
            self.make_data()
            self.start()
        except BaseException:
            self.remove()
            raise

    def make_data(self) -> None:
        """Create an empty data folder."""
        raise NotImplementedError

    def serve_command(self) -> list[str]:
        """Return the command that runs the server in the foreground."""
        raise NotImplementedError

    def run_tool(self, *command: str) -> None:
        """Run one of the server's tools as the server's user, and wait for its end."""
        done = subprocess.run(
            as_user(self.user, command),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed:\n{done.stdout}\n{done.stderr}")

    def environment(self) -> dict[str, str]:
        """Return an environment without the locale, the connection defaults and the home of the test run."""
        return {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}

    def start(self) -> None:
        """Start the server and wait until it answers."""

        def ready() -> bool:
            # A killed PostgreSQL leaves children that hold its memory for a moment; a start in that moment fails.
            if self.process is None or self.process.poll() is not None:
                command = as_user(self.user, self.serve_command())
                self.process = start_process(command, self.log, self.environment())
            return self.address.check()

        try:
            eventually(ready, seconds=60, what=f"a {type(self).__name__}")
        except AssertionError as error:
            raise RuntimeError(f"{error}; the end of its log:\n{tail_of(self.log)}") from error

    def stop(self) -> None:
        """Stop the server; it closes every connection."""
        if self.process is not None:
            self.thaw()
            stop_process(self.process, self.stop_signal)
            self.process = None

    def kill(self) -> None:
        """Kill the server, as a power cut does."""
        if self.process is not None:
            self.thaw()
            self.process.kill()
            self.process.wait()
            self.process = None

    def freeze(self) -> None:
        """Make the server hang: connections stay open and nothing answers."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """Resume a frozen server."""
        self._signal_all(signal.SIGCONT)

    def remove(self) -> None:
        """Stop the server and delete everything it wrote."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _signal_all(self, number: int) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        # PostgreSQL puts each backend in a process group of its own, so the group is not enough.
        for pid in (self.process.pid, *children_of(self.process.pid)):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
