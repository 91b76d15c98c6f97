"""No way to lose a client leaves a machine behind: signals, closed pipes, kill -9 and lost networks, in every phase.

A signal or a closed pipe makes the client release its machine. After kill -9 or without a network the server does,
when the heartbeat is overdue; the tests move that time in the database instead of waiting for it.
"""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

import pytest

from dibs.client import Allocation, Dibs
from tests.bed.dibs_server import DibsServer
from tests.bed.forked import ForkedProcess
from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.clients.clouds import bare_environment, enroll, fresh
from tests.integrations.gate import Gate

PHASES = ("waiting", "holding", "releasing")
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
PROGRAM = """
import sys, time
from dibs.client import Dibs

with Dibs.connect(sys.argv[1]).allocations.borrowed(sys.argv[2], wait_seconds=3600, keep_alive=60):
    open(sys.argv[3], "w").close()
    time.sleep(0 if sys.argv[4] == "releasing" else 600)
"""


class Command(ForkedProcess):
    """A ``dibs`` command with pipes for its output and errors."""

    def __init__(self, url: str, *words: str) -> None:
        (out, its_out), (err, its_err) = os.pipe(), os.pipe()
        self.stdout, self.stderr = os.fdopen(out, "rb"), os.fdopen(err, "rb")
        with open(os.devnull, "rb") as nothing, open(its_out, "wb") as output, open(its_err, "wb") as errors:
            files = (nothing, output, errors)
            super().__init__(["dibs", *words], {**bare_environment(), "DIBS_URL": url}, files)


Client = Command | subprocess.Popen[bytes]


@pytest.fixture
def server(bed: Bed) -> DibsServer:
    return bed.shared_server("sqlite")


@pytest.fixture
def dibs(server: DibsServer) -> Dibs:
    return Dibs.connect(server.url)


@pytest.fixture
def network(server: DibsServer) -> Iterator[Gate]:
    """Return a proxy to the server: the network of the client."""
    gate = Gate(server.port)
    yield gate
    gate.remove()


class Scene:
    """A client in one phase, a machine of its own class, and what is left of both."""

    def __init__(self, dibs: Dibs, network: Gate, folder: Path) -> None:
        self.dibs, self.network = dibs, network
        self.kind = fresh("class")
        self.runs = folder / "runs"
        self.node: Any = None
        self.client: Client | None = None

    @property
    def url(self) -> str:
        """The address of the server on the network of the client."""
        return f"http://127.0.0.1:{self.network.port}"

    @property
    def allocations(self) -> list[Allocation]:
        return list(self.dibs.allocations.list(resource_class=self.kind))

    def play(self, phase: str, start: "Callable[[Scene, str], Client]") -> Client:
        """Start a client and wait until it is in the phase."""
        if phase != "waiting":
            self.node = enroll(self.dibs.connection, resource_class=self.kind)
        if phase == "releasing":
            self.network.hold("DELETE")
        self.client = start(self, phase)
        reached: dict[str, Callable[[], object]] = {
            "waiting": lambda: self.allocations,
            "holding": self.runs.exists,
            "releasing": self.network.held.is_set,
        }
        eventually(reached[phase], what=phase)
        assert self.allocations[0].keep_alive_seconds == 60
        return self.client

    def expect_the_client_to_have_released_everything(self) -> None:
        assert self.client is not None
        self.client.wait(60)
        assert self.allocations == []
        assert self.node is None or self.dibs.nodes.get(self.node.id).instance_id is None

    def expect_the_server_to_release_everything(self, database_url: str) -> None:
        """Let the heartbeat be overdue; the allocation then ends, with the reason."""
        with sqlite3.connect(database_url.removeprefix("sqlite:///"), timeout=60) as database:
            database.execute(
                "UPDATE allocations SET alive_until = 1 WHERE alive_until IS NOT NULL AND resource_class = ?",
                (self.kind,),
            )
        (ended,) = eventually(lambda: [each for each in self.allocations if each.state == "error"], what="its end")
        assert "Its client sent no heartbeat for 60 seconds" in (ended.last_error or "")
        assert self.node is None or self.dibs.nodes.get(self.node.id).instance_id is None


@pytest.fixture
def scene(dibs: Dibs, network: Gate, tmp_path: Path) -> Iterator[Scene]:
    made = Scene(dibs, network, tmp_path)
    yield made
    if made.client is not None:
        # The command that a killed client ran is in the same process group.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(made.client.pid, signal.SIGKILL)
        made.client.wait(60)
        for pipe in (made.client.stdout, made.client.stderr):
            assert pipe is not None
            pipe.close()


def run_command(scene: Scene, phase: str) -> Client:
    """Start ``dibs allocation create``; its command writes now and then, as a build does."""
    command = "true" if phase == "releasing" else f"touch {scene.runs}; while :; do echo busy; sleep 0.1; done"
    words = ["--resource-class", scene.kind, "--keep-alive", "60s", "--wait", "1h"]
    words += [] if phase == "waiting" else ["--shell", command]
    return Command(scene.url, "allocation", "create", *words)


def run_python(scene: Scene, phase: str) -> Client:
    """Start a program with ``borrowed()``."""
    words = [sys.executable, "-c", PROGRAM, scene.url, scene.kind, str(scene.runs), phase]
    return subprocess.Popen(
        words, env=bare_environment(), stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=True
    )


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("name", SIGNALS)
def test_a_signal_makes_the_command_release_its_machine(scene: Scene, phase: str, name: str) -> None:
    client = scene.play(phase, run_command)
    client.send_signal(getattr(signal, name))
    scene.network.let_go()
    scene.expect_the_client_to_have_released_everything()


@pytest.mark.parametrize("phase", PHASES)
def test_a_closed_pipe_makes_the_command_release_its_machine(scene: Scene, phase: str) -> None:
    client = scene.play(phase, run_command)
    assert client.stdout is not None
    client.stdout.close()
    scene.network.let_go()
    scene.expect_the_client_to_have_released_everything()


@pytest.mark.parametrize("run", [run_command, run_python])
@pytest.mark.parametrize("phase", PHASES)
def test_the_server_releases_the_machine_of_a_killed_client(
    scene: Scene, server: DibsServer, phase: str, run: Callable[[Scene, str], Client]
) -> None:
    client = scene.play(phase, run)
    client.kill()
    client.wait()
    scene.network.close()
    assert [each.state for each in scene.allocations] == ["allocating" if phase == "waiting" else "active"]
    scene.expect_the_server_to_release_everything(server.database_url)


@pytest.mark.parametrize("phase", PHASES)
def test_the_server_releases_the_machine_of_a_client_without_network(
    scene: Scene, server: DibsServer, phase: str
) -> None:
    client = scene.play(phase, run_command)
    scene.network.close()
    scene.network.let_go()
    if phase != "holding":
        assert client.stderr is not None
        told = client.stderr.read()
        client.wait(60)
        assert b"was not deleted. It ends in 60 seconds." in told
        assert client.returncode == 5
    scene.expect_the_server_to_release_everything(server.database_url)
