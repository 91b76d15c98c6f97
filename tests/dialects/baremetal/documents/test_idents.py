import pytest

from dibs.dialects.baremetal.documents.idents import read_ident
from dibs.dialects.baremetal.errors import Refusal

UUID = "ABCDEF00-2222-4333-8444-555555555501"


def test_an_ident_is_a_uuid_in_lower_case_or_a_name() -> None:
    assert read_ident("node", UUID, 1) == UUID.lower()
    assert read_ident("node", "Rack-1.example", 5) == "Rack-1.example"


@pytest.mark.parametrize(("text", "minor"), [("rack-1", 4), ("a b", 115), ("a/b", 115), ("", 115), ("a" * 256, 115)])
def test_names_need_their_version_and_no_escapes(text: str, minor: int) -> None:
    with pytest.raises(Refusal) as caught:
        read_ident("node", text, minor)
    assert (caught.value.status, caught.value.message) == (400, f"Expected UUID or name for node: {text}")
