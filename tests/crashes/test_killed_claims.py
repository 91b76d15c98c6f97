"""``kill -9`` during claims of many consumers leaves only complete transactions."""

import http.client
import json
import random
import threading
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.bed.dibs_server import DibsServer
from tests.bed.waiting import eventually
from tests.laws import read_tables

PROVIDERS, CONSUMERS, EACH = 4, 8, 6


class Placement:
    """One connection to the placement dialect, for one thread."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {
            "X-Auth-Token": "admin",
            "OpenStack-API-Version": "placement 1.27",
            "Content-Type": "application/json",
        }
        self.connection.request(method, f"/placement{path}", None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content else None

    def allocate(self, *requests: tuple[str, dict[str, int]]) -> tuple[int, Any]:
        """Replace the VCPU claims of consumers by these amounts per provider (POST /allocations)."""
        body = {
            consumer: {
                "allocations": {one: {"resources": {"VCPU": amount}} for one, amount in amounts.items()},
                "project_id": "p",
                "user_id": "u",
            }
            for consumer, amounts in requests
        }
        return self.ask("POST", "/allocations", body)


def make_providers(placement: Placement) -> list[str]:
    made = [str(uuid.uuid4()) for _ in range(PROVIDERS)]
    for one in made:
        assert placement.ask("POST", "/resource_providers", {"name": one, "uuid": one})[0] == 200
        inventories = {"resource_provider_generation": 0, "inventories": {"VCPU": {"total": 1000}}}
        assert placement.ask("PUT", f"/resource_providers/{one}/inventories", inventories)[0] == 200
    return made


def test_swap_that_a_kill_interrupts_is_complete_or_absent(serve: Callable[..., DibsServer]) -> None:
    server = serve()
    placement = Placement(server.port)
    providers, consumers = make_providers(placement), [str(uuid.uuid4()) for _ in range(CONSUMERS)]
    assert placement.allocate(*((consumer, {providers[0]: EACH}) for consumer in consumers))[0] == 204
    swaps = Counter[int]()

    def swap_until_killed(number: int) -> None:
        chance, client = random.Random(number), Placement(server.port)
        try:
            while True:
                one, other = chance.sample(consumers, 2)
                here, there = chance.sample(providers, 2)
                status, document = client.allocate((one, {here: EACH - 1, there: 1}), (other, {there: EACH}))
                assert status == 204, document
                swaps[number] += 1
        except (OSError, http.client.HTTPException):
            return

    threads = [threading.Thread(target=swap_until_killed, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    eventually(lambda: sum(swaps.values()) > 60, seconds=60, what="some swaps")
    server.kill()
    for thread in threads:
        thread.join(timeout=60)
    tables = read_tables(server.database_url)
    held = Counter[int]()
    claimed = Counter[tuple[int, int]]()
    for claim in tables["claims"]:
        held[claim["consumer_id"]] += claim["amount"]
        claimed[claim["provider_id"], claim["class_id"]] += claim["amount"]
    assert [held[row["id"]] for row in tables["consumers"]] == [EACH] * CONSUMERS
    used = {(row["provider_id"], row["class_id"]): row["used"] for row in tables["inventories"]}
    assert used == {key: claimed[key] for key in used}
    server.start()
    assert Placement(server.port).allocate(*((consumer, {}) for consumer in consumers))[0] == 204
    assert read_tables(server.database_url)["consumers"] == []
