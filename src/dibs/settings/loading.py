"""Read the settings from flags, the environment and a file."""

import difflib
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from dibs.settings.fields import FIELDS, Settings

ENVIRONMENT_PREFIX = "DIBS_"
CONFIG_VARIABLE = "DIBS_CONFIG"

_OTHER_VARIABLES = frozenset(
    {CONFIG_VARIABLE, "DIBS_URL", "DIBS_RESOURCE_CLASS", "DIBS_IMPORT_FROM_PASSWORD", "DIBS_IMPORT_TO_PASSWORD"}
)
_VARIABLES_OF_SHELLS = ("DIBS_NODE_", "DIBS_ALLOCATION_")
"""How the variables begin that a command of ``dibs allocation create --shell`` gets."""

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class SettingsError(Exception):
    """A setting has a bad value; the message names the setting, the source of the value and the reason."""


def load_settings(flags: Mapping[str, Any], environment: Mapping[str, str], config_path: str | None = None) -> Settings:
    """Combine the sources. A flag that is None was not given."""
    values: dict[str, Any] = {}
    path = config_path or environment.get(CONFIG_VARIABLE)
    if path:
        values.update(_read_file(path))
    for name in FIELDS:
        variable = ENVIRONMENT_PREFIX + name.upper()
        if variable in environment:
            values[name] = _convert(name, environment[variable], variable)
    for name, value in flags.items():
        if value is not None:
            values[name] = _convert(name, value, "--" + name.replace("_", "-"))
    settings = Settings(**values)
    _check_together(settings)
    return settings


def unknown_variables(environment: Mapping[str, str]) -> dict[str, str | None]:
    """Return the DIBS_ variables that nothing reads, each with the known one that it resembles most."""
    known = {ENVIRONMENT_PREFIX + name.upper() for name in FIELDS} | _OTHER_VARIABLES
    ours = (name for name in sorted(environment) if name.startswith(ENVIRONMENT_PREFIX))
    unknown = (name for name in ours if name not in known and not name.startswith(_VARIABLES_OF_SHELLS))
    return {name: next(iter(difflib.get_close_matches(name, sorted(known), 1)), None) for name in unknown}


def _read_file(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from error
    for name in found:
        if name not in FIELDS:
            closest = difflib.get_close_matches(name, FIELDS, 1)
            hint = f"; did you mean {closest[0]!r}?" if closest else ""
            raise SettingsError(f"{path}: unknown setting {name!r}{hint}")
    return {name: _convert(name, value, f"{path}: {name}") for name, value in found.items()}


def _convert(name: str, value: Any, source: str) -> Any:
    """Return the value in the type of its field; flags and the environment have only strings."""
    field = FIELDS[name]
    try:
        converted = _CONVERTERS[type(field.default)](value)
        if field.metadata["check"] is not None:
            field.metadata["check"](converted)
    except ValueError as error:
        shown = "the value" if field.metadata["secret"] else repr(value)
        raise SettingsError(f"{source}: {shown} {error}") from None
    return converted


def _to_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError("must be a string")


def _to_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).lower() in _TRUE | _FALSE:
        return str(value).lower() in _TRUE
    raise ValueError("must be true or false")


def _to_int(value: Any) -> int:
    try:
        if isinstance(value, str | int) and not isinstance(value, bool):
            return int(value)
    except ValueError:
        pass
    raise ValueError("must be a whole number")


def _to_float(value: Any) -> float:
    try:
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return float(value)
    except ValueError:
        pass
    raise ValueError("must be a number")


_CONVERTERS: dict[type, Callable[[Any], Any]] = {str: _to_text, bool: _to_bool, int: _to_int, float: _to_float}


def _check_together(settings: Settings) -> None:
    """Check conditions on more than one setting."""
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise SettingsError("tls_cert and tls_key must be set together")
    _check_authentication(settings)
    if settings.compute_backend == "nova" and not settings.nova_cloud:
        raise SettingsError("compute_backend nova needs nova_cloud")
    if settings.hold_seconds > settings.hold_seconds_max:
        raise SettingsError("hold_seconds must not be greater than hold_seconds_max")
    if settings.conductor_timeout_seconds <= settings.heartbeat_seconds:
        raise SettingsError("conductor_timeout_seconds must be greater than heartbeat_seconds")
    if 0 < settings.take_over_seconds < 2 * settings.conductor_timeout_seconds:
        raise SettingsError(
            "take_over_seconds must be 0 or at least twice conductor_timeout_seconds, because a conductor takes over"
            " only after it has noticed the failure"
        )


def _check_authentication(settings: Settings) -> None:
    if settings.auth == "http_basic" and not settings.auth_file:
        raise SettingsError("auth http_basic needs auth_file")
    if settings.auth == "keystone":
        for name in ("keystone_url", "keystone_username", "keystone_password"):
            if not getattr(settings, name):
                raise SettingsError(f"auth keystone needs {name}")
    elif settings.keystone_limits_service:
        raise SettingsError("keystone_limits_service needs auth keystone")
