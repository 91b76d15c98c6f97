"""Rows whose retention time has passed are removed."""

from dibs.access.access import SERVICE
from dibs.conductor import retention
from dibs.conductor.retention import RetentionDays
from dibs.machines.operations.conductors import RegisterConductor, list_conductors, register_conductor
from tests import event_rows
from tests.bed.waiting import eventually


def test_running_conductor_removes_conductors_that_failed_long_ago(ledger, start, monkeypatch):
    monkeypatch.setattr(retention, "POLL_SECONDS", 0.02)
    gone = RegisterConductor(hostname="gone", group="", drivers=(), incarnation="0" * 36)
    ledger.runner.write(register_conductor, SERVICE, gone)
    ledger.clock.move(31 * retention.DAY_SECONDS)
    start(retention_days=RetentionDays(failures=30))
    eventually(lambda: len(ledger.runner.read(list_conductors, SERVICE, None)) == 1)


def test_running_conductor_removes_old_events_and_keeps_new_ones(ledger, start, monkeypatch):
    monkeypatch.setattr(retention, "POLL_SECONDS", 0.02)
    ledger.enrol(name="old")
    ledger.clock.move(91 * retention.DAY_SECONDS)
    ledger.revive_conductor()
    ledger.enrol(name="new")
    start(retention_days=RetentionDays(events=90))
    eventually(lambda: [row["after_state"]["name"] for row in event_rows.rows(ledger.store)] == ["new"])
