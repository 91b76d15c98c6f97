"""``dibs --help``: frequent commands first, then every command by noun, in 80 columns."""

import argparse
import textwrap
from collections.abc import Iterable

from cliff.app import App
from cliff.commandmanager import CommandManager
from cliff.help import HelpCommand

FREQUENT = ("serve", "clouds-yaml", "node list", "why", "allocation create", "lease create", "db upgrade")
"""The commands with a line of their own at the top."""

WIDTH = 79


def overview(commands: CommandManager) -> str:
    """Return the list of commands."""
    names = sorted(name for name, _ in commands)
    first = [f"  {name:<19}{_summary(commands, name)}" for name in FREQUENT if name in names]
    return "\n".join(
        [
            "Which machine may I have, and when?",
            "",
            "frequent commands:",
            *first,
            "",
            "all commands (dibs help COMMAND shows the details):",
            *_by_noun(names),
        ]
    )


def _summary(commands: CommandManager, name: str) -> str:
    found, _, _ = commands.find_command(name.split())
    sentence = (found.__doc__ or "").partition("\n")[0].partition(". ")[0].rstrip(".")
    return textwrap.shorten(sentence, WIDTH - 21, placeholder=" …")


def _by_noun(names: Iterable[str]) -> list[str]:
    """Return one line per noun with its verbs; commands of a single word share lines."""
    single: list[str] = []
    verbs: dict[str, list[str]] = {}
    for name in names:
        noun, _, verb = name.partition(" ")
        if verb:
            verbs.setdefault(noun, []).append(verb)
        else:
            single.append(name)
    lines = textwrap.wrap(", ".join(single), WIDTH - 2, initial_indent="  ", subsequent_indent="  ")
    for noun, known in verbs.items():
        indent = " " * 21
        lines += textwrap.wrap(", ".join(known), WIDTH, initial_indent=f"  {noun:<19}", subsequent_indent=indent)
    return lines


def print_overview(app: App) -> None:
    """Print usage, commands and options."""
    app.parser.usage = f"{app.NAME} [OPTIONS] COMMAND [ARGUMENTS]"
    app.parser.description = overview(app.command_manager)
    app.parser.formatter_class = argparse.RawDescriptionHelpFormatter
    app.parser.print_help(app.stdout)


class Help(HelpCommand):
    """Show the help of a command, or list all commands."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Print cliff's help of a command, or the overview if none is given."""
        if parsed_args.cmd:
            return int(super().take_action(parsed_args))
        print_overview(self.app)
        return 0
