"""Every URL of the native dialect."""

from dibs.dialects.native import allocations, lease_question, why
from dibs.dialects.native.exchange import Exchange, Handler, json_answer
from dibs.http.messages import Response
from dibs.http.routing import Route


def show_versions(exchange: Exchange) -> Response:
    """GET / and GET /v1"""
    link = {"rel": "self", "href": f"{exchange.request.base_url}/v1"}
    return json_answer({"versions": [{"id": "v1", "status": "CURRENT", "links": [link]}]})


ROUTES: tuple[Route[Handler], ...] = (
    Route(method="GET", path="/", handler=show_versions, summary="Versions", statuses={200: "versions"}),
    Route(method="GET", path="/v1", handler=show_versions, summary="This version", statuses={200: "versions"}),
    Route(
        method="GET",
        path="/v1/allocations",
        handler=allocations.list_allocations,
        summary="List allocations",
        query=allocations.QUERY,
        statuses={200: "allocations, the oldest first"},
    ),
    Route(
        method="POST",
        path="/v1/allocations",
        handler=allocations.create_allocations,
        summary="Ask for one node or for several at once, waiting for them or not",
        body=allocations.NEW,
        statuses={201: "asked for; look again for what came of it"},
    ),
    Route(
        method="GET",
        path="/v1/allocations/{allocation}",
        handler=allocations.show_allocation,
        summary="Show an allocation",
        statuses={200: "allocation"},
    ),
    Route(
        method="POST",
        path="/v1/allocations/{allocation}/retry",
        handler=allocations.retry_allocation,
        summary="Try an allocation that failed once more, with all that were asked for together with it",
        body=allocations.RETRY,
        statuses={202: "allocating"},
    ),
    Route(
        method="GET",
        path="/v1/why",
        handler=why.explain,
        summary="Why can I not have a node, and when could I",
        query=why.QUERY,
        statuses={200: "whether there are enough, how many are free, and why the others are not"},
    ),
    Route(
        method="GET",
        path="/v1/leases/availability",
        handler=lease_question.explain,
        summary="Why can I not have a lease, and when could I",
        query=lease_question.QUERY,
        statuses={200: "whether there are enough hosts, why not, and the earliest start at which there are"},
    ),
)
