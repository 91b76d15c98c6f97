"""Requests to the dialect itself, without a server, over a real ledger."""

from typing import Any

from dibs.access.actor import Actor
from dibs.dialects.placement import Placement
from tests.builders import Ledger
from tests.dialects.conversation import ORIGIN, Answer, send

ADMIN = Actor(user="admin", project="admin", roles=frozenset({"admin"}))
BASE_URL = f"{ORIGIN}/placement"


class Conversation:
    """A client and the dialect."""

    def __init__(self, ledger: Ledger, actor: Actor = ADMIN, **options: Any) -> None:
        self.ledger = ledger
        self._actor = actor
        self._dialect = Placement(ledger.runner, ledger.clock, **options)

    def __call__(
        self,
        method: str,
        url: str,
        body: Any = None,
        *,
        version: str | None = "1.39",
        actor: Actor | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send one request; ``body`` is bytes, or a document that becomes JSON."""
        sent = {} if body is None else {"content-type": "application/json"}
        if version is not None:
            sent["openstack-api-version"] = f"placement {version}"
        kept = {name: value for name, value in (sent | (headers or {})).items() if value}
        return send(self._dialect, method, url, body, actor=actor or self._actor, headers=kept)
