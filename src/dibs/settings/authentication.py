"""How callers of the APIs and users of the console authenticate, as the settings say."""

from dibs.http.auth import Authenticator
from dibs.http.auth.basic import BasicAuth
from dibs.http.auth.noauth import NoAuth
from dibs.http.auth.sessions import BasicSignIn, NoSignIn, SignIn, SiteKey
from dibs.http.edge.binding import is_loopback
from dibs.settings.fields import Settings


def authenticator_from(settings: Settings) -> Authenticator:
    """Return the authenticator of the configured method."""
    if settings.auth == "http_basic":
        return BasicAuth(settings.auth_file)
    if settings.auth == "keystone":
        from dibs.http.auth.keystone import KeystoneAuth, ServiceUser

        user = ServiceUser(
            username=settings.keystone_username,
            password=settings.keystone_password,
            project=settings.keystone_project,
            user_domain=settings.keystone_user_domain,
            project_domain=settings.keystone_project_domain,
        )
        return KeystoneAuth(settings.keystone_url, user)
    return NoAuth()


def has_console(settings: Settings) -> bool:
    """Return whether a server has a console: without authentication, every browser that reaches it administers it."""
    return settings.auth != "noauth" or (not settings.address.path and is_loopback(settings.address))


def sign_in_from(settings: Settings, site_key: SiteKey) -> SignIn:
    """Return the way in which users of the console sign in."""
    seconds = int(settings.console_session_hours * 3600)
    if settings.auth == "http_basic":
        return BasicSignIn(BasicAuth(settings.auth_file), site_key, seconds)
    if settings.auth == "keystone":
        from dibs.http.auth.keystone_sessions import KeystoneSignIn

        return KeystoneSignIn(settings.keystone_url, authenticator_from(settings), seconds)
    return NoSignIn()
