"""Which addresses webhooks may reach."""

from ipaddress import ip_address

import pytest

from dibs.errors import BadValue
from dibs.webhooks.model.targets import TargetRules

PUBLIC = TargetRules()
WITH_LAB = TargetRules.parse("10.0.0.0/8, fd00::/8")


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "224.0.0.1", "::1", "fe80::1",
     "fd00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::"],
)  # fmt: skip
def test_addresses_that_are_not_public_are_refused_by_default(address: str) -> None:
    assert not PUBLIC.allow(ip_address(address))


def test_networks_of_the_operator_are_allowed_and_no_others() -> None:
    assert WITH_LAB.allow(ip_address("10.1.2.3"))
    assert WITH_LAB.allow(ip_address("fd00::1"))
    assert WITH_LAB.allow(ip_address("::ffff:10.1.2.3"))
    assert WITH_LAB.allow(ip_address("93.184.216.34"))
    assert not WITH_LAB.allow(ip_address("127.0.0.1"))


@pytest.mark.parametrize("text", ["10.0.0.0/99", "lab", "10.0.0.1/8"])
def test_wrong_networks_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        TargetRules.parse(text)


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/", "example.org", "https://", "https://user@example.org/", "https://u:p@example.org/",
     "https://example.org/#part", "http://127.0.0.1/", "http://[::1]:8080/", "https://exa mple.org/",
     "https://example.org:99999/", "https://exämple.org/", "https://[::1", "http://10.0.0.1/"],
)  # fmt: skip
def test_unusable_url_is_refused(url: str) -> None:
    with pytest.raises(BadValue):
        PUBLIC.check(url)


@pytest.mark.parametrize("url", ["https://example.org/hook?key=1", "http://localhost:8000/", "https://93.184.216.34/"])
def test_url_of_a_public_host_or_of_any_name_is_accepted(url: str) -> None:
    PUBLIC.check(url)


def test_url_in_an_allowed_network_is_accepted() -> None:
    WITH_LAB.check("http://10.0.0.1/")
