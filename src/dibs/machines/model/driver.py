"""The interface of hardware drivers.

A driver receives a node and a task and runs the task from its start, each time it is called: a conductor may fail
half-way, and the conductor that takes the task over calls the driver again.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from msgspec import Struct, field

from dibs.errors import BadValue
from dibs.machines.model import states
from dibs.machines.model.errors import DriverNotFound, ValidationFailed
from dibs.machines.model.nodes import Json, Node

Pause = Callable[[float], None]
"""Waits that many seconds; raises ``Interrupted`` when the conductor stops meanwhile."""


class DriverFailure(Exception):
    """The hardware failed; the message becomes part of the node's last_error."""


class Interrupted(Exception):
    """The conductor stops; the task will run again from its start, on this or another conductor."""


class Interfaces(Struct, frozen=True, kw_only=True):
    """The implementations that a driver has of one kind of interface."""

    default: str
    enabled: tuple[str, ...]


class Outcome(Struct, frozen=True, kw_only=True):
    """The state of a task when the driver returns."""

    changes: Json = field(default_factory=dict)
    """Fields of the node that changed: power_state, driver_internal_info, properties, the current step."""
    wait_seconds: float | None = None
    """Not finished: call the driver again after this time. None means finished, unless ``held``."""
    held: bool = False
    """Not finished: call the driver again after the verb unhold."""
    progress: Json = field(default_factory=dict)
    """Passed to the driver in its next call."""

    @property
    def finished(self) -> bool:
        """Return True when the task is complete."""
        return self.wait_seconds is None and not self.held


class Driver(Protocol):
    """A hardware type."""

    name: str
    interfaces: Mapping[str, Interfaces]
    """Implementations by kind of interface."""
    properties: Mapping[str, str]
    """The meaning of each key of driver_info that the driver knows."""
    boot_devices: tuple[str, ...]

    def validate(self, node: Node) -> Mapping[str, str | None]:
        """Return, for each kind of interface, the reason why the node's settings are wrong, or None."""

    def run(self, node: Node, work: str, arguments: Json, progress: Json, pause: Pause) -> Outcome:
        """Run a kind of work from ``model.states``, or raise DriverFailure.

        ``arguments`` come from the request: ``steps`` of a clean, deploy or service, ``password`` of a rescue,
        ``target`` of a power change. ``progress`` is that of the last outcome.
        """


def find_driver(drivers: Mapping[str, Driver], name: str) -> Driver:
    """Return the driver of a name, or raise DriverNotFound."""
    driver = drivers.get(name)
    if driver is None:
        raise DriverNotFound(driver=name)
    return driver


def check_settings(driver: Driver, node: Node, verb: str) -> None:
    """Raise ValidationFailed when the node's settings do not allow a provision verb, or ``power``."""
    reasons = driver.validate(node)
    for interface in states.INTERFACES_NEEDED.get(states.ALIASES.get(verb, verb), ()):
        if reason := reasons.get(interface):
            raise ValidationFailed(node=node.uuid, reason=reason)


def choose_interfaces(values: dict[str, Any], driver: Driver | None, names: Collection[str]) -> None:
    """Fill in the driver's default for each of these interfaces that has no value; refuse what the driver lacks.

    A driver that this process does not know changes nothing here: a conductor refuses it later.
    """
    if driver is None:
        return
    for kind, interfaces in driver.interfaces.items():
        name = f"{kind}_interface"
        if name not in names:
            continue
        chosen = values.get(name)
        if chosen is None:
            values[name] = interfaces.default
        elif chosen not in interfaces.enabled:
            raise BadValue(
                reason=f"{kind} interface implementation '{chosen}' is not supported by hardware type {driver.name}. "
                f"Valid interfaces are {', '.join(interfaces.enabled)} (field {name})."
            )


class BootDevice(Struct, frozen=True):
    """The boot device of a node, for one boot or until changed; the driver applies it at the next boot."""

    device: str = "pxe"
    persistent: bool = False


_BOOT_DEVICE_KEY = "boot_device"


def boot_device_of(node: Node) -> BootDevice:
    """Return the boot device that was last set for the node."""
    return BootDevice(**node.driver_internal_info.get(_BOOT_DEVICE_KEY, {}))


def with_boot_device(node: Node, chosen: BootDevice) -> Json:
    """Return the node's driver_internal_info with this boot device."""
    remembered = {"device": chosen.device, "persistent": chosen.persistent}
    return {**node.driver_internal_info, _BOOT_DEVICE_KEY: remembered}


def check_boot_device(driver: Driver, device: str) -> None:
    """Raise BadValue for a device that the driver cannot boot from."""
    if device not in driver.boot_devices:
        raise BadValue(reason=f"Invalid boot device {device} specified.")
