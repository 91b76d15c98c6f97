"""Errors of the database: unavailable, too slow, or too contended."""

from dibs.errors import DibsError


class StoreUnavailable(DibsError):
    """The database cannot be reached. Please try again."""


class StatementTimeout(StoreUnavailable):
    """The database stopped a statement that took too long. Please try again."""


class DeadlinePassed(StoreUnavailable):
    """The transaction was not ready to commit before its deadline, and changed nothing. Please try again."""


class SecretsLocked(StoreUnavailable):
    """A stored secret is encrypted with a key that is not in secret_keys_file."""


class StoreContended(DibsError):
    """The database refused this transaction {attempts} times because of concurrent transactions. Please try again."""
