import pytest

from dibs.dialects.compute.errors import Refusal
from dibs.dialects.compute.microversions import MAXIMUM, choose_minor, version_text


@pytest.mark.parametrize(
    ("headers", "minor"),
    [
        ({}, 1),
        ({"openstack-api-version": "compute 2.40"}, 40),
        ({"openstack-api-version": "compute latest"}, MAXIMUM[1]),
        ({"openstack-api-version": "placement 1.10"}, 1),
        ({"x-openstack-nova-api-version": "2.7"}, 7),
    ],
)
def test_version_of_the_headers_is_chosen(headers: dict[str, str], minor: int) -> None:
    assert choose_minor(headers) == minor


@pytest.mark.parametrize(("version", "status"), [("2.62", 406), ("1.1", 406), ("two", 400), ("2", 400)])
def test_version_outside_the_range_or_malformed_is_refused(version: str, status: int) -> None:
    with pytest.raises(Refusal, match=version) as refusal:
        choose_minor({"openstack-api-version": f"compute {version}"})
    assert refusal.value.status == status


def test_version_is_written_with_its_major_number() -> None:
    assert version_text(61) == "2.61"
