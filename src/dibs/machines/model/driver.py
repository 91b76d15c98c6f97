"""What Dibs asks of hardware, and what hardware may answer.

A driver is given a node and a piece of work and does it from the start, however often it is asked: the conductor that
asked may die half-way, and the next one asks again.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

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


def check_interfaces(driver: Driver, node: Node, interfaces: Iterable[str]) -> None:
    """Refuse a node whose settings for one of these interfaces are wrong."""
    reasons = driver.validate(node)
    for interface in interfaces:
        if reason := reasons.get(interface):
            raise ValidationFailed(node=node.uuid, reason=reason)


def check_for_verb(driver: Driver, node: Node, verb: str) -> None:
    """Refuse a node whose settings do not allow a provision verb, or ``power``."""
    check_interfaces(driver, node, states.INTERFACES_NEEDED.get(states.ALIASES.get(verb, verb), ()))


def check_settings(drivers: Mapping[str, Driver], node: Node, verb: str) -> None:
    """Ask the node's driver whether the node's settings allow a verb."""
    driver = drivers.get(node.driver)
    if driver is None:
        raise DriverNotFound(driver=node.driver)
    check_for_verb(driver, node, verb)


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
