"""``dibs``: the table of commands."""

import argparse
import sys
from importlib.metadata import EntryPoint, version
from typing import Any

from cliff.app import App
from cliff.commandmanager import CommandManager
from cliff.help import HelpExit

from dibs.cli.connection import ClientManager, add_options
from dibs.cli.overview import Help, print_overview
from dibs.cli.registry import CLIENT_COMMANDS

COMMANDS = {
    "serve": "dibs.cli.commands.serve:Serve",
    "api": "dibs.cli.commands.serve:Api",
    "conductor": "dibs.cli.commands.serve:Conductor",
    "clouds-yaml": "dibs.cli.commands.clouds_yaml:CloudsYaml",
    "db upgrade": "dibs.cli.commands.database:Upgrade",
    "db check": "dibs.cli.commands.database:Check",
    "db version": "dibs.cli.commands.database:Version",
    "user add": "dibs.cli.commands.user:Add",
    "import ironic": "dibs.cli.commands.importing:Ironic",
    "import placement": "dibs.cli.commands.importing:Placement",
    "import blazar": "dibs.cli.commands.importing:Blazar",
    **CLIENT_COMMANDS,
}
"""Name and class of each command. The class is imported when the command is called."""


class Dibs(App):
    """The application around the commands."""

    def __init__(self) -> None:
        commands = CommandManager()
        for name, target in COMMANDS.items():
            commands.commands[name] = EntryPoint(name, target, "dibs")
        super().__init__(
            description="Which machine may I have, and when?",
            version=version("dibs"),
            command_manager=commands,
            deferred_help=True,
        )
        commands.add_command("help", Help)

    def build_option_parser(
        self, description: str | None, version: str | None, argparse_kwargs: dict[str, Any] | None = None
    ) -> argparse.ArgumentParser:
        """The options before the command."""
        parser = super().build_option_parser(description, version, argparse_kwargs)
        add_options(parser)
        return parser

    def initialize_app(self, argv: list[str]) -> None:
        """Have ready what commands ask for."""
        self.client_manager = ClientManager(self.options)

    def print_help_if_requested(self) -> None:
        """``dibs --help``."""
        if self.options.deferred_help:
            print_overview(self)
            raise HelpExit

    def configure_logging(self) -> None:
        """Logging is set up by the command that runs: see dibs.http.edge.logs."""


def main(argv: list[str] | None = None) -> int:
    """Run one command; what goes wrong in a foreseeable way is told in one sentence."""
    return Dibs().run(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
