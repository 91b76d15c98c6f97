"""Every way the ledger refuses, in the ledger's own words.

The docstring of a class is its message: the names in braces are the keyword arguments that raise it. No error knows an
HTTP status; each dialect has one table from these classes to its statuses and bodies, and a test proves it complete.

To add one: write the class below with its message, add a row to the ``errors.py`` of each dialect, and run
``tests/architecture``, which names the dialect that forgot.
"""

from typing import Any


class DibsError(Exception):
    """Something was refused."""

    def __init__(self, **details: Any) -> None:
        self.details = details
        super().__init__(" ".join((type(self).__doc__ or "").split()).format(**details))


class BadValue(DibsError):
    """{reason}"""


class Forbidden(DibsError):
    """Access was denied to the following resource: {resource}"""


class StoreUnavailable(DibsError):
    """The database cannot be reached right now. Nothing is known to be lost; please try again."""


class StoreContended(DibsError):
    """The database refused this transaction {attempts} times in a row because of others. Please try again."""
