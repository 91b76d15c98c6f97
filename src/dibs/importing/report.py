"""The result of an import: counts of all objects, and details of those that need attention."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Protocol

from msgspec import Struct, field

COPIED = "copied"
SAME = "same"
DIFFERS = "differs"
REFUSED = "refused"
LEFT_OUT = "left out"
OUTCOMES = (COPIED, SAME, DIFFERS, REFUSED, LEFT_OUT)
"""Created by this run; existed and equal; exists but differs; could not be created; not copied on purpose."""


class Difference(Struct, frozen=True):
    """An attribute that differs between source and target."""

    what: str
    source: Any
    target: Any
    why: str = ""


class Finding(Struct, frozen=True):
    """An object that differs, or that is missing in the target."""

    noun: str
    id: str
    name: str | None
    outcome: str
    reason: str = ""
    differences: tuple[Difference, ...] = ()


class ProgressListener(Protocol):
    """Receives the progress of an import, for example to draw a progress bar."""

    def begin(self, noun: str, total: int | None) -> None:
        """Start with a kind of object; the total is None if the source does not tell it."""

    def advance(self, noun: str) -> None:
        """Count one more object as processed."""


class Report(Struct):
    """Counts the objects of an import and collects the findings."""

    listener: ProgressListener
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    ids: list[dict[str, str]] = field(default_factory=list)
    """The objects whose id in the target differs from that in the source."""

    def begin(self, noun: str, total: int | None = None) -> None:
        """Start with a kind of object."""
        self.counts.setdefault(noun, Counter())
        self.listener.begin(noun, total)

    def add(self, noun: str, outcome: str) -> None:
        """Count an object that needs no attention."""
        self.counts.setdefault(noun, Counter())[outcome] += 1

    def advance(self, noun: str) -> None:
        """Count one more object of the source as processed."""
        self.listener.advance(noun)

    def compared(
        self, noun: str, id: str, name: str | None, differences: Iterable[Difference], *, created: bool
    ) -> None:
        """Add an object that exists in the target, with its differences from the original."""
        found = tuple(differences)
        if not found:
            self.add(noun, COPIED if created else SAME)
            return
        self.add(noun, DIFFERS)
        reason = "" if created else "it existed before and was not changed"
        self.findings.append(Finding(noun, id, name, DIFFERS, reason, found))

    def refused(self, noun: str, id: str, name: str | None, reason: str) -> None:
        """Add an object that could not be created or completed."""
        self.add(noun, REFUSED)
        self.findings.append(Finding(noun, id, name, REFUSED, reason))

    def left_out(self, noun: str, id: str, name: str | None, reason: str) -> None:
        """Add an object that is not copied on purpose."""
        self.add(noun, LEFT_OUT)
        self.findings.append(Finding(noun, id, name, LEFT_OUT, reason))

    def add_id(self, noun: str, source: str, target: str) -> None:
        """Add an object that got a new id in the target."""
        self.ids.append({"noun": noun, "there": source, "here": target})

    @property
    def all_the_same(self) -> bool:
        """True if no object differs or was refused."""
        return not any(each.outcome in (DIFFERS, REFUSED) for each in self.findings)

    def as_document(self) -> dict[str, Any]:
        """Return the report as JSON. Scripts read it: its keys ``there`` (source) and ``here`` (target) are fixed."""
        counts = {noun: {outcome: found[outcome] for outcome in OUTCOMES} for noun, found in self.counts.items()}
        return {"counts": counts, "findings": [_finding_document(each) for each in self.findings], "ids": self.ids}


def _finding_document(finding: Finding) -> dict[str, Any]:
    differences = [
        {"what": each.what, "there": each.source, "here": each.target, "why": each.why} for each in finding.differences
    ]
    return {
        "noun": finding.noun,
        "id": finding.id,
        "name": finding.name,
        "outcome": finding.outcome,
        "reason": finding.reason,
        "differences": differences,
    }
