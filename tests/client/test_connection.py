"""Connections by URL, clouds.yaml, environment and default, with and without credentials."""

from collections.abc import Callable
from pathlib import Path

import pytest
from openstack import exceptions

from dibs.client import Dibs
from dibs.client.connection import connect, root_of
from tests.bed.dibs_server import DibsServer
from tests.bed.forked import run_dibs
from tests.clients.clouds import write_clouds_yaml


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the variables and files of the user who runs the tests."""
    for name in ("OS_CLOUD", "OS_AUTH_TYPE", "OS_AUTH_URL", "OS_ENDPOINT", "OS_CLIENT_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def count(dibs: Dibs) -> int:
    return len(list(dibs.reservations.list()))


@pytest.mark.parametrize("path", ["", "/", "/baremetal", "/baremetal/v1", "/placement/", "/dibs/v1"])
def test_the_url_of_any_api_is_accepted(running: DibsServer, path: str) -> None:
    assert Dibs.connect(running.url + path).url == running.url


def test_the_printed_clouds_yaml_entry_connects(
    running: DibsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(write_clouds_yaml(tmp_path, running)))
    by_name = Dibs.connect(cloud="dibs")
    monkeypatch.setenv("OS_CLOUD", "dibs")
    by_variable = Dibs.connect()
    assert by_name.url == by_variable.url == running.url
    assert count(by_name) == count(by_variable)


def test_environment_variables_alone_connect(running: DibsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OS_AUTH_TYPE", "none")
    monkeypatch.setenv("OS_ENDPOINT", f"{running.url}/placement")
    monkeypatch.setenv("OS_BAREMETAL_ENDPOINT_OVERRIDE", f"{running.url}/baremetal")
    dibs = Dibs.connect()
    assert dibs.url == running.url
    assert dibs.why("no-such-class").text == "no nodes of class no-such-class"


def test_the_default_is_the_local_server() -> None:
    assert root_of(connect()) == "http://127.0.0.1:8780"


@pytest.mark.one_engine
def test_user_and_password_are_read_from_the_url_or_clouds_yaml(
    serve: Callable[..., DibsServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = tmp_path / "users"
    run_dibs("user", "add", users, "eva", stdin="se:cret@1\n").check_returncode()
    server = serve("--auth-file", str(users), auth="http_basic")
    where = server.url.removeprefix("http://")
    assert count(Dibs.connect(f"http://eva:se%3Acret%401@{where}")) == 0
    with pytest.raises(exceptions.HttpException, match="401"):
        count(Dibs.connect(f"http://eva:wrong@{where}"))
    flags = ("--auth", "http_basic", "--auth-file", str(users))
    path = write_clouds_yaml(tmp_path, server, *flags, username="eva", password="se:cret@1")
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(path))
    dibs = Dibs.connect(cloud="dibs")
    assert dibs.why("gold").fits is False
    assert count(dibs) == 0
