import pytest

from tests.builders import Ledger
from tests.dialects.placement.conversation import Conversation


@pytest.fixture
def ask(ledger: Ledger) -> Conversation:
    """A client with the admin role, over an empty ledger."""
    return Conversation(ledger)
