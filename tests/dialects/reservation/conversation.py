"""Send requests to the dialect without a server, over a real ledger."""

from typing import Any

from dibs.access.actor import Actor
from dibs.dialects.reservation import Reservation
from dibs.leases.model.dates import LeaseRules
from tests.builders import Ledger
from tests.dialects.conversation import Answer, send

ADMIN = Actor(user="u-admin", project="p-admin", roles=frozenset({"admin", "member", "reader"}))
MEMBER = Actor(user="u-member", project="p-member", roles=frozenset({"member", "reader"}))
READER = Actor(user="u-reader", project="p-member", roles=frozenset({"reader"}))
STRANGER = Actor(user="u-other", project="p-other", roles=frozenset({"member", "reader"}))


class Conversation:
    """A client of the dialect."""

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
        """Send one request; ``body`` is raw bytes or a JSON document."""
        sent = {} if body is None else {"content-type": "application/json"}
        kept = {name: value for name, value in (sent | (headers or {})).items() if value}
        return send(self._dialect, method, url, body, actor=actor or self._actor, headers=kept)
