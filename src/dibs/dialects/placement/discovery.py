"""Version discovery, which needs no authentication."""

from dibs.dialects.placement.exchange import Exchange, json_answer
from dibs.dialects.placement.microversions import MAXIMUM, MINIMUM, version_text
from dibs.http.messages import Response


def show_versions(exchange: Exchange) -> Response:
    """GET /

    Quirk: the link to the version is empty, which means the URL of this document.
    """
    version = {
        "id": f"v{version_text(MINIMUM[1])}",
        "max_version": version_text(MAXIMUM[1]),
        "min_version": version_text(MINIMUM[1]),
        "status": "CURRENT",
        "links": [{"rel": "self", "href": ""}],
    }
    return json_answer(exchange, {"versions": [version]}, modified=exchange.now())
