"""``dibs --help``: what most people came for, then every command in few lines, in 80 columns."""

import argparse
import textwrap
from collections.abc import Iterable

from cliff.app import App
from cliff.commandmanager import CommandManager
from cliff.help import HelpCommand

USED_MOST = ("serve", "clouds-yaml", "node list", "why", "allocation create", "lease create", "db upgrade")
"""What gets a line of its own at the top."""

WIDTH = 79


def overview(commands: CommandManager) -> str:
    """Which commands there are."""
    names = sorted(name for name, _ in commands)
    first = [f"  {name:<19}{_one_line(commands, name)}" for name in USED_MOST if name in names]
    return "\n".join(
        [
            "Which machine may I have, and when?",
            "",
            "used most:",
            *first,
            "",
            "all commands (dibs help COMMAND tells about one):",
            *_by_noun(names),
        ]
    )


def _one_line(commands: CommandManager, name: str) -> str:
    found, _, _ = commands.find_command(name.split())
    sentence = (found.__doc__ or "").partition("\n")[0].partition(". ")[0].rstrip(".")
    return textwrap.shorten(sentence, WIDTH - 21, placeholder=" …")


def _by_noun(names: Iterable[str]) -> list[str]:
    """One line for each noun, with its verbs; commands of one word share lines."""
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
        beside = " " * 21
        lines += textwrap.wrap(", ".join(known), WIDTH, initial_indent=f"  {noun:<19}", subsequent_indent=beside)
    return lines


def print_overview(app: App) -> None:
    """Usage, commands, options."""
    app.parser.usage = f"{app.NAME} [OPTIONS] COMMAND [ARGUMENTS]"
    app.parser.description = overview(app.command_manager)
    app.parser.formatter_class = argparse.RawDescriptionHelpFormatter
    app.parser.print_help(app.stdout)


class Help(HelpCommand):
    """Tell about one command, or which there are."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """With a name as cliff does it, without as ``dibs --help``."""
        if parsed_args.cmd:
            return int(super().take_action(parsed_args))
        print_overview(self.app)
        return 0
