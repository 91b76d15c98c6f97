"""``dibs reservation …`` and ``openstack baremetal reservation …``: keep a node for minutes (specification 001)."""

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dibs.cli.asking import Asking, AskingList, AskingOne, seconds
from dibs.cli.interrupting import Interruptions

if TYPE_CHECKING:
    from dibs.client import Reservation

FIELDS = ("uuid", "node_uuid", "instance_uuid", "expires_at", "created_at", "updated_at")


class Create(AskingOne):
    """Keep the first of several nodes that can be kept, for an instance.

    Its uuid is the proof that deploying the node needs. Asked again for the same instance or name, it gives the same.
    """

    example = "rack1-01 rack1-02 --name ci-42 --ttl 10m"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("nodes", metavar="NODE", nargs="+", help="Names or uuids, in the order to be tried.")
        whom = parser.add_mutually_exclusive_group()
        whom.add_argument("--instance", metavar="UUID", help="What the node is for; a new uuid if not given.")
        whom.add_argument("--name", metavar="NAME", help="A name that stands for an instance.")
        parser.add_argument(
            "--ttl", metavar="TIME", type=seconds, help="How long: 90s, 15m, 2h; else as the server has it."
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Create."""
        made, new = None, False
        with Interruptions() as interruptions:
            try:
                with interruptions.held_off():
                    made, new = self.dibs.reservations.create_or_find(
                        parsed_args.nodes,
                        instance=parsed_args.instance,
                        name=parsed_args.name,
                        seconds=parsed_args.ttl,
                    )
            except KeyboardInterrupt:
                if made is not None and new:
                    self.dibs.reservations.delete(made.id)
                raise
        return FIELDS, _row(made)


class List(AskingList):
    """List reservations."""

    example = "-f json"

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """List."""
        return FIELDS[:4], [_row(each)[:4] for each in self.dibs.reservations.list()]


class Show(AskingOne):
    """Show a reservation."""

    example = "4d1c0bb4-5a5c-4f6b-9a3e-6c1a0f2d7e11 -f value -c node_uuid"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("reservation", metavar="UUID", help="The reservation.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Show."""
        return FIELDS, _row(self.dibs.reservations.get(parsed_args.reservation))


class Renew(AskingOne):
    """Let a reservation end later, counted from now."""

    example = "4d1c0bb4-5a5c-4f6b-9a3e-6c1a0f2d7e11 --ttl 30m"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("reservation", metavar="UUID", help="The reservation.")
        parser.add_argument("--ttl", metavar="TIME", type=seconds, help="How long from now: 90s, 15m, 2h.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Renew."""
        return FIELDS, _row(self.dibs.reservations.renew(parsed_args.reservation, seconds=parsed_args.ttl))


class Delete(Asking):
    """Let go of reserved nodes."""

    example = "4d1c0bb4-5a5c-4f6b-9a3e-6c1a0f2d7e11"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("reservations", metavar="UUID", nargs="+", help="The reservations.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete."""
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
