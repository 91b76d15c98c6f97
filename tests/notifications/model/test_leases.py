"""Events of leases in the payloads of Blazar."""

from typing import Any

import pytest

from dibs.events.model.stored import StoredEvent
from dibs.notifications.model.leases import lease_messages
from dibs.notifications.model.notifications import notifications_of

NINE = 1_795_424_400_000_000


def event(verb: str, before: dict[str, Any] | None, after: dict[str, Any] | None, kind: str = "lease") -> StoredEvent:
    return StoredEvent(
        id=7,
        position=1,
        happened_at=NINE,
        type=f"{kind}.{verb}",
        object_id="l",
        node=None,
        project_id="p",
        actor_user="u",
        actor_project="p",
        request_id="req-1",
        operation="test",
        before=before,
        after=after,
    )


@pytest.mark.parametrize(
    ("verb", "after", "told"),
    [
        ("created", {"name": "x"}, "lease.create"),
        ("changed", {"end_at": NINE}, "lease.update"),
        ("changed", {"status": "STARTING"}, None),
        ("started", {"status": "ACTIVE"}, "lease.event.start_lease"),
        ("ending_soon", {"end_at": NINE}, "lease.event.before_end_lease"),
        ("ended", {"status": "TERMINATED"}, "lease.event.end_lease"),
        ("node_lost", {}, None),
    ],
)
def test_lease_is_told_as_blazar_does(verb: str, after: dict[str, Any], told: str | None) -> None:
    assert [each.event_type for each in lease_messages(event(verb, {}, after))] == ([told] if told else [])


def test_payload_has_what_the_event_has() -> None:
    state = {"name": "x", "user_id": "u", "start_at": NINE, "end_at": NINE + 1, "status": "PENDING", "degraded": False}
    (message,) = lease_messages(event("deleted", state, None))
    assert (message.event_type, message.payload) == (
        "lease.delete",
        {
            "lease_id": "l",
            "project_id": "p",
            "name": "x",
            "user_id": "u",
            "status": "PENDING",
            "degraded": False,
            "start_date": "2026-11-23T09:00:00.000000",
            "end_date": "2026-11-23T09:00:00.000001",
        },
    )


def test_notification_has_the_same_id_at_each_attempt() -> None:
    first, second = (notifications_of(event("created", None, {"name": "x"}))[0] for _ in range(2))
    assert first == second
    assert first.context == {"request_id": "req-1", "user_id": "u", "project_id": "p"}
    assert notifications_of(event("created", None, {}, kind="claim")) == []
