"""``dibs user …``: the file of users for http_basic."""

import argparse
import contextlib
import getpass
import os
import sys

from cliff.command import Command

from dibs.cli.settings_flags import CommandFailed


class Add(Command):
    """Add a user to a file for http_basic, or give a known user a new password.

    The password is asked for on a terminal and read from standard input elsewhere.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("file", help="The file; made when it is missing.")
        parser.add_argument("name", help="The user's name.")
        parser.add_argument("--project", default="", help="Project of the user; without it, the whole system.")
        parser.add_argument("--role", action="append", default=[], help="Role of the user; can be given several times.")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Write the line."""
        from dibs.http.auth.basic import BadUserFile, format_line, parse_users

        path = parsed_args.file
        try:
            line = format_line(parsed_args.name, _password(), parsed_args.project, ",".join(parsed_args.role))
            others = _lines_of_others(path, parsed_args.name)
            parse_users("\n".join(others), path)
        except (ValueError, BadUserFile) as error:
            raise CommandFailed(str(error)) from error
        _replace_file(path, [*others, line])


def _password() -> bytes:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n").encode()
    first = getpass.getpass()
    if getpass.getpass("Again: ") != first:
        raise CommandFailed("The two passwords differ.")
    return first.encode()


def _lines_of_others(path: str, name: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return [line for line in file.read().splitlines() if line.partition(":")[0] != name]
    except FileNotFoundError:
        return []


def _replace_file(path: str, lines: list[str]) -> None:
    """Write beside and rename, so that a running server never reads half a file; only the owner may read it."""
    beside = f"{path}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(beside)
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(beside, path)
