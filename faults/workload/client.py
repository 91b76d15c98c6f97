"""A client thread: sends one request after the other, and records each with its answer and its time."""

import http.client
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from random import Random
from typing import Any

from dibs.database.engines import timeouts
from faults.workload.memory import Memory, Step

DEADLINE_SECONDS = timeouts.CONNECT_SECONDS + timeouts.ANSWER_SECONDS + 10
"""Every request is answered within this time: the wait for a silent database, and some for a busy machine.

Of the servers of a cluster, at most one is silent at a time.
"""
NOT_ACCEPTED = 0
PAUSE_SECONDS = 0.1
"""Before the next request after one without a clear answer."""

HEADERS = {
    "baremetal": {"X-OpenStack-Ironic-API-Version": "1.80"},
    "dibs": {},
    "placement": {"X-Auth-Token": "admin", "OpenStack-API-Version": "placement 1.27"},
    "reservation": {"X-Auth-Token": "admin"},
    "compute": {"X-Auth-Token": "admin", "OpenStack-API-Version": "compute 2.61"},
    "reshaper": {"X-Auth-Token": "nova:service", "X-Roles": "service", "OpenStack-API-Version": "placement 1.39"},
}

Draw = Callable[[Memory, "Client"], Step | None]


@dataclass(frozen=True)
class Record:
    """A request with its answer."""

    client: int
    kind: str
    method: str
    path: str
    body: Any
    at: float
    """Seconds after the start of the run."""
    seconds: float
    status: int | None
    """None: no answer; NOT_ACCEPTED: the server refused the connection, so that it got no request."""
    answer: Any

    @property
    def acknowledged(self) -> bool:
        """Return True for a success."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def answered(self) -> bool:
        """Return True for a success and for a refusal of the request."""
        return self.acknowledged or not (self.unclear or self.status == NOT_ACCEPTED)

    @property
    def unclear(self) -> bool:
        """Return True when the request may or may not have been executed."""
        return self.status is None or self.status >= 500

    def line(self) -> str:
        """Return the record as a line of JSON."""
        return json.dumps(asdict(self))


class Client:
    """One client: a connection to each API, a memory, and the records of what it did.

    Requests go to the APIs at random, so that each API has to see what the others acknowledged.
    """

    def __init__(self, ports: Sequence[int], memory: Memory, began: float) -> None:
        self.memory = memory
        self.records: list[Record] = []
        self.stale: list[str] = []
        """Reads that did not show what was acknowledged before."""
        self.began = began
        self._connections = [
            http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_SECONDS + 5) for port in ports
        ]
        self.spreads = False
        """Whether requests go to every API; the preparation goes to the first one."""
        self._chance = Random(f"api {memory.client}")

    def send(self, step: Step) -> Record:
        """Send a request, and remember what its answer promises."""
        at = time.monotonic()
        status, answer = self._ask(step)
        taken = time.monotonic() - at
        record = Record(
            self.memory.client, step.kind, step.method, step.path, step.body, at - self.began, taken, status, answer
        )
        self.records.append(record)
        if record.acknowledged:
            self.memory.succeeded(step, answer)
        elif record.unclear:
            self.memory.unclear(step)
        elif record.status == HTTPStatus.NOT_FOUND and all(self.memory.known.get(key) for key in step.changes):
            self.stale.append(f"{step.kind} at {record.at:.1f} s: {step.path} was acknowledged and is not found")
        return record

    def read(self, path: str) -> Any:
        """Return a document, None when it cannot be read now."""
        record = self.send(Step("read", "GET", path))
        return record.answer if record.acknowledged else None

    def hang_up(self) -> None:
        """Close every connection; the next request opens one."""
        for connection in self._connections:
            connection.close()

    def _ask(self, step: Step) -> tuple[int | None, Any]:
        dialect = "reshaper" if step.path.endswith("/reshaper") else step.path.split("/")[1]
        headers = {"Content-Type": "application/json", **HEADERS[dialect]}
        body = None if step.body is None else json.dumps(step.body)
        connection = self._chance.choice(self._connections) if self.spreads else self._connections[0]
        try:
            connection.request(step.method, step.path, body, headers)
            response = connection.getresponse()
            content = response.read()
            return response.status, json.loads(content) if content else {}
        except ConnectionRefusedError as error:
            connection.close()
            return NOT_ACCEPTED, str(error)
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            return None, f"{type(error).__name__}: {error}"


def run_client(client: Client, draws: Mapping[Draw, int], stopping: threading.Event) -> None:
    """Send random requests until told to stop."""
    client.spreads = True
    choices, weights = list(draws), list(draws.values())
    while not stopping.is_set():
        (draw,) = client.memory.chance.choices(choices, weights)
        step = draw(client.memory, client)
        while step is not None:
            record = client.send(step)
            if not record.answered:
                time.sleep(PAUSE_SECONDS)
            step = step.then if record.acknowledged else None
