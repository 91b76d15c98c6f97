"""Errors of the database itself: it cannot be reached, or it is contended."""

from dibs.errors import DibsError


class StoreUnavailable(DibsError):
    """The database cannot be reached right now. Nothing is known to be lost; please try again."""


class StoreContended(DibsError):
    """The database refused this transaction {attempts} times in a row because of others. Please try again."""
