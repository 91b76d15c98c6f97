"""Send notifications with oslo.messaging, in its format 2.0.

Its ``Notifier`` logs a failure and goes on, so a caller never learns that the broker has not taken a message. The
transport below it raises, and is used directly.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dibs.events.model.documents import format_time
from dibs.extras import needs_extra
from dibs.notifications.model.messages import BAREMETAL, LEASES
from dibs.notifications.model.notifications import Notification, NotSent

FORMAT = 2.0


class OsloNotifier:
    """A Notifier over the transport with a URL; ``topics`` names those of each family of messages."""

    def __init__(self, url: str, topics: Mapping[str, Sequence[str]], hostname: str) -> None:
        with needs_extra("notifications", "notification_transport_url"):
            import oslo_messaging
            from oslo_config import cfg
        # A configuration of its own, so that no file of another service is read.
        configuration = cfg.ConfigOpts()
        configuration([], project="dibs", default_config_files=[], default_config_dirs=[])
        self._target = oslo_messaging.Target
        self.transport = oslo_messaging.get_notification_transport(configuration, url=url)
        self._topics = topics
        self._publishers = {BAREMETAL: f"ironic-conductor.{hostname}", LEASES: "blazar.lease"}

    def send(self, notification: Notification) -> None:
        """Send a notification to each topic of its family."""
        message = notification.message
        envelope = {
            "message_id": notification.id,
            "publisher_id": self._publishers[message.family],
            "event_type": message.event_type,
            "priority": message.level.upper(),
            "payload": message.payload,
            "timestamp": format_time(notification.happened_at)[:26].replace("T", " "),
        }
        for topic in self._topics[message.family]:
            self._send(f"{topic}.{message.level}", dict(notification.context), envelope)

    def _send(self, topic: str, context: dict[str, Any], envelope: dict[str, Any]) -> None:
        try:
            self.transport._send_notification(self._target(topic=topic), context, envelope, version=FORMAT, retry=0)
        except Exception as error:
            # A driver raises the errors of its own libraries.
            raise NotSent(f"{type(error).__name__}: {error}") from error
