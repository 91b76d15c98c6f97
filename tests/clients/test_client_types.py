"""The types of the client as a user's type checker sees them: mypy accepts correct programs and rejects wrong ones."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

CORRECT = """
from datetime import UTC, datetime

from dibs.client import Allocation, Dibs, Lease, Node, Progress, hosts
from dibs.client.errors import ConnectionFailed, DibsError, NotFound

dibs = Dibs.connect("http://127.0.0.1:8780")


def tell(progress: Progress) -> None:
    print(progress.text, progress.seconds)


try:
    with dibs.allocations.borrowed("gold", traits=["CUSTOM_A"], wait_seconds=60, keep_alive=30, progress=tell) as mine:
        node: Node = dibs.nodes.get(mine[0].node_id or "")
except (ConnectionFailed, NotFound) as error:
    problem: DibsError = error
made: Allocation = dibs.allocations.create("gold", name="build-7", traits={"CUSTOM_A"}, extra={"job": 7}, sticky=True)
names: list[str] = [each.name for each in dibs.allocations.list(state="active")]
free: list[str] = [each.id for each in dibs.nodes.list(traits=("CUSTOM_A",), associated=False, limit=10)]
held: str = dibs.reservations.create(["rack1-01"], seconds=60).expires_at
if not dibs.why("gold", traits=["CUSTOM_A"], count=2):
    two = hosts(2, properties=["==", "$rack", "r1"])
    lease: Lease = dibs.leases.create("training", datetime(2090, 1, 1, tzinfo=UTC), [two])
    dibs.leases.update(lease.id, end="2090-01-02 10:00")
"""

WRONG = """
from dibs.client import Dibs, hosts

dibs = Dibs.connect()
dibs.nodes.list(trait=["CUSTOM_A"])  # E: call-arg
dibs.nodes.list(traits="CUSTOM_A")  # E: arg-type
dibs.nodes.list(associated="no")  # E: arg-type
dibs.allocations.list(state="ready")  # E: arg-type
dibs.allocations.list(status="active")  # E: call-arg
dibs.allocations.create("gold", traits="CUSTOM_A")  # E: arg-type
dibs.allocations.create("gold", wait="1h")  # E: call-arg
dibs.allocations.create_many("gold", "2")  # E: arg-type
dibs.allocations.borrowed("gold", keep_alive="5m")  # E: arg-type
dibs.allocations.retry("mine", wait=5)  # E: call-arg
dibs.reservations.create("rack1-01")  # E: arg-type
dibs.reservations.create(["rack1-01"], ttl=60)  # E: call-arg
dibs.leases.update("training", until="2090-01-01 10:00")  # E: call-arg
dibs.leases.why("2090-01-01 10:00", hosts(properties="rack"))  # E: arg-type
dibs.why("gold", traits="CUSTOM_A")  # E: arg-type
dibs.why("gold", number=2)  # E: call-arg
"""


def test_correct_programs_are_accepted_and_wrong_ones_rejected(tmp_path: Path) -> None:
    programs = {"correct.py": CORRECT, "wrong.py": WRONG}
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
    # The project's own configuration and cache: without them, mypy reads all of openstacksdk again.
    command = [sys.executable, "-m", "mypy", "--strict", *(tmp_path / name for name in programs)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    found = re.findall(r"(correct|wrong)\.py:(\d+): error: .*\[(\S+)\]$", done.stdout, re.MULTILINE)
    expected = [
        ("wrong", str(number), line.rpartition("# E: ")[2])
        for number, line in enumerate(WRONG.splitlines(), 1)
        if "# E: " in line
    ]
    assert found == expected, done.stdout + done.stderr
