import pytest

from tests.builders import Ledger
from tests.dialects.compute.conversation import Conversation


@pytest.fixture
def ask(ledger: Ledger) -> Conversation:
    """Ask the dialect as an admin, over an empty ledger."""
    return Conversation(ledger)
