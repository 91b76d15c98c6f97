"""Connection and commands for the shared server of an engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from openstack.connection import Connection

from tests.bed.dibs_server import DibsServer
from tests.clients.clouds import Commands, connect, write_clouds_yaml


@pytest.fixture
def clouds_yaml(shared_server: DibsServer, tmp_path: Path) -> Path:
    """Return the path of a clouds.yaml for the shared server."""
    return write_clouds_yaml(tmp_path, shared_server)


@pytest.fixture
def cloud(clouds_yaml: Path) -> Iterator[Connection]:
    """Connect openstacksdk to the shared server."""
    with connect(clouds_yaml) as connection:
        yield connection


@pytest.fixture
def commands(clouds_yaml: Path) -> Commands:
    """Return the ``baremetal`` and ``openstack`` commands, configured for the shared server."""
    return Commands(clouds_yaml)
