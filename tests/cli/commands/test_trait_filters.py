"""The filters by trait in the stock commands ``openstack baremetal node list`` and ``baremetal node list``."""

from pathlib import Path

import pytest

from dibs.client import Dibs
from tests.bed.session import Bed
from tests.clients.clouds import Commands, enroll, fresh, write_clouds_yaml


@pytest.mark.parametrize(("program", "command"), [("openstack", "baremetal node list"), ("baremetal", "node list")])
def test_the_stock_command_filters_by_trait(bed: Bed, tmp_path: Path, program: str, command: str) -> None:
    server = bed.shared_server("sqlite")
    dibs, kind = Dibs.connect(server.url), fresh("class")
    red, blue = (enroll(dibs.connection, resource_class=kind) for _ in range(2))
    dibs.nodes.add_traits(red.id, "CUSTOM_RED")
    dibs.nodes.add_traits(blue.id, "CUSTOM_BLUE")
    commands = Commands(write_clouds_yaml(tmp_path, server))

    def found(*options: str) -> set[str]:
        words = (*command.split(), "--resource-class", kind, *options, "-f", "value", "-c", "Name")
        done = commands.run(*words, program=program)
        assert done.status == 0, done.err
        return set(done.out.split())

    assert found() == {red.name, blue.name}
    assert found("--trait", "CUSTOM_RED", "--not-trait", "CUSTOM_BLUE") == {red.name}
    assert found("--trait-any", "CUSTOM_RED", "CUSTOM_BLUE", "--limit", "1") <= {red.name, blue.name}
    assert found("--not-trait-any", "CUSTOM_RED", "CUSTOM_GREEN") == {blue.name}
