"""``dibs reservation …`` and ``openstack baremetal reservation …``: node reservations (specification 001)."""

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dibs.cli.argument_types import seconds
from dibs.cli.client_command import ClientCommand, ClientLister, ClientShowOne
from dibs.cli.interrupts import Interrupts

if TYPE_CHECKING:
    from dibs.client import Reservation

FIELDS = ("uuid", "node_uuid", "instance_uuid", "expires_at", "created_at", "updated_at")


class Create(ClientShowOne):
    """Reserve the first available node of a list for an instance.

    A deploy of the node needs the UUID of the reservation. Repeating the command with the same instance or name returns
    the same reservation.
    """

    example = "rack1-01 rack1-02 --name ci-42 --ttl 10m"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("nodes", metavar="NODE", nargs="+", help="Names or UUIDs of nodes, in order of preference")
        instance = parser.add_mutually_exclusive_group()
        instance.add_argument("--instance", metavar="UUID", help="Instance to reserve for; a new UUID by default")
        instance.add_argument("--name", metavar="NAME", help="Name to derive the UUID of the instance from")
        parser.add_argument(
            "--ttl", metavar="TIME", type=seconds, help="Lifetime, such as 90s, 15m or 2h; the server's by default"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Create the reservation; delete it again if interrupted."""
        reservation, created = None, False
        with Interrupts() as interrupts:
            try:
                with interrupts.deferred():
                    reservation, created = self.dibs.reservations.create_or_find(
                        parsed_args.nodes,
                        instance=parsed_args.instance,
                        name=parsed_args.name,
                        seconds=parsed_args.ttl,
                    )
            except KeyboardInterrupt:
                if reservation is not None and created:
                    self.dibs.reservations.delete(reservation.id)
                raise
        return FIELDS, _row(reservation)


class List(ClientLister):
    """List reservations."""

    example = "-f json"

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        return FIELDS[:4], [_row(each)[:4] for each in self.dibs.reservations.list()]


class Show(ClientShowOne):
    """Show a reservation."""

    example = "4d1c0bb4-5a5c-4f6b-9a3e-6c1a0f2d7e11 -f value -c node_uuid"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("reservation", metavar="UUID", help="UUID of the reservation")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Return columns and values."""
        return FIELDS, _row(self.dibs.reservations.get(parsed_args.reservation))


class Renew(ClientShowOne):
    """Renew a reservation from now."""

    example = "4d1c0bb4-5a5c-4f6b-9a3e-6c1a0f2d7e11 --ttl 30m"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("reservation", metavar="UUID", help="UUID of the reservation")
        parser.add_argument("--ttl", metavar="TIME", type=seconds, help="Lifetime from now, such as 90s, 15m or 2h")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Renew the reservation."""
        return FIELDS, _row(self.dibs.reservations.renew(parsed_args.reservation, seconds=parsed_args.ttl))


class Delete(ClientCommand):
    """Delete reservations and release their nodes."""

    example = "4d1c0bb4-5a5c-4f6b-9a3e-6c1a0f2d7e11"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("reservations", metavar="UUID", nargs="+", help="UUID of the reservation")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete the reservations."""
        for reservation in parsed_args.reservations:
            self.dibs.reservations.delete(reservation)


def _row(reservation: "Reservation") -> tuple[Any, ...]:
    return (
        reservation.id,
        reservation.node_id,
        reservation.instance_id,
        reservation.expires_at,
        reservation.created_at,
        reservation.updated_at,
    )
