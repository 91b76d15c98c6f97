import threading

import pytest

from dibs.conductor.session import Session
from dibs.drivers.fake import INTERFACE_OF_WORK, FakeDriver
from dibs.errors import BadValue
from dibs.machines.model import states
from dibs.machines.model.driver import Driver, DriverFailure, Interrupted, check_boot_device, check_settings
from dibs.machines.model.errors import ValidationFailed
from dibs.machines.model.nodes import Node

DRIVER: Driver = FakeDriver()


def node(**values):
    return Node(
        **{
            "id": 1,
            "uuid": "11111111-2222-4333-8444-555555555501",
            "driver": "fake-hardware",
            "provision_state": states.ENROLL,
            "created_at": 0,
            **values,
        }
    )


def run(work, *, arguments=None, progress=None, pauses=None, **values):
    pause = (lambda seconds: None) if pauses is None else pauses.append
    return DRIVER.run(node(**values), work, arguments or {}, progress or {}, pause)


def test_the_driver_has_every_kind_of_work_of_the_phases():
    assert set(INTERFACE_OF_WORK) == {*states.PHASE_OF_WORK, states.POWER}


@pytest.mark.parametrize("work", sorted(states.PHASE_OF_WORK))
def test_work_succeeds_and_finds_an_unknown_power_state_off(work):
    outcome = run(work)
    assert outcome.finished
    assert outcome.changes == {"power_state": "power off"}


def test_a_known_power_state_is_unchanged():
    assert run(states.DEPLOY, power_state=states.POWER_ON).changes == {}


@pytest.mark.parametrize(("target", "state"), states.POWER_TARGETS.items())
def test_power_ends_in_the_requested_state(target, state):
    assert run(states.POWER, arguments={"target": target}, power_state=states.POWER_OFF).changes == {
        "power_state": state
    }


def test_a_delay_is_taken_from_driver_info_as_number_or_text():
    pauses = []
    run(states.DEPLOY, driver_info={"fake_delay_deploy": 2}, pauses=pauses)
    run(states.CLEAN, driver_info={"fake_delay_clean": "0.5", "fake_delay_deploy": 7}, pauses=pauses)
    assert pauses == [2, 0.5]


def test_a_delay_is_interrupted_when_the_session_ends():
    session = Session("x")
    threading.Timer(0.05, session.ended.set).start()
    with pytest.raises(Interrupted):
        DRIVER.run(node(driver_info={"fake_delay_deploy": 3600}), states.DEPLOY, {}, {}, session.pause)


def test_a_failure_has_the_message_from_driver_info():
    with pytest.raises(DriverFailure, match=r"^no fans$"):
        run(states.POWER, arguments={"target": states.POWER_ON}, driver_info={"fake_fail_power": "no fans"})


@pytest.mark.parametrize("setting", ["fake_delay_verify", "fake_wait_verify"])
def test_work_with_invalid_settings_fails(setting):
    with pytest.raises(DriverFailure, match=setting):
        run(states.VERIFY, driver_info={setting: "soon"})


def test_work_waits_once_and_then_continues():
    first = run(states.CLEAN, driver_info={"fake_wait_clean": 30})
    assert (first.finished, first.wait_seconds) == (False, 30)
    assert run(states.CLEAN, driver_info={"fake_wait_clean": 30}, progress=first.progress).finished


ERASE = {"interface": "deploy", "step": "erase_devices"}


@pytest.mark.parametrize(
    ("work", "step", "values"),
    [
        (states.CLEAN, {"interface": "deploy", "step": "nosuch"}, {}),
        (states.CLEAN, {"interface": "bios", "step": "erase_devices"}, {}),
        (states.SERVICE, ERASE, {}),
        (states.DEPLOY, {"interface": "raid", "step": "nosuch"}, {}),
        (states.CLEAN, {"interface": "bios", "step": "factory_reset"}, {"bios_interface": "no-bios"}),
    ],
)
def test_a_step_that_the_machine_does_not_support_fails_the_work(work, step, values):
    with pytest.raises(DriverFailure, match=f"Cannot {work} node .*: node does not support this {work} step: .*"):
        run(work, arguments={"steps": [{"interface": "power", "step": "reboot"}, step]}, **values)


def test_a_hold_step_holds_and_the_later_steps_follow():
    steps = {"steps": [{"step": "hold", "interface": "deploy"}, ERASE, {"step": "hold", "args": {"n": 2}}]}
    first = run(states.CLEAN, arguments=steps)
    assert first.held
    assert first.changes["clean_step"] == steps["steps"][0]
    second = run(states.CLEAN, arguments=steps, progress=first.progress)
    assert second.changes["clean_step"] == steps["steps"][2]
    assert run(states.CLEAN, arguments=steps, progress=second.progress).finished


def test_a_node_without_settings_is_valid_on_every_interface():
    assert DRIVER.validate(node(driver_info={"address": "10.0.0.1"})) == dict.fromkeys(DRIVER.interfaces)


@pytest.mark.parametrize("value", ["soon", -1, True, None, [], float("inf"), 86_401])
def test_an_invalid_time_is_found_by_validate(value):
    reasons = DRIVER.validate(node(driver_info={"fake_delay_deploy": value}))
    assert "fake_delay_deploy must be a number of seconds" in reasons.pop("deploy")
    assert not any(reasons.values())


@pytest.mark.parametrize(
    ("key", "interface"),
    [("fake_delay_deplyo", "deploy"), ("fake_wait_power", "power"), ("fake_wait_unrescue", "rescue")],
)
def test_an_unknown_setting_is_found_by_validate(key, interface):
    assert f"Unknown setting driver_info/{key}" in DRIVER.validate(node(driver_info={key: 1}))[interface]


def test_a_failure_without_a_message_is_found_by_validate():
    assert "must be a message" in DRIVER.validate(node(driver_info={"fake_fail_inspect": 1}))["inspect"]


def test_a_disabled_interface_refuses_its_verb():
    with pytest.raises(ValidationFailed, match="does not support rescue"):
        check_settings(DRIVER, node(rescue_interface="no-rescue"), "rescue")


def test_a_verb_needs_only_its_own_interfaces():
    broken = node(driver_info={"fake_delay_deploy": "soon"})
    check_settings(DRIVER, broken, "deleted")
    with pytest.raises(ValidationFailed):
        check_settings(DRIVER, broken, "active")


def test_an_unsupported_boot_device_is_refused():
    check_boot_device(DRIVER, "pxe")
    with pytest.raises(BadValue, match="Invalid boot device floppy specified"):
        check_boot_device(DRIVER, "floppy")
