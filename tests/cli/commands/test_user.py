"""``dibs user add``."""

import os
import subprocess
from pathlib import Path

from dibs.http.auth.basic import parse_users
from tests.bed.forked import run_dibs


def add(*arguments: str, password: str = "secret") -> "subprocess.CompletedProcess[str]":
    return run_dibs("user", "add", *arguments, stdin=password + "\n")


def test_users_are_added_and_changed_in_a_file_that_only_its_owner_can_read(tmp_path: Path) -> None:
    path = tmp_path / "users"
    assert add(str(path), "eva").returncode == 0
    assert add(str(path), "ada", "--project", "blue", "--role", "reader", "--role", "Service").returncode == 0
    before = parse_users(path.read_text(), "users")
    assert add(str(path), "eva", password="other").returncode == 0
    after = parse_users(path.read_text(), "users")
    assert path.stat().st_mode & 0o777 == 0o600
    assert after["eva"].hash != before["eva"].hash
    assert after["ada"] == before["ada"]
    assert after["ada"].actor.roles == {"reader", "service"}


def test_an_invalid_user_name_is_refused_and_the_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "users"
    path.write_text("# people\n")
    done = add(str(path), "a:b")
    assert done.returncode == 1
    assert "colon" in done.stderr
    assert path.read_text() == "# people\n"


def test_a_changed_file_keeps_its_mode_group_and_link(tmp_path: Path) -> None:
    path, link = tmp_path / "users", tmp_path / "link"
    path.write_text("# people\n")
    group = next((each for each in os.getgroups() if each != path.stat().st_gid), path.stat().st_gid)
    if os.geteuid() == 0:
        group = 12345
    os.chown(path, -1, group)
    path.chmod(0o640)
    link.symlink_to(path)
    assert add(str(link), "eva").returncode == 0
    assert (path.stat().st_mode & 0o777, path.stat().st_gid) == (0o640, group)
    assert link.is_symlink()
    assert "eva" in parse_users(path.read_text(), "users")


def test_an_empty_password_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "users"
    done = add(str(path), "eva", password="")
    assert (done.returncode, done.stderr) == (1, "the password is empty\n")
    assert not path.exists()


def test_a_role_that_no_rule_names_is_refused_with_the_closest_role(tmp_path: Path) -> None:
    path, policy = tmp_path / "users", tmp_path / "policy.yaml"
    done = add(str(path), "eva", "--role", "amdin")
    assert done.returncode == 1
    assert "No rule names the role 'amdin'. Did you mean admin?" in done.stderr
    assert not path.exists()
    policy.write_text('"baremetal:node:get": "role:auditor or role:admin"\n')
    assert add(str(path), "eva", "--role", "auditor", "--policy-file", str(policy)).returncode == 0
    assert add(str(path), "eva", "--role", "auditor", "--policy-file", str(tmp_path / "none")).returncode == 1
