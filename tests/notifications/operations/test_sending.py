"""Events are sent by one conductor at a time, in their order, and again when it fails before it has recorded them."""

import pytest

from dibs.access.access import SERVICE
from dibs.events.operations.publishing import publish_events
from dibs.notifications.model.notifications import pause_after
from dibs.notifications.operations.sending import (
    EVENTS_MAX,
    TAKEN_SECONDS,
    FinishPortion,
    Portion,
    finish_portion,
    has_notifications,
    take_portion,
)
from tests.builders import Ledger


def take(ledger: Ledger) -> Portion | None:
    return ledger.runner.write(take_portion, SERVICE, None)


def finish(ledger: Ledger, portion: Portion, position: int, problem: str | None = None) -> bool:
    command = FinishPortion(taken_until=portion.taken_until, position=position, problem=problem)
    return ledger.runner.write(finish_portion, SERVICE, command)


def waiting(ledger: Ledger) -> bool:
    return ledger.runner.read(has_notifications, SERVICE, None)


@pytest.fixture
def portion(ledger: Ledger) -> Portion:
    """Two new nodes, after notifications were sent for the first time; taken by a conductor."""
    ledger.enrol(name="before")
    ledger.runner.write(publish_events, SERVICE, None)
    first = take(ledger)
    assert first is not None
    assert first.events == ()
    assert finish(ledger, first, first.position)
    assert not waiting(ledger)
    for name in ("n1", "n2"):
        ledger.enrol(name=name)
    ledger.runner.write(publish_events, SERVICE, None)
    assert waiting(ledger)
    taken = take(ledger)
    assert taken is not None
    return taken


def named(portion: Portion | None) -> list[str]:
    """Return the names of the nodes that a portion is about."""
    assert portion is not None
    return [
        each.message.payload["ironic_object.data"]["name"]
        for _, notifications in portion.events
        for each in notifications
        if "name" in each.message.payload["ironic_object.data"]
    ]


def test_events_from_before_the_first_notification_are_not_sent(portion: Portion) -> None:
    assert named(portion) == ["n1", "n2"]


def test_one_conductor_sends_at_a_time(ledger: Ledger, portion: Portion) -> None:
    assert not waiting(ledger)
    assert take(ledger) is None
    assert finish(ledger, portion, portion.events[-1][0])
    assert not waiting(ledger)


def test_what_a_failed_conductor_has_not_recorded_is_sent_again(ledger: Ledger, portion: Portion) -> None:
    ledger.clock.move(TAKEN_SECONDS)
    again = take(ledger)
    assert named(again) == named(portion)
    assert again is not None
    assert not finish(ledger, portion, portion.events[-1][0]), "the first conductor no longer sends"
    assert finish(ledger, again, again.events[0][0])
    assert named(take(ledger)) == ["n2"]


def test_broker_that_fails_gets_a_pause(ledger: Ledger, portion: Portion) -> None:
    assert finish(ledger, portion, portion.events[0][0], "no route")
    assert not waiting(ledger)
    ledger.clock.move(pause_after(1) / 1_000_000)
    assert named(take(ledger)) == ["n2"]
    assert [pause_after(count) // 1_000_000 for count in (1, 2, 7, 40)] == [1, 2, 60, 60]


def test_portion_is_bounded(ledger: Ledger, portion: Portion) -> None:
    assert finish(ledger, portion, portion.events[-1][0])
    for _ in range(EVENTS_MAX + 1):
        ledger.enrol()
    ledger.runner.write(publish_events, SERVICE, None)
    taken = take(ledger)
    assert taken is not None
    assert len(taken.events) == EVENTS_MAX
