"""The entry for clouds.yaml; tests/clients uses it with the real clients."""

import os

import yaml

from dibs.cli.clouds_yaml import clouds_yaml
from dibs.settings import load_settings


def test_the_certificate_is_found_from_every_folder() -> None:
    settings = load_settings({"tls_cert": "cert.pem", "tls_key": "key.pem"}, {})
    entry = yaml.safe_load(clouds_yaml(settings))["clouds"]["dibs"]
    assert entry["cacert"] == os.path.abspath("cert.pem")
    assert entry["baremetal_endpoint_override"].startswith("https://")
