import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.machines.model.conductors import TIMEOUT_SECONDS
from dibs.machines.model.errors import (
    ConductorNotFound,
    ConductorReplaced,
    DriverNotFound,
    NoConductorForDriver,
    NoLiveConductor,
)
from dibs.machines.operations.conductors import (
    Heartbeat,
    RegisterConductor,
    choose_conductor,
    get_conductor,
    get_driver,
    list_conductors,
    list_drivers,
    record_heartbeat,
    register_conductor,
)


def register(ledger, hostname, *, group="", drivers=("fake-hardware",)):
    incarnation = str(uuid.uuid4())
    command = RegisterConductor(hostname=hostname, group=group, drivers=drivers, incarnation=incarnation)
    ledger.runner.write(register_conductor, SERVICE, command)
    return incarnation


def beat_of(ledger, hostname, incarnation, *, online=True):
    ledger.runner.write(record_heartbeat, SERVICE, Heartbeat(hostname=hostname, incarnation=incarnation, online=online))


def alive(ledger):
    views = ledger.runner.read(list_conductors, SERVICE, None)
    return {view.conductor.hostname: view.alive for view in views}


def choose(ledger, **options):
    options = {"driver": "fake-hardware", "group": "", "seed": str(uuid.uuid4()), **options}
    return ledger.store.read(lambda tx: choose_conductor(tx, ledger.clock(), **options))


def test_a_conductor_is_alive_until_its_heartbeats_stop_for_too_long(ledger):
    incarnation = register(ledger, "other")
    ledger.clock.move(TIMEOUT_SECONDS - 1)
    beat_of(ledger, "other", incarnation)
    assert alive(ledger) == {"conductor-1": True, "other": True}
    ledger.clock.move(2)
    assert alive(ledger) == {"conductor-1": False, "other": True}


def test_a_stopped_conductor_is_not_alive(ledger):
    incarnation = register(ledger, "other")
    beat_of(ledger, "other", incarnation, online=False)
    assert alive(ledger)["other"] is False


def test_a_newer_process_of_the_same_name_replaces_the_older(ledger):
    old = register(ledger, "twin")
    new = register(ledger, "twin", group="east", drivers=("a", "b"))
    beat_of(ledger, "twin", new)
    with pytest.raises(ConductorReplaced):
        beat_of(ledger, "twin", old)
    found = ledger.runner.read(get_conductor, SERVICE, "twin").conductor
    assert (found.incarnation, found.conductor_group, found.drivers) == (new, "east", ("a", "b"))


def test_an_older_process_cannot_stop_the_newer(ledger):
    old = register(ledger, "twin")
    register(ledger, "twin")
    with pytest.raises(ConductorReplaced):
        beat_of(ledger, "twin", old, online=False)
    assert alive(ledger)["twin"] is True


def test_a_conductor_that_does_not_exist_is_not_found(ledger):
    with pytest.raises(ConductorNotFound, match="Conductor nosuch could not be found"):
        ledger.runner.read(get_conductor, SERVICE, "nosuch")


def test_drivers_are_those_of_live_conductors_with_their_hosts(ledger):
    register(ledger, "b", drivers=("fake-hardware", "redfish"))
    gone = register(ledger, "gone", drivers=("fake-hardware", "ipmi"))
    beat_of(ledger, "gone", gone, online=False)
    drivers = ledger.runner.read(list_drivers, SERVICE, None)
    assert [(driver.name, driver.hosts) for driver in drivers] == [
        ("fake-hardware", ("b", "conductor-1")),
        ("redfish", ("b",)),
    ]
    assert ledger.runner.read(get_driver, SERVICE, "redfish").hosts == ("b",)
    with pytest.raises(DriverNotFound):
        ledger.runner.read(get_driver, SERVICE, "ipmi")


def test_a_task_goes_to_a_conductor_with_the_driver_and_the_group(ledger):
    register(ledger, "east", group="east")
    assert choose(ledger, group="east").hostname == "east"
    with pytest.raises(NoConductorForDriver, match=r'driver redfish for conductor group "east"'):
        choose(ledger, group="east", driver="redfish")


def test_a_task_needs_a_live_conductor(ledger):
    ledger.clock.move(TIMEOUT_SECONDS + 1)
    with pytest.raises(NoLiveConductor):
        choose(ledger)


def test_the_preferred_conductor_gets_the_task_while_it_is_alive(ledger):
    incarnation = register(ledger, "preferred")
    preferred = ledger.runner.read(get_conductor, SERVICE, "preferred").conductor.id
    assert {choose(ledger, preferred=preferred).hostname for _ in range(20)} == {"preferred"}
    beat_of(ledger, "preferred", incarnation, online=False)
    assert choose(ledger, preferred=preferred).hostname == "conductor-1"


def test_tasks_are_spread_over_all_qualified_conductors(ledger):
    register(ledger, "conductor-2")
    assert {choose(ledger).hostname for _ in range(64)} == {"conductor-1", "conductor-2"}
