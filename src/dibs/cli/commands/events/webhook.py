"""``dibs webhook …``: URLs to which Dibs posts events."""

import argparse
from collections.abc import Iterable
from typing import Any

from dibs.cli.argument_types import SEVERAL
from dibs.cli.client_command import ClientCommand, ClientLister, ClientShowOne, Words

COLUMNS = ("uuid", "project", "url", "types", "state", "failures", "delivered_at")
FIELDS = (
    "uuid", "project", "url", "types", "state", "disabled_at", "disabled_reason", "failures", "failing_since",
    "last_error", "delivered_at", "created_at",
)  # fmt: skip
DELIVERY_COLUMNS = (
    "id", "type", "state", "attempts", "last_status", "last_error", "retry_at", "created_at", "finished_at",
)  # fmt: skip
STATES = ("pending", "delivered", "failed")


class Create(ClientShowOne):
    """Send events to a URL, and show the secret that signs the messages."""

    example = "https://ci.example.org/dibs --type lease.started allocation"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("url", metavar="URL", help="URL of the receiver")
        parser.add_argument(
            "--type", **SEVERAL, metavar="TYPE", help="Type (lease.started) or kind of object (lease); all by default"
        )
        parser.add_argument("--project", metavar="PROJECT", help="Project whose events are sent; your own by default")
        parser.add_argument("--all-projects", action="store_true", help="Send the events of every project")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Create the webhook."""
        made = self.dibs.webhooks.create(
            parsed_args.url,
            types=parsed_args.type,
            project=parsed_args.project,
            all_projects=parsed_args.all_projects,
        )
        return (*FIELDS, "secret"), (*_row(made, FIELDS), made["secret"])


class List(ClientLister):
    """List webhooks."""

    example = "-c uuid -c url -c state"

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        return COLUMNS, [_row(each, COLUMNS) for each in self.dibs.webhooks.list()]


class Show(ClientShowOne):
    """Show a webhook, and why it is disabled or fails."""

    example = "7c2b0f6e-52f5-4a0e-9f6a-1b1f5a3f6c11"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        return _add_webhook(super().get_parser(prog_name))

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Return columns and values."""
        return FIELDS, _row(self.dibs.webhooks.get(parsed_args.webhook), FIELDS)


class Enable(ClientShowOne):
    """Enable a webhook that was disabled because its receiver failed."""

    example = "7c2b0f6e-52f5-4a0e-9f6a-1b1f5a3f6c11"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        return _add_webhook(super().get_parser(prog_name))

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Enable the webhook; return columns and values."""
        return FIELDS, _row(self.dibs.webhooks.enable(parsed_args.webhook), FIELDS)


class Delete(ClientCommand):
    """Delete webhooks."""

    example = "7c2b0f6e-52f5-4a0e-9f6a-1b1f5a3f6c11"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("webhooks", metavar="WEBHOOK", nargs="+", help="UUID of the webhook")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete the webhooks."""
        for webhook in parsed_args.webhooks:
            self.dibs.webhooks.delete(webhook)


class ListDeliveries(ClientLister):
    """List the deliveries of a webhook, newest first, with the reasons for failures."""

    example = "7c2b0f6e-52f5-4a0e-9f6a-1b1f5a3f6c11 --state failed"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = _add_webhook(super().get_parser(prog_name))
        parser.add_argument("--state", choices=STATES, help="Filter by state")
        parser.add_argument("--limit", type=int, default=100, metavar="COUNT", help="Number of rows; 100 by default")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]:
        """Return columns and rows."""
        found = self.dibs.webhooks.deliveries(parsed_args.webhook, state=parsed_args.state, limit=parsed_args.limit)
        return DELIVERY_COLUMNS, [_row(each, DELIVERY_COLUMNS) for each in found]


def _add_webhook(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("webhook", metavar="WEBHOOK", help="UUID of the webhook")
    return parser


def _row(found: dict[str, Any], columns: Iterable[str]) -> tuple[Any, ...]:
    values = {**found, "types": Words(found.get("types") or [])}
    return tuple(values[column] for column in columns)
