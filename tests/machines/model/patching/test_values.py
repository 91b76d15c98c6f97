import pytest

from dibs.errors import BadValue
from dibs.machines.model.patching.values import check_schema, check_storable, read_flag, read_mac, read_uuid


@pytest.mark.parametrize(("value", "flag"), [(True, True), ("Yes", True), (" on ", True), ("0", False), ("F", False)])
def test_flags_are_booleans_or_words(value, flag):
    assert read_flag("x", value) is flag


@pytest.mark.parametrize("value", ["", "maybe", 5, None])
def test_other_words_are_no_flags(value):
    with pytest.raises(BadValue, match=f"Invalid x: Unrecognized value '{value}'"):
        read_flag("x", value)


def test_uuids_and_addresses_are_stored_in_lower_case():
    assert read_uuid("x", "ABCDEF00-2222-4333-8444-555555555501") == "abcdef00-2222-4333-8444-555555555501"
    assert read_mac("x", "52-54-00-AB-CD-EF") == "52:54:00:ab:cd:ef"


@pytest.mark.parametrize("value", [None, 5, "x", "52:54:00:ab:cd", "52:54-00:ab:cd:ef"])
def test_other_values_are_neither(value):
    with pytest.raises(BadValue, match="Expected UUID for x"):
        read_uuid("x", value)
    with pytest.raises(BadValue, match="Expected valid MAC address for x"):
        read_mac("x", value)


def test_the_mistake_in_a_document_is_named_with_its_place():
    with pytest.raises(BadValue, match=r"^Schema error for patch: 5 is not of type 'string' \(at a\)$"):
        check_schema({"properties": {"a": {"type": "string"}}}, "patch", {"a": 5})


def test_text_that_no_database_takes_is_refused_with_its_place():
    check_storable("extra", {"a": ["b"]})
    with pytest.raises(BadValue, match="The value at /extra/a contains a NUL character"):
        check_storable("extra", {"a": "\0"})
