"""``dibs allocation …``: allocate nodes, wait for them, run a command with them, release them."""

import argparse
import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dibs.cli.allocation_session import LONGEST_WAIT_SECONDS, AllocationRequest, AllocationSession
from dibs.cli.argument_types import SEVERAL, key_value, moment, pairs, seconds
from dibs.cli.client_command import ClientCommand, ClientLister, ClientShowOne, Exit, Words
from dibs.cli.commands.reservation import names_of_nodes
from dibs.cli.output.columns import age, left

if TYPE_CHECKING:
    from dibs.client import Allocation, Offer

COLUMNS = ("uuid", "name", "resource_class", "state", "node_uuid")
LIST_COLUMNS = ("uuid", "name", "resource_class", "state", "node", "owner", "age", "left")
FIELDS = (
    *COLUMNS,
    "traits",
    "candidate_nodes",
    "sticky",
    "wait_until",
    "until",
    "batch",
    "last_error",
    "extra",
    "owner",
    "created_at",
)
QUEUE_FIELDS = ("position", "latest_start", "depends_on", "moved_by")
_BATCH_FIELDS = ("batch", "resource_class", "state", "uuid", "node_uuid")


class Create(ClientShowOne):
    """Create an allocation, or several at once.

    Without --wait, the command returns before a node is allocated: see "show" for the result. With --wait, the
    allocation stays in the queue until a node is available; Ctrl-C deletes it, and the server deletes it when this
    command is killed or loses its network (--keep-alive). With --shell, a command runs with the details of the node in
    its environment (DIBS_NODE_UUID, DIBS_NODE_NAME, DIBS_NODE_TRAITS and more). When that command ends, dibs releases
    the node and exits with the same code.
    """

    example = "--resource-class gold --trait CUSTOM_NVME --name mine --wait 2h"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--resource-class", metavar="CLASS", required=True, help="Resource class of the node")
        parser.add_argument("--trait", **SEVERAL, metavar="TRAIT", help="Required traits")
        parser.add_argument("--candidate-node", **SEVERAL, metavar="NODE", help="Candidate nodes, by name or UUID")
        parser.add_argument(
            "--name",
            metavar="NAME",
            help="Unique name; repeating the command returns the same allocation, or retries it if it failed",
        )
        parser.add_argument(
            "--extra", action="append", default=[], type=key_value, metavar="KEY=VALUE", help="Arbitrary metadata"
        )
        parser.add_argument("--owner", metavar="PROJECT", help="Owner of the allocation")
        parser.add_argument("--sticky", action="store_true", help="Keep the allocation when its node is undeployed")
        parser.add_argument("--bulk", type=int, default=1, metavar="COUNT", help="Number of nodes; all or nothing")
        parser.add_argument(
            "--wait",
            nargs="?",
            type=seconds,
            const=LONGEST_WAIT_SECONDS,
            metavar="TIME",
            help="Wait in the queue, at most for this time (90s, 15m, 2h); 0: fail if no node is available now",
        )
        parser.add_argument(
            "--shell",
            nargs="?",
            const=os.environ.get("SHELL", "/bin/sh"),
            metavar="COMMAND",
            help="Run this command, or a shell, with the node, then release the node; implies --wait 0",
        )
        _add_keep_alive(parser)
        _add_end(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Create the allocation; wait and run the command if requested."""
        request = AllocationRequest(
            resource_class=parsed_args.resource_class,
            count=parsed_args.bulk,
            wait=parsed_args.wait,
            keep_alive=parsed_args.keep_alive,
            name=parsed_args.name,
            traits=parsed_args.trait,
            candidate_nodes=parsed_args.candidate_node,
            extra=pairs(parsed_args.extra),
            owner=parsed_args.owner,
            sticky=parsed_args.sticky,
            lifetime=parsed_args.lifetime,
            until=parsed_args.until,
        )
        session = AllocationSession(self.dibs, request, self.app.stdout, self.app.stderr)
        if parsed_args.shell is not None:
            url = getattr(self.app_args, "url", None)
            raise Exit(session.run(parsed_args.shell, {"DIBS_URL": url} if url else {}))
        session.create(functools.partial(self._show, parsed_args))
        raise Exit(0)

    def offers(self, parsed_args: argparse.Namespace, error: Exception) -> "Sequence[Offer]":
        """Return what is available instead of the nodes that the allocation did not get."""
        from dibs.client.errors import AllocationFailed

        if not isinstance(error, AllocationFailed):
            return ()
        return self.dibs.why(
            parsed_args.resource_class,
            traits=parsed_args.trait,
            candidate_nodes=parsed_args.candidate_node,
            count=parsed_args.bulk,
        ).offers

    def _show(self, parsed_args: argparse.Namespace, allocations: "Sequence[Allocation]") -> None:
        """Print the allocations. A closed pipe raises BrokenPipeError here, not when the program ends."""
        columns, values = _batch(allocations) if len(allocations) > 1 else (FIELDS, _row(allocations[0]))
        self.produce_output(parsed_args, columns, values)
        self.app.stdout.flush()


class List(ClientLister):
    """List allocations, oldest first."""

    example = "--resource-class gold --state active"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the filters."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--resource-class", metavar="CLASS", help="Filter by resource class")
        parser.add_argument("--state", choices=("allocating", "active", "error"), help="Filter by state")
        parser.add_argument("--batch", metavar="UUID", help="List the allocations of a batch; excludes other filters")
        parser.add_argument("--long", action="store_true", help="Show all columns")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        filters = {name: getattr(parsed_args, name) for name in ("resource_class", "state", "batch")}
        found = self.dibs.allocations.list(**{name: value for name, value in filters.items() if value})
        if parsed_args.long:
            return FIELDS, [_row(each) for each in found]
        names = names_of_nodes(self.dibs)
        return LIST_COLUMNS, [_short_row(each, names) for each in found]


class Show(ClientShowOne):
    """Show an allocation; while it waits, also its position in the queue and its latest start."""

    example = "mine -f value -c node_uuid"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("allocation", metavar="ALLOCATION", help="Name or UUID of the allocation")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Return columns and values."""
        found = self.dibs.allocations.get(parsed_args.allocation)
        if found.state != "allocating":
            return FIELDS, _row(found)
        return (*FIELDS, *QUEUE_FIELDS), (*_row(found), *(getattr(found, field) for field in QUEUE_FIELDS))


class Retry(ClientShowOne):
    """Retry a failed allocation, with all others of its batch."""

    example = "mine --wait 1h"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("allocation", metavar="ALLOCATION", help="Name or UUID of the allocation")
        parser.add_argument(
            "--wait", nargs="?", type=seconds, const=LONGEST_WAIT_SECONDS, metavar="TIME", help="Wait, as with create"
        )
        _add_keep_alive(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Retry the allocation; wait if requested."""
        allocations = self.dibs.allocations
        if parsed_args.wait is None:
            return FIELDS, _row(allocations.retry(parsed_args.allocation))
        retried = allocations.retry(
            parsed_args.allocation, wait_seconds=parsed_args.wait or None, keep_alive=parsed_args.keep_alive
        )
        with allocations.kept_alive(retried), self.progress() as progress:
            allocations.wait([retried], progress=progress)
            return FIELDS, _row(allocations.keep(retried.id))


class Renew(ClientShowOne):
    """Set a new end for an allocation, counted from now.

    Without a time, the allocation gets its lifetime again. Refused if its node is promised to another user before that.
    """

    example = "mine --lifetime 8h"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("allocation", metavar="ALLOCATION", help="Name or UUID of the allocation")
        _add_end(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Renew the allocation."""
        return FIELDS, _row(
            self.dibs.allocations.renew(parsed_args.allocation, lifetime=parsed_args.lifetime, until=parsed_args.until)
        )


class Delete(ClientCommand):
    """Delete allocations and release their nodes."""

    example = "mine"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("allocations", metavar="ALLOCATION", nargs="+", help="Name or UUID of the allocation")
        parser.add_argument("--tear-down", action="store_true", help="Undeploy the nodes first and wait for it")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete the allocations."""
        for allocation in parsed_args.allocations:
            if not parsed_args.tear_down:
                self.dibs.allocations.delete(allocation)
                continue
            found = self.dibs.allocations.get(allocation)
            with self.progress() as progress:
                self.dibs.allocations.release(found.id, progress=progress)


def _add_keep_alive(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--keep-alive",
        type=seconds,
        default="5m",
        metavar="TIME",
        help="Time after which the server releases the node if this command is killed; 5m by default",
    )


def _add_end(parser: argparse.ArgumentParser) -> None:
    end = parser.add_mutually_exclusive_group()
    end.add_argument("--lifetime", type=seconds, metavar="TIME", help="Release the node after this time (90m, 8h, 2d)")
    end.add_argument(
        "--until", type=moment, metavar="TIME", help="Release the node at this time (+8h, 'today 18:00', ISO 8601)"
    )


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
        allocation.until,
        allocation.batch,
        allocation.last_error,
        allocation.extra,
        allocation.owner,
        allocation.created_at,
    )


def _short_row(allocation: "Allocation", names: Mapping[str, str]) -> tuple[Any, ...]:
    waiting = allocation.state == "allocating"
    return (
        allocation.id,
        allocation.name,
        allocation.resource_class,
        allocation.state,
        names.get(allocation.node_id or "", allocation.node_id),
        allocation.owner,
        age(allocation.created_at),
        left(allocation.wait_until if waiting else allocation.until),
    )


def _batch(allocations: "Iterable[Allocation]") -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Return one row for a batch, whose allocations are always in the same state."""
    rows = list(allocations)
    uuids = Words(each.id for each in rows)
    nodes = Words(each.node_id for each in rows if each.node_id)
    return _BATCH_FIELDS, (rows[0].batch, rows[0].resource_class, rows[0].state, uuids, nodes)
