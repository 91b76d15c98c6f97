"""Microversions in headers."""

import pytest

from dibs.http.microversions import Problem, VersionRange, VersionRefusal

RANGE = VersionRange(
    service_type="baremetal",
    legacy_headers=("x-openstack-ironic-api-version",),
    minimum=(1, 1),
    maximum=(1, 90),
    default=(1, 1),
)
LEGACY = "x-openstack-ironic-api-version"
STANDARD = "openstack-api-version"


@pytest.mark.parametrize(
    ("headers", "version"),
    [
        ({}, (1, 1)),
        ({LEGACY: "1.37"}, (1, 37)),
        ({LEGACY: "latest"}, (1, 90)),
        ({LEGACY: "LATEST"}, (1, 90)),
        ({STANDARD: "baremetal 1.38"}, (1, 38)),
        ({STANDARD: "compute 2.1, baremetal 1.38"}, (1, 38)),
        ({STANDARD: "baremetal latest"}, (1, 90)),
        ({STANDARD: "compute 2.1", LEGACY: "1.9"}, (1, 9)),
        ({STANDARD: "baremetal 1.38", LEGACY: "1.9"}, (1, 38)),
    ],
)
def test_version_is_chosen(headers: dict[str, str], version: tuple[int, int]) -> None:
    assert RANGE.choose(headers) == version


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("1.91", Problem.OUT_OF_RANGE),
        ("1.0", Problem.OUT_OF_RANGE),
        ("2.1", Problem.UNSUPPORTED_MAJOR),
        ("0.9", Problem.UNSUPPORTED_MAJOR),
        ("1", Problem.MALFORMED),
        ("1.2.3", Problem.MALFORMED),
        ("1._2", Problem.MALFORMED),
        ("1.٣", Problem.MALFORMED),
        ("-1.2", Problem.MALFORMED),
        ("1." + "9" * 5000, Problem.MALFORMED),
        ("", Problem.MALFORMED),
    ],
)
def test_version_that_cannot_be_served_is_refused_with_the_reason(asked: str, problem: Problem) -> None:
    assert RANGE.choose({LEGACY: asked}) == VersionRefusal(problem, asked)
