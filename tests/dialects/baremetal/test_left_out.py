"""Every URL that Ironic documents is served, or answers that it is not."""

import re

import pytest
from ironic.common import policy

from dibs.dialects.baremetal.left_out import LEFT_OUT, why_left_out
from dibs.dialects.baremetal.routes import ROUTES
from dibs.http.routing import Match, Router
from tests.dialects.baremetal.conversation import Conversation

DOCUMENTED = sorted(
    {
        (operation["method"], "/v1/" + operation["path"].lstrip("/").partition("?")[0])
        for rule in policy.list_policies()
        for operation in getattr(rule, "operations", None) or ()
    }
)
"""Method and path of each operation in the documentation of Ironic's policy."""
ROUTER = Router(ROUTES)


@pytest.mark.parametrize(("method", "path"), DOCUMENTED)
def test_a_documented_operation_of_ironic_is_served_or_says_that_it_is_not(
    ask: Conversation, method: str, path: str
) -> None:
    path = re.sub(r"\{\w+\}", "x", path)
    if not isinstance(ROUTER.resolve(method, path), Match):
        answer = ask(method, path)
        assert (answer.status, answer.error["code"], answer.error["title"]) == (404, 404, "Not Found")
        assert answer.error["description"].endswith("not served by Dibs, which has only a part of Ironic's API.")


@pytest.mark.parametrize("path", LEFT_OUT)
def test_what_is_left_out_is_not_served(path: str) -> None:
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        assert not isinstance(ROUTER.resolve(method, path), Match)
    assert why_left_out(f"{path}/more") == why_left_out(path) != ""


@pytest.mark.parametrize("path", ["/v1/nosuch", "/v2", "/v1/nodes/n/nosuch", "/v1/nodes/bios"])
def test_a_path_that_ironic_does_not_have_gets_no_sentence(path: str) -> None:
    assert why_left_out(path) == ""
