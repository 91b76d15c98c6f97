"""The parent class of the commands that read the settings of a server."""

import argparse
import os
from urllib.parse import urlsplit

from cliff.command import Command

from dibs.settings import CONFIG_VARIABLE, ENVIRONMENT_PREFIX, FIELDS, Settings, SettingsError, groups, load_settings


class CommandFailed(Exception):
    """An expected failure. cliff prints the message and exits with 1."""


class SettingsCommand(Command):
    """A command with one flag per setting."""

    needs: frozenset[str] = frozenset(FIELDS)
    """The settings with a flag. The environment and the file may have all settings."""

    def get_epilog(self) -> str:
        """Return nothing: cliff's own reads the metadata of every installed distribution, which takes 0.1 s or more."""
        return ""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return a parser with the flags in groups."""
        parser = super().get_parser(prog_name)
        if self.needs == frozenset(FIELDS):
            parser.usage = f"{prog_name} [--config FILE] [--SETTING VALUE ...]"
        parser.add_argument("--config", metavar="FILE", help=f"TOML file with settings [{CONFIG_VARIABLE}].")
        for title, names in groups().items():
            if needed := [name for name in names if name in self.needs]:
                section = parser.add_argument_group(title)
                for name in needed:
                    _add_flag(section, name)
        return parser

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Run the command; say which database cannot be reached, and why."""
        try:
            return super().run(parsed_args)
        except Exception as error:
            from dibs.database.errors import StoreUnavailable

            if not isinstance(error, StoreUnavailable):
                raise
            raise CommandFailed(_no_database(self.settings(parsed_args).database, error)) from error

    def settings(self, arguments: argparse.Namespace) -> Settings:
        """Return the settings from flags, environment and file; raise CommandFailed if they are not valid."""
        flags = {name: getattr(arguments, name) for name in self.needs}
        try:
            return load_settings(flags, os.environ, arguments.config)
        except SettingsError as error:
            raise CommandFailed(str(error)) from error


def _add_flag(section: argparse._ArgumentGroup, name: str) -> None:
    field = FIELDS[name]
    flag = "--" + name.replace("_", "-")
    text = f"{field.metadata['help']} [{ENVIRONMENT_PREFIX}{name.upper()}]".replace("%", "%%")
    if isinstance(field.default, bool):
        section.add_argument(flag, action="store_true", default=None, help=text)
    else:
        default = f" Default: {field.default}." if field.default != "" else ""
        section.add_argument(flag, metavar=name.rpartition("_")[2].upper(), help=text + default)


def _no_database(url: str, error: Exception) -> str:
    """Return where the database is and what its driver said, on one line and without the password."""
    parts = urlsplit(url)
    cause = error.__cause__ or error
    driver_error: BaseException = getattr(cause, "orig", None) or cause
    # PyMySQL has a number before its text; libpq asks a question in a second line.
    texts = [text for text in driver_error.args if isinstance(text, str)] or [str(driver_error)]
    reason = texts[-1].partition("\n")[0].rstrip(".")
    source = "the URL in --database, DIBS_DATABASE or the settings file."
    if parts.scheme.startswith("sqlite"):
        return f"Cannot open the database file {parts.path[1:]}: {reason}. Check {source}"
    where = parts.netloc.rpartition("@")[2]
    return f"Cannot connect to the database at {where}: {reason}. Check that its server runs, and {source}"
