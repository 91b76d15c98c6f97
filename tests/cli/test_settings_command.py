"""Settings from the flags of a command."""

import io
from types import SimpleNamespace

import pytest

from dibs.cli.commands.database import Check
from dibs.cli.settings_command import CommandFailed


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Check:
    monkeypatch.delenv("DIBS_DATABASE", raising=False)
    return Check(SimpleNamespace(stdout=io.StringIO()), None)


def test_a_flag_overrides_the_environment(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIBS_DATABASE", "sqlite:////tmp/a.sqlite")
    parser = check.get_parser("dibs db check")
    assert check.settings(parser.parse_args([])).database == "sqlite:////tmp/a.sqlite"
    flags = parser.parse_args(["--database", "sqlite:////tmp/b.sqlite"])
    assert check.settings(flags).database == "sqlite:////tmp/b.sqlite"


def test_only_the_settings_that_a_command_needs_have_a_flag(check: Check) -> None:
    with pytest.raises(SystemExit):
        check.get_parser("dibs db check").parse_args(["--workers", "2"])


def test_an_invalid_setting_fails_the_command(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIBS_WORKERS", "many")
    with pytest.raises(CommandFailed, match="DIBS_WORKERS: 'many'"):
        check.settings(check.get_parser("dibs db check").parse_args([]))
