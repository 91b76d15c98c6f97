"""``dibs calendar …``: secret URLs that calendar programs subscribe to."""

import argparse
from collections.abc import Iterable
from typing import Any

from dibs.cli.client_command import ClientCommand, ClientLister, ClientShowOne

COLUMNS = ("uuid", "project", "user", "node", "created_by", "created_at")


class Create(ClientShowOne):
    """Create a calendar of leases and allocations, and show the URL to subscribe to."""

    example = "--node rack1-01"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--mine", action="store_true", help="Show only what you created")
        parser.add_argument("--node", metavar="NODE", help="Show only what occupies this node (name or UUID)")
        parser.add_argument("--project", metavar="PROJECT", help="Project to show; your own by default")
        parser.add_argument("--all-projects", action="store_true", help="Show every project")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Create the calendar."""
        made = self.dibs.calendars.create(
            mine=parsed_args.mine,
            node=parsed_args.node,
            project=parsed_args.project,
            all_projects=parsed_args.all_projects,
        )
        fields = (*COLUMNS, "url")
        return fields, tuple(made[name] for name in fields)


class List(ClientLister):
    """List calendars, without their URLs."""

    example = "-c uuid -c node -c created_by"

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        return COLUMNS, [tuple(each[name] for name in COLUMNS) for each in self.dibs.calendars.list()]


class Delete(ClientCommand):
    """Delete calendars, so that their URLs stop working."""

    example = "7c2b0f6e-52f5-4a0e-9f6a-1b1f5a3f6c11"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("calendars", metavar="CALENDAR", nargs="+", help="UUID of the calendar")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete the calendars."""
        for calendar in parsed_args.calendars:
            self.dibs.calendars.delete(calendar)
