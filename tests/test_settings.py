"""The order of the sources of settings, and refused values."""

import socket
from pathlib import Path
from typing import Any

import pytest

from dibs.http.edge.binding import Address
from dibs.settings import FIELDS, Settings, SettingsError, load_settings, unknown_variables


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "dibs.toml"
    path.write_text('threads = 3\nworkers = 3\nbind = "127.0.0.1:3"\nforce_noauth = true\nheartbeat_seconds = 5\n')
    return str(path)


def test_flag_wins_over_the_environment_which_wins_over_the_file(config: str) -> None:
    environment = {"DIBS_CONFIG": config, "DIBS_WORKERS": "2", "DIBS_BIND": "127.0.0.1:2"}
    settings = load_settings({"bind": "127.0.0.1:1", "workers": None}, environment)
    assert (settings.bind, settings.workers, settings.threads, settings.queue_limit) == ("127.0.0.1:1", 2, 3, 128)
    assert settings.force_noauth is True
    assert settings.heartbeat_seconds == 5.0


def test_config_flag_wins_over_its_variable(config: str) -> None:
    assert load_settings({}, {"DIBS_CONFIG": "/nowhere"}, config).threads == 3


@pytest.mark.parametrize(
    ("flags", "environment", "message"),
    [
        ({"workers": "x"}, {}, "--workers: 'x' must be a whole number"),
        ({}, {"DIBS_WORKERS": "0"}, "DIBS_WORKERS: '0' must be 1 or more"),
        ({}, {"DIBS_FORCE_NOAUTH": "maybe"}, "DIBS_FORCE_NOAUTH: 'maybe' must be true or false"),
        ({"bind": "8080"}, {}, "--bind: '8080' must be HOST:PORT or unix:/path"),
        ({"auth": "magic"}, {}, "--auth: 'magic' must be one of noauth, http_basic, keystone"),
        ({"keep_alive_seconds": "nan"}, {}, "--keep-alive-seconds: 'nan' must be 0 or more"),
        ({"tls_cert": "a"}, {}, "tls_cert and tls_key must be set together"),
        ({"auth": "http_basic"}, {}, "auth http_basic needs auth_file"),
        ({"auth": "keystone"}, {}, "auth keystone needs keystone_url"),
        ({"keystone_limits_service": "dibs"}, {}, "keystone_limits_service needs auth keystone"),
        ({"hold_seconds": "0"}, {}, "--hold-seconds: '0' must be 1 or more"),
        ({"hold_seconds_max": "60"}, {}, "hold_seconds must not be greater than hold_seconds_max"),
        ({"heartbeat_seconds": "60"}, {}, "conductor_timeout_seconds must be greater than heartbeat_seconds"),
        ({"take_over_seconds": "59"}, {}, "take_over_seconds must be 0 or at least twice conductor_timeout_seconds"),
    ],
)
def test_bad_value_is_refused_with_its_source(flags: dict[str, Any], environment: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(flags, environment)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("threadz = 1", "unknown setting 'threadz'; did you mean 'threads'?"),
        ('threads = "many"', "threads: 'many' must be a whole number"),
        ("threads = 1.5", "threads: 1.5 must be a whole number"),
        ("bind = 1", "bind: 1 must be a string"),
        ("threads =", "dibs.toml:"),
    ],
)
def test_bad_file_is_refused_with_its_path(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "dibs.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_settings({}, {}, str(path))
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_secret_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "dibs.toml"
    path.write_text("keystone_password = 12345")
    with pytest.raises(SettingsError) as caught:
        load_settings({}, {}, str(path))
    assert "12345" not in str(caught.value)


def test_default_conductor_name_is_host_and_port() -> None:
    host = socket.gethostname()
    made = load_settings({"bind": "127.0.0.1:0"}, {})
    assert made.bound_to(Address("127.0.0.1", 8780)).conductor_name == f"{host}-8780"
    assert load_settings({"bind": "unix:/x"}, {}).conductor_name == host
    named = load_settings({"conductor_name": "eva"}, {})
    assert named.bound_to(Address("127.0.0.1", 1)).conductor_name == "eva"


def test_every_setting_has_help_and_a_default_that_passes_its_own_check() -> None:
    for field in FIELDS.values():
        assert field.metadata["help"].endswith(".")
        if field.metadata["check"] is not None:
            field.metadata["check"](field.default)
    assert Settings() == load_settings({}, {})


def test_separate_conductor_is_named_after_its_rpc_port_and_has_one_process() -> None:
    settings = Settings(rpc_bind="127.0.0.1:8799", workers=4).for_conductor()
    assert (settings.bind, settings.workers) == ("127.0.0.1:8799", 1)
    assert settings.conductor_name.endswith("-8799")
    assert Settings(conductor_name="rack-7").for_conductor().conductor_name == "rack-7"


@pytest.mark.parametrize(
    ("values", "url"),
    [
        ({"bind": "127.0.0.1:1"}, "http://127.0.0.1:1/rpc"),
        ({"bind": "[::1]:1", "tls_cert": "c", "tls_key": "k"}, "https://[::1]:1/rpc"),
        ({"bind": "0.0.0.0:1"}, f"http://{socket.gethostname()}:1/rpc"),
        ({"bind": "0.0.0.0:1", "rpc_url": "http://c.example/rpc"}, "http://c.example/rpc"),
    ],
)
def test_conductor_announces_its_url(values: dict[str, str], url: str) -> None:
    assert Settings(**values).announced_rpc_url == url


def test_nova_backend_needs_a_cloud() -> None:
    with pytest.raises(SettingsError, match="compute_backend nova needs nova_cloud"):
        load_settings({"compute_backend": "nova"}, {})
    assert load_settings({"compute_backend": "nova", "nova_cloud": "c"}, {}).nova_cloud == "c"


def test_enforcement_url_must_be_http() -> None:
    with pytest.raises(SettingsError, match="must begin with http"):
        load_settings({"enforcement_url": "file:///etc/passwd"}, {})


def test_variables_that_nothing_reads_are_returned_with_the_closest_known_one() -> None:
    known = {"DIBS_DATABASE": "a", "DIBS_CONFIG": "b", "DIBS_URL": "c", "DIBS_NODE_NAMES": "d", "OS_CLOUD": "e"}
    assert unknown_variables(known) == {}
    assert unknown_variables({**known, "DIBS_DATABSE": "x"}) == {"DIBS_DATABSE": "DIBS_DATABASE"}
    assert unknown_variables({"DIBS_QQQQ": "x"}) == {"DIBS_QQQQ": None}
