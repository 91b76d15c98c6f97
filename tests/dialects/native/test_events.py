"""The stream of events over HTTP: live, resumed, limited, and closed when the server stops."""

import http.client
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dibs.access.actor import SERVICE_ACTOR, Actor
from tests.bed.dibs_server import DibsServer
from tests.clients.clouds import fresh
from tests.dialects.conversation import send
from tests.dialects.native.conversation import Conversation, person

STREAM = "/dibs/v1/events"


class Client:
    """A client of one stream."""

    def __init__(self, server: DibsServer, query: str = "", **headers: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self._connection.request("GET", f"{STREAM}{query}", headers=headers)
        self._answer = self._connection.getresponse()
        self.status = self._answer.status
        self.type = self._answer.headers["content-type"]

    def messages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the id and the event of each message."""
        number = ""
        for line in self._answer:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "id":
                number = value
            if name == "data":
                yield number, json.loads(value)

    def close(self) -> None:
        self._answer.close()
        self._connection.close()


@pytest.fixture
def listen(shared_server: DibsServer) -> Iterator[Callable[..., Client]]:
    opened: list[Client] = []

    def connect(query: str = "", **headers: str) -> Client:
        opened.append(Client(shared_server, query, **headers))
        return opened[-1]

    yield connect
    for client in opened:
        client.close()


def enrol(server: DibsServer) -> str:
    """Create a node, and return its uuid."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    body = json.dumps({"driver": "fake-hardware", "name": fresh("node")})
    headers = {"Content-Type": "application/json", "X-OpenStack-Ironic-API-Version": "1.80"}
    connection.request("POST", "/baremetal/v1/nodes", body, headers)
    document = json.loads(connection.getresponse().read())
    connection.close()
    return str(document["uuid"])


def test_client_gets_events_as_they_happen_and_resumes_with_the_last_id(
    shared_server: DibsServer, listen: Callable[..., Client]
) -> None:
    live = listen("?type=node.created")
    assert (live.status, live.type) == (200, "text/event-stream")
    first, second = enrol(shared_server), enrol(shared_server)
    messages = live.messages()
    seen, event = next(messages)
    assert event["object"] == {"kind": "node", "id": first}
    live.close()
    resumed = listen("?type=node.created", **{"Last-Event-ID": seen})
    assert next(resumed.messages())[1]["object"]["id"] == second


def test_one_caller_has_few_streams_at_the_same_time(listen: Callable[..., Client]) -> None:
    statuses = [listen(**{"X-Project-Id": "crowd"}).status for _ in range(11)]
    assert statuses == [*[200] * 10, 429]


def test_stopping_server_closes_streams(serve: Callable[..., DibsServer]) -> None:
    """The stop would otherwise wait for the streams until its time is over, which the test does not wait for."""
    server = serve("--stop-timeout-seconds", "600")
    client = Client(server)
    assert client.status == 200
    assert server.stop() == 0
    assert list(client.messages()) == []


@pytest.mark.parametrize("seen", ["x", "-1", "1" * 30])
def test_wrong_last_event_id_is_refused(ask: Conversation, seen: str) -> None:
    answer = send(ask.dialect, "GET", "/v1/events", actor=SERVICE_ACTOR, headers={"last-event-id": seen})
    assert answer.status == 400


@pytest.mark.parametrize(
    ("actor", "query", "status"),
    [
        (person("reader"), "", 200),
        (person("reader"), "?project=p2", 403),
        (Actor(user="guest", project="p1", roles=frozenset()), "", 403),
        (person("reader"), "?node=nowhere", 404),
    ],
)
def test_stream_needs_the_right_to_list_events(ask: Conversation, actor: Actor, query: str, status: int) -> None:
    assert send(ask.dialect, "GET", f"/v1/events{query}", actor=actor).status == status
