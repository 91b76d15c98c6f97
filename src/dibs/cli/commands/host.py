"""``dibs host …``: the compute providers and nodes that leases can book."""

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dibs.cli.argument_types import key_value, pairs
from dibs.cli.client_command import ClientCommand, ClientLister, ClientShowOne
from dibs.cli.output.columns import Pairs

if TYPE_CHECKING:
    from dibs.client.hosts import Host

COLUMNS = ("id", "name", "reservable", "vcpus", "memory_mb", "local_gb", "properties")
FIELDS = (*COLUMNS, "hypervisor_type", "service_name", "availability_zone", "created_at", "updated_at")


class Create(ClientShowOne):
    """Register a node or a compute provider as a host for leases."""

    example = "rack1-01 --property rack=r1"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("name", metavar="NAME", help="Name or UUID of the node or the compute provider")
        _add_properties(parser, "Property that leases can require")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Register the host."""
        return FIELDS, _row(self.dibs.hosts.create(parsed_args.name, properties=pairs(parsed_args.property)))


class List(ClientLister):
    """List the hosts for leases."""

    example = "-c name -c properties"

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        return COLUMNS, [_row(each)[: len(COLUMNS)] for each in self.dibs.hosts.list()]


class Show(ClientShowOne):
    """Show a host."""

    example = "rack1-01 -f json"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("host", metavar="HOST", help="Name or ID of the host")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Return columns and values."""
        return FIELDS, _row(self.dibs.hosts.get(parsed_args.host))


class Set(ClientShowOne):
    """Set or remove properties of a host."""

    example = "rack1-01 --property rack=r2 --remove gpu"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("host", metavar="HOST", help="Name or ID of the host")
        _add_properties(parser, "Property to set")
        parser.add_argument("--remove", action="append", default=[], metavar="KEY", help="Property to remove")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Change the properties."""
        changes = {**dict.fromkeys(parsed_args.remove), **pairs(parsed_args.property)}
        return FIELDS, _row(self.dibs.hosts.update(parsed_args.host, properties=changes))


class Delete(ClientCommand):
    """Unregister hosts, so that leases can no longer book them."""

    example = "rack1-01"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("hosts", metavar="HOST", nargs="+", help="Name or ID of the host")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete the hosts."""
        for host in parsed_args.hosts:
            self.dibs.hosts.delete(host)


def _add_properties(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--property", action="append", default=[], type=key_value, metavar="KEY=VALUE", help=text)


def _row(host: "Host") -> tuple[Any, ...]:
    values = {**{field: getattr(host, field) for field in FIELDS}, "properties": Pairs(host.properties or {})}
    return tuple(values[field] for field in FIELDS)
