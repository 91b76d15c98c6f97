"""Asking the dialect itself, without a server: a request in, an answer out, over a real ledger."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from dibs.dialects.reservation import Reservation
from dibs.domain.actor import Actor
from dibs.domain.lease_dates import LeaseRules
from dibs.http.messages import Request
from tests.builders import Ledger

ADMIN = Actor(user="u-admin", project="p-admin", roles=frozenset({"admin", "member", "reader"}))
MEMBER = Actor(user="u-member", project="p-member", roles=frozenset({"member", "reader"}))
READER = Actor(user="u-reader", project="p-member", roles=frozenset({"reader"}))
STRANGER = Actor(user="u-other", project="p-other", roles=frozenset({"member", "reader"}))
BASE_URL = "http://dibs.example:8780/reservation"


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
    def message(self) -> str:
        """What an error says."""
        return str(self.json["error_message"])


class Conversation:
    """A caller and the dialect."""

    def __init__(self, ledger: Ledger, actor: Actor = ADMIN, **options: Any) -> None:
        self.ledger = ledger
        self._actor = actor
        self._dialect = Reservation(ledger.runner, **{"wake": lambda: None, "rules": LeaseRules(), **options})

    def __call__(
        self,
        method: str,
        url: str,
        body: Any = None,
        *,
        actor: Actor | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send one request; ``body`` is bytes as they are, or a document."""
        parts = urlsplit(url)
        sent = {} if body is None else {"content-type": "application/json"}
        request = Request(
            method=method,
            path=parts.path,
            query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name: value for name, value in (sent | (headers or {})).items() if value},
            body=body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode(),
            base_url=BASE_URL,
            request_id="req-1",
            actor=actor or self._actor,
        )
        response = self._dialect.answer(request)
        return Answer(response.status, {name.lower(): value for name, value in response.headers}, response.body)
