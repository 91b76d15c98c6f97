"""The choice of a microversion."""

import pytest

from dibs.dialects.placement.errors import Refusal
from dibs.dialects.placement.microversions import VERSIONS, choose_minor


def choose(text: str) -> int:
    return choose_minor({"openstack-api-version": text})


def test_there_are_forty_versions_without_a_gap() -> None:
    assert list(VERSIONS) == list(range(40))


def test_no_version_is_the_first_and_latest_is_the_last() -> None:
    assert (choose_minor({}), choose("placement latest"), choose("compute 2.1")) == (0, 39, 0)


def test_of_several_entries_the_last_for_placement_counts() -> None:
    assert choose("placement 1.10, compute 2.1, placement 1.20, identity 3.0") == 20


@pytest.mark.parametrize("version", ["1.40", "0.9", "2.0"])
def test_an_unknown_version_is_406_and_the_error_names_the_range(version: str) -> None:
    with pytest.raises(Refusal) as refused:
        choose(f"placement {version}")
    assert refused.value.status == 406
    assert refused.value.message.endswith(f"Unacceptable version header: {version}")
    assert refused.value.extra == {"min_version": "1.0", "max_version": "1.39"}


@pytest.mark.parametrize("version", ["1", "pony.horse", "1.2.3", "1.x"])
def test_a_malformed_version_is_400(version: str) -> None:
    with pytest.raises(Refusal) as refused:
        choose(f"placement {version}")
    assert refused.value.status == 400
    assert f"invalid version string: {version}" in refused.value.message
