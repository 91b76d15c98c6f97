"""What ``dibs conductor`` says when it is ready."""

import io
import logging
from types import SimpleNamespace

import pytest

from dibs.cli.commands.serve import Conductor
from dibs.settings import Settings


@pytest.mark.parametrize(
    ("bind", "certificate", "warned"),
    [
        ("127.0.0.1:8781", "", False),
        ("192.0.2.1:8781", "", True),
        ("0.0.0.0:8781", "", True),
        ("192.0.2.1:8781", "cert.pem", False),
    ],
)
def test_calls_that_others_could_read_are_warned_of(bind, certificate, warned, caplog):
    conductor = Conductor(SimpleNamespace(stdout=io.StringIO()), None)
    with caplog.at_level(logging.WARNING):
        conductor.announce(Settings(bind=bind, tls_cert=certificate))
    assert ("signed but not hidden" in caplog.text) is warned
