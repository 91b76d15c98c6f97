"""Measure Dibs, beside the original services where they do the same work: ``python -m bench [SECTION …] [--quick]``.

Prints Markdown on standard output and its progress on standard error.
"""

import argparse
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

from msgspec import Struct

from bench.baremetal import measure_baremetal, measure_fleet
from bench.claims import measure_claims
from bench.console import measure_console
from bench.curves import measure_allocation_queue, measure_calendar, measure_nodes, measure_processes
from bench.footprint import measure_footprint
from bench.history import YEAR, measure_history
from bench.lateness import measure_lateness
from bench.leases import measure_leases
from bench.placement import measure_placement
from bench.requests import measure_requests
from bench.tables import QUICK, THOROUGH, Effort, progress
from tests.bed.postgresql import binaries

EVERY_ENGINE = ("sqlite", "postgresql", "mariadb")


class Run(Struct, frozen=True, kw_only=True):
    """What a section measures with."""

    engine: str
    effort: Effort
    with_originals: bool
    events: int
    """The number of events of the history."""


class Section(Struct, frozen=True, kw_only=True):
    """A part of the output."""

    title: str
    measure: Callable[[Run], Iterator[str]]
    engines: tuple[str, ...] = ("sqlite",)
    quick: tuple[str, ...] | None = None
    """The engines of the quick run: the same for None; without any, the section runs only when it is named."""
    asked: bool = False
    """Whether it runs only when it is named."""


SECTIONS: Mapping[str, Section] = {
    "placement": Section(
        title="Dibs and Placement, two workers each",
        measure=lambda run: measure_placement(run.engine, run.effort, run.with_originals),
        engines=("postgresql",),
    ),
    "baremetal": Section(
        title="Dibs and Ironic, one process each",
        measure=lambda run: measure_baremetal(run.engine, run.effort, run.with_originals),
    ),
    "fleet": Section(title="A large fleet", measure=lambda run: measure_fleet(run.engine, run.effort)),
    "leases": Section(title="Leases", measure=lambda run: measure_leases(run.engine, run.effort)),
    "lateness": Section(
        title="Leases that start together",
        measure=lambda run: measure_lateness(run.engine),
        engines=("postgresql",),
        quick=(),
    ),
    "claims": Section(
        title="Claims and the bare driver",
        measure=lambda run: measure_claims(run.engine),
        engines=EVERY_ENGINE,
        quick=("postgresql",),
    ),
    "requests": Section(
        title="Requests",
        measure=lambda run: measure_requests(run.engine, run.effort),
        engines=EVERY_ENGINE,
        quick=(),
    ),
    "history": Section(title="A year of events", measure=lambda run: measure_history(run.engine, run.events), quick=()),
    "console": Section(title="The console", measure=lambda run: measure_console(run.engine)),
    "footprint": Section(title="Footprint", measure=lambda run: measure_footprint(), quick=()),
    "nodes": Section(
        title="Curve: nodes",
        measure=lambda run: measure_nodes(run.engine, run.effort),
        engines=("postgresql",),
        asked=True,
    ),
    "calendar": Section(
        title="Curve: leases",
        measure=lambda run: measure_calendar(run.engine, run.effort),
        engines=("postgresql",),
        asked=True,
    ),
    "processes": Section(
        title="Curve: API processes",
        measure=lambda run: measure_processes(run.engine, run.effort),
        engines=("postgresql",),
        asked=True,
    ),
    "queue": Section(
        title="Curve: queued allocations",
        measure=lambda run: measure_allocation_queue(run.engine, run.effort),
        engines=("postgresql",),
        asked=True,
    ),
}
CURVES = tuple(name for name, section in SECTIONS.items() if section.asked)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=(__doc__ or "").partition("``")[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"parts to run: {', '.join(SECTIONS)}")
    parser.add_argument("--quick", action="store_true", help="one short round of each row: about three minutes")
    parser.add_argument("--curves", action="store_true", help=f"the scale curves: {', '.join(CURVES)}")
    parser.add_argument("--engine", help="engines, separated by commas, instead of those of each section")
    parser.add_argument("--alone", action="store_true", help="measure Dibs without the original services")
    parser.add_argument("--events", type=int, default=YEAR, help="number of events of the history; a year by default")
    arguments = parser.parse_args()
    if unknown := set(arguments.sections) - set(SECTIONS):
        parser.error(f"unknown sections: {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    names = arguments.sections or [
        name
        for name, section in SECTIONS.items()
        if section.asked == arguments.curves and not (arguments.quick and section.quick == ())
    ]
    print(f"{describe()}\n\nCommand: `python -m bench {shlex.join(sys.argv[1:])}`".rstrip(), flush=True)
    for name in names:
        run_section(name, arguments)
    progress("done")


def run_section(name: str, arguments: argparse.Namespace) -> None:
    """Print one section for each of its engines."""
    section = SECTIONS[name]
    effort = QUICK if arguments.quick else THOROUGH
    engines = (section.quick if arguments.quick else None) or section.engines
    for engine in arguments.engine.split(",") if arguments.engine else engines:
        progress(f"{name}, {engine}")
        print(f"\n## {section.title} ({engine})", flush=True)
        run = Run(engine=engine, effort=effort, with_originals=not arguments.alone, events=arguments.events)
        for line in section.measure(run):
            print(line, flush=True)


def describe() -> str:
    """Return a line about the machine and the versions."""
    model = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    postgresql = subprocess.run([binaries() / "postgres", "--version"], capture_output=True, text=True).stdout.split()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    services = ", ".join(f"{name} {version(package)}" for name, package in _SERVICES.items())
    return (
        f"Machine: {os.cpu_count()} cores ({model.partition(':')[2].strip() or platform.machine()}), {memory:.0f} GB;"
        f" Python {platform.python_version()}; PostgreSQL {postgresql[2]}; {services};"
        f" commit {commit or 'unknown'}; load {os.getloadavg()[0]:.1f} at the start."
    )


_SERVICES = {"Dibs": "dibs", "Placement": "openstack-placement", "Ironic": "ironic"}

if __name__ == "__main__":
    main()
