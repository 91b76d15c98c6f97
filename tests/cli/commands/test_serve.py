"""``dibs serve`` and ``dibs conductor``, run as an operator runs them."""

import contextlib
import datetime
import io
import ipaddress
import json
import logging
import signal
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dibs.cli.commands.serve import Conductor
from dibs.cli.settings_command import CommandFailed
from dibs.settings import Settings
from tests.bed.forked import ForkedProcess, run_dibs, start_forked
from tests.bed.processes import free_port, stop_process, tail_of
from tests.bed.waiting import eventually


@contextlib.contextmanager
def serving(directory: Path, *flags: str, verify: ssl.SSLContext | bool = True) -> Iterator[httpx.Client]:
    """Run a server on an SQLite file and yield a client for it; assert that it stops cleanly."""
    port = free_port()
    command = ["serve", "--bind", f"127.0.0.1:{port}", "--database", f"sqlite:///{directory}/dibs.sqlite", *flags]
    process = start_forked("dibs", *command, log=directory / "log")
    scheme = "https" if "--tls-cert" in flags else "http"
    with httpx.Client(base_url=f"{scheme}://127.0.0.1:{port}", verify=verify, timeout=20) as client:
        try:
            eventually(lambda: is_ready(client, process, directory), 60, "the server")
            yield client
        finally:
            stopped = stop_process(process, signal.SIGTERM)
    assert stopped == 0, tail_of(directory / "log")


def is_ready(client: httpx.Client, process: ForkedProcess, directory: Path) -> bool:
    if process.poll() is not None:
        raise RuntimeError(tail_of(directory / "log"))
    with contextlib.suppress(httpx.TransportError):
        return client.get("/healthcheck").status_code == 200
    return False


def refusal(*flags: str) -> str:
    """Return the message of a server that refuses to start."""
    done = run_dibs("serve", *flags)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr.strip()


def test_one_command_serves_from_an_empty_directory_and_prints_a_clouds_yaml(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        assert client.get("/baremetal/v1/nodes").json() == {"nodes": []}
        log = (tmp_path / "log").read_text()
        assert f"Dibs serves {client.base_url}/baremetal" in log
        entry = yaml.safe_load(log[log.index("clouds:") :].partition("\n\n")[0])
        assert entry["clouds"]["dibs"]["baremetal_endpoint_override"] == f"{client.base_url}/baremetal"
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines() if line.startswith("{")]
    assert [line["path"] for line in lines if line["logger"] == "dibs.access"][-1:] == ["/baremetal/v1/nodes"]
    assert [line for line in lines if line["level"] == "ERROR"] == []


def test_the_metrics_of_two_workers_are_added_up(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2") as client:
        for _ in range(10):
            # A new connection for each request, so that both workers get some.
            assert httpx.get(f"{client.base_url}/baremetal/v1/nodes").status_code == 200
        counted = 'dibs_requests_total{dialect="/baremetal",method="GET",status="200"} 10.0'
        assert counted in client.get("/metrics").text


def test_tls_uses_the_configured_certificate(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    trusting = ssl.create_default_context(cafile=certificate)
    with serving(tmp_path, "--tls-cert", certificate, "--tls-key", key, verify=trusting) as client:
        document = client.get("/").json()
        assert document["versions"][0]["links"][0]["href"].startswith("https://")


def test_http_basic_accepts_an_added_user_only(tmp_path: Path) -> None:
    users = str(tmp_path / "users")
    run_dibs("user", "add", users, "eva", stdin="secret\n").check_returncode()
    with serving(tmp_path, "--auth", "http_basic", "--auth-file", users) as client:
        assert client.get("/baremetal/v1/nodes").status_code == 401
        assert client.get("/baremetal/v1").status_code == 200
        assert client.get("/baremetal/v1/nodes", auth=("eva", "secret")).status_code == 200


def test_noauth_is_refused_on_an_address_that_is_not_loopback() -> None:
    message = refusal("--bind", "0.0.0.0:0")
    assert "--force-noauth" in message
    assert len(message.splitlines()) == 1


def test_a_port_in_use_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        message = refusal("--bind", f"127.0.0.1:{taken.getsockname()[1]}")
    assert message.endswith("Address already in use. Choose another address with --bind or DIBS_BIND.")


def test_an_invalid_user_file_is_reported_with_the_line(tmp_path: Path) -> None:
    users = tmp_path / "users"
    users.write_text("eva:secret\n")
    assert "line 1:" in refusal("--auth", "http_basic", "--auth-file", str(users))


def test_an_invalid_certificate_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "cert"
    path.write_text("nothing")
    assert "tls_cert" in refusal("--tls-cert", str(path), "--tls-key", str(path))


def self_signed(directory: Path) -> tuple[str, str]:
    """Write certificate and key files for 127.0.0.1; return their paths."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dibs")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    certificate_path, key_path = directory / "cert.pem", directory / "key.pem"
    certificate_path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return str(certificate_path), str(key_path)


def test_a_port_in_use_is_reported_with_the_setting_of_a_conductor() -> None:
    conductor = Conductor(SimpleNamespace(stdout=io.StringIO()), None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        bind = f"127.0.0.1:{taken.getsockname()[1]}"
        arguments = conductor.get_parser("dibs conductor").parse_args(["--rpc-bind", bind])
        with pytest.raises(CommandFailed, match="with --rpc-bind or DIBS_RPC_BIND"):
            conductor.run(arguments)


@pytest.mark.parametrize("auth", ["noauth", "http_basic", "keystone"])
def test_clouds_yaml_has_the_configured_authentication_method(auth: str) -> None:
    keystone = ["--keystone-url", "http://k/v3", "--keystone-username", "u", "--keystone-password", "p"]
    done = run_dibs("clouds-yaml", "--auth", auth, "--auth-file", "users", *keystone)
    cloud = yaml.safe_load(done.stdout)["clouds"]["dibs"]
    assert cloud["baremetal_endpoint_override"] == "http://127.0.0.1:8780/baremetal"
    expected = {"noauth": "none", "http_basic": "http_basic", "keystone": None}
    assert cloud.get("auth_type") == expected[auth]


@pytest.mark.parametrize(
    ("bind", "certificate", "warned"),
    [
        ("127.0.0.1:8781", "", False),
        ("192.0.2.1:8781", "", True),
        ("0.0.0.0:8781", "", True),
        ("192.0.2.1:8781", "cert.pem", False),
    ],
)
def test_unencrypted_calls_on_a_network_are_warned_about(
    bind: str, certificate: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    conductor = Conductor(SimpleNamespace(stdout=io.StringIO()), None)
    with caplog.at_level(logging.WARNING):
        conductor.announce(Settings(bind=bind, tls_cert=certificate))
    assert ("signed but not encrypted" in caplog.text) is warned
