"""Asking the dialect itself, without a server: a request in, an answer out, over a real ledger."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from dibs.dialects.compute import Compute
from dibs.domain.actor import Actor
from dibs.drivers import DRIVERS
from dibs.http.messages import Request
from tests.builders import Ledger

ADMIN = Actor(user="root", project="system", roles=frozenset({"admin", "member", "reader"}))
MEMBER = Actor(user="mia", project="p", roles=frozenset({"member", "reader"}))
READER = Actor(user="ria", project="p", roles=frozenset({"reader"}))
STRANGER = Actor(user="sam", project="q", roles=frozenset({"member", "reader"}))
BASE_URL = "http://dibs.example:8780/compute"


@dataclass(frozen=True)
class Answer:
    """What came back, header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as a document."""
        return json.loads(self.body)

    @property
    def fault(self) -> tuple[str, str]:
        """What kind of error it is, and its message."""
        ((kind, error),) = self.json.items()
        assert error["code"] == self.status
        return kind, error["message"]


class Conversation:
    """A caller and the dialect."""

    def __init__(self, ledger: Ledger, actor: Actor = ADMIN) -> None:
        self.ledger = ledger
        self._actor = actor
        self._dialect = Compute(ledger.runner, DRIVERS, wake=lambda: None)

    def __call__(
        self, method: str, url: str, body: Any = None, *, version: str | None = "2.61", actor: Actor | None = None
    ) -> Answer:
        """Send one request; ``body`` is bytes as they are, or a document."""
        parts = urlsplit(url)
        request = Request(
            method=method,
            path=parts.path,
            query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
            headers={} if version is None else {"openstack-api-version": f"compute {version}"},
            body=body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode(),
            base_url=BASE_URL,
            request_id="req-1",
            actor=actor or self._actor,
        )
        response = self._dialect.answer(request)
        return Answer(response.status, {name.lower(): value for name, value in response.headers}, response.body)
