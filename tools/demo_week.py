"""A week of bookings for the console: four projects share the machines of the demo."""

import datetime
import json

from demo_api import Api
from demo_fleet import fleet
from demo_output import heading

DATE = "%Y-%m-%d %H:%M"
PROJECTS = ("vision-lab", "storage", "hpc-course", "ci")
NAMES = ("cvpr run", "soak", "lab week", "nightly")
CLASSES = ("gpu", "compute", "storage", "compute")


def fill_week(api: Api) -> None:
    """Make every machine a host that leases can book, and book some of them."""
    heading("A week of bookings")
    for machine in fleet():
        api.call("POST", "/os-hosts", {"name": machine["name"]}, api="/reservation/v1")
    for machine in fleet():
        if machine["extra"]["place"] % 6 == 2:
            wanted = {"resource_class": machine["resource_class"], "candidate_nodes": [machine["name"]]}
            wanted |= {"name": f"train-{machine['name']}", "lifetime": 3600 * machine["extra"]["place"] * 7}
            api.call("POST", "/allocations", wanted, api="/dibs/v1")
    now = datetime.datetime.now(datetime.UTC)
    for number in range(24):
        kind = number % 4
        start = now + datetime.timedelta(minutes=2, hours=number * 5 % 130)
        _book(api, kind, start, hours=(10, 26, 44, 6)[kind], count=1 + number % 3)
    print(f"  60 machines can be booked; {', '.join(PROJECTS)} have leases")
    print(f"  Open {api.url}/ in a browser: the console shows who has what, and when", flush=True)


def _book(api: Api, kind: int, start: datetime.datetime, *, hours: int, count: int) -> None:
    hosts = {
        "resource_type": "physical:host",
        "min": 1,
        "max": count,
        "hypervisor_properties": "",
        "resource_properties": json.dumps(["==", "$resource_class", CLASSES[kind]]),
    }
    body = {
        "name": NAMES[kind],
        "start_date": start.strftime(DATE),
        "end_date": (start + datetime.timedelta(hours=hours)).strftime(DATE),
        "events": [],
        "reservations": [hosts],
    }
    api.call("POST", "/leases", body, api="/reservation/v1", project=PROJECTS[kind])
