"""``dibs user add``."""

import subprocess
from pathlib import Path

from dibs.http.auth.basic import parse_users
from tests.bed.forked import run_dibs


def add(*arguments: str, password: str = "secret") -> "subprocess.CompletedProcess[str]":
    return run_dibs("user", "add", *arguments, stdin=password + "\n")


def test_users_are_added_and_changed_in_a_file_that_only_its_owner_can_read(tmp_path: Path) -> None:
    path = tmp_path / "users"
    assert add(str(path), "eva").returncode == 0
    assert add(str(path), "ada", "--project", "blue", "--role", "reader", "--role", "auditor").returncode == 0
    before = parse_users(path.read_text(), "users")
    assert add(str(path), "eva", password="other").returncode == 0
    after = parse_users(path.read_text(), "users")
    assert path.stat().st_mode & 0o777 == 0o600
    assert after["eva"].hash != before["eva"].hash
    assert after["ada"] == before["ada"]
    assert after["ada"].actor.roles == {"reader", "auditor"}


def test_an_invalid_user_name_is_refused_and_the_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "users"
    path.write_text("# people\n")
    done = add(str(path), "a:b")
    assert done.returncode == 1
    assert "colon" in done.stderr
    assert path.read_text() == "# people\n"
