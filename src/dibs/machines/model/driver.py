"""What Dibs asks of hardware, and what hardware may answer.

A driver is given a node and a piece of work and does it from the start, however often it is asked: the conductor that
asked may die half-way, and the next one asks again.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dibs.errors import BadValue
from dibs.machines.model import states
from dibs.machines.model.errors import DriverNotFound, ValidationFailed
from dibs.machines.model.nodes import Json, Node

Pause = Callable[[float], None]
"""Waits that many seconds, and raises ``Interrupted`` when the conductor stops meanwhile."""


class DriverFailure(Exception):
    """The hardware could not do it; the text says why, for the node's last_error."""


class Interrupted(Exception):
    """The conductor stops; the work will be done again from its start, here or elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interfaces:
    """The implementations of one kind of interface that a driver has."""

    default: str
    enabled: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a piece of work stands when the driver returns."""

    changes: Json = field(default_factory=dict)
    """Fields of the node that are different now: power_state, driver_internal_info, properties, the current step."""
    wait_seconds: float | None = None
    """Not finished: ask again after that time. None means finished, unless it is held."""
    held: bool = False
    """Not finished: ask again when somebody says unhold."""
    progress: Json = field(default_factory=dict)
    """What the driver wants to be told when it is asked again."""

    @property
    def finished(self) -> bool:
        """True when the work is done."""
        return self.wait_seconds is None and not self.held


class Driver(Protocol):
    """A hardware type."""

    name: str
    interfaces: Mapping[str, Interfaces]
    """Kind of interface -> its implementations."""
    properties: Mapping[str, str]
    """Keys of driver_info that it knows -> what they mean."""
    boot_devices: tuple[str, ...]

    def validate(self, node: Node) -> Mapping[str, str | None]:
        """For each kind of interface None when the node's settings are fine, otherwise the reason why not."""

    def run(self, node: Node, work: str, arguments: Json, progress: Json, pause: Pause) -> Outcome:
        """Do one of the works of ``node_states``, or raise DriverFailure.

        ``arguments`` are those of the request: ``steps`` of a clean, deploy or service, ``password`` of a rescue,
        ``target`` of a power change.
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


@dataclass(frozen=True, slots=True)
class BootDevice:
    """What a node boots from, once or until changed. A driver applies it when it next starts the machine."""

    device: str = "pxe"
    persistent: bool = False


_BOOT_DEVICE_KEY = "boot_device"


def boot_device_of(node: Node) -> BootDevice:
    """What the node was last told to boot from."""
    return BootDevice(**node.driver_internal_info.get(_BOOT_DEVICE_KEY, {}))


def with_boot_device(node: Node, chosen: BootDevice) -> Json:
    """The node's driver_internal_info once it has been told what to boot from."""
    remembered = {"device": chosen.device, "persistent": chosen.persistent}
    return {**node.driver_internal_info, _BOOT_DEVICE_KEY: remembered}


def check_boot_device(driver: Driver, device: str) -> None:
    """Refuse a device that the driver cannot boot from."""
    if device not in driver.boot_devices:
        raise BadValue(reason=f"Invalid boot device {device} specified.")
