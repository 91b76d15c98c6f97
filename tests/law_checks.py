"""Check a database against every law, as ``dibs check`` does."""

from sqlalchemy.sql.base import Executable

from dibs.database.laws import violations
from dibs.wiring.hooks import LAWS
from tests.builders import Ledger


def broken(ledger: Ledger) -> list[str]:
    """Return every violation, in small pages."""
    return [found for law in LAWS for page in violations(ledger.store, law, page_rows=2) for found in page]


def change(ledger: Ledger, statement: Executable) -> None:
    """Change rows behind the back of the operations."""
    assert ledger.run(lambda tx: tx.change(statement)) > 0
