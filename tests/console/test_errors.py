"""Domain errors on pages."""

import pytest

from dibs.access.access import SERVICE
from dibs.console.errors import message_of, status_of
from dibs.errors import DibsError
from dibs.quotas.model.errors import LimitsUnknown, QuotaInKeystone


@pytest.mark.parametrize(("error", "status"), [(QuotaInKeystone(), 409), (LimitsUnknown(), 503)])
def test_page_about_limits_of_keystone_names_keystone(error: DibsError, status: int) -> None:
    assert status_of(error) == status
    assert "Keystone" in message_of(error, SERVICE)
