"""Conductors deliver events to real receivers: at least once, and one receiver does not delay another."""

import pytest

from dibs.access.access import SERVICE
from dibs.conductor.events import webhooks
from dibs.conductor.events.webhooks import WebhookWorker
from dibs.integrations import HttpSender
from dibs.webhooks.operations.delivering import TAKEN_SECONDS
from dibs.webhooks.operations.webhooks import delete_webhook
from tests.bed.receiver import Receiver
from tests.bed.waiting import eventually
from tests.webhooks.builders import LOOPBACK, deliveries, publish, show, subscribe

AHEAD = TAKEN_SECONDS + 10
"""So far ahead is the clock of a conductor for which the work of a killed one is due."""


@pytest.fixture
def make_receiver():
    """Start receivers, and stop them at the end."""
    made = []

    def make():
        made.append(Receiver())
        return made[-1]

    yield make
    for receiver in made:
        receiver.close()


def test_events_arrive_signed_and_in_order(ledger, start, make_receiver):
    receiver = make_receiver()
    webhook = subscribe(ledger, receiver.url, types=("node",))
    start(sender=HttpSender(LOOPBACK))
    node = ledger.enrol(name="n1")
    ledger.change(node, description="x")
    eventually(lambda: len(receiver.messages) == 2, what="two messages")
    assert [event["type"] for event in receiver.events] == ["dibs.node.created", "dibs.node.changed"]
    headers, _ = receiver.messages[0]
    assert headers["webhook-id"] == receiver.events[0]["id"]
    assert headers["webhook-signature"].startswith("v1,")
    eventually(lambda: [each.state for each in deliveries(ledger, webhook)] == ["delivered"] * 2)


def test_receivers_that_hang_do_not_delay_another(ledger, start, make_receiver):
    hanging, quick = make_receiver(), make_receiver()
    hanging.hangs.set()
    slow = [subscribe(ledger, hanging.url, types=("node",)) for _ in range(webhooks.THREADS - 1)]
    subscribe(ledger, quick.url, types=("node",))
    start(sender=HttpSender(LOOPBACK, timeout_seconds=60))
    ledger.enrol()
    eventually(lambda: len(hanging.messages) == len(slow), what="all threads but one to hang")
    ledger.enrol()
    eventually(lambda: len(quick.messages) == 2, what="the messages of the quick receiver")
    for webhook in slow:
        ledger.runner.write(delete_webhook, SERVICE, webhook.uuid)
    hanging.close()


def test_failed_message_is_retried_with_the_same_id(ledger, make_receiver):
    receiver = make_receiver()
    receiver.status = 500
    webhook = subscribe(ledger, receiver.url, types=("node",))
    worker = WebhookWorker(ledger.runner, HttpSender(LOOPBACK), "conductor-1")
    ledger.enrol()
    publish(ledger)
    worker.run()
    eventually(lambda: show(ledger, webhook).failures == 1 and show(ledger, webhook).due_at is not None)
    worker.run()
    receiver.status = 200
    ledger.clock.move(60)
    eventually(lambda: worker.run() or deliveries(ledger, webhook)[0].state == "delivered")
    assert worker.close(60)
    first, second = (headers for headers, _ in receiver.messages)
    assert first["webhook-id"] == second["webhook-id"]
    assert first["webhook-timestamp"] != second["webhook-timestamp"]


def test_committed_event_is_delivered_although_no_conductor_ran(real_ledger, spawn_conductor, make_receiver):
    receiver = make_receiver()
    subscribe(real_ledger, receiver.url, types=("node",))
    node = real_ledger.enrol()
    spawn_conductor("conductor-1")
    eventually(lambda: [event["subject"] for event in receiver.events] == [f"node/{node.uuid}"])


def test_message_of_a_conductor_that_is_killed_while_it_posts_is_delivered_by_another(
    real_ledger, spawn_conductor, make_receiver
):
    receiver = make_receiver()
    receiver.hangs.set()
    webhook = subscribe(real_ledger, receiver.url, types=("node",))
    process = spawn_conductor("conductor-1")
    real_ledger.enrol()
    eventually(lambda: receiver.messages, what="the first attempt")
    process.kill()
    process.wait()
    assert [each.attempts for each in deliveries(real_ledger, webhook)] == [0]
    receiver.hangs.clear()
    spawn_conductor("conductor-2", ahead=AHEAD)
    eventually(lambda: [each.state for each in deliveries(real_ledger, webhook)] == ["delivered"])
    assert {headers["webhook-id"] for headers, _ in receiver.messages} == {receiver.events[0]["id"]}
    assert len(receiver.messages) == 2
