"""``dibs calendar …``."""

import httpx

from tests.bed.session import Bed
from tests.cli.run_dibs import run


def test_calendar_is_created_subscribed_to_listed_and_deleted(bed: Bed) -> None:
    url = bed.shared_server("sqlite").url
    made = run("calendar", "create", "--project", "p1", "-f", "json", url=url).json
    feed = httpx.get(made["url"], headers={"accept": "text/calendar"})
    assert (feed.status_code, feed.text.splitlines()[0]) == (200, "BEGIN:VCALENDAR")
    assert httpx.get(made["url"], headers={"if-none-match": feed.headers["etag"]}).status_code == 304
    listed = run("calendar", "list", "-f", "json", url=url).json
    assert {name: value for name, value in made.items() if name != "url"} in listed
    run("calendar", "delete", made["uuid"], url=url)
    assert made["uuid"] not in [row["uuid"] for row in run("calendar", "list", "-f", "json", url=url).json]
    assert httpx.get(made["url"]).status_code == 404


def test_unknown_node_is_an_error(bed: Bed) -> None:
    ended = run("calendar", "create", "--node", "rack9", url=bed.shared_server("sqlite").url)
    assert ended.code
    assert "rack9" in ended.err
