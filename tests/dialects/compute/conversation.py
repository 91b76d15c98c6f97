"""Requests to the dialect without a server process, over a real ledger."""

from typing import Any

from dibs.access.actor import Actor
from dibs.dialects.compute import Compute
from tests.builders import Ledger
from tests.dialects.conversation import Answer as Answer
from tests.dialects.conversation import send

ADMIN = Actor(user="root", project="system", roles=frozenset({"admin", "member", "reader"}))
MEMBER = Actor(user="mia", project="p", roles=frozenset({"member", "reader"}))
READER = Actor(user="ria", project="p", roles=frozenset({"reader"}))
STRANGER = Actor(user="sam", project="q", roles=frozenset({"member", "reader"}))


class Conversation:
    """A caller and the dialect."""

    def __init__(self, ledger: Ledger, actor: Actor = ADMIN, policy_file: str | None = None) -> None:
        self.ledger = ledger
        self._actor = actor
        self._dialect = Compute(ledger.runner, wake=lambda: None, policy_file=policy_file)

    def __call__(
        self, method: str, url: str, body: Any = None, *, version: str | None = "2.61", actor: Actor | None = None
    ) -> Answer:
        """Send one request; bytes are sent unchanged, any other body as JSON."""
        headers = {} if version is None else {"openstack-api-version": f"compute {version}"}
        return send(self._dialect, method, url, body, actor=actor or self._actor, headers=headers)
