"""Requests to the native dialect without a server."""

from typing import Any

from dibs.access.actor import SERVICE_ACTOR, Actor
from dibs.allocations.operations.intake import LocalIntake
from dibs.dialects.native import Native
from dibs.dialects.placement import Placement
from dibs.http.auth import with_implied_roles
from tests.builders import Ledger
from tests.dialects.conversation import send

GOLD = {"resource_class": "gold"}


def person(role: str, project: str = "p1") -> Actor:
    return Actor(user="eva", project=project, roles=with_implied_roles({role}))


class Conversation:
    """A client of the dialect."""

    def __init__(self, ledger: Ledger) -> None:
        self.woken = 0
        self.ledger = ledger
        self.dialect = Native(
            ledger.runner,
            intake=LocalIntake(ledger.runner, self.wake),
            wake=self.wake,
            read_candidates=Placement(ledger.runner, ledger.clock).read_candidate_query,
        )

    def wake(self) -> None:
        self.woken += 1

    def __call__(self, method: str, url: str, body: Any = None, *, actor: Actor = SERVICE_ACTOR) -> tuple[int, Any]:
        answer = send(self.dialect, method, url, body, actor=actor)
        return answer.status, answer.json if answer.body else None

    def ask(self, actor: Actor = SERVICE_ACTOR, **body: Any) -> list[dict[str, Any]]:
        status, document = self("POST", "/v1/allocations", {**GOLD, **body}, actor=actor)
        assert status == 201, document
        allocations: list[dict[str, Any]] = document["allocations"]
        return allocations
