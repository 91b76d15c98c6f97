"""Parse the commands of units, images and compose files with Dibs' own parsers and settings."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from dibs.cli.main import Dibs
from dibs.cli.settings_command import SettingsCommand
from dibs.settings import CONFIG_VARIABLE, ENVIRONMENT_PREFIX, FIELDS, Settings, load_settings

DEPLOY = Path(__file__).parents[2] / "deploy"
KNOWN = {CONFIG_VARIABLE, *(ENVIRONMENT_PREFIX + name.upper() for name in FIELDS)}


def settings_of(words: Sequence[str], environment: Mapping[str, str], config: Path | None = None) -> Settings:
    """Return the settings of ``dibs WORDS``; fail on an unknown command, flag, variable or value."""
    unknown = {name for name in environment if name.startswith(ENVIRONMENT_PREFIX)} - KNOWN
    assert unknown == set()
    app = Dibs()
    kind, name, rest = app.command_manager.find_command(list(words))
    command = kind(app, None)
    assert isinstance(command, SettingsCommand)
    arguments = command.get_parser(f"dibs {name}").parse_args(rest)
    flags = {flag: getattr(arguments, flag) for flag in command.needs}
    return load_settings(flags, environment, str(config) if config else arguments.config)
