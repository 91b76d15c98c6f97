"""``dibs allocation …``: give me a node, or several, now or when there is one; run a command with it; give it back."""

import argparse
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dibs.cli.asking import SEVERAL, Asking, AskingList, AskingOne, Ended, Words, key_value, pairs, seconds
from dibs.cli.borrowing import WAIT_LONGEST, Borrowing, Wish

if TYPE_CHECKING:
    from dibs.client import Allocation

COLUMNS = ("uuid", "name", "resource_class", "state", "node_uuid")
FIELDS = (
    *COLUMNS,
    "traits",
    "candidate_nodes",
    "sticky",
    "wait_until",
    "batch",
    "last_error",
    "extra",
    "owner",
    "created_at",
)
_BATCH_FIELDS = ("batch", "resource_class", "state", "uuid", "node_uuid")


class Create(AskingOne):
    """Ask for a node, or for several at once.

    Without --wait the answer comes before the node: look again with show. With it, the request stands in line until a
    node is free, and Ctrl-C withdraws it. With --shell, a command runs with what there is to know of the node in its
    environment (DIBS_NODE_UUID, DIBS_NODE_NAME, DIBS_NODE_TRAITS and more); when it ends, the node is given back, and
    its exit code is this one's.
    """

    example = "--resource-class gold --trait CUSTOM_NVME --name mine --wait 2h"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--resource-class", metavar="CLASS", required=True, help="A node of this class.")
        parser.add_argument("--trait", **SEVERAL, metavar="TRAIT", help="One that has all of these.")
        parser.add_argument("--candidate-node", **SEVERAL, metavar="NODE", help="One of these, by name or uuid.")
        parser.add_argument("--name", metavar="NAME", help="What to call it; asked again, it gives the same.")
        parser.add_argument("--extra", action="append", default=[], type=key_value, metavar="KEY=VALUE", help="A note.")
        parser.add_argument("--owner", metavar="PROJECT", help="For this project.")
        parser.add_argument("--sticky", action="store_true", help="Keep the node when it is torn down.")
        parser.add_argument("--bulk", type=int, default=1, metavar="COUNT", help="So many, all at one moment or none.")
        parser.add_argument(
            "--wait",
            nargs="?",
            type=seconds,
            const=WAIT_LONGEST,
            metavar="TIME",
            help="Stand in line for so long (90s, 15m, 2h), or as long as it takes; 0: take what is free, or fail.",
        )
        parser.add_argument(
            "--shell",
            nargs="?",
            const=os.environ.get("SHELL", "/bin/sh"),
            metavar="COMMAND",
            help="Run this with the node, or a shell; then give the node back. Waits as --wait says, or as --wait 0.",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Create, wait, run."""
        wish = Wish(
            resource_class=parsed_args.resource_class,
            count=parsed_args.bulk,
            wait=parsed_args.wait,
            more={
                "name": parsed_args.name,
                "traits": parsed_args.trait,
                "candidate_nodes": parsed_args.candidate_node,
                "extra": pairs(parsed_args.extra),
                "owner": parsed_args.owner,
                "sticky": parsed_args.sticky,
            },
        )
        borrowing = Borrowing(self.dibs, wish, self.app.stderr)
        if parsed_args.shell is not None:
            url = getattr(self.app_args, "url", None)
            raise Ended(borrowing.run(parsed_args.shell, {"DIBS_URL": url} if url else {}))
        given = borrowing.ask()
        return _several(given) if parsed_args.bulk > 1 else (FIELDS, _row(given[0]))


class List(AskingList):
    """List allocations, the oldest first."""

    example = "--resource-class gold --state active"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the filters."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--resource-class", metavar="CLASS", help="Those of this class.")
        parser.add_argument("--state", choices=("allocating", "active", "error"), help="Those in this state.")
        parser.add_argument("--batch", metavar="UUID", help="Those asked for together; goes with nothing else.")
        parser.add_argument("--long", action="store_true", help="More columns.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """List."""
        filters = {name: getattr(parsed_args, name) for name in ("resource_class", "state", "batch")}
        found = self.dibs.allocations.list(**{name: value for name, value in filters.items() if value})
        columns = FIELDS if parsed_args.long else COLUMNS
        return columns, [_row(each)[: len(columns)] for each in found]


class Show(AskingOne):
    """Show an allocation."""

    example = "mine -f value -c node_uuid"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("allocation", metavar="ALLOCATION", help="Name or uuid.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Show."""
        return FIELDS, _row(self.dibs.allocations.get(parsed_args.allocation))


class Retry(AskingOne):
    """Try an allocation that failed once more; one of several takes the others along."""

    example = "mine --wait 1h"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("allocation", metavar="ALLOCATION", help="Name or uuid.")
        parser.add_argument(
            "--wait", nargs="?", type=seconds, const=WAIT_LONGEST, metavar="TIME", help="Stand in line, as at create."
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Try again."""
        again = self.dibs.allocations.retry(parsed_args.allocation, wait_seconds=parsed_args.wait or None)
        if parsed_args.wait is not None:
            with self.progress() as progress:
                self.dibs.allocations.wait([again], progress=progress)
            again = self.dibs.allocations.get(again.id)
        return FIELDS, _row(again)


class Delete(Asking):
    """Withdraw allocations, or give their nodes back."""

    example = "mine"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("allocations", metavar="ALLOCATION", nargs="+", help="Name or uuid.")
        parser.add_argument("--tear-down", action="store_true", help="Undeploy nodes that are in use, and wait for it.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete."""
        for allocation in parsed_args.allocations:
            if not parsed_args.tear_down:
                self.dibs.allocations.delete(allocation)
                continue
            found = self.dibs.allocations.get(allocation)
            with self.progress() as progress:
                self.dibs.allocations.give_back(found.id, progress=progress)


def _row(allocation: "Allocation") -> tuple[Any, ...]:
    return (
        allocation.id,
        allocation.name,
        allocation.resource_class,
        allocation.state,
        allocation.node_id,
        Words(allocation.traits),
        Words(allocation.candidate_nodes),
        allocation.sticky,
        allocation.wait_until,
        allocation.batch,
        allocation.last_error,
        allocation.extra,
        allocation.owner,
        allocation.created_at,
    )


def _several(given: "Iterable[Allocation]") -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Those of one batch are in one state."""
    rows = list(given)
    uuids = Words(each.id for each in rows)
    nodes = Words(each.node_id for each in rows if each.node_id)
    return _BATCH_FIELDS, (rows[0].batch, rows[0].resource_class, rows[0].state, uuids, nodes)
