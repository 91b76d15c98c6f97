"""``dibs node …``: list nodes by trait, and change their traits."""

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dibs.cli.argument_types import SEVERAL, past_moment
from dibs.cli.client_command import ClientCommand, ClientLister, ClientShowOne, Words

if TYPE_CHECKING:
    from dibs.client import Node

COLUMNS = ("uuid", "name", "resource_class", "provision_state", "instance_uuid", "traits")
LONG_COLUMNS = (*COLUMNS, "power_state", "maintenance", "owner", "lessee", "allocation_uuid")
FIELDS = (*LONG_COLUMNS, "driver", "description", "retired", "last_error", "properties", "extra")


class List(ClientLister):
    """List nodes, with filters by trait."""

    example = "--trait CUSTOM_NVME --not-trait CUSTOM_OLD --trait-any CUSTOM_A100 CUSTOM_H100 --free"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the filters."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--trait", **SEVERAL, metavar="TRAIT", help="Filter by traits; nodes must have all of them")
        parser.add_argument(
            "--trait-any", **SEVERAL, metavar="TRAIT", help="Filter by traits; nodes must have at least one"
        )
        parser.add_argument(
            "--not-trait", **SEVERAL, metavar="TRAIT", help="Filter by traits; nodes must lack at least one"
        )
        parser.add_argument(
            "--not-trait-any", **SEVERAL, metavar="TRAIT", help="Filter by traits; nodes must have none of them"
        )
        parser.add_argument("--resource-class", metavar="CLASS", help="Filter by resource class")
        parser.add_argument("--provision-state", metavar="STATE", help="Filter by provision state")
        parser.add_argument("--owner", metavar="PROJECT", help="Filter by owner")
        parser.add_argument("--free", action="store_true", help="List available nodes without an instance")
        parser.add_argument("--limit", type=int, metavar="COUNT", help="Maximum number of nodes")
        parser.add_argument("--long", action="store_true", help="Show more columns")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        columns = LONG_COLUMNS if parsed_args.long else COLUMNS
        filters: dict[str, Any] = {
            "resource_class": parsed_args.resource_class,
            "provision_state": parsed_args.provision_state,
            "owner": parsed_args.owner,
            "max_items": parsed_args.limit,
        }
        if parsed_args.free:
            filters |= {"provision_state": "available", "associated": False, "is_maintenance": False}
        found = self.dibs.nodes.list(
            traits=parsed_args.trait,
            traits_any=parsed_args.trait_any,
            not_traits=parsed_args.not_trait,
            not_traits_any=parsed_args.not_trait_any,
            **{name: value for name, value in filters.items() if value is not None},
        )
        rows = [_fields(node) for node in found]
        if not rows:
            self.suggest(parsed_args)
        return columns, [tuple(row[column] for column in columns) for row in rows]


class Show(ClientShowOne):
    """Show a node, now or at an earlier time."""

    example = "rack1-01 --at 2d -f json"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("node", metavar="NODE", help="Name or UUID of the node")
        parser.add_argument(
            "--at", type=past_moment, metavar="TIME", help="Show the node at an earlier time; 2d: two days ago"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Return columns and values."""
        if parsed_args.at is not None:
            found = self.dibs.node_at(parsed_args.node, parsed_args.at)
            return tuple(found), tuple(found.values())
        fields = _fields(self.dibs.nodes.get(parsed_args.node))
        return FIELDS, tuple(fields[field] for field in FIELDS)


class AddTrait(ClientCommand):
    """Add traits to a node."""

    example = "rack1-01 CUSTOM_NVME HW_CPU_X86_AVX2"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("node", metavar="NODE", help="Name or UUID of the node")
        parser.add_argument(
            "traits", metavar="TRAIT", nargs="+", help="Standard trait of os-traits, or custom trait CUSTOM_…"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Add the traits."""
        self.dibs.nodes.add_traits(parsed_args.node, *parsed_args.traits)


class RemoveTrait(ClientCommand):
    """Remove traits from a node."""

    example = "rack1-01 CUSTOM_NVME"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("node", metavar="NODE", help="Name or UUID of the node")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("traits", metavar="TRAIT", nargs="*", default=[], help="Trait to remove")
        which.add_argument("--all", action="store_true", help="Remove all traits")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Remove the traits."""
        if parsed_args.all:
            self.dibs.nodes.remove_all_traits(parsed_args.node)
        else:
            self.dibs.nodes.remove_traits(parsed_args.node, *parsed_args.traits)


def _fields(node: "Node") -> dict[str, Any]:
    return {
        "uuid": node.id,
        "name": node.name,
        "resource_class": node.resource_class,
        "provision_state": node.provision_state,
        "instance_uuid": node.instance_id,
        "traits": Words(sorted(node.traits or ())),
        "power_state": node.power_state,
        "maintenance": node.is_maintenance,
        "owner": node.owner,
        "lessee": node.lessee,
        "allocation_uuid": node.allocation_id,
        "driver": node.driver,
        "description": node.description,
        "retired": node.is_retired,
        "last_error": node.last_error,
        "properties": node.properties,
        "extra": node.extra,
    }
