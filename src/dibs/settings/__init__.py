"""The settings of a process: loaded once at start and then passed on as a value.

A flag wins over the environment (``DIBS_<NAME>``), which wins over one TOML file (``--config`` or ``DIBS_CONFIG``),
which wins over the default. Start with ``fields``, which lists every setting; ``loading`` combines the sources.
"""

from dibs.settings.fields import FIELDS, Settings, groups
from dibs.settings.loading import (
    CONFIG_VARIABLE,
    ENVIRONMENT_PREFIX,
    SettingsError,
    load_settings,
    unknown_variables,
)

__all__ = [
    "CONFIG_VARIABLE",
    "ENVIRONMENT_PREFIX",
    "FIELDS",
    "Settings",
    "SettingsError",
    "groups",
    "load_settings",
    "unknown_variables",
]
