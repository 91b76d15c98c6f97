"""The base of every domain error, and the errors that belong to no single package.

The docstring of an error class is its message; the names in braces are the keyword arguments of the constructor. An
error has no HTTP status: each dialect has one table from error to status and body, and a test shows it complete.

To add an error: write the class in the ``errors`` module of its package, add a row to the ``errors.py`` of each
dialect, and run ``tests/dialects``, which name a dialect without a row for it.
"""

from collections.abc import Iterator
from typing import Any


class DibsError(Exception):
    """The operation was refused."""

    def __init__(self, **details: Any) -> None:
        self.details = details
        super().__init__(" ".join((type(self).__doc__ or "").split()).format(**details))


class BadValue(DibsError):
    """{reason}"""


class Forbidden(DibsError):
    """Access was denied to the following resource: {resource}"""


def every_error() -> Iterator[type[DibsError]]:
    """Yield every error class that is loaded, in the order of definition."""
    waiting: list[type[DibsError]] = [DibsError]
    while waiting:
        kind = waiting.pop(0)
        yield kind
        waiting.extend(kind.__subclasses__())
