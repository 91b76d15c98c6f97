"""The reference of settings, generated from the class Settings."""

from typing import Any

from tables import code, plain, table

from dibs.settings import CONFIG_VARIABLE, ENVIRONMENT_PREFIX, FIELDS, groups

_INTRODUCTION = f"""\
# Settings

Each setting is a flag (`--log-level debug`), an environment variable (`DIBS_LOG_LEVEL=debug`) and a key in one TOML
file (`log_level = "debug"`; `--config FILE` or `{CONFIG_VARIABLE}`). The flag overrides the variable, which overrides
the file, which overrides the default. [Settings](../operations/settings.md) explains the most important ones.
"""


def page() -> str:
    """Return the page: one table per group."""
    parts = [_INTRODUCTION]
    for title, names in groups().items():
        parts.append(f"## {title[0].upper()}{title[1:]}\n")
        parts.append(table(["setting", "variable", "default", ""], (_row(name) for name in names)) + "\n")
    return "\n".join(parts)


def _row(name: str) -> list[str]:
    field = FIELDS[name]
    shown = [code(name), code(ENVIRONMENT_PREFIX + name.upper()), code(_default(field.default))]
    return [*shown, plain(field.metadata["help"]) + (" A secret." if field.metadata["secret"] else "")]


def _default(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
