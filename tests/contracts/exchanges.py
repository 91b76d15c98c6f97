"""HTTP exchanges written down in YAML, in gabbi's format (https://gabbi.readthedocs.io), as pytest tests.

One file is one story: its exchanges run in order and may use answers of those before them. Each exchange is a test of
its own, so each is counted and fails by its own name; run alone, it first runs those before it, as gabbi does.
"""

import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from gabbi import handlers, suitemaker

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Exchange:
    """One request and the answer expected to it: a place in a file."""

    path: Path
    place: int
    name: str

    def __str__(self) -> str:
        return f"{self.story}: {self.name}"

    @property
    def story(self) -> str:
        """The file, as ``dialect/file``."""
        return f"{self.path.parent.name}/{self.path.stem}"


def read_file(path: Path) -> dict[str, Any]:
    """Read one file with the fast reader: the slow one takes longer than the exchanges."""
    document: dict[str, Any] = yaml.load(path.read_text(), yaml.CSafeLoader)
    return document


def load_exchanges(path: Path) -> list[Exchange]:
    """List the exchanges of one file."""
    tests = read_file(path)["tests"]
    return [Exchange(path, place, test["name"]) for place, test in enumerate(tests)]


def all_exchanges(folder: Path = FOLDER) -> list[Exchange]:
    """Read every file of every dialect."""
    return [exchange for path in sorted(folder.glob("*/*.yaml")) for exchange in load_exchanges(path)]


def build_story(path: Path, port: int, prefix: str = "") -> list[unittest.TestCase]:
    """Make gabbi's test cases of one file for the server on a port; each remembers whether it has run."""
    story = read_file(path)
    # Reading the certificates of the world takes longer than the exchange, and nothing here speaks TLS.
    story.setdefault("defaults", {})["cert_validate"] = False
    # The caller has started the fixtures that the file names.
    story.pop("fixtures", None)
    suite = suitemaker.test_suite_from_dict(
        unittest.TestLoader(),
        f"{path.parent.name}_{path.stem}",
        story,
        str(path.parent),
        "127.0.0.1",
        port,
        None,
        None,
        prefix=prefix,
        handlers=[handler() for handler in handlers.RESPONSE_HANDLERS],
    )
    return list(suite)


def run_exchange(case: unittest.TestCase) -> list[str]:
    """Run one test case and give what went wrong; an exchange that is skipped or expected to fail is wrong too."""
    result = unittest.TestResult()
    case.run(result)
    problems: list[Any] = [*result.failures, *result.errors, *result.skipped, *result.expectedFailures]
    texts = [text for _, text in problems]
    return texts if result.testsRun == 1 else [*texts, "the exchange did not run"]


def hang_up(case: Any) -> None:
    """gabbi keeps a connection for each exchange; thousands of them would use up what a process may have open.

    An exchange that needs another's answer runs that one first, so the whole chain is let go.
    """
    while case is not None:
        case.http.client.close()
        case = case.prior
