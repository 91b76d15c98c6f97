from dibs.documents.json_schema import find_mistake
from dibs.documents.schema_parts import INTEGER, LINKS, TEXT, by_name, document, list_of, record


def test_record_has_all_of_its_properties_and_no_others() -> None:
    schema = record({"a": INTEGER}, {"b": TEXT})
    assert find_mistake(schema, {"a": 1}) is None
    assert find_mistake(schema, {"a": 1, "b": "x"}) is None
    for wrong in ({}, {"b": "x"}, {"a": 1, "c": 1}, {"a": "1"}):
        assert find_mistake(schema, wrong) is not None


def test_document_is_a_record_with_a_title() -> None:
    assert document("Thing", {"a": INTEGER}) == {"title": "Thing", **record({"a": INTEGER})}


def test_lists_and_maps_check_every_entry() -> None:
    assert find_mistake(list_of(by_name(INTEGER)), [{"x": 1}, {"y": 2}]) is None
    assert find_mistake(list_of(by_name(INTEGER)), [{"x": 1}, {"y": "2"}]) is not None


def test_link_has_an_address_and_a_relation() -> None:
    assert find_mistake(LINKS, [{"href": "/a", "rel": "self"}]) is None
    assert find_mistake(LINKS, [{"href": "/a"}]) is not None
