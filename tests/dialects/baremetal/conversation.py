"""Send requests to the dialect as the HTTP shell does, without a socket."""

from typing import Any

from dibs.access.actor import Actor
from dibs.dialects.baremetal import Baremetal
from dibs.drivers import DRIVERS
from tests.builders import Ledger
from tests.dialects.conversation import ORIGIN, Answer, send

BASE_URL = f"{ORIGIN}/baremetal"
SYSTEM_ADMIN = Actor(user="root", roles=frozenset({"admin", "manager", "member", "reader"}), system_scope=True)


def person(project: str, *roles: str) -> Actor:
    """Return an actor with roles in a project."""
    return Actor(user=f"user-of-{project}", project=project, roles=frozenset(roles))


ADMIN_ROLES = ("admin", "manager", "member", "reader")
MEMBER_ROLES = ("member", "reader")


class Conversation:
    """A client and the dialect with a real ledger."""

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
        """Send one request; ``body`` is bytes or a JSON document."""
        sent = dict(headers or {})
        if version is not None:
            sent["x-openstack-ironic-api-version"] = version
        return send(self.dialect, method, url, body, actor=actor or self._actor, headers=sent)

    def patch(self, ident: str, *operations: Any, **options: Any) -> Answer:
        """Patch a node with (op, path[, value]) tuples."""
        keys = ("op", "path", "value")
        return self(
            "PATCH", f"/v1/nodes/{ident}", [dict(zip(keys, one, strict=False)) for one in operations], **options
        )
