import pytest

from dibs.access.request_id import choose_request_id, new_request_id

WELL_FORMED = "req-7c0a1f7e-3f0e-4b5c-9a53-0c8f2f5f0d11"


def test_well_formed_id_of_the_client_is_kept() -> None:
    assert choose_request_id(WELL_FORMED) == WELL_FORMED


def test_new_id_is_well_formed() -> None:
    made = new_request_id()
    assert choose_request_id(made) == made


@pytest.mark.parametrize("offered", [None, "", "req-1", WELL_FORMED.upper(), WELL_FORMED + "\n"])
def test_any_other_id_is_replaced(offered: str | None) -> None:
    chosen = choose_request_id(offered)
    assert chosen != offered
    assert choose_request_id(chosen) == chosen
