"""``dibs why`` and ``dibs candidates``: why can I not have it, when could I, and who could serve me."""

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dibs.cli.asking import SEVERAL, AskingList, AskingOne, Words, key_value, pairs

if TYPE_CHECKING:
    from dibs.client import Why as Answer

ANSWER = ("fits", "free", "text", "earliest", "reasons")


class Why(AskingOne):
    """Tell why a node cannot be had, and when it could be. Nothing is asked for or kept."""

    example = "--resource-class gold --trait CUSTOM_NVME"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what would be asked for."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--resource-class", metavar="CLASS", required=True, help="Nodes of this class.")
        parser.add_argument("--trait", **SEVERAL, metavar="TRAIT", help="Nodes that have all of these.")
        parser.add_argument("--candidate-node", **SEVERAL, metavar="NODE", help="One of these nodes.")
        parser.add_argument("--bulk", type=int, default=1, metavar="COUNT", help="So many at once; 1 if not given.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Ask."""
        answer = self.dibs.why(
            parsed_args.resource_class,
            traits=parsed_args.trait,
            candidate_nodes=parsed_args.candidate_node,
            count=parsed_args.bulk,
        )
        return ANSWER, row_of(answer)


class Candidates(AskingList):
    """List the providers that could serve a claim, as Placement sees it."""

    example = "--resource-class gold --trait CUSTOM_NVME"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what would be claimed."""
        parser = super().get_parser(prog_name)
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--resource-class", metavar="CLASS", help="One node of this class.")
        what.add_argument(
            "--resource",
            **SEVERAL,
            type=key_value,
            metavar="WHAT",
            help="So much: VCPU=4 MEMORY_MB=8192.",
        )
        parser.add_argument("--trait", **SEVERAL, metavar="TRAIT", help="Providers that have all of these.")
        parser.add_argument("--trait-any", **SEVERAL, metavar="TRAIT", help="Providers that have one of these.")
        parser.add_argument("--not-trait", **SEVERAL, metavar="TRAIT", help="Providers that have none of these.")
        parser.add_argument("--limit", type=int, metavar="COUNT", help="At most so many answers.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Ask."""
        from dibs.client.dibs import class_of_nodes

        wanted = pairs(parsed_args.resource) or {class_of_nodes(parsed_args.resource_class): 1}
        found = self.dibs.candidates(
            wanted,
            traits=parsed_args.trait,
            traits_any=parsed_args.trait_any,
            not_traits=parsed_args.not_trait,
            limit=parsed_args.limit,
        )
        rows = [
            (each.number, each.provider, _amounts(each.resources), _amounts(each.free), Words(sorted(each.traits)))
            for each in found
        ]
        return ("#", "provider", "resources", "free", "traits"), rows


def row_of(answer: "Answer") -> tuple[Any, ...]:
    """An answer as it is printed."""
    earliest = None if answer.earliest is None else answer.earliest.isoformat(timespec="seconds")
    return answer.fits, answer.free, answer.text, earliest, dict(answer.reasons)


def _amounts(resources: Any) -> Words:
    return Words(f"{name}={amount}" for name, amount in sorted(resources.items()))
