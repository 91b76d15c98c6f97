"""``dibs share …``: the weight of each project in the order of the queue."""

import argparse
from collections.abc import Iterable
from typing import Any

from dibs.cli.client_command import ClientCommand, ClientLister

COLUMNS = ("project", "weight", "average", "nodes")


class Set(ClientCommand):
    """Set the weight of a project in the queue."""

    example = "physics 5"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("project", metavar="PROJECT", help="ID of the project")
        parser.add_argument(
            "weight", metavar="WEIGHT", type=int, help="Weight relative to other projects; the default is 1"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Set the weight."""
        self.dibs.shares.set(parsed_args.project, parsed_args.weight)


class List(ClientLister):
    """List the weights of projects, with the recent average and the current number of their nodes."""

    example = "-f csv"

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        return COLUMNS, [tuple(share[name] for name in COLUMNS) for share in self.dibs.shares.list()]


class Unset(ClientCommand):
    """Reset the weight of a project to the default."""

    example = "physics"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("project", metavar="PROJECT", help="ID of the project")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Remove the weight."""
        self.dibs.shares.unset(parsed_args.project)
