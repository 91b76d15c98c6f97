"""``dibs audit``: list what was changed, when and by whom."""

import argparse
from collections.abc import Iterable
from typing import Any

from dibs.cli.argument_types import past_moment
from dibs.cli.client_command import ClientLister
from dibs.cli.output.columns import Changes

COLUMNS = ("time", "type", "object", "node", "project", "actor", "request_id", "change")


class Audit(ClientLister):
    """List changes of nodes, claims, allocations, reservations, leases, hosts and servers, newest first."""

    example = "--node rack4-12 --since 1w"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the filters."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--node", metavar="NODE", help="Filter by node, by name or UUID")
        parser.add_argument("--project", metavar="PROJECT", help="Filter by project")
        parser.add_argument("--type", metavar="TYPE", help="Filter by type (lease.started) or kind of object (lease)")
        parser.add_argument("--since", type=past_moment, metavar="TIME", help="Start of the period; 1w: a week ago")
        parser.add_argument("--until", type=past_moment, metavar="TIME", help="End of the period")
        parser.add_argument("--limit", type=int, default=100, metavar="COUNT", help="Number of events; 100 by default")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        found = self.dibs.audit(
            node=parsed_args.node,
            project=parsed_args.project,
            type=parsed_args.type,
            since=parsed_args.since,
            until=parsed_args.until,
            limit=parsed_args.limit,
        )
        return COLUMNS, [
            (
                event["time"],
                event["type"],
                event["object"]["id"],
                event["node"],
                event["project"],
                event["actor"]["user"],
                event["request_id"],
                Changes({"before": event["before"], "after": event["after"]}),
            )
            for event in found
        ]
