"""Conductors send events to a message broker: in order, and again what the broker has not taken."""

import oslo_messaging
import pytest

from dibs.access.access import SERVICE
from dibs.conductor.events.notifications import NotificationWorker
from dibs.events.operations.publishing import publish_events
from dibs.integrations import OsloNotifier
from dibs.notifications.model.notifications import Notification, NotSent
from dibs.notifications.operations.sending import TAKEN_SECONDS
from dibs.notifications.queries import positions
from tests.bed.proxy import Proxy
from tests.bed.rabbitmq import RabbitmqServer
from tests.bed.waiting import eventually
from tests.builders import Ledger
from tests.conductor.process import real_clock


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


@pytest.fixture
def rabbitmq():
    """A RabbitMQ server, behind a proxy that can hold back what is sent to it."""
    server = RabbitmqServer()
    proxy = Proxy(server.port)
    yield server, proxy
    proxy.close()
    server.stop()


class Heard:
    """What a listener of oslo.messaging hears."""

    def __init__(self):
        self.messages = []

    def info(self, context, publisher_id, event_type, payload, metadata):
        self.messages.append((metadata["message_id"], payload["ironic_object.data"].get("name")))

    @property
    def names(self):
        return list(dict.fromkeys(name for _, name in self.messages))


@pytest.mark.before_release
def test_events_of_a_conductor_that_is_killed_while_it_sends_reach_the_broker(real_ledger, spawn_conductor, rabbitmq):
    server, proxy = rabbitmq
    through_proxy = server.url.replace(str(server.port), str(proxy.port))
    process = spawn_conductor("conductor-1", broker=through_proxy)
    position = lambda: real_ledger.store.read(positions.get)  # noqa: E731
    eventually(lambda: position()["position"] is not None, what="the first position")
    real_ledger.enrol(name="n1")
    heard = Heard()
    transport = OsloNotifier(server.url, {}, "test").transport
    target = oslo_messaging.Target(topic="bare")
    listener = oslo_messaging.get_notification_listener(transport, [target], [heard], executor="threading")
    listener.start()
    try:
        eventually(lambda: heard.names == ["n1"], what="the first notification")
        proxy.swallow()
        for name in ("n2", "n3"):
            real_ledger.enrol(name=name)
        eventually(lambda: position()["due_at"] > real_clock() + 10_000_000, what="the conductor to send")
        process.kill()
        process.wait()
        assert heard.names == ["n1"]
        spawn_conductor("conductor-2", ahead=TAKEN_SECONDS + 10, broker=server.url)
        eventually(lambda: heard.names == ["n1", "n2", "n3"], what="all notifications, in order")
    finally:
        listener.stop()
        listener.wait()
    assert len({message_id for message_id, _ in heard.messages}) == 3
