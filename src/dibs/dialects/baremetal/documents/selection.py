"""Which attributes a request selects: ``fields=`` and ``detail=``."""

from dibs.dialects.baremetal.errors import bad_request
from dibs.dialects.baremetal.query import Query

FIELDS_SINCE = 8
DETAIL_SINCE = 43


def asks_for_detail(query: Query, minor: int, since: int = DETAIL_SINCE) -> bool:
    """Return True for ``detail=true``, which excludes ``fields=``; ``since`` is the first version of the parameter."""
    detail = query.flag("detail")
    if detail is not None and minor < since:
        raise bad_request(f"Invalid query parameter ?detail={detail} received.")
    if detail and "fields" in query:
        raise bad_request("Can not specify ?detail=True and fields in the same request.")
    return bool(detail)
