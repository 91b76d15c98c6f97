"""The HTTP server built from settings."""

import pickle
from pathlib import Path

import pytest

from dibs.cli.server_factory import SpawnedWorker, build_shell, limits_from, options_from
from dibs.http.auth.basic import BasicAuth
from dibs.http.auth.noauth import NoAuth
from dibs.http.edge.guards.limits import SWITCH_SECONDS
from dibs.http.edge.shell import Application
from dibs.settings import Settings
from dibs.settings.authentication import authenticator_from
from dibs.wiring.processes import build_application


def test_the_limits_and_options_are_those_of_the_settings() -> None:
    settings = Settings(threads=3, queue_limit=5, body_limit_bytes=7, workers=2, tls_cert="cert.pem")
    limits = limits_from(settings)
    assert (limits.threads, limits.queue_limit, limits.body_limit_bytes) == (3, 5, 7)
    options = options_from(settings)
    assert (options.limits, options.workers, options.tls_cert) == (limits, 2, "cert.pem")


def test_the_authenticator_is_that_of_the_configured_method(tmp_path: Path) -> None:
    users = tmp_path / "users"
    users.write_text("")
    assert isinstance(authenticator_from(Settings()), NoAuth)
    assert isinstance(authenticator_from(Settings(auth="http_basic", auth_file=str(users))), BasicAuth)


def test_threads_of_a_server_take_short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[float] = []
    monkeypatch.setattr("sys.setswitchinterval", turns.append)
    build_shell(Settings(), Application(dialects=[]))
    assert turns == [SWITCH_SECONDS]


def test_a_worker_factory_can_be_pickled() -> None:
    factory = SpawnedWorker(Settings(workers=2), build_application, "address")
    assert pickle.loads(pickle.dumps(factory)) == factory
