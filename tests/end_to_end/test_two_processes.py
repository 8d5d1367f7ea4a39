"""Two processes on one home: neither discards what the other writes, and a command works beside a busy server."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("REVERIE_")}
SECONDS, EACH = 120, 20

SERVICE = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from app import app
from chalicelib.wiring import close, world
from infra.gateway import Gateway

key, number, each = sys.argv[1], sys.argv[2], int(sys.argv[3])
gateway = Gateway(app, lambda: None)
world().warm()
print("ready", flush=True)
sys.stdin.readline()

def said(index):
    messages = [{"role": "user", "content": text} for text in (f"Remember that box {number}x{index} is green.", "I live in Oslo.")]
    body = json.dumps({"memoryAgentName": "shared", "messages": messages}).encode()
    headers = {"authorization": f"Token {key}", "content-type": "application/json"}
    reply = gateway.answer("POST", "/v1/memories", headers, body)
    return reply.status, json.loads(reply.body)

with ThreadPoolExecutor(each) as pool:
    print(json.dumps(list(pool.map(said, range(each)))))
gateway.close(5)
close()
"""
"""A service process: the application over the home, which takes so many requests at once when it is told to."""

pytestmark = pytest.mark.serial


def command(home, *arguments):
    return subprocess.run(
        [sys.executable, *arguments, "--home", str(home)], cwd=ROOT, env=ENVIRONMENT | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True, timeout=SECONDS,
    ).stdout


def service(home, key, number):
    environment = ENVIRONMENT | {"PYTHONPATH": str(ROOT), "REVERIE_HOME": str(home), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", SERVICE, key, str(number), str(EACH)], cwd=ROOT, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )


@pytest.fixture
def services(tmp_path):
    """Two service processes that are ready, and the key that opens them."""
    home = tmp_path / "home"
    key = command(home, "-m", "infra.keys", "create", "--project", "default").strip().removeprefix("REVERIE_API_KEY=")
    running = [service(home, key, number) for number in range(2)]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    yield home, key, running
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def listed(server, path, key):
    """Everything in a list, page by page."""
    found, cursor = [], ""
    while cursor is not None:
        data = server.ask("GET", f"{path}?memoryAgentName=shared&limit=200" + (f"&cursor={cursor}" if cursor else ""), key=key)[1]["data"]
        found, cursor = found + data["list"], data["nextCursor"]
    return found


def test_forty_requests_to_two_processes_at_once_are_all_kept(services, start_server):
    home, key, running = services
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [answer for process in running for answer in json.loads(process.communicate(timeout=SECONDS)[0])]
    assert [status for status, _ in answers] == [200] * 2 * EACH
    server = start_server(home)
    turns = listed(server, "/v1/turns", key)
    assert [turn["position"] for turn in turns] == list(range(4 * EACH))
    boxes = {f"Remember that box {number}x{index} is green." for number in range(2) for index in range(EACH)}
    assert {turn["content"] for turn in turns} == boxes | {"I live in Oslo."}
    texts = [item["memorySummaryText"] for item in listed(server, "/v1/memories", key)]
    assert len(texts) == len(set(texts)) == 2 * EACH + 1
    assert sum(answer["data"]["memoriesInfo"]["newMemoryCount"] for _, answer in answers) == 2 * EACH + 1


def test_keys_are_made_and_revoked_while_a_server_is_busy(start_server, tmp_path):
    home = tmp_path / "home"
    server = start_server(home)

    def remember(number):
        messages = [{"role": "user", "content": f"Remember that box {number} is green."}]
        return server.ask("POST", "/v1/memories", {"memoryAgentName": "shared", "messages": messages})[0]

    with ThreadPoolExecutor(8) as pool:
        writing = pool.map(remember, range(160))
        made = [command(home, "-m", "infra.keys", "create", "--project", f"p{number}") for number in range(3)]
        keys = [line.strip().removeprefix("REVERIE_API_KEY=") for line in made]
        assert {server.ask("GET", "/v1/memory-bodies", key=key)[0] for key in keys} == {200}
        command(home, "-m", "infra.keys", "revoke", keys[0].split("_")[1])
        assert server.ask("GET", "/v1/memory-bodies", key=keys[0])[0] == 401
        assert set(writing) == {200}
    assert len(listed(server, "/v1/turns", server.key)) == 160
