"""What became of everything: counted, and told in full where the two sides are not the same."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

COPIED = "copied"
SAME = "same"
DIFFERS = "differs"
REFUSED = "refused"
LEFT_OUT = "left out"
OUTCOMES = (COPIED, SAME, DIFFERS, REFUSED, LEFT_OUT)
"""Made by this run; there before and equal; there and not equal; could not be made; not meant to be copied."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not the same on both sides."""

    what: str
    there: Any
    here: Any
    why: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One object that is not the same on both sides, or is missing here."""

    noun: str
    id: str
    name: str | None
    outcome: str
    reason: str = ""
    differences: tuple[Difference, ...] = ()


class Watcher(Protocol):
    """Is told as it goes; for a progress bar."""

    def begin(self, noun: str, total: int | None) -> None:
        """A new kind of object is next; the total is None when the source does not tell."""

    def advance(self, noun: str) -> None:
        """One more is done."""


@dataclass
class Report:
    """Counts everything, and keeps what somebody has to look at."""

    watcher: Watcher
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    ids: list[dict[str, str]] = field(default_factory=list)
    """What has another id here than there."""

    def begin(self, noun: str, total: int | None = None) -> None:
        """Go on to another kind of object."""
        self.counts.setdefault(noun, Counter())
        self.watcher.begin(noun, total)

    def add(self, noun: str, outcome: str) -> None:
        """One that needs no attention."""
        self.counts.setdefault(noun, Counter())[outcome] += 1

    def advance(self, noun: str) -> None:
        """One more of the source's objects has been looked at."""
        self.watcher.advance(noun)

    def compared(self, noun: str, id: str, name: str | None, differences: Iterable[Difference], *, made: bool) -> None:
        """One that is here now."""
        found = tuple(differences)
        if not found:
            self.add(noun, COPIED if made else SAME)
            return
        self.add(noun, DIFFERS)
        reason = "" if made else "it was here before, and is left as it is"
        self.findings.append(Finding(noun, id, name, DIFFERS, reason, found))

    def refused(self, noun: str, id: str, name: str | None, reason: str) -> None:
        """One that could not be made, or not be finished."""
        self.add(noun, REFUSED)
        self.findings.append(Finding(noun, id, name, REFUSED, reason))

    def left_out(self, noun: str, id: str, name: str | None, reason: str) -> None:
        """One that is not meant to be copied."""
        self.add(noun, LEFT_OUT)
        self.findings.append(Finding(noun, id, name, LEFT_OUT, reason))

    def renamed(self, noun: str, there: str, here: str) -> None:
        """One that has an id of its own here."""
        self.ids.append({"noun": noun, "there": there, "here": here})

    @property
    def all_the_same(self) -> bool:
        """True when nothing needs attention."""
        return not any(each.outcome in (DIFFERS, REFUSED) for each in self.findings)

    def as_document(self) -> dict[str, Any]:
        """All of it, for JSON."""
        counts = {noun: {outcome: found[outcome] for outcome in OUTCOMES} for noun, found in self.counts.items()}
        return {"counts": counts, "findings": [asdict(each) for each in self.findings], "ids": self.ids}
