"""Access to servers: which caller sees a server, and may change it."""

from collections.abc import Iterable

from dibs.access.access import Access
from dibs.access.compute_policy import SHOW_SERVER
from dibs.servers.model.errors import ServerNotFound
from dibs.servers.model.servers import Server


def require_server_access(access: Access, server: Server, rules: Iterable[str]) -> None:
    """Raise ServerNotFound when the caller may not see the server, Forbidden when one of the rules denies the rest.

    A server of another project is hidden: a 403 would tell the caller that it exists.
    """
    # A server without a project must not match a caller without a project, so the name is left out of the target.
    target = {"project_id": server.project_id} if server.project_id else {}
    if not access.allows(SHOW_SERVER, target):
        raise ServerNotFound(server=server.uuid)
    for rule in rules:
        access.require(rule, target)
