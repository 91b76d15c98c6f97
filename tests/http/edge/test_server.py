"""Processes, signals and sockets."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.bed.processes import children_of, free_port, start_process, stop_process
from tests.bed.waiting import eventually

ECHO_SERVER = Path(__file__).with_name("echo_server.py")


@dataclass
class EchoProcess:
    """A server of the echo dialect in a separate process."""

    process: "subprocess.Popen[bytes]"
    marks: Path
    url: str
    transport: httpx.HTTPTransport | None = None

    def get(self, path: str) -> httpx.Response:
        with httpx.Client(transport=self.transport, timeout=20) as client:
            return client.get(self.url + path)

    def count(self, event: str) -> int:
        path = self.marks / event
        return len(path.read_text()) if path.exists() else 0

    def answers(self) -> bool:
        with contextlib.suppress(httpx.TransportError):
            return self.get("/livez").status_code == 200
        return False


@contextlib.contextmanager
def echo_process(
    marks: Path, *, workers: int = 1, stop_timeout: int = 10, socket_path: Path | None = None
) -> Iterator[EchoProcess]:
    port = free_port()
    bind = f"unix:{socket_path}" if socket_path else f"127.0.0.1:{port}"
    command = [sys.executable, str(ECHO_SERVER), bind, str(marks), str(workers), str(stop_timeout)]
    process = start_process(command, marks / "log", os.environ)
    url = "http://localhost" if socket_path else f"http://127.0.0.1:{port}"
    transport = httpx.HTTPTransport(uds=str(socket_path)) if socket_path else None
    server = EchoProcess(process, marks, url, transport)
    try:
        eventually(server.answers, 30, "the server")
        yield server
    finally:
        stop_process(process)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stop_finishes_running_requests_and_runs_the_hook(tmp_path: Path, number: signal.Signals) -> None:
    with echo_process(tmp_path) as server:
        statuses: list[int] = []
        thread = threading.Thread(target=lambda: statuses.append(server.get("/echo/mark").status_code))
        thread.start()
        eventually(lambda: (tmp_path / "in-flight").exists())
        server.process.send_signal(number)
        thread.join()
        assert statuses == [200]
        assert server.process.wait(20) == 0
        assert (server.count("start"), server.count("stop")) == (1, 1)


def test_request_that_outlives_the_stop_timeout_gets_503(tmp_path: Path) -> None:
    with echo_process(tmp_path, stop_timeout=1) as server:
        answers: list[httpx.Response] = []
        thread = threading.Thread(target=lambda: answers.append(server.get("/echo/slow")))
        thread.start()
        eventually(lambda: "dibs_requests_running 1.0" in server.get("/metrics").text)
        server.process.send_signal(signal.SIGTERM)
        thread.join()
        assert answers[0].status_code == 503
        assert "x-openstack-request-id" in answers[0].headers
        # The thread of the request still waits for its gate, and the process would wait for the thread.
        server.process.kill()


def test_unix_socket_is_served_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "dibs.sock"
    with echo_process(tmp_path, socket_path=path) as server:
        assert path.stat().st_mode & 0o777 == 0o660
        assert server.get("/echo/x").json()["base_url"] == "http://localhost/echo"
    assert not path.exists()


def test_workers_share_the_socket_and_a_dead_worker_is_replaced(tmp_path: Path) -> None:
    with echo_process(tmp_path, workers=2) as server:
        eventually(lambda: server.count("start") == 2, 30)
        before = workers_of(server)
        os.kill(before[0], signal.SIGKILL)
        eventually(lambda: server.count("start") == 3, 30)
        assert len(set(workers_of(server)) - set(before)) == 1
        assert server.get("/echo/x").status_code == 200
    assert server.count("stop") == 2


def test_worker_that_starts_slowly_is_not_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """uvicorn kills a worker that does not answer within 5 seconds, and on a loaded machine the next one too."""
    monkeypatch.setenv("ECHO_IMPORT_SECONDS", "7")
    with echo_process(tmp_path, workers=2) as server:
        eventually(lambda: server.count("start") == 2, 30)
        assert "died" not in (tmp_path / "log").read_text()


def workers_of(server: EchoProcess) -> list[int]:
    """Return the worker processes, without the resource tracker of multiprocessing."""

    def is_worker(pid: int) -> bool:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()

    return [pid for pid in children_of(server.process.pid) if is_worker(pid)]
