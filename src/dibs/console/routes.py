"""Every page of the console."""

from dibs.console import signing
from dibs.console.exchange import View
from dibs.console.views import audit, bulk, capacity, changes, find, fleet, lease, mine, node, timeline
from dibs.http.routing import Route

ROUTES: tuple[Route[View], ...] = (
    Route(method="GET", path="/", handler=timeline.show),
    Route(method="GET", path="/timeline", handler=timeline.show),
    Route(method="GET", path="/find", handler=find.show),
    Route(method="GET", path="/fleet", handler=fleet.show),
    Route(method="POST", path="/fleet/preview", handler=bulk.preview),
    Route(method="POST", path="/fleet/apply", handler=bulk.apply),
    Route(method="GET", path="/nodes/{node}", handler=node.show),
    Route(method="GET", path="/audit", handler=audit.show),
    Route(method="GET", path="/capacity", handler=capacity.show),
    Route(method="GET", path="/changes", handler=changes.stream),
    Route(method="GET", path="/mine", handler=mine.show),
    Route(method="POST", path="/mine/calendar", handler=mine.create_calendar),
    Route(method="POST", path="/leases", handler=lease.create),
    Route(method="GET", path="/leases/{lease}", handler=lease.show),
    Route(method="POST", path="/leases/{lease}", handler=lease.change),
    Route(method="POST", path="/leases/{lease}/release", handler=lease.release),
    Route(method="POST", path="/allocations/{allocation}/renew", handler=mine.renew_allocation),
    Route(method="POST", path="/allocations/{allocation}/release", handler=mine.release_allocation),
    Route(method="GET", path="/sign-in", handler=signing.show_sign_in),
    Route(method="POST", path="/sign-in", handler=signing.sign_in),
    Route(method="POST", path="/sign-out", handler=signing.sign_out),
    Route(method="GET", path="/projects", handler=signing.show_projects),
    Route(method="POST", path="/projects", handler=signing.switch_project),
)

PUBLIC = frozenset({"/sign-in"})
"""Pages for users who have not signed in."""
