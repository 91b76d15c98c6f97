"""The whole HTTP application without its socket; it compares every table before and after each request.

No request may break these laws: no response is a 5xx; an error has the format of its dialect, is short, and leaves
every table unchanged; reading changes nothing; and an accepted request leaves the ledger consistent.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from dibs.access.access import SERVICE
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.allocations.operations.intake import LocalIntake
from dibs.database import Store, open_store
from dibs.database.store import Body
from dibs.dialects.baremetal import Baremetal
from dibs.dialects.baremetal.microversions import VERSIONS
from dibs.dialects.compute import Compute
from dibs.dialects.native import Native
from dibs.dialects.placement import Placement
from dibs.dialects.reservation import Reservation
from dibs.drivers import DRIVERS
from dibs.http.auth.noauth import NoAuth
from dibs.http.edge.guards.limits import Limits
from dibs.http.edge.shell import Application, Perimeter, Shell
from dibs.leases.model.dates import LeaseRules
from dibs.machines.model.parts.parts import PartKind
from dibs.machines.operations.holds import CreateHold, create_hold
from dibs.machines.operations.parts import CreatePart, create_part
from tests.attacks.restoring import allow_any_order, restore_rows
from tests.builders import Ledger
from tests.documented import Exchange, check_response
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
    """One request, with bytes where data may be invalid."""

    method: str
    path: bytes
    query: bytes = b""
    body: bytes = b""
    headers: Mapping[str, bytes] = field(default_factory=dict)
    mount: str = "/baremetal"

    @classmethod
    def of(cls, method: str, path: str, body: Any = None, *, version: str = NEWEST, query: str = "") -> "Attack":
        """Return a request with valid HTTP."""
        encoded = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"x-openstack-ironic-api-version": version.encode("utf-8", "replace")}
        if encoded:
            headers["content-type"] = b"application/json"
        return cls(method, quote(path, safe=_SAFE).encode(), quote(query, safe="=&,").encode(), encoded, headers)


@dataclass(frozen=True)
class Answer:
    """The response."""

    status: int
    body: bytes
    mount: str
    request_id: str
    content_type: str

    @property
    def message(self) -> str:
        """Return the text of a refusal, which must have the format of its dialect."""
        if self.mount == "/placement":
            return self._message_of_placement()
        if self.mount == "/reservation":
            return self._message_of_blazar()
        if self.mount == "/compute":
            return self._message_of_nova()
        return self._message_of_dibs() if self.mount == "/dibs" else self._message_of_ironic()

    def _message_of_dibs(self) -> str:
        error = json.loads(self.body)["error"]
        assert error.keys() == {"code", "message"}, error
        return str(error["message"])

    def _message_of_blazar(self) -> str:
        """Return the message of a handler or of the router."""
        error = json.loads(self.body)
        assert error.keys() in ({"error_code", "error_message", "error_name"}, {"error", "error_message"}), error
        assert self.status in (error.get("error_code"), error.get("error")), error
        return str(error["error_message"])

    def _message_of_nova(self) -> str:
        ((fault, error),) = json.loads(self.body).items()
        assert fault.isalpha(), fault
        assert error.keys() == {"code", "message"}, error
        assert error["code"] == self.status, error
        return str(error["message"])

    def _message_of_placement(self) -> str:
        """Return the message in JSON, or in one of two other formats by the Accept header."""
        if not self.body.startswith(b"{"):
            return self.body.decode()
        (error,) = json.loads(self.body)["errors"]
        assert error.keys() >= {"status", "title", "detail", "request_id"}, error
        assert (error["status"], error["request_id"]) == (self.status, self.request_id), error
        return str(error["detail"])

    def _message_of_ironic(self) -> str:
        document = json.loads(json.loads(self.body)["error_message"])
        if "faultstring" in document:
            assert document.keys() == {"faultcode", "faultstring", "debuginfo"}, document
            assert document["faultcode"] == "Client", document
            return str(document["faultstring"])
        assert document.keys() == {"code", "title", "description"}, document
        assert document["code"] == self.status, document
        return str(document["description"])


class CountingStore:
    """A store that counts the commits of writing transactions: without one, no table need be read again."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.engine, self.statistics = store.engine, store.statistics
        self.read, self.close = store.read, store.close
        self.commits = 0

    def write(self, body: Body[Any]) -> Any:
        result = self._store.write(body)
        self.commits += 1
        return result


class Target:
    """A ledger with four nodes, a port, an allocation and a hold behind the real HTTP stack, without conductors."""

    def __init__(self, url: str) -> None:
        self.reader = connect(url)
        self.store = CountingStore(open_store(url))
        self.ledger = Ledger(self.store)
        runner, intake = self.ledger.runner, LocalIntake(self.ledger.runner, _nothing)
        placement = Placement(runner, self.ledger.clock)
        self.dialects = [
            Baremetal(runner, DRIVERS, wake=_nothing, intake=intake),
            placement,
            Reservation(runner, wake=_nothing, rules=LeaseRules()),
            Compute(runner, wake=_nothing),
            Native(runner, intake=intake, wake=_nothing, read_candidates=placement.read_candidate_query),
        ]
        self.shell = Shell(Application(dialects=self.dialects), Perimeter(authenticator=NoAuth()), Limits(threads=1))
        self.loop = asyncio.new_event_loop()
        self.fill()
        self.rows, self.compared = rows_of(self.reader), self.store.commits
        self.changed = False
        assert self.broken_laws(self.rows) == []
        self.initial = self.rows
        allow_any_order(self.reader)

    def close(self) -> None:
        self.loop.close()
        self.reader.close()
        self.store.close()

    def prepare(self) -> None:
        """Restore the initial rows of every attack."""
        self._read_rows()
        self.rows = restore_rows(self.reader, self.rows, self.initial)
        self.changed = False

    def fill(self) -> None:
        """Write the initial rows of every attack."""
        self.ledger.enrol(uuid=NODES["enrolled"], name="enrolled", state="enroll", power_state=None)
        self.ledger.enrol(
            uuid=NODES["available"], name="available", resource_class="large", with_traits=("CUSTOM_A", "CUSTOM_B")
        )
        self.ledger.enrol(
            uuid=NODES["active"], name="active", state="active", resource_class="large", instance_uuid=INSTANCE
        )
        values = {"address": "52:54:00:00:00:01"}
        command = CreatePart(kind=PartKind.PORT, uuid=PORT, node=NODES["available"], values=values, rules=())
        self.ledger.runner.write(create_part, SERVICE, command)
        self.ledger.runner.write(create_allocation, SERVICE, CreateAllocation(node=NODES["active"]))
        self.ledger.enrol(uuid=NODES["held"], name="held", resource_class="large")
        hold = CreateHold(uuid=HOLD, instance_uuid=HOLD, nodes=(NODES["held"],), seconds=3600)
        self.ledger.runner.write(create_hold, SERVICE, hold)

    def broken_laws(self, rows: Tables) -> list[str]:
        """Return violations of the laws of the ledger."""
        return broken_laws(rows)

    def send(self, attack: Attack, *, undo: bool = True) -> Answer:
        """Send one request and check the laws; ``undo`` reverts its changes."""
        answer = self.answer(attack)
        self._check(attack, answer)
        if undo and self.changed:
            self.prepare()
        return answer

    def answer(self, attack: Attack) -> Answer:
        """Send one request without any check."""
        return self.loop.run_until_complete(self._send(attack))

    def _check(self, attack: Attack, answer: Answer) -> None:
        assert 200 <= answer.status < 500, (answer, attack)
        path = attack.mount + attack.path.decode("latin-1")
        check_response(Exchange(attack.method, path, answer.status, answer.content_type, answer.body))
        if answer.status >= 400:
            assert isinstance(answer.message, str)
            assert len(answer.body) < ANSWER_MAX, (len(answer.body), attack)
        before = self.rows
        self._read_rows()
        if self.rows == before:
            return
        self.changed = True
        assert answer.status < 400, f"a partial write: {answer} changed {_changed(before, self.rows)}"
        assert attack.method not in ("GET", "HEAD"), f"reading changed {_changed(before, self.rows)}"
        assert self.broken_laws(self.rows) == [], attack

    def _read_rows(self) -> None:
        """Read all tables, if a transaction has written since they were read."""
        if self.store.commits != self.compared:
            self.compared, self.rows = self.store.commits, rows_of(self.reader)

    async def _send(self, attack: Attack) -> Answer:
        raw_headers = [(name.encode(), value) for name, value in attack.headers.items()]
        if attack.body:
            raw_headers.append((b"content-length", str(len(attack.body)).encode()))
        scope = {
            "type": "http",
            "method": attack.method,
            "scheme": "http",
            "raw_path": attack.mount.encode() + attack.path,
            "query_string": attack.query,
            "headers": [(b"host", b"target"), *raw_headers],
            "server": ("target", 80),
        }
        sent: list[Mapping[str, Any]] = []
        received = iter([{"type": "http.request", "body": attack.body, "more_body": False}])

        async def receive() -> dict[str, Any]:
            # The client closes the connection after its request, which ends a stream.
            return next(received, {"type": "http.disconnect"})

        async def send(message: Any) -> None:
            sent.append(message)

        await self.shell(scope, receive, send)
        headers = {name.lower(): value.decode("latin-1") for name, value in sent[0]["headers"]}
        body = b"".join(message.get("body", b"") for message in sent[1:])
        return Answer(
            sent[0]["status"],
            body,
            attack.mount,
            headers[b"x-openstack-request-id"],
            headers.get(b"content-type", ""),
        )


def _nothing() -> None:
    """Do nothing: no conductor runs."""


def _changed(before: Tables, after: Tables) -> dict[str, Any]:
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}
