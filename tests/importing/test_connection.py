"""Authentication to source and target: HTTP basic and Keystone."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed
from tests.clients.clouds import connect, enroll, write_clouds_yaml
from tests.clients.test_http_basic import add_user
from tests.http.auth.keystone_server import PASSWORD, Keystone
from tests.importing.command import run_import

Serve = Callable[..., DibsServer]


@pytest.fixture
def target(serve: Serve, bed: Bed, engine_name: str) -> DibsServer:
    """Return an empty Dibs besides the source."""
    return serve(database=bed.databases(engine_name).fresh())


def test_both_sides_accept_a_user_and_password(serve: Serve, bed: Bed, engine_name: str, tmp_path: Path) -> None:
    add_user(tmp_path, "root")
    flags = ("--auth-file", str(tmp_path / "users"))
    source = serve(*flags, auth="http_basic")
    target = serve(*flags, auth="http_basic", database=bed.databases(engine_name).fresh())
    clouds = [
        write_clouds_yaml(tmp_path, each, "--auth", "http_basic", *flags, username="root", password="secret")
        for each in (source, target)
    ]
    node = enroll(connect(clouds[0]), name="one")
    passwords = {"DIBS_IMPORT_FROM_PASSWORD": "secret", "DIBS_IMPORT_TO_PASSWORD": "secret"}
    who = ("--from-user", "root", "--to-user", "root")
    done = run_import("ironic", f"{source.url}/baremetal", target.url, *who, **passwords)
    assert (done.status, done.count("node", "copied")) == (0, 1)
    assert connect(clouds[1]).baremetal.get_node(node.id).name == "one"
    wrong = run_import(
        "ironic", f"{source.url}/baremetal", target.url, *who, **passwords | {"DIBS_IMPORT_TO_PASSWORD": "?"}
    )
    assert (wrong.status, "Copied objects are kept" in wrong.err) == (1, True)


def test_an_entry_of_clouds_yaml_authenticates_with_keystone(
    keystone: Keystone, serve: Serve, target: DibsServer, tmp_path: Path
) -> None:
    source = serve(*_settings(keystone), auth="keystone")
    clouds = tmp_path / "clouds.yaml"
    clouds.write_text(
        yaml.safe_dump({"clouds": {"old": _keystone_entry(keystone, source), "new": _noauth_entry(target)}})
    )
    command = ("--from-os-cloud", "old", "--to-os-cloud", "new")
    done = run_import("placement", None, None, *command, OS_CLIENT_CONFIG_FILE=str(clouds))
    assert done.status == 0, done.err
    assert set(done.report["counts"]) == {"resource class", "trait", "provider", "claim"}


def _settings(keystone: Keystone) -> tuple[str, ...]:
    return ("--keystone-url", keystone.url, "--keystone-username", "admin", "--keystone-password", PASSWORD,
            "--keystone-project", "admin")  # fmt: skip


def _keystone_entry(keystone: Keystone, server: DibsServer) -> dict[str, object]:
    names = {"user_domain_name": "Default", "project_domain_name": "Default", "project_name": "admin"}
    return {
        "auth": {"auth_url": keystone.url, "username": "admin", "password": PASSWORD, **names},
        "placement_endpoint_override": f"{server.url}/placement",
    }


def _noauth_entry(server: DibsServer) -> dict[str, object]:
    return {
        "auth_type": "none",
        "auth": {"endpoint": f"{server.url}/placement"},
        "baremetal_endpoint_override": f"{server.url}/baremetal",
    }
