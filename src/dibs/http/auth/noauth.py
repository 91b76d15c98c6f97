"""Trust the headers of the request: for loopback and tests."""

from collections.abc import Mapping

from dibs.access.actor import Actor
from dibs.http.auth import Refusal, split_roles, with_implied_roles

SYSTEM_ADMIN = Actor(user="admin", roles=with_implied_roles({"admin"}), system_scope=True)

_ADMIN_TOKENS = frozenset({"admin", "notused"})
"""``admin`` as in Placement's noauth2; ``notused`` is what keystoneauth's ``none`` plug-in sends."""


class NoAuth:
    """Trusts the token or the identity headers."""

    credential_headers = ()
    threads = 1
    remembered_seconds = 0.0

    def edition(self) -> object:
        """See Authenticator."""
        return None

    def claimed_name(self, headers: Mapping[str, str]) -> str:
        """See Authenticator."""
        return ""

    def authenticate(self, headers: Mapping[str, str], *, anonymous_is_admin: bool) -> Actor | Refusal:
        """See Authenticator."""
        token = headers.get("x-auth-token", "")
        if anonymous_is_admin and token in _ADMIN_TOKENS:
            return SYSTEM_ADMIN
        if anonymous_is_admin and (not token or _names_no_caller(token, headers)):
            return _named_by_headers(headers)
        if not token:
            return Refusal(401, "Authentication required")
        return _named_by_token(token, headers)


def _names_no_caller(token: str, headers: Mapping[str, str]) -> bool:
    """Return True for a token that is only there because the client needs one, such as OS_TOKEN=fake-token.

    Ironic's noauth ignores the token; a token ``user:project`` or roles in X-Roles still name a caller here.
    """
    return ":" not in token and "x-roles" not in headers


def _named_by_token(token: str, headers: Mapping[str, str]) -> Actor:
    """Return the caller that a token names.

    Quirk: as in Placement's noauth2, the token is ``user:project``, the user "admin" has the admin role, other roles
    come only from X-Roles, and the scope is a project unless OpenStack-System-Scope is set.
    """
    user, _, project = token.partition(":")
    if user in _ADMIN_TOKENS:
        user = "admin"
    roles = headers.get("x-roles")
    system_scope = bool(headers.get("openstack-system-scope"))
    return Actor(
        user=user,
        project=None if system_scope else headers.get("x-project-id") or project or user,
        roles=_roles_of(user) if roles is None else split_roles(roles),
        system_scope=system_scope,
    )


def _roles_of(user: str) -> frozenset[str]:
    return SYSTEM_ADMIN.roles if user == SYSTEM_ADMIN.user else frozenset()


def _named_by_headers(headers: Mapping[str, str]) -> Actor:
    """Return the system admin, or the caller that the identity headers describe."""
    project = headers.get("x-project-id") or None
    roles = headers.get("x-roles")
    return Actor(
        user=headers.get("x-user-id") or SYSTEM_ADMIN.user,
        project=project,
        roles=SYSTEM_ADMIN.roles if roles is None else split_roles(roles),
        system_scope=project is None,
    )
