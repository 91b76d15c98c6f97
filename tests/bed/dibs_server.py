"""A running Dibs as an operator starts it: a process, reached over HTTP."""

import sys
import urllib.request
from pathlib import Path

from tests.bed.forked import ForkedProcess, start_forked
from tests.bed.processes import free_port, stop_process, tail_of
from tests.bed.waiting import eventually

DIBS = Path(sys.executable).with_name("dibs")


class DibsServer:
    """One ``dibs serve``, ``api`` or ``conductor`` on a free port; ``url`` is its address."""

    def __init__(
        self, database_url: str, folder: Path, *flags: str, auth: str = "noauth", command: str = "serve"
    ) -> None:
        self.database_url = database_url
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log_path = folder / f"dibs-{self.port}.log"
        bind = ["--rpc-bind" if command == "conductor" else "--bind", f"127.0.0.1:{self.port}"]
        self.words = [command, *bind, "--database", database_url, "--auth", auth, *flags]
        self.process: ForkedProcess | None = None

    @property
    def pid(self) -> int:
        """The id of the process; with several workers, of their parent."""
        assert self.process is not None, "this server is not running"
        return self.process.pid

    def start(self) -> None:
        """Start the server and wait until its health check succeeds."""
        self.process = start_forked("dibs", *self.words, log=self.log_path)
        try:
            eventually(self.is_ready, seconds=90, what="dibs serve")
        except AssertionError as error:
            self.kill()
            raise RuntimeError(f"dibs serve is not ready; the end of its log:\n{tail_of(self.log_path)}") from error

    def is_ready(self) -> bool:
        """Check its health; raise OSError while it does not answer, RuntimeError when the process has ended."""
        if self.process is None or self.process.poll() is not None:
            raise RuntimeError(f"dibs serve has ended; the end of its log:\n{tail_of(self.log_path)}")
        with urllib.request.urlopen(f"{self.url}/healthcheck", timeout=5) as answer:
            return int(answer.status) == 200

    def stop(self) -> int:
        """Stop the server as an operator does, and return its exit status."""
        if self.process is None:
            return 0
        status = stop_process(self.process, seconds=40)
        self.process = None
        return status

    def kill(self) -> None:
        """Kill the server."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def restart(self) -> None:
        """Stop the server, unless it was killed, and start it on the same port and database."""
        self.stop()
        self.start()

    def log(self) -> str:
        """Return everything that the server has logged so far."""
        return self.log_path.read_text(errors="replace")
