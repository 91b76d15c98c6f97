"""Capacity: how many nodes of each class were, are and will be taken."""

from dibs.access.machine_policy import listed_projects
from dibs.allocations.operations.schedules import ShowCapacity, show_capacity
from dibs.console.exchange import Exchange
from dibs.console.times import DAY, HOUR, SECOND
from dibs.http.messages import Response

STEP_HOURS = 6
DAYS = 30
STEPS = DAYS * 24 // STEP_HOURS
STEPS_OF_WEEK = 7 * DAY // (STEP_HOURS * HOUR)


def show(exchange: Exchange) -> Response:
    """GET /capacity"""
    projects = listed_projects(exchange.machines, "node")
    command = ShowCapacity(projects=projects, step=STEP_HOURS * HOUR, count=STEPS, before=STEPS)
    classes = exchange.read(show_capacity, exchange.machines, command)
    past = len(classes[0].before) if classes else 0
    return exchange.page(
        "capacity.html",
        classes=classes,
        start=(exchange.now - past * STEP_HOURS * HOUR) // SECOND,
        now_at=exchange.now // SECOND,
        past=past * STEP_HOURS * HOUR,
        step=STEP_HOURS * HOUR // SECOND,
        days=DAYS,
        week=STEPS_OF_WEEK,
        command="dibs report; dibs why --resource-class CLASS",
    )
