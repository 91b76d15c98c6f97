"""A feature whose extra is not installed fails at start with one sentence that says what to install."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dibs.extras import MissingExtra, needs_extra

WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
from dibs.cli.main import main
sys.exit(main(sys.argv[1:]))
"""

KEYSTONE = [
    "--auth=keystone",
    "--keystone-url=http://127.0.0.1:9",
    "--keystone-username=dibs",
    "--keystone-password=secret",
]
LIMITS = ["--keystone-limits-service=dibs", "--rpc-secret=a-secret-of-this-test", "--rpc-bind=127.0.0.1:0"]
NOVA = ["--compute-backend=nova", "--nova-cloud=nova"]


def run_without(packages: set[str], *command: str, cwd: Path) -> tuple[int, str]:
    """Run ``dibs`` as if the packages were not installed; return the exit code and the last line of its errors."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DIBS_", "OS_"))}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(packages=packages), *command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr.strip().rpartition("\n")[2]


@pytest.mark.parametrize(
    ("package", "command", "feature", "extra"),
    [
        ("psycopg", ["serve", "--database=postgresql://127.0.0.1/dibs"], "PostgreSQL", "postgresql"),
        ("pymysql", ["serve", "--database=mariadb://127.0.0.1/dibs"], "MariaDB", "mariadb"),
        ("psycopg", ["db", "check", "--database=postgresql://127.0.0.1/dibs"], "PostgreSQL", "postgresql"),
        ("keystonemiddleware", ["serve", *KEYSTONE], "Keystone authentication", "keystone"),
        ("keystoneauth1", ["conductor", *KEYSTONE, *LIMITS], "Unified limits of Keystone", "keystone"),
        ("oslo_policy", ["serve", "--policy-file=policy.yaml"], "policy_file", "policy"),
        ("openstack", ["serve", *NOVA], "compute_backend nova", "nova"),
        (
            "oslo_messaging",
            ["serve", "--notification-transport-url=fake://"],
            "notification_transport_url",
            "notifications",
        ),
        ("openstack", ["node", "list"], "dibs.client", "client"),
        ("keystoneauth1", ["import", "ironic", "--from", "http://127.0.0.1:9"], "dibs import", "client"),
    ],
)
def test_missing_extra_is_named(package: str, command: list[str], feature: str, extra: str, tmp_path: Path) -> None:
    if command[0] == "serve":
        command = [*command, "--bind=127.0.0.1:0", "--log-format=text"]
    code, message = run_without({package}, *command, cwd=tmp_path)
    assert code != 0
    assert message.endswith(f"{feature} needs the extra '{extra}'. Install it: pip install 'dibs[{extra}]'.")


def test_missing_module_of_dibs_is_not_reported_as_a_missing_extra() -> None:
    with pytest.raises(ModuleNotFoundError), needs_extra("client", "This"):
        import dibs.nosuch  # type: ignore[import-not-found] # noqa: F401


def test_installed_module_passes() -> None:
    with needs_extra("client", "This"):
        import json  # noqa: F401


def test_message_names_feature_and_extra() -> None:
    assert str(MissingExtra("This", "it")) == "This needs the extra 'it'. Install it: pip install 'dibs[it]'."
