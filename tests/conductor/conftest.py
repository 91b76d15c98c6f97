"""Conductors for tests."""

import pytest

from dibs.conductor import Conductor
from dibs.drivers.fake import FakeDriver
from dibs.wiring.hooks import build_runner
from tests.builders import Ledger
from tests.conductor.process import real_clock


@pytest.fixture
def start(ledger):
    """Start conductors that look for work often and take over at once; stop them all at the end."""
    running = []

    def start(hostname="conductor-1", *, driver=None, runner=None, **settings):
        settings = {
            "heartbeat_seconds": 0.05,
            "take_over_seconds": 1e-6,
            "poll_seconds": 0.02,
            "workers": 4,
            **settings,
        }
        drivers = {"fake-hardware": driver or FakeDriver()}
        conductor = Conductor(runner or ledger.runner, drivers, ledger.clock, hostname=hostname, **settings)
        running.append(conductor)
        conductor.start()
        return conductor

    yield start
    for conductor in running:
        conductor.stop()


@pytest.fixture
def real_ledger(store):
    """A ledger that lives in real time, as the processes do."""
    made = Ledger(store)
    made.clock = real_clock
    made.runner = build_runner(store, real_clock)
    return made
