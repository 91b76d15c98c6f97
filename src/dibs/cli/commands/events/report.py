"""``dibs report``: how long projects had nodes."""

import argparse
from collections.abc import Iterable
from typing import Any

from dibs.cli.client_command import ClientLister

COLUMNS = ("week", "resource_class", "project", "node_hours", "nodes", "share")


class Report(ClientLister):
    """Report the node hours of allocations and leases by week, class and project."""

    example = "--weeks 8 -f csv"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--weeks", type=int, default=4, metavar="COUNT", help="Number of weeks; 4 by default")
        parser.add_argument("--project", metavar="PROJECT", help="Filter by project")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        found = self.dibs.utilisation(weeks=parsed_args.weeks, project=parsed_args.project)
        return COLUMNS, [tuple(row[column] for column in COLUMNS) for row in found["utilisation"]]
