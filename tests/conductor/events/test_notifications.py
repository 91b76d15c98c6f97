"""Conductors send events to a message broker: in order, and again what the broker has not taken."""

from dibs.access.access import SERVICE
from dibs.conductor.events.notifications import NotificationWorker
from dibs.events.operations.publishing import publish_events
from dibs.notifications.model.notifications import Notification, NotSent
from dibs.notifications.queries import positions
from tests.bed.waiting import eventually
from tests.builders import Ledger


class Broker:
    """A Notifier that keeps what it gets, and fails when a test says so."""

    def __init__(self) -> None:
        self.taken: list[Notification] = []
        self.fails = False

    def send(self, notification: Notification) -> None:
        if self.fails:
            raise NotSent("no route")
        self.taken.append(notification)

    @property
    def names(self) -> list[str]:
        return [each.message.payload["ironic_object.data"].get("name") for each in self.taken]


def publish(ledger: Ledger, *names: str) -> None:
    """Create nodes, and publish their events."""
    for name in names:
        ledger.enrol(name=name)
    ledger.runner.write(publish_events, SERVICE, None)


def test_conductor_sends_events_in_order(ledger, start):
    broker = Broker()
    start(notifier=broker)
    eventually(lambda: ledger.store.read(positions.get)["position"] is not None, what="the first position")
    for name in ("n1", "n2", "n3"):
        ledger.enrol(name=name)
    eventually(lambda: len(broker.taken) == 3, what="three notifications")
    assert broker.names == ["n1", "n2", "n3"]


def test_broker_that_fails_gets_everything_later(ledger):
    broker = Broker()
    worker = NotificationWorker(ledger.runner, broker)
    publish(ledger)
    worker.run()
    publish(ledger, "n1", "n2")
    broker.fails = True
    worker.run()
    worker.run()
    assert broker.taken == []
    broker.fails = False
    ledger.clock.move(5)
    publish(ledger, "n3")
    worker.run()
    assert broker.names == ["n1", "n2", "n3"]
