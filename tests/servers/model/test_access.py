import pytest

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.access.compute_policy import ComputePolicy
from dibs.errors import Forbidden
from dibs.servers.model.access import require_server_access
from dibs.servers.model.errors import ServerNotFound
from dibs.servers.model.servers import ACTIVE, Server

DELETE = "os_compute_api:servers:delete"
POLICY = ComputePolicy()


def access(project: str | None, *roles: str) -> Access:
    return POLICY.access(Actor(user="u", project=project, roles=frozenset(roles)))


def server(project: str | None) -> Server:
    return Server(id=1, uuid="s-1", name="s", project_id=project, user_id="u", status=ACTIVE, flavor={}, created_at=0)


@pytest.mark.parametrize(
    ("caller", "project"),
    [
        (access("p", "member", "reader"), "p"),
        (access("q", "admin"), "p"),
        (access(None, "admin"), None),
    ],
)
def test_members_of_the_project_and_admins_may_delete_a_server(caller: Access, project: str | None) -> None:
    require_server_access(caller, server(project), (DELETE,))


@pytest.mark.parametrize("caller", [access("q", "member", "reader"), access("p"), access(None, "member", "reader")])
def test_server_that_the_caller_may_not_see_is_not_found(caller: Access) -> None:
    with pytest.raises(ServerNotFound, match="Instance s-1 could not be found"):
        require_server_access(caller, server("p"), ())


def test_server_without_a_project_is_hidden_from_callers_without_a_project() -> None:
    with pytest.raises(ServerNotFound):
        require_server_access(access(None, "member", "reader"), server(None), ())


def test_reader_sees_a_server_and_may_not_delete_it() -> None:
    require_server_access(access("p", "reader"), server("p"), ())
    with pytest.raises(Forbidden, match=DELETE):
        require_server_access(access("p", "reader"), server("p"), (DELETE,))
