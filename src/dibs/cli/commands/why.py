"""``dibs why`` and ``dibs candidates``: explain availability, and list allocation candidates."""

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import structs, to_builtins

from dibs.cli.argument_types import SEVERAL, key_value, pairs, past_moment
from dibs.cli.client_command import ClientLister, ClientShowOne, Words
from dibs.cli.output.columns import Counts, NodeReasons, Offers

if TYPE_CHECKING:
    from datetime import datetime

    from dibs.client import LatestEnd
    from dibs.client import Why as Answer

KEEP_COLUMNS = ("latest_end", "limit")
COLUMNS = ("fits", "wanted", "free", "reasons", "earliest", "text", "offers")


class AnsweredByExitCode(ClientShowOne):
    """A question whose answer is also the exit code: 0 for yes, 1 for no."""

    fits = True

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Run the command; return 1 if the answer is no."""
        return super().run(parsed_args) or int(not self.fits)


class Why(AnsweredByExitCode):
    """Explain why a node is not available and when it will be. Nothing is allocated.

    Offers what is available instead. Exits with 0 if enough nodes are available, otherwise with 1. With --at, it
    explains what was available then. With --keep, it shows how long an allocation can be kept at most, and exits
    with 0.
    """

    example = "--resource-class gold --trait CUSTOM_NVME"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        question = parser.add_mutually_exclusive_group(required=True)
        question.add_argument("--resource-class", metavar="CLASS", help="Resource class of the nodes")
        question.add_argument("--keep", metavar="ALLOCATION", help="Show how long this allocation can be kept")
        parser.add_argument("--trait", **SEVERAL, metavar="TRAIT", help="Required traits")
        parser.add_argument("--candidate-node", **SEVERAL, metavar="NODE", help="Candidate nodes, by name or UUID")
        parser.add_argument("--bulk", type=int, default=1, metavar="COUNT", help="Number of nodes; 1 by default")
        detail = parser.add_mutually_exclusive_group()
        detail.add_argument("--all", action="store_true", help="Show the reason for each node")
        detail.add_argument(
            "--at", type=past_moment, metavar="TIME", help="Explain an earlier time, such as '2 days ago' or 2d"
        )
        parser.add_argument(
            "--limit", type=int, default=1_000, metavar="COUNT", help="Maximum number of nodes of --all"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Return columns and values."""
        if parsed_args.keep is not None:
            keep = self.dibs.allocations.latest_end(parsed_args.keep)
            return ("end", *KEEP_COLUMNS), (_shown(keep.end), *keep_row(keep))
        if parsed_args.all:
            return self._each_node(parsed_args)
        answer = self.dibs.why(
            parsed_args.resource_class,
            traits=parsed_args.trait,
            candidate_nodes=parsed_args.candidate_node,
            count=parsed_args.bulk,
            at=parsed_args.at,
        )
        self.fits = answer.fits
        if not answer.fits:
            self.suggest(parsed_args)
        return COLUMNS, row_of(answer, parsed_args.bulk)

    def _each_node(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Return the nodes by when they are available."""
        found = self.dibs.why_nodes(
            parsed_args.resource_class,
            traits=parsed_args.trait,
            candidate_nodes=parsed_args.candidate_node,
            limit=parsed_args.limit,
        )
        self.fits = len(found.free) >= parsed_args.bulk
        groups = to_builtins(found)
        return tuple(groups), tuple(NodeReasons(group) for group in groups.values())


class WhyCandidates(ClientLister):
    """Show how many providers remain after each condition, to see which one leaves no allocation candidates."""

    example = "--resource-class gold --trait CUSTOM_NVME"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the request."""
        parser = super().get_parser(prog_name)
        _add_request(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        found = self.dibs.why_candidates(
            _resources(parsed_args),
            traits=parsed_args.trait,
            traits_any=parsed_args.trait_any,
            not_traits=parsed_args.not_trait,
        )
        return ("condition", "value", "remaining"), [(each.parameter, each.value, each.remaining) for each in found]


class Candidates(ClientLister):
    """List allocation candidates."""

    example = "--resource-class gold --trait CUSTOM_NVME"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the request."""
        parser = super().get_parser(prog_name)
        _add_request(parser)
        parser.add_argument("--limit", type=int, metavar="COUNT", help="Maximum number of candidates")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        found = self.dibs.candidates(
            _resources(parsed_args),
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


def _add_request(parser: argparse.ArgumentParser) -> None:
    resources = parser.add_mutually_exclusive_group(required=True)
    resources.add_argument("--resource-class", metavar="CLASS", help="Resource class of a node")
    resources.add_argument(
        "--resource",
        **SEVERAL,
        type=key_value,
        metavar="UNITS",
        help="Requested resources, such as VCPU=4 MEMORY_MB=8192",
    )
    parser.add_argument("--trait", **SEVERAL, metavar="TRAIT", help="Required traits")
    parser.add_argument("--trait-any", **SEVERAL, metavar="TRAIT", help="Traits of which at least one is required")
    parser.add_argument("--not-trait", **SEVERAL, metavar="TRAIT", help="Forbidden traits")


def _resources(arguments: argparse.Namespace) -> dict[str, int]:
    from dibs.client.dibs import placement_class

    return pairs(arguments.resource) or {placement_class(arguments.resource_class): 1}


def keep_row(keep: "LatestEnd") -> tuple[str | None, str | None]:
    """Return the latest end and its reason; None and None without a limit."""
    return _shown(keep.latest), keep.reason or None


def row_of(answer: "Answer", wanted: int) -> tuple[Any, ...]:
    """Return the values to print."""
    earliest = _shown(answer.earliest)
    offers = Offers([structs.asdict(offer) for offer in answer.offers])
    return answer.fits, wanted, answer.free, Counts(dict(answer.reasons)), earliest, answer.text, offers


def _amounts(resources: Any) -> Words:
    return Words(f"{name}={amount}" for name, amount in sorted(resources.items()))


def _shown(moment: "datetime | None") -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")
