import pytest

from dibs.documents.json_patch import PatchOperation
from dibs.errors import BadValue
from dibs.machines.model.errors import NotOffered
from dibs.machines.model.parts.documents import DOCUMENTS, changes_of_patch
from dibs.machines.model.parts.parts import PartKind
from dibs.machines.model.parts.ports import Port
from dibs.machines.queries.parts import TABLES

NODE = "11111111-2222-4333-8444-555555555501"
PORT_1 = Port(id=1, uuid="p", node_uuid=NODE, address="52:54:00:00:00:01", extra={"a": 1}, created_at=0)


def patched(*operations, offers_network_type=True):
    return changes_of_patch(PartKind.PORT, PORT_1, operations, offers_network_type=offers_network_type)


@pytest.mark.parametrize("kind", PartKind)
def test_every_settable_attribute_is_one_of_the_part(kind):
    assert set(DOCUMENTS[kind].settable) <= set(TABLES[kind].model.__struct_fields__)
    assert DOCUMENTS[kind].defaults.keys() | DOCUMENTS[kind].readers.keys() <= set(DOCUMENTS[kind].settable)


def test_only_what_changes_is_changed():
    assert patched() == patched(PatchOperation("replace", "/address", "52-54-00-00-00-01")) == {}
    assert patched(PatchOperation("add", "/extra/b", 2)) == {"extra": {"a": 1, "b": 2}}
    assert patched(PatchOperation("add", "/pxe_enabled", "no")) == {"pxe_enabled": False}


def test_a_removed_attribute_gets_its_default():
    assert patched(PatchOperation("remove", "/extra")) == {"extra": {}}
    assert DOCUMENTS[PartKind.PORT].read("pxe_enabled", None) is True


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (PatchOperation("remove", "/node_uuid"), "'node_uuid' is a required property"),
        (PatchOperation("remove", "/address"), "'address' is a required property"),
        (PatchOperation("add", "/address", "xx"), "Expected valid MAC address for address: xx"),
        (PatchOperation("add", "/is_smartnic", True), "Smart NIC port must have port_id and hostname"),
        (PatchOperation("add", "/extra/a", "\ud800"), "half of a surrogate pair"),
    ],
)
def test_a_patch_that_leads_to_an_impossible_port_is_refused(operation, message):
    with pytest.raises(BadValue, match=message):
        patched(operation)


def test_a_network_type_needs_an_api_that_offers_it():
    operation = PatchOperation("add", "/local_link_connection/network_type", "managed")
    assert patched(operation) == {"local_link_connection": {"network_type": "managed"}}
    with pytest.raises(NotOffered):
        patched(operation, offers_network_type=False)
