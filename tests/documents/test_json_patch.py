import pytest

from dibs.documents.json_patch import PatchOperation, apply_patch, roots_of
from dibs.errors import BadValue


def test_operations_are_applied_in_order_to_a_copy():
    document = {"extra": {"a": [1]}, "name": "x"}
    patch = (
        PatchOperation("add", "/extra/a/-", 2),
        PatchOperation("replace", "/extra/a/0", 0),
        PatchOperation("remove", "/name"),
    )
    assert apply_patch(document, patch) == {"extra": {"a": [0, 2]}}
    assert document == {"extra": {"a": [1]}, "name": "x"}


def test_a_value_is_copied_into_the_document():
    value = {}
    apply_patch({"extra": {}}, (PatchOperation("add", "/extra/a", value), PatchOperation("add", "/extra/a/b", 1)))
    assert value == {}


@pytest.mark.parametrize(
    ("op", "path"),
    [
        ("remove", "/extra/none"),
        ("replace", "/extra/none"),
        ("add", "/name/deeper"),
        ("add", "/number/deeper"),
        ("add", "/nothing/deeper"),
        ("add", "/list/x"),
        ("add", "/list/99"),
        ("add", "/list/-5"),
        ("remove", "/list/-"),
        ("replace", "/list/99999999999999999999"),
        ("add", "/extra/~x"),
        ("add", "/none/at/all"),
    ],
)
def test_an_operation_that_leads_nowhere_is_named(op, path):
    document = {"extra": {}, "name": "x", "number": 5, "nothing": None, "list": [1]}
    with pytest.raises(BadValue) as caught:
        apply_patch(document, (PatchOperation(op, path, 1),))
    assert str(caught.value).startswith(f"Couldn't apply patch '{{'op': '{op}', 'path': '{path}'}}'. Reason: ")


def test_the_attribute_is_the_first_part_of_the_path():
    patch = (PatchOperation("add", "/extra/a/b", 1), PatchOperation("add", "/a~1b~0c", 1))
    assert roots_of(patch) == {"extra", "a/b~c"}
