"""``dibs user …``: the user file for HTTP basic authentication."""

import argparse
import contextlib
import getpass
import os
import re
import sys
from pathlib import Path

from cliff.command import Command

from dibs.cli.output.closest import did_you_mean
from dibs.cli.settings_command import CommandFailed

_ROLE_IN_RULE = re.compile(r"role:([^\s\"')]+)")


class Add(Command):
    """Add a user to the user file of http_basic, or change a password.

    On a terminal the command prompts for the password, otherwise it reads the first line of standard input. A changed
    file keeps its owner, group and mode; only its owner can read a new one.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the arguments."""
        parser = super().get_parser(prog_name)
        parser.add_argument("file", help="User file; created if it does not exist")
        parser.add_argument("name", help="Name of the user")
        parser.add_argument("--project", default="", help="Project of the user; system scope by default")
        parser.add_argument("--role", action="append", default=[], help="Role of the user; can be repeated")
        parser.add_argument(
            "--policy-file",
            metavar="FILE",
            default=os.environ.get("DIBS_POLICY_FILE", ""),
            help="Policy file of the server, whose rules may name more roles [DIBS_POLICY_FILE]",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Write the user's line."""
        from dibs.http.auth.basic import BadUserFile, format_line, parse_users

        # A link must stay a link.
        path = os.path.realpath(parsed_args.file)
        _check_roles(parsed_args.role, parsed_args.policy_file)
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


def _check_roles(roles: list[str], policy_file: str) -> None:
    """Refuse a role that no rule names: its user could do nothing, and the reason would be hard to find."""
    from dibs.http.auth import ROLES

    known = set(ROLES)
    if policy_file:
        try:
            known |= {name.lower() for name in _ROLE_IN_RULE.findall(Path(policy_file).read_text(encoding="utf-8"))}
        except OSError as error:
            raise CommandFailed(f"Cannot read the policy file {policy_file}: {error.strerror}.") from error
    for role in roles:
        if role.lower() not in known:
            raise CommandFailed(
                f"No rule names the role {role!r}.{did_you_mean(role, known)} Known roles: {', '.join(sorted(known))}."
                " Roles of your own policy file need --policy-file."
            )


def _replace_file(path: str, lines: list[str]) -> None:
    """Replace the file atomically, so that a server never reads an incomplete one."""
    new = f"{path}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(new)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        _copy_access(path, file.fileno())
        file.write("\n".join(lines) + "\n")
    os.replace(new, path)


def _copy_access(path: str, file: int) -> None:
    """Give an open file owner, group and mode of an existing one; without this a server of that group loses access."""
    try:
        former = os.stat(path)
    except FileNotFoundError:
        return
    try:
        os.fchown(file, former.st_uid, former.st_gid)
    except PermissionError as error:
        raise CommandFailed(f"Cannot keep owner and group of {path}: {error.strerror}.") from error
    os.fchmod(file, former.st_mode & 0o7777)
