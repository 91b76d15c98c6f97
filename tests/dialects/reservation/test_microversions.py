import pytest

from dibs.dialects.reservation.errors import Refusal
from dibs.dialects.reservation.microversions import check_version


@pytest.mark.parametrize("asked", ["", "reservation 1.0", "reservation latest", "compute 2.1"])
def test_known_version_is_accepted(asked: str) -> None:
    check_version({"openstack-api-version": asked} if asked else {})


@pytest.mark.parametrize(("asked", "status"), [("reservation 2.0", 406), ("reservation x", 400)])
def test_unknown_version_is_refused(asked: str, status: int) -> None:
    with pytest.raises(Refusal) as refused:
        check_version({"openstack-api-version": asked})
    assert refused.value.status == status
