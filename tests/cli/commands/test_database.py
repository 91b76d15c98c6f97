"""``dibs db …``."""

import io
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from dibs.cli.commands.database import Upgrade
from dibs.cli.settings_command import CommandFailed
from tests.bed.forked import run_dibs


def run(verb: str, directory: Path, *flags: str) -> "subprocess.CompletedProcess[str]":
    return run_dibs("db", *verb.split(), "--database", f"sqlite:///{directory}/dibs.sqlite", *flags)


def test_an_empty_database_has_no_version_and_fails_the_check_until_upgraded(tmp_path: Path) -> None:
    assert run("version", tmp_path).stdout == "none\n"
    assert run("check", tmp_path).returncode == 1
    assert run("upgrade", tmp_path).returncode == 0
    assert run("version", tmp_path).stdout not in ("none\n", "")
    assert run("check", tmp_path).returncode == 0


def test_secrets_are_encrypted_with_the_keys_of_a_file(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    flag = f"--secret-keys-file={keys}"
    assert run("upgrade", tmp_path).returncode == 0
    assert "Set secret_keys_file" in run("encrypt secrets", tmp_path).stderr
    keys.write_text("not a key\n")
    assert "32 bytes" in run("encrypt secrets", tmp_path, flag).stderr
    keys.write_text("c2l4dGVlbiBieXRlcyBhbmQgc2l4dGVlbiBieXRlcyE=\n")
    assert run("encrypt secrets", tmp_path, flag).stdout == "Encrypted the secrets of 0 rows.\n"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://olga:secret@127.0.0.1:1/dibs", "Cannot connect to the database at 127.0.0.1:1: "),
        ("mariadb://olga:secret@127.0.0.1:1/dibs", "Cannot connect to the database at 127.0.0.1:1: "),
        (
            "mariadb://olga:secret@127.0.0.1:1,127.0.0.1:2/dibs",
            "Cannot connect to the database at 127.0.0.1:1,127.0.0.1:2: 127.0.0.1:1: ",
        ),
        ("sqlite:////dev/null/dibs.sqlite", "Cannot open the database file /dev/null/dibs.sqlite: "),
    ],
)
def test_an_unreachable_database_is_reported_with_its_host_and_the_cause(url: str, message: str) -> None:
    output = io.StringIO()
    command = Upgrade(SimpleNamespace(stdout=output), None)
    with pytest.raises(CommandFailed) as failed:
        command.run(command.get_parser("dibs db upgrade").parse_args(["--database", url]))
    text = str(failed.value)
    assert text.startswith(message)
    assert "refused" in text or "Not a directory" in text or "File exists" in text
    assert text.endswith("the URL in --database, DIBS_DATABASE or the settings file.")
    assert "secret" not in text
    assert "\n" not in text
