"""The flags of every command that reads settings."""

import argparse
import os

from cliff.command import Command

from dibs.settings import CONFIG_VARIABLE, ENVIRONMENT_PREFIX, FIELDS, Settings, SettingsError, load_settings


class CommandFailed(Exception):
    """A foreseeable failure. cliff prints the message and exits with 1."""


class SettingsCommand(Command):
    """A command with one flag per setting."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the flags."""
        parser = super().get_parser(prog_name)
        parser.add_argument("--config", metavar="FILE", help=f"TOML file of settings [{CONFIG_VARIABLE}].")
        for name, field in FIELDS.items():
            flag = "--" + name.replace("_", "-")
            text = f"{field.metadata['help']} [{ENVIRONMENT_PREFIX}{name.upper()}]".replace("%", "%%")
            if isinstance(field.default, bool):
                parser.add_argument(flag, action="store_true", default=None, help=text)
            else:
                default = f" Default: {field.default}." if field.default != "" else ""
                parser.add_argument(flag, metavar=name.rpartition("_")[2].upper(), help=text + default)
        return parser

    def settings(self, arguments: argparse.Namespace) -> Settings:
        """The settings for this call."""
        flags = {name: getattr(arguments, name) for name in FIELDS}
        try:
            return load_settings(flags, os.environ, arguments.config)
        except SettingsError as error:
            raise CommandFailed(str(error)) from error
