"""A client of the bench ends when its server does not answer, and tells what the work of a server cost."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import load
from bench.cpu import cpu_seconds
from bench.load import Client, Target, ask, encode, get, measure
from tests.bed.processes import start_process
from tests.bed.waiting import eventually

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n" + b'{"state": "active"}'


def serve(listener: socket.socket, answer: bytes) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            while connection.recv(65_536):
                connection.sendall(answer)
                if not answer:
                    break


def listen(answer: bytes) -> socket.socket:
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener, answer), daemon=True).start()
    return listener


@pytest.fixture
def target() -> Iterator[Target]:
    """A server that answers every request alike, in this process."""
    with listen(ANSWER) as listener:
        port = listener.getsockname()[1]
        yield Target(name="server", port=port, pid=os.getpid(), database_pid=None, mounts={"api": "/mount"})


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsh"])
def test_connection_that_the_server_closes_is_an_error_and_not_a_loop(answer: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        theirs.sendall(answer)
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(ConnectionError):
            ask(ours, encode("GET", "/"))
        theirs.close()


def test_client_opens_a_new_connection_when_the_server_closed_the_old_one(target: Target) -> None:
    with Client(target) as client:
        client.get("api", "/path")
        client._connection.shutdown(socket.SHUT_RDWR)
        assert client.get("api", "/path") == {"state": "active"}


def test_every_client_works_once_even_without_time(target: Target) -> None:
    seen: list[tuple[int, int]] = []
    found = measure(target, lambda client: seen.append((client.number, client.turn)), clients=3, seconds=0)
    assert sorted(seen) == [(0, 0), (1, 0), (2, 0)]
    assert found.unfinished == 0


def test_work_is_done_at_most_as_often_as_allowed(target: Target) -> None:
    seen: list[int] = []
    measure(target, lambda client: seen.append(client.turn), clients=2, seconds=60, count_max=6)
    assert sorted(seen) == [0, 0, 1, 1, 2, 2]


def test_refusal_ends_the_measurement(target: Target) -> None:
    with pytest.raises(RuntimeError, match="GET /path: 200"):
        measure(target, lambda client: client.send("GET", "api", "/path", refused=True), clients=2, seconds=60)


def test_state_that_does_not_come_is_counted_as_unfinished(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "PATIENCE_SECONDS", 0)

    def wait(client: Client) -> None:
        client.wait_for("api", "/path", "state", "active" if client.turn else "never")

    found = measure(target, wait, clients=1, seconds=60, count_max=4)
    assert found.unfinished == 0.25


def test_cpu_time_of_the_processes_that_serve_is_divided_by_the_work(target: Target) -> None:
    found = measure(target, get("api", "/path"), clients=1, seconds=60, count_max=50)
    assert 0 <= found.server < 60_000
    assert found.database == 0


def test_cpu_time_contains_that_of_children_of_every_thread(tmp_path: Path) -> None:
    """Processes are started by a thread of their own, and the kernel lists the children of each thread apart."""

    def of_others() -> float:
        return cpu_seconds(os.getpid()) - time.process_time()

    before = of_others()
    process = start_process(["sh", "-c", "while :; do :; done"], tmp_path / "log", {})
    try:
        assert eventually(lambda: of_others() > before + 0.1)
    finally:
        process.kill()
        process.wait()
