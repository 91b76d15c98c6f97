"""``dibs reservation …`` and ``openstack baremetal reservation …``: node reservations (specification 001)."""

import argparse
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dibs.cli.argument_types import seconds
from dibs.cli.client_command import ClientCommand, ClientLister, ClientShowOne
from dibs.cli.interrupts import Interrupts
from dibs.cli.output.columns import age, left

if TYPE_CHECKING:
    from dibs.client import Dibs, Reservation

COLUMNS = ("uuid", "node", "instance_uuid", "project_id", "age", "left")
FIELDS = ("uuid", "node", "node_uuid", "instance_uuid", "project_id", "expires_at", "created_at", "updated_at")
_IDENT = "UUID of the reservation or its instance, the name that it was created with, or its node"


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
        return FIELDS, _row(reservation, names_of_nodes(self.dibs))


class List(ClientLister):
    """List reservations."""

    example = "-f json"

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        names = names_of_nodes(self.dibs)
        return COLUMNS, [_list_row(each, names) for each in self.dibs.reservations.list()]


class Show(ClientShowOne):
    """Show a reservation."""

    example = "ci-42 -f value -c node_uuid"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("reservation", metavar="RESERVATION", help=_IDENT)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Return columns and values."""
        found = self.dibs.reservations.get(_uuid_of(parsed_args.reservation, self.dibs))
        return FIELDS, _row(found, names_of_nodes(self.dibs))


class Renew(ClientShowOne):
    """Renew a reservation from now."""

    example = "ci-42 --ttl 30m"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("reservation", metavar="RESERVATION", help=_IDENT)
        parser.add_argument("--ttl", metavar="TIME", type=seconds, help="Lifetime from now, such as 90s, 15m or 2h")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Renew the reservation."""
        uuid = _uuid_of(parsed_args.reservation, self.dibs)
        renewed = self.dibs.reservations.renew(uuid, seconds=parsed_args.ttl)
        return FIELDS, _row(renewed, names_of_nodes(self.dibs))


class Delete(ClientCommand):
    """Delete reservations and release their nodes."""

    example = "ci-42"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("reservations", metavar="RESERVATION", nargs="+", help=_IDENT)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete the reservations."""
        for reservation in parsed_args.reservations:
            self.dibs.reservations.delete(_uuid_of(reservation, self.dibs))


def names_of_nodes(dibs: "Dibs") -> dict[str, str]:
    """Return the name of each visible node by UUID; the UUID for a node without a name."""
    found = dibs.connection.baremetal.nodes(fields=["uuid", "name"])
    return {node.id: node.name or node.id for node in found}


def _uuid_of(ident: str, dibs: "Dibs") -> str:
    """Return the UUID of a reservation that is given by UUID, name or node.

    The server stores no name: the client derives the UUID of the instance from it.
    """
    from dibs.client.reservations import instance_uuid

    found = list(dibs.reservations.list())
    names = names_of_nodes(dibs)
    for each in found:
        if each.id == ident or each.instance_id in (ident, instance_uuid(ident)):
            return each.id
    of_node = (each.id for each in found if ident in (each.node_id, names.get(each.node_id)))
    return next(of_node, ident)


def _list_row(reservation: "Reservation", names: Mapping[str, str]) -> tuple[Any, ...]:
    return (
        reservation.id,
        names.get(reservation.node_id, reservation.node_id),
        reservation.instance_id,
        reservation.project_id,
        age(reservation.created_at),
        left(reservation.expires_at),
    )


def _row(reservation: "Reservation", names: Mapping[str, str]) -> tuple[Any, ...]:
    return (
        reservation.id,
        names.get(reservation.node_id, reservation.node_id),
        reservation.node_id,
        reservation.instance_id,
        reservation.project_id,
        reservation.expires_at,
        reservation.created_at,
        reservation.updated_at,
    )
