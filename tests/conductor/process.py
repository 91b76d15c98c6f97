"""A conductor in a process of its own, with fake hardware, to be killed.

``conductor DATABASE HOSTNAME [SECONDS [BROKER]]``: the seconds are how far ahead its clock is, and the URL of a message
broker gets its notifications. A fork server runs it, see ``tests/bed/dibs_forks.py``.
"""

import threading
import time

from dibs.conductor import Conductor
from dibs.database import open_store
from dibs.drivers.fake import FakeDriver
from dibs.integrations import HttpSender, OsloNotifier
from dibs.notifications.model.messages import BAREMETAL, LEASES
from dibs.webhooks.model.targets import TargetRules
from dibs.wiring.hooks import build_runner

TAKE_OVER_SECONDS = 20
"""The take-over period of these conductors, long enough for a busy machine."""


def real_clock() -> int:
    """Microseconds since 1970, as everywhere in Dibs."""
    return time.time_ns() // 1_000


def main(words: list[str]) -> None:
    """Run a conductor until killed."""
    database, hostname, ahead, broker = (*words, *("0", "")[len(words) - 2 :])[:4]

    def clock() -> int:
        """The real clock, or one that is ahead of it."""
        return real_clock() + int(ahead) * 1_000_000

    runner = build_runner(open_store(database), clock)
    Conductor(
        runner,
        {FakeDriver.name: FakeDriver()},
        clock,
        hostname=hostname,
        heartbeat_seconds=0.2,
        timeout_seconds=5,
        take_over_seconds=TAKE_OVER_SECONDS,
        poll_seconds=0.05,
        sender=HttpSender(TargetRules.parse("127.0.0.0/8")),
        notifier=OsloNotifier(broker, {BAREMETAL: ("bare",), LEASES: ("leases",)}, hostname) if broker else None,
    ).start()
    threading.Event().wait()
