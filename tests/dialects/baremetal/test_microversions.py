import pytest

from dibs.dialects.baremetal.errors import Refusal
from dibs.dialects.baremetal.microversions import VERSIONS, choose_minor

OWN = "x-openstack-ironic-api-version"
COMMON = "openstack-api-version"


def test_every_version_up_to_the_newest_has_a_line() -> None:
    assert list(VERSIONS) == list(range(1, 116))
    assert all(VERSIONS.values())


@pytest.mark.parametrize(
    ("headers", "minor"),
    [
        ({}, 1),
        ({OWN: "1.37"}, 37),
        ({OWN: " 1.37 "}, 37),
        ({OWN: "latest"}, 115),
        ({COMMON: "baremetal 1.52"}, 52),
        ({COMMON: "compute 2.1, baremetal 1.52"}, 52),
        ({COMMON: "compute 2.1"}, 1),
        ({COMMON: "baremetal 1.52", OWN: "1.9"}, 9),
    ],
)
def test_both_headers_are_accepted_and_the_older_one_takes_precedence(headers: dict[str, str], minor: int) -> None:
    assert choose_minor(headers) == minor


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("1.116", "Version 1.116 was requested but the minor version is not supported by this service."),
        ("1.0", "Version 1.0 was requested but the minor version is not supported by this service."),
        ("2.0", "Mutually exclusive versions requested. Version 2.0 requested but not supported"),
        ("abc", "Invalid value for X-OpenStack-Ironic-API-Version header"),
        ("1.1.1", "Invalid value for X-OpenStack-Ironic-API-Version header"),
        ("", "Invalid value for X-OpenStack-Ironic-API-Version header"),
    ],
)
def test_a_version_out_of_range_is_406(asked: str, reason: str) -> None:
    with pytest.raises(Refusal) as caught:
        choose_minor({OWN: asked})
    assert caught.value.status == 406
    assert reason in caught.value.message
    assert caught.value.framework
