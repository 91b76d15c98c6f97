"""A connection and the commands, for the server that the other tests of an engine share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from openstack.connection import Connection

from tests.bed.dibs_server import DibsServer
from tests.clients.clouds import Commands, connect, write_clouds_yaml


@pytest.fixture
def clouds_yaml(shared_server: DibsServer, tmp_path: Path) -> Path:
    """What the user of the shared server has in ~/.config/openstack."""
    return write_clouds_yaml(tmp_path, shared_server)


@pytest.fixture
def cloud(clouds_yaml: Path) -> Iterator[Connection]:
    """The openstacksdk, connected to the shared server."""
    with connect(clouds_yaml) as connection:
        yield connection


@pytest.fixture
def commands(clouds_yaml: Path) -> Commands:
    """The ``baremetal`` and ``openstack`` commands, pointed to the shared server."""
    return Commands(clouds_yaml)
