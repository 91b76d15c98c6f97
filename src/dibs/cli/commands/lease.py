"""``dibs lease …``: machines, or room for instances, in a window of time."""

import argparse
import datetime
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dibs.cli.asking import Asking, AskingList, AskingOne, instant, key_value, pairs, seconds
from dibs.cli.commands.why import ANSWER, row_of
from dibs.cli.interrupting import Interruptions

if TYPE_CHECKING:
    from dibs.client import Lease

COLUMNS = ("id", "name", "status", "start_date", "end_date")
FIELDS = (*COLUMNS, "degraded", "project_id", "reservations", "events")


class Create(AskingOne):
    """Book machines, or room for instances, for a time. Asked again with the same name, it gives the same lease."""

    example = "training --start 2026-11-17T18:00 --for 4h --hosts 2 --property rack=r1"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("name", metavar="NAME", help="What to call it.")
        _add_wish(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Create."""
        made, new = None, False
        with Interruptions() as interruptions:
            try:
                with interruptions.held_off():
                    made, new = self.dibs.leases.create_or_find(
                        parsed_args.name, _end(parsed_args), [_wish(parsed_args)], start=parsed_args.start
                    )
            except KeyboardInterrupt:
                if made is not None and new:
                    self.dibs.leases.delete(made.id)
                raise
        return FIELDS, _row(made)


class Why(AskingOne):
    """Tell why a lease cannot be had, and when one as long could begin. Nothing is booked."""

    example = "--start 2026-11-17T18:00 --for 4h --hosts 2 --property rack=r1"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what would be booked."""
        parser = super().get_parser(prog_name)
        _add_wish(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Ask."""
        return ANSWER, row_of(self.dibs.leases.why(_end(parsed_args), _wish(parsed_args), start=parsed_args.start))


class List(AskingList):
    """List leases."""

    example = "-c name -c status"

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """List."""
        return COLUMNS, [_row(each)[: len(COLUMNS)] for each in self.dibs.leases.list()]


class Show(AskingOne):
    """Show a lease."""

    example = "training -f yaml"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("lease", metavar="LEASE", help="Id, or name when only one has it.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Show."""
        return FIELDS, _row(self.dibs.leases.get(parsed_args.lease))


class Update(AskingOne):
    """Rename a lease, or move its beginning or end."""

    example = "training --prolong-for 1h"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("lease", metavar="LEASE", help="Id, or name when only one has it.")
        parser.add_argument("--name", metavar="NAME", help="The new name.")
        parser.add_argument("--start", type=instant, metavar="TIME", help="When it begins instead.")
        end = parser.add_mutually_exclusive_group()
        end.add_argument("--end", type=instant, metavar="TIME", help="When it ends instead.")
        end.add_argument("--prolong-for", type=seconds, metavar="SPAN", help="How much longer it lasts.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Change it."""
        end = parsed_args.end
        if parsed_args.prolong_for is not None:
            until = datetime.datetime.fromisoformat(self.dibs.leases.get(parsed_args.lease).end_date)
            end = until + datetime.timedelta(seconds=parsed_args.prolong_for)
        changed = self.dibs.leases.update(parsed_args.lease, name=parsed_args.name, start=parsed_args.start, end=end)
        return FIELDS, _row(changed)


class Delete(Asking):
    """End leases now, or cancel them."""

    example = "training"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("leases", metavar="LEASE", nargs="+", help="Id, or name when only one has it.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete."""
        for lease in parsed_args.leases:
            self.dibs.leases.delete(lease)


def _add_wish(parser: argparse.ArgumentParser) -> None:
    """The arguments that say what is to be booked, and when."""
    parser.add_argument(
        "--start",
        type=instant,
        default="now",
        metavar="TIME",
        help="now, +2h, or 2026-11-17T18:00 in UTC; now if not given.",
    )
    end = parser.add_mutually_exclusive_group(required=True)
    end.add_argument("--end", type=instant, metavar="TIME", help="When it ends.")
    end.add_argument("--for", dest="span", type=seconds, metavar="SPAN", help="How long it lasts: 90m, 4h, 2d.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--hosts", type=int, metavar="COUNT", help="So many machines.")
    what.add_argument("--instances", type=int, metavar="COUNT", help="Room for so many instances.")
    parser.add_argument("--hosts-max", type=int, metavar="COUNT", help="Up to so many machines, if they are free.")
    parser.add_argument("--vcpus", type=int, default=1, help="Of each instance.")
    parser.add_argument("--memory-mb", type=int, default=1024, help="Of each instance.")
    parser.add_argument("--disk-gb", type=int, default=10, help="Of each instance.")
    parser.add_argument(
        "--property", action="append", default=[], type=key_value, metavar="KEY=VALUE", help="Only hosts with this."
    )


def _end(arguments: argparse.Namespace) -> Any:
    if arguments.span is None:
        return arguments.end
    begin = datetime.datetime.now(datetime.UTC) if arguments.start == "now" else arguments.start
    return begin + datetime.timedelta(seconds=arguments.span)


def _wish(arguments: argparse.Namespace) -> dict[str, Any]:
    from dibs.client import hosts, instances

    terms = [["==", f"${key}", value] for key, value in pairs(arguments.property).items()]
    properties = terms[0] if len(terms) == 1 else ["and", *terms] if terms else []
    if arguments.hosts is not None:
        return hosts(arguments.hosts, arguments.hosts_max, properties)
    return instances(
        arguments.instances,
        vcpus=arguments.vcpus,
        memory_mb=arguments.memory_mb,
        disk_gb=arguments.disk_gb,
        properties=properties,
    )


def _row(lease: "Lease") -> tuple[Any, ...]:
    return tuple(getattr(lease, field) for field in FIELDS)
