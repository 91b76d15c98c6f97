"""``dibs lease …``: book hosts, or capacity for instances, for a window of time."""

import argparse
import datetime
import uuid
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from dibs.cli.argument_types import SEVERAL, json_object, key_value, pairs, seconds, timestamp
from dibs.cli.client_command import ClientCommand, ClientLister, ClientShowOne, Words
from dibs.cli.commands.why import COLUMNS as WHY_COLUMNS
from dibs.cli.commands.why import KEEP_COLUMNS, AnsweredByExitCode, keep_row, row_of
from dibs.cli.interrupts import Interrupts
from dibs.cli.output.columns import Events, Reservations, age, left

if TYPE_CHECKING:
    from dibs.client import Dibs, Lease, Offer

COLUMNS = ("id", "name", "status", "project_id", "start_date", "end_date", "age", "left")
FIELDS = ("id", "name", "status", "project_id", "start_date", "end_date", "degraded", "hosts", "reservations", "events")


class Create(ClientShowOne):
    """Create a lease of hosts or of capacity for instances.

    Repeating the command with the same name returns the same lease.
    """

    example = "training --start 2026-11-17T18:00 --for 4h --count 2 --trait CUSTOM_NVME --property rack=r1"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("name", metavar="NAME", nargs="?", help="Name of the lease; a new one by default")
        _add_window_and_resources(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Create the lease; delete it again if interrupted."""
        lease, created = None, False
        name = parsed_args.name or f"lease-{uuid.uuid4().hex[:8]}"
        with Interrupts() as interrupts:
            try:
                with interrupts.deferred():
                    lease, created = self.dibs.leases.create_or_find(
                        name, _end(parsed_args), _reservations(parsed_args), start=parsed_args.start
                    )
            except KeyboardInterrupt:
                if lease is not None and created:
                    self.dibs.leases.delete(lease.id)
                raise
        return FIELDS, _row(lease, self.dibs)

    def offers(self, parsed_args: argparse.Namespace, error: Exception) -> "Sequence[Offer]":
        """Return what is available instead of a lease that was refused."""
        from dibs.client.errors import Conflict

        only, *others = _reservations(parsed_args)
        if others or not isinstance(error, Conflict):
            return ()
        return self.dibs.leases.why(_end(parsed_args), only, start=parsed_args.start, name=parsed_args.name).offers


class Why(AnsweredByExitCode):
    """Explain why a lease is not available, when it could start, and what is instead. Nothing is booked.

    Exits with 0 if the lease is possible, otherwise with 1.
    """

    example = "--start 2026-11-17T18:00 --for 4h --count 2 --property rack=r1"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments, which are those of create."""
        parser = super().get_parser(prog_name)
        _add_window_and_resources(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Return columns and values."""
        only = _reservations(parsed_args)[-1]
        answer = self.dibs.leases.why(_end(parsed_args), only, start=parsed_args.start)
        self.fits = answer.fits
        return WHY_COLUMNS, row_of(answer, int(only.get("min", only.get("amount", 1))))


class List(ClientLister):
    """List leases."""

    example = "-c name -c status"

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        return COLUMNS, [_list_row(each) for each in self.dibs.leases.list()]


class Show(ClientShowOne):
    """Show a lease, and how long it can be kept at most: its latest end, with the hosts that it has."""

    example = "training -f yaml"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("lease", metavar="LEASE", help="ID of the lease, or its name if unique")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Return columns and values."""
        lease = self.dibs.leases.get(parsed_args.lease)
        keep = self.dibs.leases.latest_end(lease.id)
        return (*FIELDS, *KEEP_COLUMNS), (*_row(lease, self.dibs), *keep_row(keep))


class Update(ClientShowOne):
    """Change the name, start or end of a lease."""

    example = "training --prolong-for 1h"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("lease", metavar="LEASE", help="ID of the lease, or its name if unique")
        parser.add_argument("--name", metavar="NAME", help="New name")
        parser.add_argument("--start", type=timestamp, metavar="TIME", help="New start")
        end = parser.add_mutually_exclusive_group()
        end.add_argument("--end", type=timestamp, metavar="TIME", help="New end")
        end.add_argument("--prolong-for", type=seconds, metavar="SPAN", help="Extend the lease by this time")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Update the lease."""
        end = parsed_args.end
        if parsed_args.prolong_for is not None:
            until = datetime.datetime.fromisoformat(self.dibs.leases.get(parsed_args.lease).end_date)
            end = until + datetime.timedelta(seconds=parsed_args.prolong_for)
        changed = self.dibs.leases.update(parsed_args.lease, name=parsed_args.name, start=parsed_args.start, end=end)
        return FIELDS, _row(changed, self.dibs)


class Release(ClientLister):
    """Release a host of an active lease, or one instance on it; list what the lease has left."""

    example = "training rack1-01"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("lease", metavar="LEASE", help="ID of the lease, or its name if unique")
        parser.add_argument("host", metavar="HOST", help="Name or ID of the host, or UUID of its node")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Release the host."""
        return ("host", "amount"), sorted(self.dibs.leases.release(parsed_args.lease, parsed_args.host).items())


class Delete(ClientCommand):
    """Delete leases: end active ones now, cancel pending ones."""

    example = "training"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("leases", metavar="LEASE", nargs="+", help="ID of the lease, or its name if unique")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete the leases."""
        for lease in parsed_args.leases:
            self.dibs.leases.delete(lease)


def _add_window_and_resources(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the window of time and the resources to book."""
    parser.add_argument(
        "--start",
        type=timestamp,
        default="now",
        metavar="TIME",
        help="Start: now (the default), +2h, 'monday 09:00', or 2026-11-17T18:00, in UTC",
    )
    end = parser.add_mutually_exclusive_group(required=True)
    end.add_argument("--end", type=timestamp, metavar="TIME", help="End, in the same formats as --start")
    end.add_argument("--for", dest="span", type=seconds, metavar="SPAN", help="Duration, such as 90m, 4h or 2d")
    resources = parser.add_mutually_exclusive_group(required=True)
    resources.add_argument("--count", "--hosts", dest="hosts", type=int, metavar="N", help="Number of hosts")
    resources.add_argument("--instances", type=int, metavar="N", help="Number of instances")
    resources.add_argument(
        "--reservation",
        action="append",
        type=json_object,
        metavar="JSON",
        help="A reservation as the API takes it, for what has no option; repeat it for several",
    )
    parser.add_argument("--hosts-max", type=int, metavar="COUNT", help="Maximum number of hosts, if available")
    parser.add_argument("--vcpus", type=int, default=1, help="VCPUs of each instance")
    parser.add_argument("--memory-mb", type=int, default=1024, help="Memory of each instance in MB")
    parser.add_argument("--disk-gb", type=int, default=10, help="Disk of each instance in GB")
    parser.add_argument("--trait", **SEVERAL, metavar="TRAIT", help="Required traits of the hosts")
    parser.add_argument("--resource-class", metavar="CLASS", help="Required resource class of the hosts")
    parser.add_argument(
        "--property",
        action="append",
        default=[],
        type=key_value,
        metavar="KEY=VALUE",
        help="Required property of the hosts",
    )


def _end(arguments: argparse.Namespace) -> Any:
    if arguments.span is None:
        return arguments.end
    start = datetime.datetime.now(datetime.UTC) if arguments.start == "now" else arguments.start
    return start + datetime.timedelta(seconds=arguments.span)


def _reservations(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    from dibs.client import hosts, instances

    if arguments.reservation is not None:
        given: list[dict[str, Any]] = arguments.reservation
        return given
    terms = [["==", f"${key}", value] for key, value in pairs(arguments.property).items()]
    terms += [["==", f"$trait:{trait}", "required"] for trait in arguments.trait]
    terms += [["==", "$resource_class", arguments.resource_class]] if arguments.resource_class else []
    properties = terms[0] if len(terms) == 1 else ["and", *terms] if terms else []
    if arguments.hosts is not None:
        return [hosts(arguments.hosts, arguments.hosts_max, properties)]
    sizes = {name: getattr(arguments, name) for name in ("vcpus", "memory_mb", "disk_gb")}
    return [instances(arguments.instances, **sizes, properties=properties)]


def _list_row(lease: "Lease") -> tuple[Any, ...]:
    ended = lease.status in ("TERMINATED", "ERROR")
    shown = {"age": age(lease.created_at), "left": None if ended else left(lease.end_date)}
    return tuple(shown[column] if column in shown else getattr(lease, column) for column in COLUMNS)


def _row(lease: "Lease", dibs: "Dibs") -> tuple[Any, ...]:
    shown = {
        "hosts": _hosts(lease, dibs),
        "reservations": Reservations(lease.reservations or []),
        "events": Events(lease.events or []),
    }
    return tuple(shown[field] if field in shown else getattr(lease, field) for field in FIELDS)


def _hosts(lease: "Lease", dibs: "Dibs") -> Words | None:
    """Return the names of the booked hosts; None for a caller who may not see hosts, as only administrators may."""
    from openstack import exceptions

    try:
        return Words(dibs.hosts.names_of_lease(lease.id))
    except exceptions.ForbiddenException:
        return None
