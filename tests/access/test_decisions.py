"""A rule that asks a service is decided between transactions, never inside one."""

import pytest

from dibs.access.access import Access, Target
from dibs.access.actor import Actor
from dibs.access.decisions import DECISIONS_MAX
from dibs.database.transaction import Transaction
from dibs.errors import BadValue, Forbidden
from tests.builders import Ledger

MIA = Actor(user="mia")


class PolicyService:
    """Rules of a policy file that asks a service; each question must come while no transaction is open."""

    calls_services = True

    def __init__(self, *refused: str) -> None:
        self.asked: list[str | None] = []
        self.open_transactions = 0
        self._refused = refused

    def allows(self, rule: str, actor: Actor, target: Target) -> bool:
        assert self.open_transactions == 0, "a service was asked inside a transaction"
        self.asked.append(target["node"])
        return target["node"] not in self._refused

    def require_all(self, tx: Transaction, access: Access, now: int, nodes: tuple[str, ...]) -> str:
        """Ask about each node inside a transaction, as operations do with what they have read."""
        self.open_transactions += 1
        try:
            for node in nodes:
                access.require("node:update", {"node": node})
            return "done"
        finally:
            self.open_transactions -= 1


@pytest.mark.parametrize("way", ["read", "write"])
def test_service_is_asked_between_transactions_and_once_per_object(ledger: Ledger, way: str) -> None:
    service = PolicyService()
    run = getattr(ledger.runner, way)
    assert run(service.require_all, Access(actor=MIA, rules=service), ("a", "b", "a")) == "done"
    assert service.asked == ["a", "b"]


def test_refusal_of_a_service_is_a_refusal(ledger: Ledger) -> None:
    service = PolicyService("b")
    with pytest.raises(Forbidden):
        ledger.runner.write(service.require_all, Access(actor=MIA, rules=service), ("a", "b"))


def test_next_request_asks_the_service_again(ledger: Ledger) -> None:
    service = PolicyService()
    for _ in range(2):
        ledger.runner.write(service.require_all, Access(actor=MIA, rules=service), ("a",))
    assert service.asked == ["a", "a"]


def test_number_of_questions_is_limited(ledger: Ledger) -> None:
    service = PolicyService()
    nodes = tuple(map(str, range(DECISIONS_MAX)))
    with pytest.raises(BadValue, match="Name fewer objects"):
        ledger.runner.read(service.require_all, Access(actor=MIA, rules=service), nodes)
