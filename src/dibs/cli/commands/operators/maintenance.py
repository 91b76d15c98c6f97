"""``dibs maintenance …``: windows in which leases leave hosts free."""

import argparse
from collections.abc import Iterable
from typing import Any

from dibs.cli.argument_types import moment, seconds
from dibs.cli.client_command import ClientCommand, ClientLister, ClientShowOne, Words

COLUMNS = ("uuid", "name", "start", "end", "hosts")


class Plan(ClientShowOne):
    """Find the window that moves the fewest leases; with --apply book it and move them."""

    example = "--nodes 'rack4-*' --for 3h"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--nodes", required=True, metavar="PATTERN", help="Names of the hosts: rack4-*")
        parser.add_argument(
            "--for", type=seconds, required=True, dest="seconds", metavar="DURATION", help="Duration: 3h"
        )
        parser.add_argument(
            "--before", type=moment, metavar="TIME", help="Latest end of the window; in 30 days by default"
        )
        parser.add_argument("--name", metavar="NAME", help="Name of the maintenance")
        parser.add_argument("--apply", action="store_true", help="Book the window and move the leases")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Plan the maintenance."""
        found = self.dibs.maintenance.plan(
            parsed_args.nodes,
            parsed_args.seconds,
            before=parsed_args.before,
            name=parsed_args.name,
            apply=parsed_args.apply,
        )
        moves = Words(
            f"{each['lease']}: {' '.join(each['before'])} -> {' '.join(each['after'])}" for each in found["moves"]
        )
        return (*COLUMNS, "moves"), (*_row(found), moves)


class List(ClientLister):
    """List maintenance that has not ended."""

    example = "-c name -c start -c hosts"

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        return COLUMNS, [_row(each) for each in self.dibs.maintenance.list()]


class Delete(ClientCommand):
    """Cancel maintenance, or end it. Leases that moved for it stay where they are."""

    example = "6f7c1f4e-8e5c-4f0c-9d0f-1d2c3b4a5e6f"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("maintenance", metavar="MAINTENANCE", help="UUID of the maintenance")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Cancel the maintenance."""
        self.dibs.maintenance.delete(parsed_args.maintenance)


def _row(found: dict[str, Any]) -> tuple[Any, ...]:
    return (*(found[name] for name in COLUMNS[:-1]), Words(found["hosts"]))
