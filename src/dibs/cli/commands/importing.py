"""``dibs import …``: copy the objects of Ironic, Placement and Blazar into a running Dibs."""

import abc
import argparse
import getpass
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from cliff.command import Command

from dibs.cli.settings_command import CommandFailed

if TYPE_CHECKING:
    from dibs.importing import Address, Finding, Report, Service

DEFAULT_TARGET = "http://127.0.0.1:8780"
MOUNTS = {"baremetal": "/baremetal", "placement": "/placement", "reservation": "/reservation"}
PASSWORDS = {"from": "DIBS_IMPORT_FROM_PASSWORD", "to": "DIBS_IMPORT_TO_PASSWORD"}


class ImportCommand(Command):
    """The parent of the import commands: two addresses, a progress bar, a report, an exit code."""

    kind = ""
    """The service type of the source."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        self.parser = parser = super().get_parser(prog_name)
        _add_address(parser, "from", "URL of the source service", None)
        _add_address(parser, "to", f"URL of the target Dibs (default: {DEFAULT_TARGET})", DEFAULT_TARGET)
        parser.add_argument(
            "-f", "--format", choices=("table", "json"), default="table", help="Format of the report (default: table)"
        )
        parser.epilog = (
            "An interrupted import can be run again: it continues, and does not change objects that exist in Dibs."
            " --quiet hides the progress. Exit code: 0 if both sides are equal, 1 if an object differs or was refused,"
            " 2 for a usage error."
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Copy the objects, then print the report."""
        from dibs.cli.import_progress import show_progress
        from dibs.importing import Refused, Report, Unreachable

        if getattr(parsed_args, "from") is None and parsed_args.from_os_cloud is None:
            self.parser.error("one of the arguments --from --from-os-cloud is required")
        try:
            source = self.source(parsed_args)
            with show_progress(sys.stderr, silent=self.app.options.verbose_level == 0) as listener:
                report = Report(listener)
                self.copy(source, parsed_args, report)
        except (Unreachable, Refused) as error:
            raise CommandFailed(f"{error} Copied objects are kept; run the command again to continue.") from error
        self.print_report(report, parsed_args.format, source)
        return 0 if report.all_the_same else 1

    def source(self, arguments: argparse.Namespace) -> "Service":
        """Connect to the service to read from."""
        from dibs.importing import connect

        return connect(_address(arguments, "from"), self.kind)

    def target(self, arguments: argparse.Namespace, kind: str) -> "Service":
        """Connect to one of the APIs of Dibs."""
        from dibs.importing import connect

        return connect(_address(arguments, "to"), kind, MOUNTS[kind])

    @abc.abstractmethod
    def copy(self, source: "Service", arguments: argparse.Namespace, report: "Report") -> None:
        """Copy the objects of the source."""

    def print_report(self, report: "Report", form: str, source: "Service") -> None:
        """Print the report."""
        if form == "json":
            document = {"from": source.url, **report.as_document()}
            print(json.dumps(document, indent=2), file=self.app.stdout)
            return
        ids = [f"{each['noun']} {each['there']} is {each['here']} in Dibs" for each in report.ids]
        findings = [line for finding in report.findings for line in _finding_lines(finding)]
        print(*_count_lines(report), *ids, *findings, sep="\n", file=self.app.stdout)


class Ironic(ImportCommand):
    """Copy nodes with ports, traits and states, and allocations, from Ironic.

    Example: dibs import ironic --from http://ironic:6385
    """

    kind = "baremetal"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--driver",
            metavar="NAME",
            help="Driver for nodes whose own driver Dibs does not have, such as fake-hardware",
        )
        return parser

    def copy(self, source: "Service", arguments: argparse.Namespace, report: "Report") -> None:
        """See ImportCommand."""
        from dibs.importing import copy_ironic

        copy_ironic(source, self.target(arguments, "baremetal"), report, arguments.driver)


class Placement(ImportCommand):
    """Copy providers, inventories, traits, classes and allocations from Placement.

    Example: dibs import placement --from-os-cloud production
    """

    kind = "placement"

    def copy(self, source: "Service", arguments: argparse.Namespace, report: "Report") -> None:
        """See ImportCommand."""
        from dibs.importing import copy_placement

        target, machines = self.target(arguments, "placement"), self.target(arguments, "baremetal")
        copy_placement(source, target, machines, report)


class Blazar(ImportCommand):
    """Copy hosts and current leases from Blazar.

    Example: dibs import blazar --from http://blazar:1234
    """

    kind = "reservation"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--project", metavar="ID", help="Copy only the leases of this project, and no hosts")
        return parser

    def copy(self, source: "Service", arguments: argparse.Namespace, report: "Report") -> None:
        """See ImportCommand."""
        from dibs.importing import copy_blazar

        target, providers = self.target(arguments, "reservation"), self.target(arguments, "placement")
        copy_blazar(source, target, providers, report, arguments.project)


def _add_address(parser: argparse.ArgumentParser, side: str, help: str, default: str | None) -> None:
    group = parser.add_argument_group("source" if side == "from" else "target")
    group.add_argument(f"--{side}", metavar="URL", help=help)
    group.add_argument(f"--{side}-os-cloud", metavar="NAME", help="Entry of clouds.yaml with URL and credentials")
    group.add_argument(
        f"--{side}-user",
        metavar="NAME",
        help=f"User for HTTP basic authentication; the password is in {PASSWORDS[side]}, or prompted for",
    )
    group.add_argument(f"--{side}-cacert", metavar="FILE", help="File of CA certificates to trust")


def _address(arguments: argparse.Namespace, side: str) -> "Address":
    from dibs.importing import Address

    given: dict[str, Any] = vars(arguments)
    cloud, user, url = given[f"{side}_os_cloud"], given[f"{side}_user"], given[side]
    if side == "to" and url is None and cloud is None:
        url = DEFAULT_TARGET
    password = None if user is None else _password(side, user)
    return Address(url=url, cloud=cloud, user=user, password=password, ca_file=given[f"{side}_cacert"])


def _password(side: str, user: str) -> str:
    known = os.environ.get(PASSWORDS[side])
    if known is None:
        if not sys.stdin.isatty():
            raise CommandFailed(f"Cannot prompt for the password of {user} without a terminal: set {PASSWORDS[side]}.")
        known = os.environ[PASSWORDS[side]] = getpass.getpass(f"Password of {user} ({side}): ")
    return known


def _count_lines(report: "Report") -> list[str]:
    from dibs.importing import OUTCOMES

    lines = [f"{'':<16}" + "".join(f"{outcome:>10}" for outcome in OUTCOMES)]
    for noun, found in report.counts.items():
        lines.append(f"{noun:<16}" + "".join(f"{found[outcome]:>10}" for outcome in OUTCOMES))
    return lines


def _finding_lines(finding: "Finding") -> list[str]:
    named = f" ({finding.name})" if finding.name else ""
    reason = f": {finding.reason}" if finding.reason else ""
    lines = ["", f"{finding.noun} {finding.id}{named} {_VERBS[finding.outcome]}{reason}"]
    for each in finding.differences:
        why = f" ({each.why})" if each.why else ""
        lines.append(f"  {each.what}: source {_short(each.source)}, Dibs {_short(each.target)}{why}")
    return lines


_VERBS = {"differs": "differs", "refused": "was refused", "left out": "was left out"}


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
