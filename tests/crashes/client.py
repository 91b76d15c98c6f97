"""Clients that put a server under load and record every acknowledged write."""

import http.client
import json
import threading
import uuid
from collections.abc import Callable
from typing import Any

from tests.bed.dibs_server import DibsServer
from tests.bed.waiting import eventually

SMALL_TIMES = ("--heartbeat-seconds", "0.2", "--conductor-timeout-seconds", "5", "--take-over-seconds", "10")
"""Settings that detect a failed conductor within seconds, but not a live one on a busy machine."""


class Client:
    """One kept-alive connection, for one thread."""

    def __init__(self, port: int, timeout: float = 60) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        self.headers: dict[str, str] = {}

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the status and the document of the response; raise OSError or HTTPException if none arrives."""
        headers = {"X-OpenStack-Ironic-API-Version": "1.80", "Content-Type": "application/json"}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        content = answer.read()
        return answer.status, json.loads(content) if content else None

    def node(self, ident: str) -> dict[str, Any]:
        """Return a node that must exist."""
        status, document = self.ask("GET", f"/baremetal/v1/nodes/{ident}")
        assert status == 200, document
        assert isinstance(document, dict)
        return document

    def nodes(self, *fields: str) -> dict[str, dict[str, Any]]:
        """Return every node by uuid, with these fields."""
        status, document = self.ask("GET", f"/baremetal/v1/nodes?fields={','.join(('uuid', *fields))}")
        assert status == 200, document
        return {node["uuid"]: node for node in document["nodes"]}

    def create(self, ident: str, **values: Any) -> None:
        """Enroll a node."""
        body = {"driver": "fake-hardware", "uuid": ident, **values}
        status, document = self.ask("POST", "/baremetal/v1/nodes", body)
        assert status == 201, document

    def provision(self, ident: str, target: str) -> None:
        """Send a provisioning verb that must be accepted."""
        status, document = self.ask("PUT", f"/baremetal/v1/nodes/{ident}/states/provision", {"target": target})
        assert status == 202, document


class Load:
    """Threads that enrol nodes, set traits and send verbs until the server stops or the ``with`` block ends.

    ``created`` and ``traits`` hold acknowledged writes; ``asked`` holds the traits of every request, which may be
    stored even if no response arrived; ``refused`` holds every response that is not a success.
    """

    def __init__(self, port: int, threads: int = 4, stop_after: int | None = None) -> None:
        self.port = port
        self.stop_after = stop_after
        self.created: set[str] = set()
        self.traits: dict[str, list[str]] = {}
        self.asked: dict[str, list[str]] = {}
        self.refused: list[tuple[int, Any]] = []
        self.broken: list[Exception] = []
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(number,)) for number in range(threads)]

    def __enter__(self) -> "Load":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.join()

    def reach(self, count: int) -> None:
        """Wait until this many nodes have their traits; fail at once after a refusal."""
        eventually(lambda: len(self.traits) >= count or self.refused or self.broken, seconds=60, what="some load")
        assert (self.refused, self.broken) == ([], [])

    def join(self) -> None:
        """Wait for every thread."""
        for thread in self.threads:
            thread.join(timeout=60)

    def _run(self, number: int) -> None:
        client = Client(self.port)
        rounds = 0
        try:
            while not self.stopping.is_set() and (self.stop_after is None or rounds < self.stop_after):
                self._enrol(client, f"load-{number}-{rounds}")
                rounds += 1
        except (OSError, http.client.HTTPException) as error:
            self.broken.append(error)

    def _enrol(self, client: Client, name: str) -> None:
        ident = str(uuid.uuid4())
        node = f"/baremetal/v1/nodes/{ident}"
        body = {"driver": "fake-hardware", "uuid": ident, "name": name, "resource_class": "load"}
        self._expect(client, lambda: self.created.add(ident), "POST", "/baremetal/v1/nodes", body)
        wanted = ["CUSTOM_A", f"CUSTOM_{ident[:4].upper()}", "HW_CPU_X86_VMX"]
        self.asked[ident] = wanted
        acknowledge = lambda: self.traits.update({ident: wanted})  # noqa: E731 - a nested function would be longer
        self._expect(client, acknowledge, "PUT", f"{node}/traits", {"traits": wanted})
        self._expect(client, lambda: None, "PUT", f"{node}/states/provision", {"target": "manage"})

    def _expect(self, client: Client, acknowledge: Callable[[], Any], *request: Any) -> None:
        status, document = client.ask(*request)
        if status < 300:
            acknowledge()
        else:
            self.refused.append((status, document))


def assert_nothing_lost(server: DibsServer, load: Load) -> None:
    """Check that every acknowledged write exists, and that every other write is complete or absent."""
    found = Client(server.port).nodes("traits", "name")
    assert load.created - found.keys() == set()
    assert len({node["name"] for node in found.values()}) == len(found)
    for ident, node in found.items():
        possible = [sorted(load.traits[ident])] if ident in load.traits else [[], sorted(load.asked.get(ident, []))]
        assert node["traits"] in possible, (ident, node)
