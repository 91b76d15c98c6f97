"""The clouds.yaml entry; tests/clients uses it with the real clients."""

import os

import yaml

from dibs.cli.commands.clouds_yaml import clouds_yaml
from dibs.settings import load_settings


def test_the_path_of_the_certificate_is_absolute() -> None:
    settings = load_settings({"tls_cert": "cert.pem", "tls_key": "key.pem"}, {})
    entry = yaml.safe_load(clouds_yaml(settings))["clouds"]["dibs"]
    assert entry["cacert"] == os.path.abspath("cert.pem")
    assert entry["baremetal_endpoint_override"].startswith("https://")


def test_with_nova_the_entry_has_no_compute_endpoint() -> None:
    entry = clouds_yaml(load_settings({"compute_backend": "nova", "nova_cloud": "nova"}, {}))
    assert "compute" in clouds_yaml(load_settings({}, {}))
    assert "compute" not in entry
    assert yaml.safe_load(entry)["clouds"]["dibs"]["reservation_endpoint_override"].endswith("/reservation/v1")
