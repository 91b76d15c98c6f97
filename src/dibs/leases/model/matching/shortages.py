"""The answer when there are not enough hosts: how many do not fit, and why."""

from collections.abc import Mapping
from datetime import UTC, datetime

from msgspec import Struct

from dibs.leases.model.windows import SECOND


class HostShortage(Struct, frozen=True, kw_only=True):
    """Why there are not enough hosts."""

    reasons: Mapping[str, int]
    """The number of hosts by the first reason why they do not fit; the most frequent reason first."""
    summary: str
    undecided: bool = False
    """True when moving leases that have not begun may help, but the search for moves used up its budget."""
    final: bool = False
    """True when the hosts would not be enough without any lease: no move helps."""

    @property
    def text(self) -> str:
        """The reasons in a sentence."""
        if self.undecided:
            return f"{self.summary}; the search for leases to move reached its limit without a result."
        return f"{self.summary}."


def summarize(count: int, reasons: Mapping[str, int], words: Mapping[str, str]) -> str:
    """Return a text such as "10 hosts: 7 booked in that time, 2 lack gpu == 'a100', 1 disabled".

    ``words`` replaces the text of single reasons.
    """
    total = f"{count or 'no'} host{'' if count == 1 else 's'}"
    listed = ", ".join(f"{number} {words.get(reason) or _plural(reason, number)}" for reason, number in reasons.items())
    return f"{total}: {listed}" if listed else total


def format_minute(moment: int) -> str:
    """Return a moment as clients of leases write dates, in UTC."""
    return datetime.fromtimestamp(moment // SECOND, UTC).strftime("%Y-%m-%d %H:%M")


def _plural(reason: str, count: int) -> str:
    if count > 1:
        for one, many in (("lacks ", "lack "), ("has ", "have ")):
            if reason.startswith(one):
                return many + reason.removeprefix(one)
    return reason
