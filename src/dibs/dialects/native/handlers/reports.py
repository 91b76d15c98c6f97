"""Reports: how long projects had nodes."""

from collections.abc import Mapping

from dibs.access.access import EVERY_PROJECT
from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.exchange import Exchange, json_answer
from dibs.dialects.native.times import render_time
from dibs.documents.json_schema import Schema
from dibs.events.model.access import visible_events
from dibs.http.messages import Response
from dibs.reports.operations.utilisation import ReportUtilisation, report_utilisation

WEEKS_DEFAULT = 4
WEEKS_MAX = 53

QUERY: Mapping[str, Schema] = {
    "weeks": {
        "type": "string",
        "pattern": "^[1-9][0-9]?$",
        "description": f"Number of weeks, of which the current one is the last; at most {WEEKS_MAX}.",
    },
    "project": {"type": "string", "maxLength": 255, "description": "Only this project."},
}


def show_utilisation(exchange: Exchange) -> Response:
    """GET /v1/reports/utilisation"""
    visible = visible_events(exchange.access)
    asked = exchange.query(QUERY)
    projects = visible_events(exchange.access, asked["project"]) if "project" in asked else visible
    weeks = int(asked.get("weeks", WEEKS_DEFAULT))
    if weeks > WEEKS_MAX:
        raise Refusal(400, f"The query parameter weeks must be from 1 to {WEEKS_MAX}.")
    command = ReportUtilisation(projects=projects, weeks=weeks, with_totals=visible is EVERY_PROJECT)
    since, rows = exchange.read(report_utilisation, command)
    return json_answer(
        {
            "since": render_time(since),
            "utilisation": [
                {
                    "week": (render_time(row.week) or "")[:10],
                    "resource_class": row.resource_class,
                    "project": row.project,
                    "node_hours": row.node_hours,
                    "nodes": row.nodes,
                    "share": row.share,
                }
                for row in rows
            ],
        }
    )
