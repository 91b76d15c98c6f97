"""The message of an event: CloudEvents, and the signature of Standard Webhooks."""

import base64
import hashlib
import hmac
import json

from dibs.events.model.stored import StoredEvent
from dibs.webhooks.model.messages import message_of, new_secret, sign

EVENT = StoredEvent(
    id=7, position=3, happened_at=1_800_000_000_000_001, type="lease.started", object_id="l1", node=None,
    project_id="p1", actor_user="eva", actor_project="p1", request_id="req-1", operation="run_event",
    before={"status": "PENDING"}, after={"status": "ACTIVE", "end_at": 1_800_000_000_000_000},
)  # fmt: skip
NOW = 1_800_000_005_999_999


def test_message_is_a_cloud_event_with_the_event_of_the_audit_as_data() -> None:
    message = message_of("https://r/", new_secret(b"k" * 32), EVENT, NOW)
    assert message.headers["content-type"].startswith("application/cloudevents+json")
    assert json.loads(message.body) == {
        "specversion": "1.0",
        "id": "7",
        "source": "/dibs/v1/events",
        "type": "dibs.lease.started",
        "subject": "lease/l1",
        "time": "2027-01-15T08:00:00.000001+00:00",
        "datacontenttype": "application/json",
        "data": {
            "id": 7,
            "time": "2027-01-15T08:00:00.000001+00:00",
            "type": "lease.started",
            "object": {"kind": "lease", "id": "l1"},
            "node": None,
            "project": "p1",
            "actor": {"user": "eva", "project": "p1"},
            "request_id": "req-1",
            "operation": "run_event",
            "before": {"status": "PENDING"},
            "after": {"status": "ACTIVE", "end_at": "2027-01-15T08:00:00.000000+00:00"},
        },
    }


def test_signature_covers_id_time_and_body() -> None:
    message = message_of("https://r/", new_secret(b"k" * 32), EVENT, NOW)
    assert message.headers["webhook-id"] == "7"
    assert message.headers["webhook-timestamp"] == "1800000005"
    expected = hmac.new(b"k" * 32, b"7.1800000005." + message.body, hashlib.sha256).digest()
    assert message.headers["webhook-signature"] == "v1," + base64.b64encode(expected).decode()


def test_signature_is_that_of_the_example_of_standard_webhooks() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    content = b'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'
    assert sign(secret, content) == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
