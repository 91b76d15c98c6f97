"""The functional suite inside the installed ``openstack-placement`` package: its files, fixtures and configurations."""

import importlib
import importlib.util
import os
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import TestCase, mock

from tests.conformance import over_http
from tests.conformance.wire import MOUNT, RootedHttp
from tests.contracts.exchanges import build_story, read_file

FIXTURES = "placement.tests.functional.fixtures.gabbits"


class NullModule:
    """A replacement for modules that configure the original's process: accepts any use and does nothing."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *values: Any, **named: Any) -> Any:
        return self


class _Uuids:
    """A replacement for the module of named uuids."""

    class uuidsentinel:
        """A uuid for each of the three aggregates that a fixture names."""

        aggA, aggB, aggC = (str(uuid.uuid4()) for _ in range(3))


class _Owners:
    """A replacement for the original's modules of users, projects and resource classes."""

    User = Project = over_http.Owner
    ResourceClass = over_http.ResourceClass


STAND_INS: dict[str, Any] = {
    "placement.tests.functional.db.test_base": over_http,
    "oslo_utils.fixture": _Uuids,
    **{f"placement.objects.{name}": _Owners for name in ("user", "project", "resource_class")},
    **{
        name: NullModule()
        for name in (
            "oslo_config.fixture",
            "oslo_log.fixture",
            "oslotest",
            "oslotest.output",
            "placement.conf",
            "placement.context",
            "placement.deploy",
            "placement.tests.fixtures",
            "placement.tests.functional.fixtures.capture",
            "placement.tests.unit.policy_fixture",
        )
    },
}
"""Replacements for modules that the fixtures import, so that no fixture writes rows or reads configuration."""


def load_fixtures() -> ModuleType:
    """Import the fixtures of the package, with replacements that write through the API."""
    with mock.patch.dict(sys.modules, STAND_INS):
        return importlib.import_module(FIXTURES)


def suite_folder() -> Path:
    """Return the folder of the package's exchanges."""
    found = importlib.util.find_spec("placement")
    assert found is not None, "openstack-placement is not installed"
    assert found.submodule_search_locations is not None
    return Path(found.submodule_search_locations[0], "tests", "functional", "gabbits")


def files() -> list[Path]:
    """Return every file of exchanges."""
    return sorted(suite_folder().glob("*.yaml"))


def fixture_names(path: Path) -> list[str]:
    """Return the fixtures that a file names."""
    return list(read_file(path).get("fixtures") or [])


def configuration_of(path: Path) -> str:
    """Return the server configuration for a file, from the fixture that would configure the original."""
    names = fixture_names(path)
    for fixture, configuration in (("CORS", "cors"), ("OpenPolicy", "open"), ("SecureRBAC", "secure")):
        if any(name.startswith(fixture) for name in names):
            return configuration
    return "legacy"


@dataclass
class Story:
    """The exchanges of one file, ready to run against a server, and the environment variables that its fixtures set."""

    cases: list[TestCase]
    environment: dict[str, str]


def begin(path: Path, url: str, port: int, fixtures: ModuleType) -> Story:
    """Start a file's fixtures on an empty server and build its exchanges."""
    over_http.Api.url = url
    with mock.patch.dict(os.environ):
        before = dict(os.environ)
        for name in fixture_names(path):
            getattr(fixtures, name)().start_fixture()
        made = {name: value for name, value in os.environ.items() if before.get(name) != value}
    cases = build_story(path, port, prefix=MOUNT)
    for case in cases:
        case.http = RootedHttp()  # type: ignore[attr-defined]
    return Story(cases, made)
