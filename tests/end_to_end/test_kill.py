"""kill -9 in the middle of many writes: what was acknowledged is there, nothing is there twice, all of it is found.

The killed process is the server alone, by its own id: it starts no others.
"""

import json
import signal
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from threading import Event, Lock, Thread
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.serial

CLIENTS, EACH, ENOUGH = 8, 63, 200
"""Clients; writes of each, 504 in all; acknowledgements after which the server is killed."""

WAITS = 600
"""Looks, .1 s apart and more, at what is to come: a task in the hands of the killed process waits a minute for others."""

PLACES = ["Oslo", "Lisbon", "Kyoto", "Quito", "Turin", "Malmö", "杭州", "成都"]
"""Where clients live: each says so in its own words, so that a memory comes of it."""


def text_of(client, number):
    """What a client says with its write of this number."""
    if number % 4 == 0:
        return f"Remember that box b{client}q{number} in {PLACES[client]} is green."
    return f"Delivery {number}: shelf {client}-{number} in {PLACES[client]} holds box b{client}q{number}."


def body_of(client, number, *, later):
    """A write; each client has a conversation of its own, and all share a body."""
    return {
        "memoryAgentName": "kept", "conversationId": f"talk {client}", "asyncMode": int(later),
        "messages": [{"role": "user", "content": text_of(client, number)}],
    }


class Client(Thread):
    """Writes one after another until the server is gone; knows which were acknowledged."""

    def __init__(self, server, number, seen):
        super().__init__(daemon=True)
        self.server, self.number, self.seen = server, number, seen
        self.acknowledged, self.tasks = [], []

    def run(self):
        with closing(HTTPConnection(urlsplit(self.server.url).netloc, timeout=60)) as connection, suppress(HTTPException, OSError):
            for number in range(EACH):
                self.write(connection, number)

    def write(self, connection, number):
        """Send a write and note its acknowledgement; every fifth is asynchronous."""
        later = number % 5 == 0
        status, reply = sent(connection, self.server.key, self.number, number, later=later)
        assert status == 200, reply
        self.acknowledged.append(number)
        if later:
            self.tasks.append(reply["data"]["taskId"])
        self.seen(1)


def sent(connection, key, client, number, *, later):
    """One write with its idempotency key, over a connection that is kept."""
    headers = {
        "Authorization": f"Token {key}", "Content-Type": "application/json", "Idempotency-Key": f"write-{client}-{number}",
    }
    connection.request("POST", "/v1/memories", json.dumps(body_of(client, number, later=later)), headers)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def retried(connection, key, client, number):
    """The same once more; while the first is held to be under way (a minute from its start) it is tried again."""
    for _ in range(WAITS):
        status, reply = sent(connection, key, client, number, later=number % 5 == 0)
        if status != 409:
            break
        Event().wait(0.2)
    return status, reply


class Count:
    """Counts, and says when there are enough."""

    def __init__(self):
        self.lock, self.value, self.enough = Lock(), 0, Event()

    def __call__(self, more):
        with self.lock:
            self.value += more
        if self.value >= ENOUGH:
            self.enough.set()


def listed(server, path):
    """Everything in a list, page by page."""
    found, cursor = [], ""
    while cursor is not None:
        status, reply = server.ask("GET", f"{path}&limit=200" + (f"&cursor={cursor}" if cursor else ""))
        assert status == 200, reply
        found += reply["data"]["list"]
        cursor = reply["data"]["nextCursor"]
    return found


def contents(server, client):
    """All turns of a client's conversation, in order."""
    found = listed(server, f"/v1/turns?memoryAgentName=kept&conversationId=talk%20{client}")
    assert [turn["position"] for turn in found] == list(range(len(found)))
    return [turn["content"] for turn in found]


def settled(server, tasks):
    """Wait until nothing is pending and all tasks have succeeded; which tasks have not, and what is pending."""
    for _ in range(WAITS):
        pending = server.ask("GET", "/health")[1]["data"]["pending"]
        states = {task: server.ask("GET", f"/memories/task/progress?taskId={task}")[1]["data"]["status"] for task in tasks}
        tasks = [task for task, state in states.items() if state != "succeeded"]
        if not pending and not tasks:
            return [], 0
        Event().wait(0.1)
    return tasks, pending


@pytest.fixture(scope="module")
def killed(start_server, tmp_path_factory):
    """The clients of a server that was killed in the middle, and the server that came after it on the same home."""
    home = tmp_path_factory.mktemp("killed") / "home"
    first, seen = start_server(home), Count()
    clients = [Client(first, number, seen) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    assert seen.enough.wait(120)
    assert first.end(signal.SIGKILL) == -signal.SIGKILL
    for client in clients:
        client.join(60)
    assert ENOUGH <= seen.value < CLIENTS * EACH
    return clients, start_server(home, REVERIE_SCHEDULE_SECONDS="1")


def test_every_acknowledged_turn_is_there_and_none_twice(killed):
    clients, server = killed
    for client in clients:
        kept = contents(server, client.number)
        assert len(kept) == len(set(kept))
        assert kept[:len(client.acknowledged)] == [text_of(client.number, number) for number in client.acknowledged]
        assert len(kept) - len(client.acknowledged) in {0, 1}  # the one under way: whole or not at all


def test_what_was_accepted_for_later_is_done_and_everything_becomes_findable(killed):
    clients, server = killed
    assert settled(server, [task for client in clients for task in client.tasks]) == ([], 0)
    for client in clients:
        for number in client.acknowledged[::6]:
            asked = {"memoryAgentName": "kept", "query": text_of(client.number, number), "isReturningDetailedMemoryInfo": 1, "limit": 50}
            found = server.ask("POST", "/v1/recall", asked)[1]["data"]
            assert found["warnings"] == []
            assert text_of(client.number, number) in [turn["content"] for turn in found["evidence"]]


def test_a_retry_of_what_was_not_acknowledged_gives_one_turn_and_of_what_was_none(killed):
    clients, server = killed
    with closing(HTTPConnection(urlsplit(server.url).netloc, timeout=60)) as connection:
        for client in clients:
            whole = [text_of(client.number, number) for number in range(len(client.acknowledged) + 3)]
            for number in range(len(whole)):
                status, reply = retried(connection, server.key, client.number, number)
                assert status == 200, reply
            assert contents(server, client.number) == whole


def test_no_memory_is_there_twice(killed):
    _, server = killed
    assert settled(server, []) == ([], 0)
    texts = [item["memorySummaryText"] for item in listed(server, "/v1/memories?memoryAgentName=kept")]
    assert len(texts) == len(set(texts)) > 0
