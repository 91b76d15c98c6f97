"""Every URL of the native dialect."""

from dibs.dialects.native import allocations, audit, events, keeping, lease_availability, responses, why
from dibs.dialects.native.exchange import Exchange, Handler, json_answer
from dibs.dialects.native.handlers import webhooks
from dibs.http.messages import Response
from dibs.http.routing import Route


def show_versions(exchange: Exchange) -> Response:
    """GET / and GET /v1"""
    link = {"rel": "self", "href": f"{exchange.request.base_url}/v1"}
    return json_answer({"versions": [{"id": "v1", "status": "CURRENT", "links": [link]}]})


ROUTES: tuple[Route[Handler], ...] = (
    Route(
        method="GET",
        path="/",
        handler=show_versions,
        summary="List versions",
        statuses={200: "versions"},
        answer=responses.VERSIONS,
    ),
    Route(
        method="GET",
        path="/v1",
        handler=show_versions,
        summary="Show this version",
        statuses={200: "versions"},
        answer=responses.VERSIONS,
    ),
    Route(
        method="GET",
        path="/v1/allocations",
        handler=allocations.list_allocations,
        summary="List allocations",
        query=allocations.QUERY,
        statuses={200: "allocations, oldest first"},
        answer=responses.ALLOCATIONS,
    ),
    Route(
        method="POST",
        path="/v1/allocations",
        handler=allocations.create_allocations,
        summary="Create an allocation, or a batch of them",
        body=allocations.NEW,
        statuses={201: "allocating; poll for the outcome"},
        answer=responses.ALLOCATIONS,
    ),
    Route(
        method="GET",
        path="/v1/allocations/{allocation}",
        handler=allocations.show_allocation,
        summary="Show an allocation",
        statuses={200: "allocation"},
        answer=responses.ALLOCATION,
    ),
    Route(
        method="POST",
        path="/v1/allocations/{allocation}/retry",
        handler=allocations.retry_allocation,
        summary="Retry a failed allocation, and all of its batch",
        body=allocations.RETRY,
        statuses={202: "allocating"},
        answer=responses.ALLOCATION,
    ),
    Route(
        method="POST",
        path="/v1/allocations/{allocation}/heartbeat",
        handler=allocations.record_heartbeat,
        summary="Keep an allocation alive, and all of its batch",
        body=allocations.HEARTBEAT,
        statuses={200: "allocation; in state error when it has ended"},
        answer=responses.ALLOCATION,
    ),
    Route(
        method="POST",
        path="/v1/allocations/{allocation}/renew",
        handler=allocations.renew_allocation,
        summary="Give an allocation another end",
        body=allocations.RENEW,
        statuses={200: "allocation"},
        answer=responses.ALLOCATION,
    ),
    Route(
        method="GET",
        path="/v1/allocations/{allocation}/latest-end",
        handler=keeping.show_of_allocation,
        summary="Show how long an allocation can be kept at most",
        statuses={200: "the end, the latest end that a renewal can give, and what limits it"},
        answer=responses.LATEST_END,
    ),
    Route(
        method="GET",
        path="/v1/leases/{lease}/latest-end",
        handler=keeping.show_of_lease,
        summary="Show how long a lease can be kept at most",
        statuses={200: "the end, the latest end with the hosts that it has, and what limits it"},
        answer=responses.LATEST_END,
    ),
    Route(
        method="GET",
        path="/v1/why",
        handler=why.explain,
        summary="Explain why nodes are not available, and when they will be",
        query=why.QUERY,
        required_query=("resource_class",),
        statuses={200: "whether enough nodes are free, how many, and the reasons against the others"},
        answer=responses.WHY,
    ),
    Route(
        method="GET",
        path="/v1/leases/availability",
        handler=lease_availability.explain,
        summary="Explain whether a lease is possible, and from when on",
        query=lease_availability.QUERY,
        required_query=("end",),
        statuses={200: "whether enough hosts are free, why not, and the earliest start"},
        answer=responses.AVAILABILITY,
    ),
    Route(
        method="GET",
        path="/v1/audit",
        handler=audit.list_events,
        summary="List changes: of whom, when, of what, and from which request",
        query=audit.QUERY,
        statuses={200: "events, newest first"},
        answer=responses.EVENTS,
    ),
    Route(
        method="GET",
        path="/v1/events",
        handler=events.stream_events,
        summary="Stream changes as server-sent events",
        query=events.QUERY,
        statuses={200: "messages, one for each event, until the client closes the connection"},
        answer=responses.MESSAGES,
        answer_type="text/event-stream",
    ),
    Route(
        method="GET",
        path="/v1/webhooks",
        handler=webhooks.list_webhooks,
        summary="List webhooks",
        query=webhooks.QUERY,
        statuses={200: "webhooks, oldest first"},
        answer=responses.WEBHOOKS,
        refusals=(404,),
    ),
    Route(
        method="POST",
        path="/v1/webhooks",
        handler=webhooks.create_webhook,
        summary="Send events to a URL",
        body=webhooks.NEW,
        statuses={201: "webhook, with the secret that signs its messages; it is shown only once"},
        answer=responses.NEW_WEBHOOK,
    ),
    Route(
        method="GET",
        path="/v1/webhooks/{webhook}",
        handler=webhooks.show_webhook,
        summary="Show a webhook",
        statuses={200: "webhook"},
        answer=responses.WEBHOOK,
    ),
    Route(
        method="DELETE",
        path="/v1/webhooks/{webhook}",
        handler=webhooks.delete_webhook,
        summary="Delete a webhook",
        statuses={204: "deleted"},
    ),
    Route(
        method="GET",
        path="/v1/webhooks/{webhook}/deliveries",
        handler=webhooks.list_deliveries,
        summary="List the deliveries of a webhook, with the reasons of those that failed",
        query=webhooks.DELIVERIES_QUERY,
        statuses={200: "deliveries, newest first"},
        answer=responses.DELIVERIES,
    ),
)
