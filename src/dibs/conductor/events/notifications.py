"""Send events as notifications to a message broker, one conductor at a time, in the order of the events."""

import logging
import time
from typing import Protocol

from dibs.access.access import SERVICE
from dibs.database.runner import Runner
from dibs.notifications.model.notifications import Notification, NotSent
from dibs.notifications.operations.sending import (
    FinishPortion,
    Portion,
    finish_portion,
    has_notifications,
    take_portion,
)

PORTIONS_MAX = 50
"""How many portions one run sends."""
RUN_SECONDS = 15
"""After this time no other event of a portion is sent, long before another conductor may take over."""

logger = logging.getLogger(__name__)


class Notifier(Protocol):
    """Sends notifications."""

    def send(self, notification: Notification) -> None:
        """Send a notification; return once the broker has it, or raise NotSent."""


class NotificationWorker:
    """Sends what was published since the last notification."""

    def __init__(self, runner: Runner, notifier: Notifier) -> None:
        self._runner = runner
        self._notifier = notifier

    def run(self) -> None:
        """Send all there is, until the broker fails or another conductor sends."""
        for _ in range(PORTIONS_MAX):
            if not self._runner.read(has_notifications, SERVICE, None):
                return
            portion = self._runner.write(take_portion, SERVICE, None)
            if portion is None:
                return
            done = self._send(portion)
            if not self._runner.write(finish_portion, SERVICE, done) or done.problem is not None:
                return

    def _send(self, portion: Portion) -> FinishPortion:
        """Send a portion; return how far it came."""
        end = time.monotonic() + RUN_SECONDS
        reached, problem = portion.position, None
        for position, notifications in portion.events:
            try:
                for each in notifications:
                    self._notifier.send(each)
            except NotSent as error:
                problem = str(error)
                logger.warning("notifications wait for the message broker: %s", problem)
                break
            reached = position
            if time.monotonic() > end:
                break
        return FinishPortion(taken_until=portion.taken_until, position=reached, problem=problem)
