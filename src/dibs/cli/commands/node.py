"""``dibs node …``: nodes by trait."""

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dibs.cli.asking import SEVERAL, Asking, AskingList, AskingOne, Words

if TYPE_CHECKING:
    from dibs.client import Node

COLUMNS = ("uuid", "name", "resource_class", "provision_state", "instance_uuid", "traits")
LONG_COLUMNS = (*COLUMNS, "power_state", "maintenance", "owner", "lessee", "allocation_uuid")
FIELDS = (*LONG_COLUMNS, "driver", "description", "retired", "last_error", "properties", "extra")


class List(AskingList):
    """List nodes, by trait and more."""

    example = "--trait CUSTOM_NVME --not-trait CUSTOM_OLD --trait-any CUSTOM_A100 CUSTOM_H100 --free"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the filters."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--trait", **SEVERAL, metavar="TRAIT", help="Nodes that have all of these.")
        parser.add_argument("--trait-any", **SEVERAL, metavar="TRAIT", help="Nodes that have at least one of these.")
        parser.add_argument("--not-trait", **SEVERAL, metavar="TRAIT", help="Nodes that lack at least one of these.")
        parser.add_argument("--not-trait-any", **SEVERAL, metavar="TRAIT", help="Nodes that have none of these.")
        parser.add_argument("--resource-class", metavar="CLASS", help="Nodes of this class.")
        parser.add_argument("--provision-state", metavar="STATE", help="Nodes in this state.")
        parser.add_argument("--owner", metavar="PROJECT", help="Nodes of this owner.")
        parser.add_argument("--free", action="store_true", help="Nodes that can be had: available and nobody's.")
        parser.add_argument("--limit", type=int, metavar="COUNT", help="At most so many.")
        parser.add_argument("--long", action="store_true", help="More columns.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """List."""
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
        rows = [_facts(node) for node in found]
        return columns, [tuple(row[column] for column in columns) for row in rows]


class Show(AskingOne):
    """Show a node."""

    example = "rack1-01 -f json"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("node", metavar="NODE", help="Name or uuid.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Show."""
        facts = _facts(self.dibs.nodes.get(parsed_args.node))
        return FIELDS, tuple(facts[field] for field in FIELDS)


class AddTrait(Asking):
    """Give a node traits; those that it has already do no harm."""

    example = "rack1-01 CUSTOM_NVME HW_CPU_X86_AVX2"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("node", metavar="NODE", help="Name or uuid.")
        parser.add_argument("traits", metavar="TRAIT", nargs="+", help="A name of os-traits, or CUSTOM_ and more.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Add them."""
        self.dibs.nodes.add_traits(parsed_args.node, *parsed_args.traits)


class RemoveTrait(Asking):
    """Take traits from a node."""

    example = "rack1-01 CUSTOM_NVME"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("node", metavar="NODE", help="Name or uuid.")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("traits", metavar="TRAIT", nargs="*", default=[], help="Traits that the node has.")
        which.add_argument("--all", action="store_true", help="Every one that it has.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Remove them."""
        if parsed_args.all:
            self.dibs.nodes.remove_all_traits(parsed_args.node)
        else:
            self.dibs.nodes.remove_traits(parsed_args.node, *parsed_args.traits)


def _facts(node: "Node") -> dict[str, Any]:
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
