"""Optional parts of Dibs, and the one error when their packages are not installed.

The base installation serves SQLite with noauth or http_basic. Everything else is an extra of the distribution
(``[project.optional-dependencies]`` in pyproject.toml) and is imported only where it is needed, inside ``needs_extra``.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtra(Exception):
    """A package of an extra is not installed; the message says how to install it."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra {extra!r}. Install it: pip install 'dibs[{extra}]'.")


@contextmanager
def needs_extra(extra: str, feature: str) -> Iterator[None]:
    """Raise MissingExtra when an import in the body fails because a package is not installed.

    A missing module of Dibs itself is a defect and is raised unchanged.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "dibs":
            raise
        raise MissingExtra(feature, extra) from error
