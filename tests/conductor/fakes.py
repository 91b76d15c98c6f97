"""Drivers and databases that fail on demand, and short ways to use a running conductor."""

import itertools
import threading

from dibs.access.access import SERVICE
from dibs.database.errors import StoreUnavailable
from dibs.drivers.fake import FakeDriver
from dibs.machines.model.driver import Outcome
from dibs.machines.operations.conductors import get_conductor
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from dibs.wiring.hooks import build_runner
from tests.bed.waiting import eventually

LONG = 3600


def ask(ledger, node, verb, **arguments):
    command = RequestProvision(ident=node.uuid, rules=(), verb=verb, **arguments)
    return ledger.runner.write(request_provision, SERVICE, command)


def arrive(ledger, node, state):
    """Wait until the node is in a state and no conductor works on it."""

    def there():
        found = ledger.node(node)
        assert (found.provision_state, found.reservation) == (state, None)
        return found

    return eventually(there, what=f"node in state {state}")


def conductor_alive(ledger, hostname):
    try:
        return ledger.runner.read(get_conductor, SERVICE, hostname).alive
    except Exception as error:
        raise AssertionError from error


class Slow(FakeDriver):
    """Takes for ever, a number of times."""

    def __init__(self, times=10**6):
        self.begun, self.interrupted = threading.Event(), threading.Event()
        self._left = itertools.repeat(LONG, times)

    def run(self, node, work, arguments, progress, pause):
        self.begun.set()
        try:
            pause(next(self._left, 0))
        except BaseException:
            self.interrupted.set()
            raise
        return Outcome()


class Quick(FakeDriver):
    """Ignores the delays that the node sets."""

    def run(self, node, work, arguments, progress, pause):
        return Outcome()


class Broken(FakeDriver):
    """Raises an error."""

    def run(self, node, work, arguments, progress, pause):
        return Outcome(wait_seconds=1 / 0)


class Counting(FakeDriver):
    """Records its work."""

    def __init__(self):
        self.runs = []
        self.on_run = lambda: None

    def run(self, node, work, arguments, progress, pause):
        self.runs.append(work)
        self.on_run()
        return Outcome()


class Absence:
    """A database that one conductor cannot reach while the test still can."""

    def __init__(self, ledger):
        self._away, self.refusals = threading.Event(), 0
        self.set, self.clear = self._away.set, self._away.clear
        self._store = ledger.store
        self.statistics = ledger.store.statistics
        self.runner = build_runner(self, ledger.clock)

    def read(self, body, name=None):
        self._refuse_while_away()
        return self._store.read(body, name)

    def write(self, body):
        self._refuse_while_away()
        return self._store.write(body)

    def _refuse_while_away(self):
        if self._away.is_set():
            self.refusals += 1
            raise StoreUnavailable()
