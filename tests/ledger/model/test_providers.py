"""Providers: generations and subtrees."""

import pytest
from msgspec.structs import replace

from dibs.ledger.model.errors import ProviderGenerationConflict
from dibs.ledger.model.providers import Provider, check_generation, subtree

HOST = Provider(
    id=1,
    uuid="u",
    name="host",
    generation=3,
    parent_id=None,
    root_id=1,
    parent=None,
    root="u",
    created_at=5,
    updated_at=None,
)


def test_a_sent_generation_must_be_the_current_one() -> None:
    check_generation(HOST, 3)
    check_generation(HOST, None)
    with pytest.raises(ProviderGenerationConflict, match="u is at generation 3, not 2"):
        check_generation(HOST, 2)


def test_an_unchanged_provider_was_changed_at_its_creation() -> None:
    assert HOST.changed_at == 5
    assert replace(HOST, updated_at=9).changed_at == 9


@pytest.mark.parametrize(("top", "found"), [(1, {1, 2, 3, 4}), (2, {2, 4}), (3, {3})])
def test_a_subtree_is_the_provider_and_its_descendants(top: int, found: set[int]) -> None:
    assert subtree(top, [(4, 2), (1, None), (2, 1), (3, 1)]) == found
