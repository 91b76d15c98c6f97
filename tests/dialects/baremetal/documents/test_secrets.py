from typing import Any

import pytest

from dibs.dialects.baremetal.documents.secrets import MASK, is_secret, mask_keys, mask_secrets


@pytest.mark.parametrize(
    "key",
    [
        *("password", "ipmi_password", "redfish_PASSWORD", "auth_token", "client_secret", "snmp_auth_key", "adminPass"),
        *("pwd", "ipmi_pwd", "bmc_pass", "rescue_pass", "encryption_key", "KEY"),
    ],
)
def test_keys_of_secrets_are_recognised(key: str) -> None:
    assert is_secret(key)


@pytest.mark.parametrize("key", ["address", "username", "deploy_kernel", "bypass_check", "keyboard", "monkey"])
def test_other_keys_are_no_secrets(key: str) -> None:
    assert not is_secret(key)


def test_secrets_are_masked_at_any_depth_in_a_copy() -> None:
    document: dict[str, Any] = {"a": {"password": "x"}, "tokens": ["x", {"b": 1}], "password": 5, "c": 1}
    assert mask_secrets(document) == {"a": {"password": MASK}, "tokens": [MASK, {"b": 1}], "password": MASK, "c": 1}
    assert document["a"]["password"] == "x"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://root:x@10.0.0.1/redfish", f"http://{MASK}@10.0.0.1/redfish"),
        ("ftp://:x@host", f"ftp://{MASK}@host"),
        ("see https://a:b@c and https://d:e@f", f"see https://{MASK}@c and https://{MASK}@f"),
        ("https://user@host/a:b", "https://user@host/a:b"),
        ("https://host:8000/a@b", "https://host:8000/a@b"),
    ],
)
def test_credentials_in_a_url_are_masked(url: str, shown: str) -> None:
    assert mask_secrets({"address": url, "images": [url]}) == {"address": shown, "images": [shown]}


def test_empty_values_are_not_masked() -> None:
    assert mask_secrets({"password": None, "token": ""}) == {"password": None, "token": ""}
    assert mask_keys({"configdrive": {}, "image_url": "x"}, ("configdrive", "image_url")) == {
        "configdrive": {},
        "image_url": MASK,
    }
