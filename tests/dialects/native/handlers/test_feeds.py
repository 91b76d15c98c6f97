"""The feed of a calendar over HTTP: its token is the only credential."""

from urllib.parse import urlsplit

import icalendar
import pytest

from dibs.calendars.model.calendars import feed_path
from dibs.dialects.native import Native
from dibs.dialects.native.handlers import feeds
from dibs.http.auth import ANONYMOUS
from dibs.http.edge.guards.attempts import Attempts
from dibs.http.edge.guards.limits import FAILED_CHECKS_MAX, FAILED_CHECKS_WINDOW_SECONDS
from dibs.http.edge.logs import loggable_path
from tests.builders import Ledger, trusted
from tests.dialects.conversation import Answer, send
from tests.dialects.native.conversation import Conversation, person
from tests.lease_builders import lease, make_host, whole

UNKNOWN = feed_path("x" * 43)


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of the counter of unknown tokens."""
    moment = [0.0]
    monkeypatch.setattr(feeds, "_ATTEMPTS", Attempts(lambda: moment[0]))
    return moment


def subscribe(ask: Conversation) -> str:
    """Create a calendar of project p1; return the path of its feed."""
    made = ask("POST", "/v1/calendars", {}, actor=person("member"))[1]
    return urlsplit(made["url"]).path.removeprefix("/dibs")


def read(ask: Conversation, path: str, **headers: str) -> Answer:
    """Read a feed without credentials."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return send(ask.dialect, "GET", path, actor=ANONYMOUS, headers=named)


def test_feed_is_read_with_its_token_alone(ask: Conversation, ledger: Ledger) -> None:
    make_host(ledger)
    made = lease(ledger, 1, 2, whole(), access=trusted(user="eva", project="p1"), name="training")
    answer = read(ask, subscribe(ask))
    assert (answer.status, answer.headers["content-type"]) == (200, "text/calendar; charset=utf-8")
    (event,) = icalendar.Calendar.from_ical(answer.body).walk("VEVENT")
    assert (event["UID"], event["SUMMARY"]) == (f"{made.uuid}@dibs", "training")


def test_unchanged_feed_is_not_sent_again(ask: Conversation, ledger: Ledger) -> None:
    path = subscribe(ask)
    tag = read(ask, path).headers["etag"]
    ledger.clock.move(60)
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = read(ask, path, if_none_match=known)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    make_host(ledger)
    lease(ledger, 1, 2, whole(), access=trusted(user="eva", project="p1"))
    assert read(ask, path, if_none_match=tag).status == 200


def test_deleted_calendar_shows_nothing(ask: Conversation) -> None:
    path = subscribe(ask)
    (made,) = ask("GET", "/v1/calendars", actor=person("member"))[1]["calendars"]
    ask("DELETE", f"/v1/calendars/{made['uuid']}", actor=person("member"))
    answer = read(ask, path)
    assert answer.status == 404
    assert path.encode() not in answer.body


def test_address_that_tries_many_unknown_tokens_must_wait(ask: Conversation, now: list[float]) -> None:
    path = subscribe(ask)
    for _ in range(FAILED_CHECKS_MAX):
        assert read(ask, UNKNOWN).status == 404
    before = ask.ledger.store.statistics.statements
    refused = read(ask, UNKNOWN)
    assert (refused.status, refused.headers["retry-after"]) == (429, str(FAILED_CHECKS_WINDOW_SECONDS + 1))
    assert ask.ledger.store.statistics.statements == before
    now[0] += FAILED_CHECKS_WINDOW_SECONDS + 1
    assert read(ask, path).status == 200


def test_only_feeds_and_discovery_need_no_authentication() -> None:
    public = Native.public_paths
    assert UNKNOWN in public
    for path in ("/v1/feeds", "/v1/calendars", "/v1/calendars/x", "/v1/webhooks", "/v2"):
        assert path not in public


@pytest.mark.parametrize("noun", ["feeds", "fee%64s"])
def test_log_has_no_token(ask: Conversation, noun: str) -> None:
    assert loggable_path(f"/dibs/v1/{noun}/secret.ics".encode(), ask.dialect) == f"/dibs/v1/{noun}/***"
