"""Placement's own functional suite, all 1,316 exchanges, over HTTP against a running Dibs."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest
from placement import policies

from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed
from tests.conformance import suite
from tests.conformance.emptying import empty_database
from tests.contracts.exchanges import Exchange, load_exchanges, run_exchange

EXCHANGES = [exchange for path in suite.files() for exchange in load_exchanges(path)]

SECURE = ("--placement-enforce-scope",)
LEGACY = ("--placement-legacy-rules", *SECURE)
FLAGS = {
    "legacy": LEGACY,
    "secure": SECURE,
    "open": LEGACY,
    "cors": (
        *LEGACY,
        "--cors-allowed-origin",
        "http://valid.example.com",
        "--cors-allow-headers",
        "openstack-api-version",
    ),
}

ServerOf = Callable[[str, str], DibsServer]
"""The server of an engine and a configuration."""


@pytest.fixture(scope="session")
def server_of(bed: Bed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerOf]:
    running: dict[tuple[str, str], DibsServer] = {}

    def start(engine: str, configuration: str) -> DibsServer:
        if (engine, configuration) not in running:
            folder = tmp_path_factory.mktemp("conformance")
            flags = FLAGS[configuration]
            if configuration == "open":
                flags = (*flags, "--policy-file", str(write_open_policy(folder)))
            server = DibsServer(bed.databases(engine).fresh(), folder, *flags)
            server.start()
            running[engine, configuration] = server
        return running[engine, configuration]

    yield start
    for (engine, _), server in running.items():
        server.stop()
        bed.databases(engine).discard(server.database_url)


def write_open_policy(folder: Path) -> Path:
    """Write a policy file that grants everything to every caller."""
    path = folder / "policy.yaml"
    names = [rule.name for rule in policies.list_rules() if rule.name != "admin_api"]
    path.write_text("".join(f'"{name}": "@"\n' for name in names))
    folder.chmod(0o755)
    return path


@pytest.fixture(scope="session")
def suite_fixtures() -> ModuleType:
    return suite.load_fixtures()


@pytest.fixture(scope="session")
def stories() -> dict[tuple[str, Path], suite.Story]:
    """The stories built so far, by engine and file; the exchanges of a file use values from earlier responses."""
    return {}


@pytest.mark.one_engine
@pytest.mark.parametrize("exchange", EXCHANGES, ids=str)
def test_exchange(
    exchange: Exchange,
    engine_name: str,
    server_of: ServerOf,
    suite_fixtures: ModuleType,
    stories: dict[tuple[str, Path], suite.Story],
) -> None:
    key = (engine_name, exchange.path)
    if key not in stories:
        server = server_of(engine_name, suite.configuration_of(exchange.path))
        empty_database(server.database_url)
        stories[key] = suite.begin(exchange.path, server.url, server.port, suite_fixtures)
    with mock.patch.dict(os.environ, stories[key].environment):
        problems = run_exchange(stories[key].cases[exchange.position])
    assert not problems, "\n".join(problems)


def test_no_exchange_of_the_suite_is_missing() -> None:
    assert (len(suite.files()), len(EXCHANGES)) == (79, 1316)


def test_every_configuration_is_used() -> None:
    assert {suite.configuration_of(path) for path in suite.files()} == set(FLAGS)
