"""The systemd units are valid and hardened, and run commands that Dibs knows."""

import shlex
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bed.dibs_server import DIBS
from tests.deploy.commands import DEPLOY, settings_of

FOLDER = DEPLOY / "systemd"
UNITS = ("dibs.service", "dibs-api@.service", "dibs-conductor@.service")
INSTALLED = "/usr/local/bin/dibs"
EXPOSURE_MAX = 15
"""In tenths, as for systemd-analyze: 0 is fully confined, 100 is unconfined."""

SECTIONS = {"Unit", "Service", "Install"}
HARDENING = {
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "CapabilityBoundingSet": "",
    "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6",
    "MemoryDenyWriteExecute": "yes",
    "UMask": "0077",
}


def parsed(unit: str) -> dict[str, dict[str, list[str]]]:
    sections: dict[str, dict[str, list[str]]] = {}
    for line in (FOLDER / unit).read_text().splitlines():
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), defaultdict(list))
        elif line and not line.startswith("#"):
            name, equals, value = line.partition("=")
            assert equals, line
            section[name].append(value)
    return sections


def instance(unit: str) -> str:
    return unit.replace("@.", "@8799.")


def has_the_sections_of_a_unit(unit: str, folder: Path) -> None:
    sections = parsed(unit)
    assert set(sections) == SECTIONS
    assert sections["Install"]["WantedBy"] == ["multi-user.target"]


def passes_systemd_verify(unit: str, folder: Path) -> None:
    copy = folder / instance(unit)
    copy.write_text((FOLDER / unit).read_text().replace(INSTALLED, str(DIBS)))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", copy], capture_output=True, text=True, timeout=60)
    ours = [line for line in done.stderr.splitlines() if copy.name in line]
    assert (done.returncode, ours) == (0, [])


def passes_systemd_security(unit: str, folder: Path) -> None:
    copy = folder / instance(unit)
    copy.write_text((FOLDER / unit).read_text())
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", copy],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def checks() -> list[Callable[[str, Path], None]]:
    """Return the checks that this machine can run: not every machine has systemd-analyze."""
    of_systemd = [passes_systemd_verify, passes_systemd_security]
    return [has_the_sections_of_a_unit, *(of_systemd if shutil.which("systemd-analyze") else [])]


@pytest.mark.parametrize("check", checks())
@pytest.mark.parametrize("unit", UNITS)
def test_unit_passes_the_check(unit: str, check: Callable[[str, Path], None], tmp_path: Path) -> None:
    check(unit, tmp_path)


@pytest.mark.parametrize("unit", UNITS)
def test_unit_is_hardened(unit: str) -> None:
    service = parsed(unit)["Service"]
    assert {name: service[name][-1:] for name in HARDENING} == {name: [value] for name, value in HARDENING.items()}
    assert service["User"] == ["dibs"]


@pytest.mark.parametrize("unit", UNITS)
def test_unit_runs_a_known_command_with_known_settings(unit: str) -> None:
    (command,) = parsed(unit)["Service"]["ExecStart"]
    program, *words = shlex.split(command.replace("%i", "8799"))
    assert program == INSTALLED
    assert "/etc/dibs/dibs.toml" in words
    settings = settings_of(words, {}, config=DEPLOY / "dibs.toml")
    assert settings.database == "sqlite:////var/lib/dibs/dibs.sqlite"


@pytest.mark.parametrize("unit", UNITS)
def test_unit_waits_for_requests_in_flight_when_it_stops(unit: str) -> None:
    service = parsed(unit)["Service"]
    settings = settings_of(["serve"], {})
    assert int(service["TimeoutStopSec"][0]) > settings.stop_timeout_seconds


def test_units_differ_only_in_their_command_and_description() -> None:
    kept = []
    for unit in UNITS:
        lines = (FOLDER / unit).read_text().splitlines()
        kept.append([line for line in lines if not line.startswith(("Description=", "ExecStart="))])
    assert kept[0] == kept[1] == kept[2]
