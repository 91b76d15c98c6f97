"""The whole HTTP application without its socket, and a look at every table before and after each request.

The laws that no request may break: no answer is a 5xx; a refusal has Ironic's shape, is short, and leaves every table
as it was; reading changes nothing; and whatever was accepted leaves the ledger in order.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from sqlalchemy import delete

from dibs.dialects.baremetal import Baremetal
from dibs.dialects.baremetal.microversions import VERSIONS
from dibs.domain.actor import SERVICE
from dibs.drivers import DRIVERS
from dibs.http.auth.noauth import NoAuth
from dibs.http.limits import Limits
from dibs.http.shell import Application, Shell
from dibs.store import Store, open_store, tables
from dibs.usecases.holds import CreateHold, create_hold
from dibs.usecases.node_requests import CreateNodeRequest, create_node_request
from dibs.usecases.ports import CreatePort, create_port
from tests.builders import Ledger, allow
from tests.laws import Tables, broken_laws, connect, rows_of

NEWEST = f"1.{max(VERSIONS)}"
NODES = {
    "enrolled": "aaaaaaaa-0000-4000-8000-000000000001",
    "available": "aaaaaaaa-0000-4000-8000-000000000002",
    "active": "aaaaaaaa-0000-4000-8000-000000000003",
    "held": "aaaaaaaa-0000-4000-8000-000000000004",
}
PORT = "bbbbbbbb-0000-4000-8000-000000000001"
INSTANCE = "cccccccc-0000-4000-8000-000000000001"
HOLD = "eeeeeeee-0000-4000-8000-000000000001"
ANSWER_MAX = 8_000
_SAFE = "".join(map(chr, range(0x21, 0x7F))).replace("%", "").replace("?", "").replace("#", "")


@dataclass
class Attack:
    """One request, as bytes where rubbish is wanted and as values where not."""

    method: str
    path: bytes
    query: bytes = b""
    body: bytes = b""
    headers: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, method: str, path: str, body: Any = None, *, version: str = NEWEST, query: str = "") -> "Attack":
        """A request that is well-formed on the outside."""
        encoded = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"x-openstack-ironic-api-version": version.encode("utf-8", "replace")}
        if encoded:
            headers["content-type"] = b"application/json"
        return cls(method, quote(path, safe=_SAFE).encode(), quote(query, safe="=&,").encode(), encoded, headers)


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    body: bytes

    @property
    def message(self) -> str:
        """The text of a refusal, which must have one of Ironic's two shapes."""
        document = json.loads(json.loads(self.body)["error_message"])
        if "faultstring" in document:
            assert document.keys() == {"faultcode", "faultstring", "debuginfo"}, document
            assert document["faultcode"] == "Client", document
            return str(document["faultstring"])
        assert document.keys() == {"code", "title", "description"}, document
        assert document["code"] == self.status, document
        return str(document["description"])


class Target:
    """A ledger with four nodes, a port, a request and a hold, behind the real shell and dialect, with no conductor."""

    def __init__(self, url: str) -> None:
        self.reader = connect(url)
        self.store: Store = open_store(url)
        self.ledger = Ledger(self.store)
        dialect = Baremetal(self.ledger.runner, DRIVERS, wake=lambda: None)
        self.shell = Shell(Application(dialects=[dialect]), NoAuth(), Limits(threads=1))
        self.loop = asyncio.new_event_loop()
        self.rows: Tables = {}
        self.changed = False
        self.prepare()

    def close(self) -> None:
        self.loop.close()
        self.reader.close()
        self.store.close()

    def prepare(self) -> None:
        """Put the ledger back to what every attack begins with."""
        self.store.write(_remove_everything)
        self.ledger.enrol(uuid=NODES["enrolled"], name="enrolled", state="enroll", power_state=None)
        self.ledger.enrol(
            uuid=NODES["available"], name="available", resource_class="large", with_traits=("CUSTOM_A", "CUSTOM_B")
        )
        self.ledger.enrol(
            uuid=NODES["active"], name="active", state="active", resource_class="large", instance_uuid=INSTANCE
        )
        values = {"address": "52:54:00:00:00:01"}
        command = CreatePort(uuid=PORT, node=NODES["available"], values=values, guard=allow)
        self.ledger.runner.write(create_port, SERVICE, command)
        self.ledger.runner.write(create_node_request, SERVICE, CreateNodeRequest(node=NODES["active"]))
        self.ledger.enrol(uuid=NODES["held"], name="held", resource_class="large")
        hold = CreateHold(uuid=HOLD, instance_uuid=HOLD, nodes=(NODES["held"],), seconds=3600, guard=allow)
        self.ledger.runner.write(create_hold, SERVICE, hold)
        self.rows, self.changed = rows_of(self.reader), False
        assert broken_laws(self.rows) == []

    def send(self, attack: Attack, *, undo: bool = True) -> Answer:
        """Answer one request and hold it to the laws; ``undo`` undoes what it changed."""
        answer = self.loop.run_until_complete(self._send(attack))
        self._judge(attack, answer)
        if undo and self.changed:
            self.prepare()
        return answer

    def _judge(self, attack: Attack, answer: Answer) -> None:
        assert 200 <= answer.status < 500, (answer, attack)
        if answer.status >= 400:
            assert isinstance(answer.message, str)
            assert len(answer.body) < ANSWER_MAX, (len(answer.body), attack)
        after = rows_of(self.reader)
        if after == self.rows:
            return
        assert answer.status < 400, f"a partial write: {answer} changed {_changed(self.rows, after)}"
        assert attack.method not in ("GET", "HEAD"), f"reading changed {_changed(self.rows, after)}"
        assert broken_laws(after) == []
        self.rows, self.changed = after, True

    async def _send(self, attack: Attack) -> Answer:
        raw_headers = [(name.encode(), value) for name, value in attack.headers.items()]
        if attack.body:
            raw_headers.append((b"content-length", str(len(attack.body)).encode()))
        scope = {
            "type": "http",
            "method": attack.method,
            "scheme": "http",
            "raw_path": b"/baremetal" + attack.path,
            "query_string": attack.query,
            "headers": [(b"host", b"target"), *raw_headers],
            "server": ("target", 80),
        }
        sent: list[Mapping[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": attack.body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.shell(scope, receive, send)
        return Answer(sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:]))


def _remove_everything(tx: Any) -> None:
    for table in (tables.claims, tables.consumers, tables.node_requests, tables.providers):
        tx.change(delete(table))


def _changed(before: Tables, after: Tables) -> dict[str, Any]:
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}
