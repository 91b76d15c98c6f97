"""``dibs quota …``: the limits of each project."""

import argparse
from collections.abc import Iterable
from typing import Any

from dibs.cli.argument_types import seconds
from dibs.cli.client_command import ClientCommand, ClientLister

LIMITS = ("nodes", "node_hours", "lease_seconds", "queued")
COLUMNS = ("project", "resource_class", *LIMITS)
USAGE_COLUMNS = ("resource_class", *(name for limit in LIMITS for name in (limit, f"{limit}_used")))
NO_LIMIT = "none"


class Set(ClientLister):
    """Set limits of a project. It keeps what it has, even above a new limit."""

    example = "physics --resource-class gold --nodes 8"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("project", metavar="PROJECT", help="ID of the project")
        _add_class(parser, "Class of nodes to limit; without it, all classes together")
        parser.add_argument("--nodes", type=_limit, metavar="COUNT", help="Nodes at any one moment")
        parser.add_argument("--node-hours", type=_limit, metavar="HOURS", help="Node-hours booked ahead")
        parser.add_argument(
            "--lease-duration", type=_duration, dest="lease_seconds", metavar="DURATION", help="Duration of a lease: 7d"
        )
        parser.add_argument("--queued", type=_limit, metavar="COUNT", help="Allocations that have no node yet")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Set the limits."""
        given = {name: getattr(parsed_args, name) for name in LIMITS if getattr(parsed_args, name) is not None}
        limits = {name: None if value == NO_LIMIT else value for name, value in given.items()}
        quota = self.dibs.quotas.set(parsed_args.project, resource_class=parsed_args.resource_class, **limits)
        return USAGE_COLUMNS, _usage(quota)


class Show(ClientLister):
    """Show the limits of a project, and what it uses of them."""

    example = "physics"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("project", metavar="PROJECT", help="ID of the project")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        return USAGE_COLUMNS, _usage(self.dibs.quotas.get(parsed_args.project))


class List(ClientLister):
    """List the limits of all projects."""

    example = "-f csv"

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        return COLUMNS, [
            (quota["project"], limits["resource_class"], *(limits[name] for name in LIMITS))
            for quota in self.dibs.quotas.list()
            for limits in quota["limits"]
        ]


class Unset(ClientCommand):
    """Remove the limits of a project."""

    example = "physics --resource-class gold"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("project", metavar="PROJECT", help="ID of the project")
        _add_class(parser, "Remove only the limits of this class; without it, all limits")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Remove the limits."""
        self.dibs.quotas.unset(parsed_args.project, resource_class=parsed_args.resource_class)


def _add_class(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--resource-class", metavar="CLASS", help=text)


def _limit(text: str) -> int | str:
    if text == NO_LIMIT:
        return NO_LIMIT
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor {NO_LIMIT!r} (no limit).")
    return int(text)


def _duration(text: str) -> int | str:
    return NO_LIMIT if text == NO_LIMIT else seconds(text)


def _usage(quota: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (
            limits["resource_class"],
            *(value for name in LIMITS for value in (limits[name], limits["used"][name])),
        )
        for limits in quota["limits"]
    ]
