import pytest

from dibs.http.request_id import choose_request_id, new_request_id


def test_well_formed_id_of_the_client_is_kept() -> None:
    offered = new_request_id()
    assert choose_request_id(offered) == offered


@pytest.mark.parametrize("offered", [None, "", "req-1", "REQ-" + new_request_id()[4:], new_request_id() + "\n"])
def test_any_other_id_is_replaced(offered: str | None) -> None:
    chosen = choose_request_id(offered)
    assert chosen != offered
    assert choose_request_id(chosen) == chosen
