"""The URLs of the dialect."""

import json

from dibs.http.openapi import build_document
from tests.dialects.native.conversation import Conversation


def test_openapi_document_has_every_path(ask: Conversation) -> None:
    paths = build_document([ask.dialect])["paths"]
    assert set(paths) == {
        "/dibs",
        "/dibs/v1",
        "/dibs/v1/allocations",
        "/dibs/v1/allocations/{allocation}",
        "/dibs/v1/allocations/{allocation}/heartbeat",
        "/dibs/v1/allocations/{allocation}/latest-end",
        "/dibs/v1/allocations/{allocation}/renew",
        "/dibs/v1/allocations/{allocation}/retry",
        "/dibs/v1/audit",
        "/dibs/v1/events",
        "/dibs/v1/leases/availability",
        "/dibs/v1/leases/{lease}/latest-end",
        "/dibs/v1/maintenance",
        "/dibs/v1/maintenance/{maintenance}",
        "/dibs/v1/nodes/{node}/history",
        "/dibs/v1/leases/{lease}/release",
        "/dibs/v1/reports/utilisation",
        "/dibs/v1/calendars",
        "/dibs/v1/calendars/{calendar}",
        "/dibs/v1/feeds/{feed}",
        "/dibs/v1/webhooks",
        "/dibs/v1/webhooks/{webhook}",
        "/dibs/v1/webhooks/{webhook}/deliveries",
        "/dibs/v1/webhooks/{webhook}/enable",
        "/dibs/v1/quotas",
        "/dibs/v1/quotas/{project}",
        "/dibs/v1/shares",
        "/dibs/v1/shares/{project}",
        "/dibs/v1/why",
        "/dibs/v1/why/candidates",
        "/dibs/v1/why/nodes",
    }
    assert "count" in json.dumps(paths["/dibs/v1/allocations"]["post"]["requestBody"])
