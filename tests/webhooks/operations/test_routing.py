"""Deliveries for published events: one for each webhook that receives the event, none lost, none twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from dibs.access.access import SERVICE
from dibs.webhooks.operations import routing
from dibs.webhooks.operations.routing import has_events_to_route, route_events
from tests.builders import Ledger
from tests.webhooks.builders import deliveries, publish, show, subscribe


def types_of(ledger: Ledger, webhook) -> list[str]:
    return [delivery.type for delivery in deliveries(ledger, webhook)]


def test_webhook_receives_only_events_of_its_project(ledger: Ledger) -> None:
    mine, others, every = (subscribe(ledger, project=project, types=("node",)) for project in ("p1", "p2", None))
    for owner in ("p1", "p2", None):
        ledger.enrol(owner=owner)
    publish(ledger)
    assert types_of(ledger, mine) == types_of(ledger, others) == ["node.created"]
    assert types_of(ledger, every) == ["node.created"] * 3
    assert len({each.position for each in deliveries(ledger, every)}) == 3
    assert not {each.position for each in deliveries(ledger, mine)} & {
        each.position for each in deliveries(ledger, others)
    }


def test_webhook_receives_only_the_types_or_kinds_that_it_names(ledger: Ledger) -> None:
    changes, nodes = subscribe(ledger, types=("node.changed",)), subscribe(ledger, types=("node",))
    ledger.change(ledger.enrol(), description="x")
    publish(ledger)
    assert types_of(ledger, changes) == ["node.changed"]
    assert types_of(ledger, nodes) == ["node.created", "node.changed"]


def test_webhook_receives_nothing_from_before_its_creation(ledger: Ledger) -> None:
    ledger.enrol()
    publish(ledger)
    webhook = subscribe(ledger, types=("node",))
    node = ledger.enrol()
    publish(ledger)
    assert types_of(ledger, webhook) == ["node.created"]
    assert show(ledger, webhook).due_at is not None
    ledger.change(node, description="x")
    publish(ledger)
    assert types_of(ledger, webhook) == ["node.created", "node.changed"]


def test_events_are_routed_once_however_many_conductors_do_it(ledger: Ledger) -> None:
    webhook = subscribe(ledger, types=("node",))
    for _ in range(5):
        ledger.enrol()
    publish(ledger)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: ledger.runner.write(route_events, SERVICE, None), range(8)))
    assert len(deliveries(ledger, webhook)) == 5
    assert not ledger.runner.read(has_events_to_route, SERVICE, None)


def test_many_deliveries_take_several_transactions(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routing, "DELIVERIES_MAX", 2)
    webhook = subscribe(ledger, types=("node",))
    for _ in range(3):
        ledger.enrol()
    publish(ledger)
    assert len(deliveries(ledger, webhook)) == 2
    assert ledger.runner.read(has_events_to_route, SERVICE, None)
    ledger.runner.write(route_events, SERVICE, None)
    assert len(deliveries(ledger, webhook)) == 3


def test_nothing_is_routed_without_webhooks(ledger: Ledger) -> None:
    ledger.enrol()
    publish(ledger)
    assert not ledger.runner.read(has_events_to_route, SERVICE, None)
