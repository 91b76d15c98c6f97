"""A lease: book it, show it, change its end, and release it."""

from dibs.allocations.operations.schedules import LeasedNode, ListNodesOfLeases, list_nodes_of_leases
from dibs.console import pages
from dibs.console.answers import find_answer, offers_of_extension
from dibs.console.booking import read_request
from dibs.console.errors import Refusal, status_of
from dibs.console.exchange import Exchange
from dibs.console.views.reading import node_attributes
from dibs.http.messages import Response
from dibs.integrations.flavors import with_external_flavors
from dibs.integrations.leasing import create_approved, update_approved
from dibs.leases.model.access import require_in_own_project
from dibs.leases.model.errors import LeaseTooLong, NotEnoughHosts
from dibs.leases.model.leases import TERMINATED
from dibs.leases.operations.leases import DeleteLease, GetLease, delete_lease, get_lease
from dibs.leases.operations.updates import UpdateLease

CHANGED = (("hx-trigger", "bookings-changed"),)
"""Makes the timeline on the page of the browser load its rows again."""


def create(exchange: Exchange) -> Response:
    """POST /leases. A refusal shows the reasons at that moment, and offers: another user may have been faster."""
    exchange.check_form()
    request = read_request(exchange, exchange.form)
    require_in_own_project(exchange.leases, "blazar:leases:post")
    services = exchange.services
    command = with_external_flavors(request.lease(services.lease_rules), exchange.leases, services.find_flavor)
    try:
        lease = create_approved(services.runner, exchange.leases, command, services.enforcement)
    except NotEnoughHosts:
        return exchange.page(
            "panel.html" if exchange.is_part else "find.html",
            200 if exchange.is_part else 409,
            request=request,
            fields=request.fields(exchange.zone),
            answer=find_answer(exchange, request),
            command=request.command,
        )
    services.wake()
    return _done(exchange, lease.uuid, "booked")


def show(exchange: Exchange) -> Response:
    """GET /leases/{lease}; ``end`` proposes another end, as dragging the edge of a bar does."""
    return _page(exchange, exchange.arguments["lease"], done=exchange.query.get("done", ""))


def change(exchange: Exchange) -> Response:
    """POST /leases/{lease}"""
    exchange.check_form()
    uuid = exchange.arguments["lease"]
    services = exchange.services
    if not exchange.form.get("end"):
        raise Refusal(400, "Enter the new end.")
    end = exchange.zone.read(exchange.form["end"], "the end")
    command = UpdateLease(uuid=uuid, end_at=end, rules=services.lease_rules)
    try:
        update_approved(services.runner, exchange.leases, command, services.enforcement)
    except (NotEnoughHosts, LeaseTooLong) as refused:
        return _page(exchange, uuid, problem=str(refused), status=status_of(refused))
    services.wake()
    return _done(exchange, uuid, "changed")


def release(exchange: Exchange) -> Response:
    """POST /leases/{lease}/release"""
    exchange.check_form()
    exchange.write(delete_lease, exchange.leases, DeleteLease(uuid=exchange.arguments["lease"]))
    if exchange.is_part:
        return _with_changed(exchange.page("released.html"))
    return pages.redirect(exchange.url("/mine", done="released"))


def _done(exchange: Exchange, uuid: str, done: str) -> Response:
    if exchange.is_part:
        return _with_changed(_page(exchange, uuid, done=done))
    return pages.redirect(exchange.url(f"/leases/{uuid}", done=done))


def _page(exchange: Exchange, uuid: str, *, done: str = "", problem: str = "", status: int = 200) -> Response:
    lease = exchange.read(get_lease, exchange.leases, GetLease(uuid=uuid))
    nodes = exchange.read(list_nodes_of_leases, exchange.machines, ListNodesOfLeases(leases=(uuid,)))
    booked = nodes.get(uuid, [])
    proposed = exchange.query.get("end") or exchange.form.get("end")
    end = exchange.zone.read(proposed, "the end") if proposed else lease.end_at
    return exchange.page(
        "lease_panel.html" if exchange.is_part else "lease.html",
        200 if exchange.is_part else status,
        lease=lease,
        nodes=booked,
        end=end,
        ended=lease.status == TERMINATED,
        done=done,
        problem=problem,
        offers=offers_of_extension(exchange, lease, _classes(exchange, booked), end) if problem else [],
        command=f"dibs lease show {uuid}",
    )


def _classes(exchange: Exchange, booked: list[LeasedNode]) -> list[str]:
    """Return the class of each node that the lease has, without those that have none."""
    attributes = node_attributes(exchange, tuple(node.uuid for node in booked), "resource_class")
    return [value for value in attributes.values() if value]


def _with_changed(response: Response) -> Response:
    return Response(response.status, response.body, (*response.headers, *CHANGED))
