"""Notifications over oslo.messaging: a real listener on its in-process transport, and a broker that is not there."""

import threading

import oslo_messaging
import pytest

from dibs.integrations import OsloNotifier
from dibs.notifications.model.messages import BAREMETAL, LEASES, Message
from dibs.notifications.model.notifications import Notification, NotSent
from tests.bed.processes import free_port

TOPICS = {BAREMETAL: ("bare",), LEASES: ("first", "second")}
NOTIFICATION = Notification(
    id="7c2b0f6e-52f5-4a0e-9f6a-1b1f5a3f6c11",
    message=Message(family=LEASES, event_type="lease.create", payload={"lease_id": "l"}),
    happened_at=1_800_000_000_000_000,
    context={"request_id": "req-1"},
)


class Heard:
    """What a listener of oslo.messaging hears."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, str, dict[str, str], str]] = []
        self.all = threading.Event()

    def info(self, context, publisher_id, event_type, payload, metadata) -> None:
        self.messages.append((publisher_id, event_type, payload, metadata["message_id"]))
        if len(self.messages) == 2:
            self.all.set()


def test_listener_hears_a_notification_on_each_topic() -> None:
    notifier = OsloNotifier("fake://", TOPICS, "host-1")
    heard = Heard()
    targets = [oslo_messaging.Target(topic=topic) for topic in TOPICS[LEASES]]
    listener = oslo_messaging.get_notification_listener(notifier.transport, targets, [heard], executor="threading")
    listener.start()
    try:
        notifier.send(NOTIFICATION)
        assert heard.all.wait(30)
    finally:
        listener.stop()
        listener.wait()
    assert heard.messages == [("blazar.lease", "lease.create", {"lease_id": "l"}, NOTIFICATION.id)] * 2


def test_broker_that_does_not_answer_is_an_error() -> None:
    notifier = OsloNotifier(f"rabbit://guest:secret@127.0.0.1:{free_port()}/", TOPICS, "host-1")
    with pytest.raises(NotSent) as raised:
        notifier.send(NOTIFICATION)
    assert "secret" not in str(raised.value)
