"""Exit codes by kind of failure, and the messages printed with them."""

from types import SimpleNamespace

import pytest
from keystoneauth1 import exceptions as keystone
from openstack import exceptions as sdk

from dibs.cli.exit_codes import code_of, message_of
from tests.bed.processes import free_port
from tests.bed.session import Bed
from tests.cli.run_dibs import run


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (sdk.HttpException("no", http_status=401), 6),
        (sdk.HttpException("no", http_status=409), 1),
        (sdk.HttpException("no", http_status=503), 5),
        (sdk.ResourceTimeout("late"), 4),
        (sdk.ResourceFailure("failed"), 1),
        (sdk.ConfigException("no such cloud"), 2),
        (keystone.ConnectFailure("refused"), 5),
        (keystone.DiscoveryFailure("nothing"), 5),
        (keystone.Unauthorized("no"), 6),
        (ValueError("a defect"), None),
    ],
)
def test_the_exit_code_tells_the_kind_of_error(error: Exception, code: int | None) -> None:
    assert code_of(error) == code


def test_an_unreachable_server_without_a_url_in_the_error_is_reported_with_the_error() -> None:
    assert message_of(keystone.ConnectFailure("no route")) == "Cannot connect to the server: no route"


def test_a_refusal_prints_the_message_of_the_server(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    refused = run("node", "list", "--trait", "nonsense", url=url)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("The query parameter traits: 'nonsense' is not a valid trait")
    missing = run("node", "show", "missing", url=url)
    assert missing.code == 3
    assert missing.err.startswith("Node missing could not be found.\nNo node has the name or UUID missing.")


def test_an_unreachable_server_is_reported_with_its_url() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    refused = run("why", "--resource-class", "gold", url=url)
    assert (refused.code, refused.err) == (
        5,
        f"Cannot connect to {url}: connection refused. Is `dibs serve` running?\n",
    )
    undiscovered = run("node", "list", url=url)
    assert undiscovered.code == 5
    assert undiscovered.err.startswith(f"Cannot connect to {url}: ")


def test_a_usage_error_exits_with_2(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    assert run("node", "no-such-verb", url=url).code == 2
    with pytest.raises(SystemExit) as usage:
        run("why", url=url)
    assert usage.value.code == 2


def test_missing_credentials_are_named_with_their_variables_and_keys() -> None:
    options = [SimpleNamespace(name="auth-url", dest="auth_url"), SimpleNamespace(name="password", dest="password")]
    assert message_of(keystone.MissingRequiredOptions(options)) == (
        "Credentials are missing. Set OS_AUTH_URL and OS_PASSWORD, or auth.auth_url and auth.password of the entry in"
        " clouds.yaml."
    )
    assert "DIBS_URL (https://USER:PASSWORD@host)" in message_of(sdk.HttpException("no", http_status=401))


def test_an_entry_without_user_and_password_is_told_where_to_set_them() -> None:
    error = sdk.SDKException("No valid authentication is available")
    error.__cause__ = keystone.AuthorizationFailure("No valid authentication is available")
    assert code_of(error) == 6
    assert "auth.username and auth.password of the entry in clouds.yaml" in message_of(error)
