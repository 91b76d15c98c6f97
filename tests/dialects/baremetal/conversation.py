"""Talk to the dialect as the shell does, without a socket in between."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from dibs.dialects.baremetal import Baremetal
from dibs.domain.actor import Actor
from dibs.drivers import DRIVERS
from dibs.http.messages import Request
from tests.builders import Ledger

BASE_URL = "http://dibs.example/baremetal"
SYSTEM_ADMIN = Actor(user="root", roles=frozenset({"admin", "manager", "member", "reader"}), system_scope=True)


def person(project: str, *roles: str) -> Actor:
    """Somebody with roles in a project."""
    return Actor(user=f"user-of-{project}", project=project, roles=frozenset(roles))


ADMIN_ROLES = ("admin", "manager", "member", "reader")
MEMBER_ROLES = ("member", "reader")


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as a document."""
        return json.loads(self.body)

    @property
    def error(self) -> Any:
        """The document inside the string error_message."""
        return json.loads(self.json["error_message"])

    @property
    def reason(self) -> str:
        """What an error says, in either form."""
        text: str = self.error.get("faultstring", self.error.get("description"))
        return text


class Conversation:
    """A caller and the dialect over a real ledger."""

    def __init__(self, ledger: Ledger, actor: Actor = SYSTEM_ADMIN, policy_file: str | None = None) -> None:
        self.ledger = ledger
        self.woken = 0
        self._actor = actor
        self.dialect = Baremetal(ledger.runner, DRIVERS, wake=self._wake, policy_file=policy_file)

    def _wake(self) -> None:
        self.woken += 1

    def __call__(
        self,
        method: str,
        url: str,
        body: Any = None,
        *,
        version: str | None = "1.115",
        actor: Actor | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send one request; ``body`` is bytes as they are, or a document."""
        parts = urlsplit(url)
        sent = dict(headers or {})
        if version is not None:
            sent["x-openstack-ironic-api-version"] = version
        request = Request(
            method=method,
            path=parts.path,
            query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
            headers=sent,
            body=body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode(),
            base_url=BASE_URL,
            request_id="req-1",
            actor=actor or self._actor,
        )
        response = self.dialect.answer(request)
        return Answer(response.status, {name.lower(): value for name, value in response.headers}, response.body)

    def patch(self, ident: str, *operations: Any, **options: Any) -> Answer:
        """Patch a node with (op, path[, value]) tuples."""
        keys = ("op", "path", "value")
        return self(
            "PATCH", f"/v1/nodes/{ident}", [dict(zip(keys, one, strict=False)) for one in operations], **options
        )
