"""Report how long projects had nodes."""

from collections import Counter
from typing import NamedTuple

from msgspec import Struct

from dibs.access.access import Access, VisibleProjects
from dibs.database.transaction import Transaction
from dibs.reports.model.utilisation import WEEK, Utilisation, week_of, weekly, windows_of
from dibs.reports.queries import uses


class ReportUtilisation(Struct, frozen=True, kw_only=True):
    """Report on a number of weeks, of which the current one is the last."""

    projects: VisibleProjects
    """Only the uses by these projects. The entrance has decided which the caller sees."""
    weeks: int
    with_totals: bool = False
    """Show how many nodes each class has, and which part of their time was used."""


class UtilisationReport(NamedTuple):
    """Node hours of each week, class and project."""

    since: int
    """The moment from which on the uses of nodes are known."""
    rows: list[Utilisation]


def report_utilisation(tx: Transaction, access: Access, now: int, command: ReportUtilisation) -> UtilisationReport:
    """Return the node hours of allocations and leases, by week, class and project, as far back as events reach."""
    first = week_of(now) - (command.weeks - 1) * WEEK
    since, changes, gone = uses.history(tx, command.projects, first)
    windows = windows_of(uses.present(tx, command.projects), changes, since, now)
    classes = uses.classes(tx)
    totals = Counter(kind or "" for kind in classes.values()) if command.with_totals else None
    return UtilisationReport(since, weekly(windows, {**gone, **classes}, totals, since, now))
