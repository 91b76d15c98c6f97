"""Real processes with real time: a conductor killed in the middle of its work loses nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from dibs.access.access import SERVICE
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from dibs.machines.queries import tasks
from dibs.wiring import build_runner
from tests.bed.waiting import eventually
from tests.builders import Ledger
from tests.conductor.process import real_clock

PROGRAM = Path(__file__).with_name("process.py")


@pytest.fixture
def ledger(store):
    """A ledger that lives in real time, as the processes do."""
    made = Ledger(store)
    made.clock = real_clock
    made.runner = build_runner(store, real_clock)
    return made


@pytest.fixture
def spawn(database_url):
    """Start conductors in processes of their own; those still running are killed in the end."""
    running = []

    def spawn(hostname):
        process = subprocess.Popen([sys.executable, str(PROGRAM), database_url, hostname])
        running.append(process)
        return process

    yield spawn
    for process in running:
        process.kill()
        process.wait()


def killed_while_deploying(ledger, spawn):
    """A node whose conductor was killed in the middle of the first of its three seconds of work."""
    node = ledger.enrol(driver_info={"fake_delay_deploy": 3})
    process = spawn("conductor-1")
    request = RequestProvision(ident=node.uuid, rules=(), verb="active")
    ledger.runner.write(request_provision, SERVICE, request)
    eventually(lambda: ledger.store.read(lambda tx: tasks.get(tx, node.id)).runner, seconds=30, what="work begun")
    process.kill()
    process.wait()
    assert (ledger.node(node).provision_state, ledger.node(node).reservation) == ("deploying", "conductor-1")
    return node


def deployed(ledger, node):
    found = ledger.node(node)
    return (found.provision_state, found.reservation) == ("active", None)


def test_work_of_a_killed_conductor_is_finished_by_its_next_start(ledger, spawn):
    node = killed_while_deploying(ledger, spawn)
    spawn("conductor-1")
    eventually(lambda: deployed(ledger, node), seconds=30)


def test_work_of_a_killed_conductor_is_finished_by_another(ledger, spawn):
    node = killed_while_deploying(ledger, spawn)
    spawn("conductor-2")
    eventually(lambda: deployed(ledger, node), seconds=30)
