"""``fake-hardware``: simulated hardware for tests and demonstrations.

Every kind of work succeeds at once unless the node's driver_info says otherwise:

- ``fake_delay_<work>``: seconds that the work takes, while the node stays locked;
- ``fake_wait_<work>``: seconds that the node waits, unlocked, before the work continues; abort is possible then;
- ``fake_fail_<work>``: message with which the work fails at its end.

A clean, deploy or service with a step named ``hold`` stops at that step until the verb unhold. A step that is neither
in ``STEPS`` nor in ``FLOW_STEPS`` fails the work.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dibs.machines.model import states
from dibs.machines.model.driver import DriverFailure, Interfaces, Outcome, Pause
from dibs.machines.model.nodes import Json, Node

SECONDS_MAX = 86_400

INTERFACE_OF_WORK = {
    states.VERIFY: "power",
    states.POWER: "power",
    states.INSPECT: "inspect",
    states.CLEAN: "deploy",
    states.DEPLOY: "deploy",
    states.TEAR_DOWN: "deploy",
    states.ADOPT: "deploy",
    states.SERVICE: "deploy",
    states.RESCUE: "rescue",
    states.UNRESCUE: "rescue",
}
"""For each kind of work, the interface whose validation covers its settings."""

WORKS_THAT_WAIT = frozenset(phase.work for phase in states.PHASES.values() if phase.waiting)

FLOW_STEPS = frozenset({"hold", "wait", "power_on", "power_off", "reboot"})
"""Steps of every interface: Ironic's conductor runs them, not the driver."""
_CHANGES = frozenset(
    {
        "bios.apply_configuration", "bios.cache_bios_settings", "bios.factory_reset", "firmware.update",
        "raid.apply_configuration", "raid.create_configuration", "raid.delete_configuration", "vendor.log_passthrough",
    }
)  # fmt: skip
_ERASES = frozenset({"deploy.erase_devices", "deploy.erase_devices_metadata", "deploy.erase_pstore"})
STEPS: Mapping[str, frozenset[str]] = {
    states.CLEAN: _CHANGES | _ERASES,
    states.DEPLOY: _CHANGES | _ERASES | {"deploy.deploy"},
    states.SERVICE: _CHANGES,
}
"""For each kind of work with steps, the steps that the simulated machine supports, as ``interface.step``."""

_STEP_FIELDS = {states.CLEAN: "clean_step", states.DEPLOY: "deploy_step", states.SERVICE: "service_step"}

_PREFIXES = {
    "fake_delay_": "seconds that the {work} takes",
    "fake_wait_": "seconds that the node waits, unlocked, in the middle of the {work}",
    "fake_fail_": "message with which the {work} fails",
}

_INTERFACES = {
    "bios": Interfaces(default="fake", enabled=("fake", "no-bios")),
    "boot": Interfaces(default="fake", enabled=("fake",)),
    "console": Interfaces(default="fake", enabled=("fake", "no-console")),
    "deploy": Interfaces(default="fake", enabled=("fake",)),
    "firmware": Interfaces(default="fake", enabled=("no-firmware", "fake")),
    "inspect": Interfaces(default="fake", enabled=("no-inspect", "fake")),
    "management": Interfaces(default="fake", enabled=("fake",)),
    "network": Interfaces(default="noop", enabled=("noop",)),
    "power": Interfaces(default="fake", enabled=("fake",)),
    "raid": Interfaces(default="fake", enabled=("no-raid", "fake")),
    "rescue": Interfaces(default="fake", enabled=("fake", "no-rescue")),
    "storage": Interfaces(default="noop", enabled=("fake", "noop")),
    "vendor": Interfaces(default="fake", enabled=("no-vendor", "fake")),
}
_PROPERTIES = {
    f"{prefix}{work}": meaning.format(work=work.replace("_", " ")) + ". Optional."
    for prefix, meaning in _PREFIXES.items()
    for work in INTERFACE_OF_WORK
    if prefix != "fake_wait_" or work in WORKS_THAT_WAIT
}


class FakeDriver:
    """Simulates a machine."""

    name = "fake-hardware"
    interfaces: Mapping[str, Interfaces] = _INTERFACES
    properties: Mapping[str, str] = _PROPERTIES
    boot_devices: tuple[str, ...] = ("pxe", "disk", "cdrom")

    def validate(self, node: Node) -> dict[str, str | None]:
        """Find wrong settings, each under its interface."""
        reasons: dict[str, str | None] = dict.fromkeys(self.interfaces)
        for key, value in node.driver_info.items():
            prefix = next((each for each in _PREFIXES if key.startswith(each)), None)
            if prefix is None:
                continue
            interface = INTERFACE_OF_WORK.get(key.removeprefix(prefix), "deploy")
            reasons[interface] = reasons[interface] or self._reason(key, prefix, value)
        for work, interface in ((states.INSPECT, "inspect"), (states.RESCUE, "rescue")):
            if getattr(node, f"{interface}_interface") == f"no-{interface}":
                reasons[interface] = f"The {interface} interface of node {node.uuid} does not support {work}."
        return reasons

    def run(self, node: Node, work: str, arguments: Json, progress: Json, pause: Pause) -> Outcome:
        """Delay, wait, hold and fail according to the node's driver_info and the steps."""
        self._check_settings(node, work)
        changes = self._first_look(node)
        held = progress.get("held", 0)
        steps = arguments.get("steps", [])
        self._check_steps(node, work, steps)
        for index, step in enumerate(steps[held:], held + 1):
            if step.get("step") == "hold":
                changes[_STEP_FIELDS[work]] = step
                return Outcome(held=True, changes=changes, progress={**progress, "held": index})
        wait_seconds = _seconds(node.driver_info.get(f"fake_wait_{work}"))
        if wait_seconds and work in WORKS_THAT_WAIT and not progress.get("waited"):
            return Outcome(wait_seconds=wait_seconds, changes=changes, progress={**progress, "waited": True})
        pause(_seconds(node.driver_info.get(f"fake_delay_{work}")) or 0)
        if failure := node.driver_info.get(f"fake_fail_{work}"):
            raise DriverFailure(str(failure))
        if work == states.POWER:
            changes["power_state"] = states.POWER_TARGETS[arguments["target"]]
        return Outcome(changes=changes)

    def _check_settings(self, node: Node, work: str) -> None:
        """Raise DriverFailure for a wrong setting: not every verb is validated before it is accepted."""
        for prefix in _PREFIXES:
            key = f"{prefix}{work}"
            if key in node.driver_info and (reason := self._reason(key, prefix, node.driver_info[key])):
                raise DriverFailure(reason)

    def _check_steps(self, node: Node, work: str, steps: Sequence[Json]) -> None:
        """Raise DriverFailure for steps that the machine does not support, with the words of Ironic's conductor."""
        unknown = [step for step in steps if not self._supports(node, work, step)]
        if unknown:
            reasons = "; ".join(f"node does not support this {work} step: {step}" for step in unknown)
            raise DriverFailure(f"Cannot {work} node {node.uuid}: {reasons}")

    def _supports(self, node: Node, work: str, step: Json) -> bool:
        if step["step"] in FLOW_STEPS:
            return True
        interface = step["interface"]
        absent = getattr(node, f"{interface}_interface") == f"no-{interface}"
        return f"{interface}.{step['step']}" in STEPS[work] and not absent

    def _first_look(self, node: Node) -> dict[str, Any]:
        return {} if node.power_state else {"power_state": states.POWER_OFF}

    def _reason(self, key: str, prefix: str, value: Any) -> str | None:
        if key not in self.properties:
            known = ", ".join(each for each in self.properties if each.startswith(prefix))
            return f"Unknown setting driver_info/{key}; known are {known}."
        if prefix == "fake_fail_":
            fine = isinstance(value, str) and bool(value)
            return None if fine else f"driver_info/{key} must be a message, not {value!r}."
        if _seconds(value) is None:
            return f"driver_info/{key} must be a number of seconds from 0 to {SECONDS_MAX}, not {value!r}."
        return None


def _seconds(value: Any) -> float | None:
    """Return seconds from a number or its text, which command lines send; None for anything else."""
    if isinstance(value, bool):
        return None
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return None
    return seconds if math.isfinite(seconds) and 0 <= seconds <= SECONDS_MAX else None
