"""A real conductor with fake hardware: every verb from the request to the end."""

import itertools
import threading
import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.conductor import Conductor
from dibs.database.errors import StoreUnavailable
from dibs.drivers.fake import FakeDriver
from dibs.machines.model import states
from dibs.machines.model.driver import Outcome
from dibs.machines.model.errors import NodeLocked
from dibs.machines.operations.conductors import GetConductor, get_conductor
from dibs.machines.operations.provisioning import RequestPower, RequestProvision, request_power, request_provision
from dibs.wiring import build_runner
from tests.bed.waiting import eventually

LONG = 3600


@pytest.fixture
def start(ledger):
    """Start conductors; all are stopped in the end."""
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


def ask(ledger, node, verb, **arguments):
    command = RequestProvision(ident=node.uuid, rules=(), verb=verb, **arguments)
    return ledger.runner.write(request_provision, SERVICE, command)


def arrive(ledger, node, state):
    """Wait until the node is in a state and nobody works on it."""

    def there():
        found = ledger.node(node)
        assert (found.provision_state, found.reservation) == (state, None)
        return found

    return eventually(there, what=f"node in state {state}")


def enter(ledger, node, state):
    """Wait until the node is in a state, worked on or not."""
    return eventually(lambda: ledger.node(node).provision_state == state, what=f"node in state {state}")


def test_a_machine_goes_from_enrolled_to_deployed_and_back(ledger, start):
    conductor = start()
    instance = str(uuid.uuid4())
    node = ledger.enrol(state=states.ENROLL, power_state=None, resource_class="gold")
    ask(ledger, node, "manage")
    conductor.wake()
    assert arrive(ledger, node, "manageable").power_state == "power off"
    ask(ledger, node, "inspect")
    assert arrive(ledger, node, "manageable").inspection_finished_at
    ask(ledger, node, "clean", clean_steps=[{"interface": "deploy", "step": "erase"}])
    arrive(ledger, node, "manageable")
    ask(ledger, node, "provide")
    arrive(ledger, node, "available")
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 0}
    ledger.change(node, instance_uuid=instance)
    ask(ledger, node, "active")
    assert arrive(ledger, node, "active").instance_uuid == instance
    for verb, arguments, state in (
        ("rebuild", {}, "active"),
        ("rescue", {"rescue_password": "x"}, "rescue"),
        ("unrescue", {}, "active"),
        ("service", {"service_steps": [{"interface": "deploy", "step": "update"}]}, "active"),
    ):
        ask(ledger, node, verb, **arguments)
        arrive(ledger, node, state)
    ask(ledger, node, "deleted")
    assert arrive(ledger, node, "available").instance_uuid is None
    assert ledger.unit(node) == {"resource_class": "CUSTOM_GOLD", "reserved": 0, "used": 0}


def test_a_running_machine_is_adopted(ledger, start):
    start()
    node = ledger.enrol(state=states.MANAGEABLE, instance_uuid=str(uuid.uuid4()))
    ask(ledger, node, "adopt")
    arrive(ledger, node, "active")


@pytest.mark.parametrize("target", states.POWER_TARGETS)
def test_power_follows_the_request(ledger, start, target):
    start()
    node = ledger.enrol()
    ledger.runner.write(request_power, SERVICE, RequestPower(ident=node.uuid, rules=(), target=target))
    after = arrive(ledger, node, "available")
    assert (after.power_state, after.target_power_state) == (states.POWER_TARGETS[target], None)


@pytest.mark.parametrize(
    ("verb", "state", "work", "failed"),
    [
        ("manage", states.ENROLL, "verify", "enroll"),
        ("inspect", states.MANAGEABLE, "inspect", "inspect failed"),
        ("provide", states.MANAGEABLE, "clean", "clean failed"),
        ("adopt", states.MANAGEABLE, "adopt", "adopt failed"),
        ("active", states.AVAILABLE, "deploy", "deploy failed"),
        ("deleted", states.ACTIVE, "tear_down", "error"),
        ("deleted", states.ACTIVE, "clean", "clean failed"),
        ("rescue", states.ACTIVE, "rescue", "rescue failed"),
        ("unrescue", states.RESCUE, "unrescue", "unrescue failed"),
        ("service", states.ACTIVE, "service", "service failed"),
    ],
)
def test_hardware_that_fails_is_shown_with_its_reason(ledger, start, verb, state, work, failed):
    start()
    node = ledger.enrol(state=state, driver_info={f"fake_fail_{work}": "no fans"})
    ask(ledger, node, verb)
    eventually(lambda: ledger.node(node).last_error)
    after = arrive(ledger, node, failed)
    assert after.last_error.endswith("no fans")
    assert after.fault == {"clean": "clean failure", "service": "service failure"}.get(work)


@pytest.mark.parametrize(
    ("verb", "state", "work", "waiting", "aborted"),
    [
        ("inspect", states.MANAGEABLE, "inspect", "inspect wait", "inspect failed"),
        ("provide", states.MANAGEABLE, "clean", "clean wait", "clean failed"),
        ("active", states.AVAILABLE, "deploy", "wait call-back", "deploy failed"),
        ("rescue", states.ACTIVE, "rescue", "rescue wait", "rescue failed"),
        ("service", states.ACTIVE, "service", "service wait", "active"),
    ],
)
def test_work_that_waits_is_aborted_or_goes_on(ledger, start, verb, state, work, waiting, aborted):
    start()
    first, second = (ledger.enrol(state=state, driver_info={f"fake_wait_{work}": 5}) for _ in range(2))
    ask(ledger, first, verb)
    target = ask(ledger, second, verb).target_provision_state
    arrive(ledger, first, waiting)
    arrive(ledger, second, waiting)
    ask(ledger, first, "abort")
    ledger.clock.move(6)
    arrive(ledger, second, target)
    assert "abort" in arrive(ledger, first, aborted).last_error


def test_work_is_held_until_unhold(ledger, start):
    start()
    node = ledger.enrol(state=states.MANAGEABLE)
    hold = {"interface": "deploy", "step": "hold"}
    ask(ledger, node, "clean", clean_steps=[hold])
    assert arrive(ledger, node, "clean hold").clean_step == hold
    ask(ledger, node, "unhold")
    arrive(ledger, node, "manageable")


def test_a_node_that_is_worked_on_is_locked(ledger, start):
    start()
    node = ledger.enrol(driver_info={"fake_delay_deploy": LONG})
    ask(ledger, node, "active")
    with pytest.raises(NodeLocked, match="locked by host conductor-1"):
        ask(ledger, node, "active")


def test_stopping_interrupts_the_work_and_the_next_start_resumes_it(ledger, start):
    node = ledger.enrol(driver_info={"fake_delay_deploy": LONG})
    first = start(driver=(driver := Slow()))
    ask(ledger, node, "active")
    driver.begun.wait(10)
    first.stop()
    assert not conductor_alive(ledger, "conductor-1")
    assert (ledger.node(node).provision_state, ledger.node(node).reservation) == ("deploying", "conductor-1")
    start(driver=Quick())
    arrive(ledger, node, "active")


def test_another_conductor_takes_over_from_one_that_stopped(ledger, start):
    node = ledger.enrol()
    first = start(driver=(driver := Slow()))
    ask(ledger, node, "active")
    driver.begun.wait(10)
    first.stop()
    start("conductor-2")
    arrive(ledger, node, "active")


def test_a_conductor_whose_name_was_taken_stops_and_its_work_is_begun_anew(ledger, start, caplog):
    node = ledger.enrol()
    old = start(driver=(driver := Slow()))
    ask(ledger, node, "active")
    driver.begun.wait(10)
    start()
    arrive(ledger, node, "active")
    eventually(lambda: not old.running)
    eventually(lambda: driver.interrupted.is_set())
    assert "Another process has registered as conductor conductor-1" in caplog.text


def test_a_driver_that_breaks_fails_the_node(ledger, start):
    start(driver=Broken())
    node = ledger.enrol()
    ask(ledger, node, "active")
    assert "an unexpected error; the log" in arrive(ledger, node, "deploy failed").last_error


def test_there_may_be_more_work_than_threads(ledger, start):
    start(workers=2)
    nodes = [ledger.enrol(driver_info={"fake_delay_deploy": 0.01}) for _ in range(15)]
    for node in nodes:
        ask(ledger, node, "active")
    for node in nodes:
        arrive(ledger, node, "active")


def test_a_short_absence_of_the_database_delays_the_work_and_no_more(ledger, start):
    absence = Absence(ledger)
    start(runner=absence.runner)
    nodes = [ledger.enrol() for _ in range(3)]
    absence.set()
    for node in nodes:
        ask(ledger, node, "active")
    eventually(lambda: absence.refusals > 5)
    absence.clear()
    for node in nodes:
        arrive(ledger, node, "active")


def test_what_the_hardware_did_is_told_when_the_database_is_back(ledger, start):
    absence, driver = Absence(ledger), Counting()
    driver.on_run = absence.set
    start(runner=absence.runner, driver=driver)
    node = ledger.enrol()
    ask(ledger, node, "active")
    eventually(lambda: absence.refusals > 2)
    assert ledger.node(node).provision_state == "deploying"
    driver.on_run = lambda: None
    absence.clear()
    arrive(ledger, node, "active")
    assert driver.runs == ["deploy"]


def test_a_conductor_that_cannot_beat_interrupts_its_work_and_comes_back(ledger, start):
    absence, node = Absence(ledger), ledger.enrol()
    conductor = start(runner=absence.runner, driver=(driver := Slow(times=1)))
    ask(ledger, node, "active")
    driver.begun.wait(10)
    absence.set()
    ledger.clock.move(61)
    eventually(driver.interrupted.is_set)
    absence.clear()
    arrive(ledger, node, "active")
    assert conductor.running


def test_a_conductor_that_starts_without_a_database_registers_when_it_is_there(ledger, start):
    absence = Absence(ledger)
    absence.set()
    start("late", runner=absence.runner)
    absence.clear()
    eventually(lambda: conductor_alive(ledger, "late"))


def test_take_over_can_be_turned_off(ledger, start):
    node = ledger.enrol()
    ask(ledger, node, "active")
    ledger.clock.move(61)
    start("conductor-2", take_over_seconds=0)
    other = ledger.enrol()
    ask(ledger, other, "active")
    arrive(ledger, other, "active")
    assert ledger.node(node).reservation == "conductor-1"


def conductor_alive(ledger, hostname):
    try:
        return ledger.runner.read(get_conductor, SERVICE, GetConductor(hostname=hostname)).alive
    except Exception as error:
        raise AssertionError from error


class Slow(FakeDriver):
    """Takes for ever, the first times."""

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
    """Ignores the delays that the node asks for."""

    def run(self, node, work, arguments, progress, pause):
        return Outcome()


class Broken(FakeDriver):
    """Has a mistake in it."""

    def run(self, node, work, arguments, progress, pause):
        return Outcome(wait_seconds=1 / 0)


class Counting(FakeDriver):
    """Notes what it did."""

    def __init__(self):
        self.runs = []
        self.on_run = lambda: None

    def run(self, node, work, arguments, progress, pause):
        self.runs.append(work)
        self.on_run()
        return Outcome()


class Absence:
    """A database that can be made to seem away for one conductor while the test goes on using it."""

    def __init__(self, ledger):
        self._away, self.refusals = threading.Event(), 0
        self.set, self.clear = self._away.set, self._away.clear
        self._store = ledger.store
        self.runner = build_runner(self, ledger.clock)

    def read(self, body):
        self._refuse_while_away()
        return self._store.read(body)

    def write(self, body):
        self._refuse_while_away()
        return self._store.write(body)

    def _refuse_while_away(self):
        if self._away.is_set():
            self.refusals += 1
            raise StoreUnavailable()
