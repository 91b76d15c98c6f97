"""``dibs import …``: bring what Ironic, Placement and Blazar keep into a running Dibs."""

import abc
import argparse
import getpass
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from cliff.command import Command

from dibs.cli.settings_flags import CommandFailed

if TYPE_CHECKING:
    from dibs.importing.connecting import Address
    from dibs.importing.report import Finding, Report
    from dibs.importing.service import Service

DEFAULT_TARGET = "http://127.0.0.1:8780"
MOUNTS = {"baremetal": "/baremetal", "placement": "/placement", "reservation": "/reservation"}
PASSWORDS = {"from": "DIBS_IMPORT_FROM_PASSWORD", "to": "DIBS_IMPORT_TO_PASSWORD"}


class ImportCommand(Command):
    """What the imports have in common: two addresses, a progress bar, a report, an exit code."""

    kind = ""
    """The type of the service that is read."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        self.parser = parser = super().get_parser(prog_name)
        _add_address(parser, "from", "The service to read from.", None)
        _add_address(parser, "to", f"The Dibs to write to. Default: {DEFAULT_TARGET}.", DEFAULT_TARGET)
        parser.add_argument(
            "-f", "--format", choices=("table", "json"), default="table", help="Form of the report. Default: table."
        )
        parser.epilog = (
            "Run it again after an interruption: it goes on, and touches nothing that is here already. --quiet shows no"
            " progress. Exit code: 0 when both sides are the same, 1 when something differs or was refused, 2 for wrong"
            " usage."
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Copy, then report."""
        from dibs.cli.import_progress import watch
        from dibs.importing.report import Report
        from dibs.importing.service import Refused, Unreachable

        if getattr(parsed_args, "from") is None and parsed_args.from_os_cloud is None:
            self.parser.error("say where to read from: --from URL, --from-os-cloud NAME")
        try:
            there = self.source(parsed_args)
            with watch(sys.stderr, silent=self.app.options.verbose_level == 0) as watcher:
                report = Report(watcher)
                self.copy(there, parsed_args, report)
        except (Unreachable, Refused) as error:
            raise CommandFailed(f"{error} Nothing that was copied is lost: run the command again to go on.") from error
        self.tell(report, parsed_args.format, there)
        return 0 if report.all_the_same else 1

    def source(self, arguments: argparse.Namespace) -> "Service":
        """The service to read from."""
        from dibs.importing.connecting import connect

        return connect(_address(arguments, "from"), self.kind)

    def target(self, arguments: argparse.Namespace, kind: str) -> "Service":
        """One of the APIs of Dibs."""
        from dibs.importing.connecting import connect

        return connect(_address(arguments, "to"), kind, MOUNTS[kind])

    @abc.abstractmethod
    def copy(self, there: "Service", arguments: argparse.Namespace, report: "Report") -> None:
        """Copy everything of this kind."""

    def tell(self, report: "Report", form: str, there: "Service") -> None:
        """Print the report."""
        if form == "json":
            document = {"from": there.url, **report.as_document()}
            print(json.dumps(document, indent=2), file=self.app.stdout)
            return
        renamed = [f"{each['noun']} {each['there']} is {each['here']} here" for each in report.ids]
        told = [line for finding in report.findings for line in _told(finding)]
        print(*_counted(report), *renamed, *told, sep="\n", file=self.app.stdout)


class Ironic(ImportCommand):
    """Copy nodes with ports, traits and states, and allocations, from Ironic.

    Example: dibs import ironic --from http://ironic:6385
    """

    kind = "baremetal"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--driver",
            metavar="NAME",
            help="Driver for nodes whose own driver Dibs does not have, for instance fake-hardware.",
        )
        return parser

    def copy(self, there: "Service", arguments: argparse.Namespace, report: "Report") -> None:
        """See ImportCommand."""
        from dibs.importing.ironic import copy_ironic

        copy_ironic(there, self.target(arguments, "baremetal"), report, arguments.driver)


class Placement(ImportCommand):
    """Copy providers, inventories, traits, classes and allocations from Placement.

    Example: dibs import placement --from-os-cloud production
    """

    kind = "placement"

    def copy(self, there: "Service", arguments: argparse.Namespace, report: "Report") -> None:
        """See ImportCommand."""
        from dibs.importing.placement import copy_placement

        here, machines = self.target(arguments, "placement"), self.target(arguments, "baremetal")
        copy_placement(there, here, machines, report)


class Blazar(ImportCommand):
    """Copy hosts, and leases that have not ended, from Blazar.

    Example: dibs import blazar --from http://blazar:1234
    """

    kind = "reservation"

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--project", metavar="ID", help="Only the leases of this project, and no hosts.")
        return parser

    def copy(self, there: "Service", arguments: argparse.Namespace, report: "Report") -> None:
        """See ImportCommand."""
        from dibs.importing.blazar import copy_blazar

        here, providers = self.target(arguments, "reservation"), self.target(arguments, "placement")
        copy_blazar(there, here, providers, report, arguments.project)


def _add_address(parser: argparse.ArgumentParser, side: str, help: str, default: str | None) -> None:
    group = parser.add_argument_group(f"where to {'read from' if side == 'from' else 'write to'}")
    group.add_argument(f"--{side}", metavar="URL", help=help)
    group.add_argument(
        f"--{side}-os-cloud", metavar="NAME", help="Entry of clouds.yaml that says where it is and how to log in."
    )
    group.add_argument(
        f"--{side}-user",
        metavar="NAME",
        help=f"Log in with HTTP basic authentication; the password is in {PASSWORDS[side]}, or asked for.",
    )
    group.add_argument(f"--{side}-cacert", metavar="FILE", help="Certificates to trust.")


def _address(arguments: argparse.Namespace, side: str) -> "Address":
    from dibs.importing.connecting import Address

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
            raise CommandFailed(
                f"There is no terminal to ask for the password of {user}: put it into {PASSWORDS[side]}."
            )
        known = os.environ[PASSWORDS[side]] = getpass.getpass(f"Password of {user} ({side}): ")
    return known


def _counted(report: "Report") -> list[str]:
    from dibs.importing.report import OUTCOMES

    lines = [f"{'':<16}" + "".join(f"{outcome:>10}" for outcome in OUTCOMES)]
    for noun, found in report.counts.items():
        lines.append(f"{noun:<16}" + "".join(f"{found[outcome]:>10}" for outcome in OUTCOMES))
    return lines


def _told(finding: "Finding") -> list[str]:
    named = f" ({finding.name})" if finding.name else ""
    reason = f": {finding.reason}" if finding.reason else ""
    lines = ["", f"{finding.noun} {finding.id}{named} {_VERBS[finding.outcome]}{reason}"]
    for each in finding.differences:
        why = f" ({each.why})" if each.why else ""
        lines.append(f"  {each.what}: {_short(each.there)} there, {_short(each.here)} here{why}")
    return lines


_VERBS = {"differs": "differs", "refused": "was refused", "left out": "is left out"}


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
