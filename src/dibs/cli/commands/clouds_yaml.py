"""``dibs clouds-yaml``: the configuration of OpenStack clients."""

import argparse
import os

from dibs.cli.settings_command import SettingsCommand
from dibs.settings import FIELDS, Settings

_NOAUTH = """\
clouds:
  dibs:
    auth_type: none
    auth:
      endpoint: {url}/placement
    baremetal_endpoint_override: {url}/baremetal
    compute_endpoint_override: {url}/compute/v2.1
    image_endpoint_override: {url}/compute/image/v2
    identity_endpoint_override: {url}/compute/identity/v3
    identity_api_version: 3
    reservation_endpoint_override: {url}/reservation/v1
"""

_HTTP_BASIC = """\
clouds:
  dibs:
    auth_type: http_basic
    auth:
      endpoint: {url}/placement
      username: USER
      password: PASSWORD
    baremetal_endpoint_override: {url}/baremetal
    compute_endpoint_override: {url}/compute/v2.1
    image_endpoint_override: {url}/compute/image/v2
    identity_endpoint_override: {url}/compute/identity/v3
    identity_api_version: 3
    reservation_endpoint_override: {url}/reservation/v1
"""

_KEYSTONE = """\
clouds:
  dibs:
    auth:
      auth_url: {keystone_url}
      username: USER
      password: PASSWORD
      project_name: PROJECT
      user_domain_name: Default
      project_domain_name: Default
    baremetal_endpoint_override: {url}/baremetal
    compute_endpoint_override: {url}/compute/v2.1
    image_endpoint_override: {url}/compute/image/v2
    reservation_endpoint_override: {url}/reservation/v1
    placement_endpoint_override: {url}/placement
"""

_FORMS = {"noauth": _NOAUTH, "http_basic": _HTTP_BASIC, "keystone": _KEYSTONE}


def clouds_yaml(settings: Settings) -> str:
    """Return the entry for clouds.yaml that connects OpenStack clients to this server."""
    text = _FORMS[settings.auth].format(url=settings.address.url(settings.tls), keystone_url=settings.keystone_url)
    if settings.compute_backend != "embedded":
        text = "".join(line for line in text.splitlines(keepends=True) if "/compute/" not in line)
    # Clients run in another folder, so they need the absolute path.
    return text + f"    cacert: {os.path.abspath(settings.tls_cert)}\n" if settings.tls else text


class CloudsYaml(SettingsCommand):
    """Print a clouds.yaml entry for this server."""

    needs = frozenset(
        name
        for name in FIELDS
        if name in ("bind", "auth", "auth_file", "compute_backend") or name.startswith(("tls_", "keystone_", "nova_"))
    )

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Print the entry."""
        self.app.stdout.write(clouds_yaml(self.settings(parsed_args)))
