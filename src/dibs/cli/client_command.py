"""The parent classes of the commands that talk to a server: connection, error messages and exit codes.

``dibs`` and, through the plug-in, ``openstack`` run the same classes; both programs have a ``client_manager`` with an
attribute ``dibs``.
"""

import argparse
import contextlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cliff.command import Command
from cliff.lister import Lister
from cliff.show import ShowOne

from dibs.cli.exit_codes import INTERRUPTED, NOT_FOUND, REFUSED, code_of, message_of
from dibs.cli.suggestions import suggestion
from dibs.cli.wait_progress import WaitProgress

if TYPE_CHECKING:
    from dibs.client import Dibs, Offer


class Exit(Exception):
    """Ends a command with an exit code and without output."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class ClientCommand(Command):
    """A command that talks to a server."""

    example = ""
    """The arguments of the example in the help."""

    @property
    def dibs(self) -> "Dibs":
        """The client of the server."""
        found: Dibs = self.app.client_manager.dibs  # type: ignore[attr-defined]
        return found

    def get_epilog(self) -> str:
        """Return nothing: cliff's own reads the metadata of every installed distribution, which takes 0.1 s or more."""
        return ""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return a parser whose help ends with an example."""
        parser = super().get_parser(prog_name)
        parser.epilog = f"Example: {prog_name} {self.example}".rstrip()
        # On a terminal, tables are as wide as it is; elsewhere their width has no limit.
        parser.set_defaults(fit_width=True)
        return parser

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Run the command; print an expected error as one message and return its exit code."""
        try:
            status = super().run(parsed_args)
            self.app.stdout.flush()
            return status
        except Exit as end:
            return end.code
        except KeyboardInterrupt:
            # The terminal may be closed.
            with contextlib.suppress(OSError):
                print("Interrupted.", file=self.app.stderr, flush=True)
            return INTERRUPTED
        except BrokenPipeError:
            discard_output()
            return INTERRUPTED
        except Exception as error:
            code = code_of(error)
            if code is None:
                raise
            if self.app.options.debug:
                traceback.print_exc(file=self.app.stderr)
            more = self._suggestion(parsed_args, code) + self._offers(parsed_args, error)
            print(message_of(error) + more, file=self.app.stderr)
            return code

    def offers(self, parsed_args: argparse.Namespace, error: Exception) -> "Sequence[Offer]":
        """Return what is available instead of what failed with an error."""
        return ()

    def suggest(self, parsed_args: argparse.Namespace) -> None:
        """Print the closest names if the arguments contain names that no object has."""
        if found := suggestion(self.dibs, parsed_args):
            print(found, file=self.app.stderr)

    def _suggestion(self, parsed_args: argparse.Namespace, code: int) -> str:
        found = suggestion(self.dibs, parsed_args) if code in (REFUSED, NOT_FOUND) else ""
        return f"\n{found}" if found else ""

    def _offers(self, parsed_args: argparse.Namespace, error: Exception) -> str:
        try:
            found = self.offers(parsed_args, error)
        except Exception as failed:
            if code_of(failed) is None:
                raise
            return ""
        lines = ["Possible instead:", *(f"- {each.text}: {each.command}" for each in found)]
        return "".join(f"\n{line}" for line in lines) if found else ""

    def progress(self) -> WaitProgress:
        """Return a display for the progress of a wait, on standard error."""
        return WaitProgress(self.app.stderr)


def discard_output() -> None:
    """Send further output nowhere: the interpreter would report each closed pipe once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())


class ClientLister(ClientCommand, Lister):
    """A command that prints rows."""


class ClientShowOne(ClientCommand, ShowOne):
    """A command that prints the fields of one object."""


class Words(list[str]):
    """A field with several words: a list in JSON and YAML, separated by blanks in tables and values."""

    def __str__(self) -> str:
        return " ".join(self)

    def to_dict(self) -> list[str]:
        """Return the list that cliff writes as YAML."""
        return list(self)
