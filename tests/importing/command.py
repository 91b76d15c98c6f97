"""Run ``dibs import`` as a user does."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bed.forked import ForkedProcess, run_dibs, start_forked


@dataclass(frozen=True)
class Outcome:
    """The result of one run of the command."""

    status: int
    report: dict[str, Any]
    err: str

    def count(self, noun: str, outcome: str) -> int:
        """Return how many objects of a kind have an outcome."""
        return int(self.report["counts"][noun][outcome])

    def findings(self, noun: str) -> dict[str, dict[str, Any]]:
        """Return the findings of a kind of object, by name or else by uuid."""
        return {each["name"] or each["id"]: each for each in self.report["findings"] if each["noun"] == noun}


def command_line(what: str, source: str | None, target: str | None, *flags: str) -> list[str]:
    """Return the words of the command."""
    sides = [("--from", source), ("--to", target)]
    addresses = [word for flag, url in sides if url is not None for word in (flag, url)]
    return ["import", what, *addresses, "-f", "json", *flags]


def run_import(what: str, source: str | None, target: str | None, *flags: str, **variables: str) -> Outcome:
    """Run an import to its end."""
    done = run_dibs(*command_line(what, source, target, *flags), **variables)
    return Outcome(done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr)


def start_import(what: str, source: str, target: str) -> ForkedProcess:
    """Start an import that the test will kill."""
    return start_forked("dibs", *command_line(what, source, target, "--quiet"), log=Path(os.devnull))
