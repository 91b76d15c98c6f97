"""HTTP basic users: an admin, a member of the owner's project, a member of the lessee's project, a stranger."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bcrypt
import pytest
from openstack import exceptions
from openstack.connection import Connection

from tests.bed.dibs_server import DibsServer
from tests.clients.clouds import Commands, connect, enroll, write_clouds_yaml


@dataclass(frozen=True)
class Users:
    """Users of a server."""

    folder: Path
    server: DibsServer

    def clouds_yaml(self, name: str, password: str = "secret") -> Path:
        """Write the clouds.yaml of a user; return its path."""
        flags = ("--auth", "http_basic", "--auth-file", str(self.folder / "users"))
        return write_clouds_yaml(self.folder, self.server, *flags, username=name, password=password)

    def cloud(self, name: str) -> Connection:
        """Connect the SDK as a user."""
        return connect(self.clouds_yaml(name))


SECRET = bcrypt.hashpw(b"secret", bcrypt.gensalt(4)).decode()
"""A hash that takes milliseconds to check; one of ``dibs user add`` takes 0.3 s for each request."""


def add_user(folder: Path, name: str, project: str = "", role: str = "") -> None:
    """Add a user with the password ``secret``."""
    fields = [name, SECRET, *([project, role] if project else [])]
    with (folder / "users").open("a") as file:
        file.write(":".join(fields) + "\n")


@pytest.fixture
def users(serve: Callable[..., DibsServer], tmp_path: Path) -> Users:
    """Start a server with four users; root is a system administrator."""
    add_user(tmp_path, "root")
    add_user(tmp_path, "olga", "owners", "member")
    add_user(tmp_path, "lena", "lessees", "member")
    add_user(tmp_path, "stan", "strangers", "admin")
    return Users(tmp_path, serve("--auth-file", str(tmp_path / "users"), auth="http_basic"))


def test_each_user_has_the_rights_of_the_own_project(users: Users) -> None:
    root, olga, lena, stan = (users.cloud(name) for name in ("root", "olga", "lena", "stan"))
    info = {"fake_delay_deploy": 0, "password": "hidden"}
    node = enroll(root, name="shared", owner="owners", lessee="lessees", driver_info=info)
    root.baremetal.create_node(name="unowned", driver="fake-hardware")

    assert sorted(seen.name for seen in root.baremetal.nodes()) == ["shared", "unowned"]
    assert [seen.name for seen in olga.baremetal.nodes()] == ["shared"]
    assert [seen.name for seen in lena.baremetal.nodes()] == ["shared"]
    assert list(stan.baremetal.nodes()) == []

    assert olga.baremetal.get_node("shared").driver_info == info | {"password": "******"}
    assert "hidden" not in str(lena.baremetal.get_node("shared").driver_info)
    assert "fake_delay_deploy" not in str(lena.baremetal.get_node("shared").driver_info)
    with pytest.raises(exceptions.NotFoundException, match="Node shared could not be found"):
        stan.baremetal.get_node("shared")

    olga.baremetal.update_node(node.id, description="ours")
    lena.baremetal.update_node(node.id, extra={"note": "borrowed"})
    with pytest.raises(exceptions.ForbiddenException):
        lena.baremetal.update_node(node.id, name="mine")
    with pytest.raises(exceptions.ForbiddenException):
        lena.baremetal.set_node_provision_state(node.id, "active")
    olga.baremetal.set_node_provision_state(node.id, "active")
    with pytest.raises(exceptions.ForbiddenException):
        olga.baremetal.delete_node(node.id)
    assert [seen.owner for seen in [stan.baremetal.create_node(driver="fake-hardware")]] == ["strangers"]


def test_the_command_reports_a_wrong_password(users: Users) -> None:
    users.cloud("root").baremetal.create_node(name="shared", driver="fake-hardware", owner="owners")
    seen = Commands(users.clouds_yaml("olga")).run("node", "list", "-f", "value", "-c", "name")
    assert (seen.status, seen.out.split()) == (0, ["shared"])
    refused = Commands(users.clouds_yaml("olga", "wrong")).run("node", "list")
    assert refused.status == 1
    assert "Incorrect username or password" in refused.err


def test_placement_is_for_admins_of_any_project(users: Users) -> None:
    users.cloud("root").placement.create_resource_provider(name="host")
    assert [seen.name for seen in users.cloud("stan").placement.resource_providers(name="host")] == ["host"]
    with pytest.raises(exceptions.ForbiddenException):
        list(users.cloud("olga").placement.resource_providers())
