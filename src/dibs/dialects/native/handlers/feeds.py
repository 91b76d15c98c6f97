"""The feed of a calendar. The token in the path is the credential: calendar programs cannot sign in.

An address that tries many unknown tokens is refused before the database is asked. A program that subscribes to a
deleted calendar asks a few times an hour, far below that limit.
"""

import hashlib
import threading

from dibs.access.access import SERVICE
from dibs.calendars.model.access import listed_leases
from dibs.calendars.model.calendars import FEED_SUFFIX, FEEDS_PREFIX, Calendar, digest_of
from dibs.calendars.model.icalendar import CONTENT_TYPE, encode
from dibs.calendars.operations.feeds import ReadFeed, find_calendar, read_feed
from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.exchange import Exchange
from dibs.http.edge.guards.attempts import Attempts
from dibs.http.exchange import empty_answer
from dibs.http.messages import Response
from dibs.machines.model.errors import NodeNotFound

NOUN = FEEDS_PREFIX.split("/")[-2]

_GONE = "There is no such calendar, or it was deleted."
_ATTEMPTS = Attempts()
_LOCK = threading.Lock()


def show_feed(exchange: Exchange) -> Response:
    """GET /v1/feeds/{feed}"""
    calendar = _find(exchange)
    services = exchange.services
    command = ReadFeed(calendar=calendar, lease_projects=listed_leases(services.lease_policy.access(calendar.creator)))
    try:
        feed = services.runner.read(read_feed, services.policy.access(calendar.creator), command)
    except NodeNotFound:
        raise Refusal(404, _GONE) from None
    body = encode(feed)
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = (("etag", tag), ("cache-control", "private, no-cache"))
    if _has(exchange.request.headers.get("if-none-match", ""), tag):
        return empty_answer(304, headers)
    return Response(200, body, (("content-type", CONTENT_TYPE), *headers))


def _find(exchange: Exchange) -> Calendar:
    """Return the calendar that the token opens; raise 404 when there is none, and 429 after many such attempts."""
    address = exchange.request.address
    with _LOCK:
        seconds = _ATTEMPTS.wait_seconds(address, "")
    if seconds:
        retry = (("retry-after", str(seconds)),)
        raise Refusal(429, f"Too many unknown calendars. Please try again in {seconds} seconds.", retry)
    token = exchange.arguments["feed"].removesuffix(FEED_SUFFIX)
    calendar = exchange.services.runner.read(find_calendar, SERVICE, digest_of(token))
    if calendar is None:
        with _LOCK:
            _ATTEMPTS.failed(address, "")
        raise Refusal(404, _GONE)
    return calendar


def _has(header: str, tag: str) -> bool:
    """Return True when an If-None-Match header names the tag."""
    return any(each.strip().removeprefix("W/") in (tag, "*") for each in header.split(","))
