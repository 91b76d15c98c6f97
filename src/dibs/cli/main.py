"""The ``dibs`` program."""

import argparse
import os
import sys
from importlib.metadata import EntryPoint, version
from typing import Any

from cliff.app import App
from cliff.command import Command
from cliff.commandmanager import CommandManager
from cliff.help import HelpExit

from dibs.cli.connection import ClientManager, add_options
from dibs.cli.help import Help, print_overview
from dibs.cli.registry import COMMANDS


class Dibs(App):
    """The application that finds and runs the commands."""

    def __init__(self) -> None:
        commands = CommandManager()
        super().__init__(
            description="Which machine may I have, and when?",
            version=version("dibs"),
            command_manager=commands,
            deferred_help=True,
        )
        commands.add_command("help", Help)
        # These replace cliff's own ``complete``.
        for name, target in COMMANDS.items():
            commands.commands[name] = EntryPoint(name, target, "dibs")

    def build_option_parser(
        self, description: str | None, version: str | None, argparse_kwargs: dict[str, Any] | None = None
    ) -> argparse.ArgumentParser:
        """Return the parser of the options before the command."""
        parser = super().build_option_parser(description, version, argparse_kwargs)
        add_options(parser)
        return parser

    def initialize_app(self, argv: list[str]) -> None:
        """Set the attributes that the commands use."""
        self.client_manager = ClientManager(self.options)

    def prepare_to_run_command(self, cmd: Command) -> None:
        """Warn of DIBS_ variables that nothing reads: a misspelled one would silently leave the default."""
        from dibs.settings import unknown_variables

        for name, closest in unknown_variables(os.environ).items():
            hint = f" Did you mean {closest}?" if closest else ""
            print(f"Warning: the variable {name} is not known and has no effect.{hint}", file=self.stderr)

    def print_help_if_requested(self) -> None:
        """Print the overview for ``dibs --help`` and for ``dibs`` without a command."""
        if self.options.deferred_help or self.interactive_mode:
            print_overview(self)
            raise HelpExit

    def configure_logging(self) -> None:
        """Leave logging to the command that runs: see dibs.http.edge.logs."""


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    return Dibs().run(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
