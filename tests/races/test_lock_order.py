"""One order of locks (docs/adr/0010): transactions of different dialects wait for each other and seldom deadlock."""

import threading
import uuid
from collections.abc import Sequence

import pytest

from dibs.access.access import SERVICE
from dibs.database.transaction import Transaction
from dibs.errors import DibsError
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.ledger.queries import claims
from tests.builders import Ledger
from tests.provider_builders import claim, make, now
from tests.races.crowd import all_at_once

ROUNDS = 15


def test_claims_through_placement_and_the_instance_of_a_node_seldom_deadlock(ledger: Ledger) -> None:
    """Clients of Placement claim a node for a consumer, clients of the bare-metal API take the consumer off the node:
    both lock the node's provider first, and the consumer second."""
    compute, node, instance = make(ledger, VCPU=8), ledger.enrol(resource_class="gold"), str(uuid.uuid4())
    both = {compute.uuid: {"VCPU": 1}, node.uuid: {"CUSTOM_GOLD": 1}}
    request = ClaimRequest(consumer=instance, resources=both, project_id="p", user_id="u")
    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
    before = ledger.store.statistics.reruns

    def either(number: int) -> None:
        for turn in range(ROUNDS):
            try:
                if number % 2:
                    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
                else:
                    ledger.change(node, instance_uuid=None if turn % 2 else instance)
            except DibsError:
                continue  # The node has the instance already, or no longer.

    assert all_at_once(6, either) == [None] * 6
    # With locks in opposite orders most rounds deadlock (81 reruns on PostgreSQL). A few can remain: one UPDATE of both
    # providers need not lock its rows in order of their ids (docs/adr/0010).
    assert ledger.store.statistics.reruns - before < ROUNDS


# SQLite has one writer, so no other transaction can come between.
@pytest.mark.server_engines
@pytest.mark.parametrize("released", [True, False])
def test_consumer_that_moves_before_its_providers_are_locked_is_read_again(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, released: bool
) -> None:
    """Claims are read before the locks, to know which providers to lock. Another client moves them in this moment."""
    old, new, third = (make(ledger, VCPU=8) for _ in range(3))
    consumer = claim(ledger, old, VCPU=1)
    read, moved = claims.providers_of, threading.Event()

    def replace(resources: dict[str, dict[str, int]]) -> None:
        request = ClaimRequest(consumer=consumer, resources=resources, project_id="p", user_id="u")
        ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))

    def read_and_let_another_client_move(tx: Transaction, uuids: Sequence[str]) -> set[tuple[str, int]]:
        found = read(tx, uuids)
        if not moved.is_set():
            moved.set()
            mover = threading.Thread(target=replace, args=({new.uuid: {"VCPU": 1}},))
            mover.start()
            mover.join()
        return found

    monkeypatch.setattr(claims, "providers_of", read_and_let_another_client_move)
    before = ledger.store.statistics.reruns
    replace({} if released else {third.uuid: {"VCPU": 1}})
    assert ledger.store.statistics.reruns == before + 1
    # The claim and its release each increment the generation; a consumer that only moves away does not.
    assert now(ledger, new).generation == new.generation + (2 if released else 1)
    assert now(ledger, old).generation == old.generation + 1
