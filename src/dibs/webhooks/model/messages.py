"""The message of an event: CloudEvents 1.0 in structured mode, signed as Standard Webhooks describe it.

The signature covers the id, the time of the attempt and the body, so a receiver can refuse what was changed or is
replayed later. All attempts have the same id: a receiver that has seen it drops the message.
"""

import base64
import hashlib
import hmac

import msgspec
from msgspec import Struct

from dibs.events.model.documents import event_document, format_time
from dibs.events.model.stored import StoredEvent

SOURCE = "/dibs/v1/events"
TYPE_PREFIX = "dibs."
CONTENT_TYPE = "application/cloudevents+json; charset=utf-8"
SECRET_PREFIX = "whsec_"  # noqa: S105
SECRET_BYTES = 32


class Message(Struct, frozen=True, kw_only=True):
    """What a receiver gets."""

    url: str
    headers: dict[str, str]
    body: bytes


def message_of(url: str, secret: str, event: StoredEvent, now: int) -> Message:
    """Return the signed message of an event for a receiver."""
    body = msgspec.json.encode(cloud_event(event))
    identity, seconds = str(event.id), str(now // 1_000_000)
    headers = {
        "content-type": CONTENT_TYPE,
        "user-agent": "dibs",
        "webhook-id": identity,
        "webhook-timestamp": seconds,
        "webhook-signature": f"v1,{sign(secret, f'{identity}.{seconds}.'.encode() + body)}",
    }
    return Message(url=url, headers=headers, body=body)


def cloud_event(event: StoredEvent) -> dict[str, object]:
    """Return an event as a CloudEvent; its data is what the audit shows."""
    return {
        "specversion": "1.0",
        "id": str(event.id),
        "source": SOURCE,
        "type": TYPE_PREFIX + event.type,
        "subject": f"{event.kind}/{event.object_id}",
        "time": format_time(event.happened_at),
        "datacontenttype": "application/json",
        "data": event_document(event),
    }


def new_secret(random: bytes) -> str:
    """Return the secret of a webhook, made of random bytes, as receivers store it."""
    return SECRET_PREFIX + base64.b64encode(random).decode()


def sign(secret: str, content: bytes) -> str:
    """Return the HMAC-SHA256 of the content, in base64."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    return base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
