"""Names and uuids of nodes."""

from types import SimpleNamespace

from dibs.client.baremetal_calls import BaremetalCalls

NODE = "3f2b1c9e-0000-4000-8000-000000000001"


def test_a_name_is_looked_up_and_a_uuid_is_not() -> None:
    names: list[str] = []

    def get_node(name: str, fields: list[str]) -> SimpleNamespace:
        names.append(name)
        return SimpleNamespace(id=NODE)

    calls = BaremetalCalls(SimpleNamespace(baremetal=SimpleNamespace(get_node=get_node)))
    assert calls._uuid_of(NODE.upper()) == NODE
    assert calls._uuid_of("rack1-01") == NODE
    assert names == ["rack1-01"]
