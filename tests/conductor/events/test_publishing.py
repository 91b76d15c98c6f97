"""A running conductor publishes events."""

from tests import event_rows
from tests.bed.waiting import eventually


def test_running_conductor_publishes_what_other_processes_wrote(ledger, start):
    start()
    ledger.enrol(name="n1")
    eventually(lambda: [row["position"] for row in event_rows.rows(ledger.store)] == [1])
