"""HTTP exchanges in YAML files, in gabbi's format (https://gabbi.readthedocs.io), as pytest tests.

One file is one story: its exchanges run in order and may use the responses of earlier ones. Each exchange is a separate
test with its own name; an exchange that runs alone first runs the earlier ones of its file, as in gabbi.
"""

import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from gabbi import handlers, suitemaker

from tests.documented import Exchange as Response
from tests.documented import documented_by_server

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Exchange:
    """One request and its expected response, by its position in a file."""

    path: Path
    position: int
    name: str

    def __str__(self) -> str:
        return f"{self.story}: {self.name}"

    @property
    def story(self) -> str:
        """The file, as ``dialect/file``."""
        return f"{self.path.parent.name}/{self.path.stem}"


def read_file(path: Path) -> dict[str, Any]:
    """Read one file with the C parser: the Python parser takes longer than the exchanges."""
    document: dict[str, Any] = yaml.load(path.read_text(), yaml.CSafeLoader)
    return document


def load_exchanges(path: Path) -> list[Exchange]:
    """List the exchanges of one file."""
    tests = read_file(path)["tests"]
    return [Exchange(path, position, test["name"]) for position, test in enumerate(tests)]


def all_exchanges(folder: Path = FOLDER) -> list[Exchange]:
    """Read every file of every dialect."""
    return [exchange for path in sorted(folder.glob("*/*.yaml")) for exchange in load_exchanges(path)]


def build_story(path: Path, port: int, prefix: str = "") -> list[unittest.TestCase]:
    """Build gabbi's test cases of one file for the server on a port; each records whether it has run."""
    story = read_file(path)
    # Loading the certificate store takes longer than the exchange, and no exchange uses TLS.
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
    """Run one test case and return its problems; a skipped exchange or an expected failure is a problem too.

    A response that differs from the OpenAPI document of the server is another.
    """
    result = unittest.TestResult()
    case.run(result)
    problems: list[Any] = [*result.failures, *result.errors, *result.skipped, *result.expectedFailures]
    texts = [text for _, text in problems]
    return [*texts, *undocumented(case)] if result.testsRun == 1 else [*texts, "the exchange did not run"]


def undocumented(case: Any) -> list[str]:
    """Return the differences between the response of a case that has run and the OpenAPI document of the server."""
    response = getattr(case, "response", None)
    if response is None:
        return []
    exchange = Response(
        method=case.test_data["method"].upper(),
        path=urlsplit(case._parse_url(case.url)).path,
        status=int(response["status"]),
        content_type=response.get("content-type", ""),
        body=case.output.encode() if isinstance(case.output, str) else case.output,
    )
    return list(documented_by_server().problems(exchange))


def close_connections(case: Any) -> None:
    """Close the connections of an exchange and of the earlier ones that it ran.

    gabbi keeps a connection for each exchange; thousands of them would exceed the limit of open files.
    """
    while case is not None:
        case.http.client.close()
        case = case.prior
