import pytest

from tests.builders import Ledger
from tests.dialects.reservation.conversation import Conversation


@pytest.fixture
def ask(ledger: Ledger) -> Conversation:
    """Send requests to the dialect as an admin, over an empty ledger."""
    return Conversation(ledger)
