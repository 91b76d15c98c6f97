"""Find names in the arguments of a command that no object has, and the closest names that exist."""

import argparse
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from dibs.cli.output.closest import did_you_mean

if TYPE_CHECKING:
    from dibs.client import Dibs

_Names = Callable[["Dibs"], Iterable[str | None]]


def _nodes(dibs: "Dibs") -> Iterable[str | None]:
    return (name for node in dibs.connection.baremetal.nodes(fields=["uuid", "name"]) for name in (node.name, node.id))


def _classes(dibs: "Dibs") -> Iterable[str | None]:
    return (node.resource_class for node in dibs.connection.baremetal.nodes(fields=["uuid", "resource_class"]))


def _traits(dibs: "Dibs") -> Iterable[str | None]:
    nodes = dibs.connection.baremetal.nodes(fields=["uuid", "traits"])
    return (trait for node in nodes for trait in node.traits or ())


def _leases(dibs: "Dibs") -> Iterable[str | None]:
    return (name for lease in dibs.leases.list() for name in (lease.name, lease.id))


def _allocations(dibs: "Dibs") -> Iterable[str | None]:
    return (name for found in dibs.connection.baremetal.allocations() for name in (found.name, found.id))


def _hosts(dibs: "Dibs") -> Iterable[str | None]:
    return (name for host in dibs.hosts.list() for name in (host.name, host.id))


_SOURCES: dict[str, tuple[str, _Names]] = {
    "node": ("node has the name or UUID", _nodes),
    "nodes": ("node has the name or UUID", _nodes),
    "candidate_node": ("node has the name or UUID", _nodes),
    "resource_class": ("node has the class", _classes),
    "trait": ("node has the trait", _traits),
    "trait_any": ("node has the trait", _traits),
    "lease": ("lease has the name or ID", _leases),
    "leases": ("lease has the name or ID", _leases),
    "allocation": ("allocation has the name or UUID", _allocations),
    "allocations": ("allocation has the name or UUID", _allocations),
    "host": ("host has the name or ID", _hosts),
    "hosts": ("host has the name or ID", _hosts),
}
"""By name of the argument: what is missing, and where to look for the names that exist."""


def suggestion(dibs: "Dibs", arguments: argparse.Namespace) -> str:
    """Return one line for each name that no object has, with the closest ones; empty if all names are known."""
    from openstack import exceptions

    lines = []
    for argument, (what, names) in _SOURCES.items():
        given = getattr(arguments, argument, None) or []
        given = [given] if isinstance(given, str) else given
        given = [name for name in given if isinstance(name, str)] if isinstance(given, list) else []
        if not given:
            continue
        try:
            known = {name for name in names(dibs) if name}
        except exceptions.SDKException:
            continue
        lines += [f"No {what} {name}.{did_you_mean(name, known)}" for name in given if name not in known]
    return "\n".join(lines)
