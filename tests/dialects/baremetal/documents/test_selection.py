import pytest

from dibs.dialects.baremetal.documents.selection import asks_for_detail
from dibs.dialects.baremetal.errors import Refusal
from dibs.dialects.baremetal.query import Query


def asked(minor: int, *pairs: tuple[str, str]) -> bool:
    return asks_for_detail(Query(pairs, {"detail": {}, "fields": {}}), minor)


def test_detail_is_a_flag_since_its_version() -> None:
    assert asked(43, ("detail", "true"))
    assert not asked(43, ("detail", "false"))
    assert not asked(1)
    with pytest.raises(Refusal, match="Invalid query parameter"):
        asked(42, ("detail", "true"))


def test_detail_and_fields_exclude_each_other() -> None:
    assert not asked(43, ("detail", "false"), ("fields", "uuid"))
    with pytest.raises(Refusal, match="detail=True and fields"):
        asked(43, ("detail", "true"), ("fields", "uuid"))
