"""Comparison of existing objects with requested ones."""

import pytest

from dibs.client.errors import AlreadyDifferent, check_same


def test_an_equal_object_is_accepted() -> None:
    check_same("Allocation a", {"class": "gold"}, {"class": "gold", "state": "active"})


def test_every_difference_is_named() -> None:
    with pytest.raises(AlreadyDifferent) as error:
        check_same("Allocation a", {"class": "gold", "sticky": True}, {"class": "silver", "sticky": False})
    assert str(error.value) == (
        "Allocation a already exists, but its class is 'silver', not 'gold'; its sticky is False, not True."
    )
