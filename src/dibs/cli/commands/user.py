"""``dibs user …``: the user file for HTTP basic authentication."""

import argparse
import contextlib
import getpass
import os
import sys

from cliff.command import Command

from dibs.cli.settings_command import CommandFailed


class Add(Command):
    """Add a user to the user file of http_basic, or change a password.

    On a terminal the command prompts for the password, otherwise it reads the first line of standard input.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("file", help="User file; created if it does not exist")
        parser.add_argument("name", help="Name of the user")
        parser.add_argument("--project", default="", help="Project of the user; system scope by default")
        parser.add_argument("--role", action="append", default=[], help="Role of the user; can be repeated")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Write the user's line."""
        from dibs.http.auth.basic import BadUserFile, format_line, parse_users

        path = parsed_args.file
        try:
            line = format_line(parsed_args.name, _password(), parsed_args.project, ",".join(parsed_args.role))
            others = _lines_of_other_users(path, parsed_args.name)
            parse_users("\n".join(others), path)
        except (ValueError, BadUserFile) as error:
            raise CommandFailed(str(error)) from error
        _replace_file(path, [*others, line])


def _password() -> bytes:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n").encode()
    first = getpass.getpass()
    if getpass.getpass("Repeat password: ") != first:
        raise CommandFailed("The passwords do not match.")
    return first.encode()


def _lines_of_other_users(path: str, name: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return [line for line in file.read().splitlines() if line.partition(":")[0] != name]
    except FileNotFoundError:
        return []


def _replace_file(path: str, lines: list[str]) -> None:
    """Replace the file atomically, so that a server never reads an incomplete one. Only its owner may read it."""
    new = f"{path}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(new)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(new, path)
