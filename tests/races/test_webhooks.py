"""A project has a bounded number of webhooks, however many are created at the same moment."""

from dibs.webhooks.model.errors import TooManyWebhooks
from dibs.webhooks.model.webhooks import WEBHOOKS_MAX
from tests.builders import Ledger
from tests.races.crowd import all_at_once
from tests.webhooks.builders import subscribe

CALLERS = 8
LEFT = 3


def test_concurrent_webhooks_of_a_project_stay_within_its_number(ledger: Ledger) -> None:
    """Callers that count before they lock all find room."""
    for _ in range(WEBHOOKS_MAX - LEFT):
        subscribe(ledger, project="p")
    answers = all_at_once(CALLERS, lambda _: subscribe(ledger, project="p"))
    refused = [answer for answer in answers if isinstance(answer, Exception)]
    assert all(isinstance(answer, TooManyWebhooks) for answer in refused), refused
    assert len(answers) - len(refused) == LEFT
