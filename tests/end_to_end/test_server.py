"""The embedded server as a program: how it starts, what it holds, how it ends."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("REVERIE_")}
SECONDS = 60

pytestmark = pytest.mark.serial


def command(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=ENVIRONMENT | {"PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=False, timeout=SECONDS,
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("server") / "home"


@pytest.fixture(scope="module")
def server(start_server, home):
    return start_server(home)


def test_when_it_is_ready_it_prints_where_it_is_and_its_key_each_on_a_line(server):
    assert sum(line.startswith("REVERIE_URL=http://127.0.0.1:") for line in server.lines) == 1
    assert sum(line.startswith("REVERIE_API_KEY=rv_") for line in server.lines) == 1


def test_the_commands_it_prints_can_be_pasted(server):
    remember, recall = [line for line in server.lines if line.startswith("curl ")]
    for line in (remember, recall):
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True, timeout=SECONDS)
        assert json.loads(done.stdout)["code"] == "0"


def test_it_listens_on_this_machine_alone(server):
    with socket.socket() as other:
        other.settimeout(2)
        assert other.connect_ex(("127.0.0.2", urlsplit(server.url).port)) != 0


def test_an_unknown_route_is_refused_in_the_envelope(server):
    status, reply = server.ask("GET", "/v1/nowhere")
    assert (status, reply["code"], reply["data"]) == (404, "A0404", {})


def test_the_first_key_is_kept_for_its_owner_alone(server, home):
    assert stat.S_IMODE((home / "key").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert (home / "key").read_text().strip() == server.key


def test_a_second_server_on_the_same_home_is_refused_and_told_who_holds_it(server, home):
    done = command("infra/server.py", "--port", "0", "--home", str(home))
    assert done.returncode == 1
    assert f"process {server.process.pid}" in done.stderr
    assert server.url in done.stderr


def test_a_port_that_is_taken_is_told_before_anything_is_made(server, tmp_path):
    port = str(urlsplit(server.url).port)
    done = command("infra/server.py", "--port", port, "--home", str(tmp_path / "other"))
    assert done.returncode == 1
    assert f"port {port}" in done.stderr
    assert not (tmp_path / "other").exists()


def test_an_option_that_does_not_exist_is_refused_with_the_usage():
    done = command("infra/server.py", "--colour", "blue")
    assert done.returncode == 2
    assert done.stderr.startswith("usage:")


def test_a_key_made_while_it_runs_opens_it_and_a_revoked_one_does_not(server, home):
    made = command("-m", "infra.keys", "create", "--project", "other", "--home", str(home))
    key = made.stdout.strip().removeprefix("REVERIE_API_KEY=")
    assert server.ask("GET", "/v1/memory-bodies", key=key)[0] == 200
    listed = command("-m", "infra.keys", "list", "--project", "other", "--home", str(home)).stdout
    name = key.split("_")[1]
    assert name in listed
    assert key.split("_")[2] not in listed
    assert command("-m", "infra.keys", "revoke", name, "--home", str(home)).returncode == 0
    status, reply = server.ask("GET", "/v1/memory-bodies", key=key)
    assert (status, reply["code"]) == (401, "A0301")


def test_a_key_that_does_not_exist_can_not_be_revoked(home):
    done = command("-m", "infra.keys", "revoke", "nosuchkey", "--home", str(home))
    assert done.returncode == 1
    assert "nosuchkey" in done.stderr


def test_queued_work_is_done_without_another_request(server):
    said = {"memoryAgentName": "queued", "asyncMode": 1, "messages": [{"role": "user", "content": "I live in Oslo."}]}
    status, reply = server.ask("POST", "/v1/memories", said)
    assert status == 200
    task, progress = reply["data"]["taskId"], 0
    for _ in range(200):
        progress = server.ask("GET", f"/memories/task/progress?taskId={task}")[1]["data"]["progress"]
        if progress == 100:
            break
        Event().wait(0.05)
    assert progress == 100


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_and_the_next_start_has_the_same_key_and_memories(start_server, tmp_path, number):
    said = {"memoryAgentName": "kept", "messages": [{"role": "user", "content": "I live in Oslo."}]}
    first = start_server(tmp_path / "home")
    first.ask("POST", "/v1/memories", said)
    assert first.end(number) == 0
    second = start_server(tmp_path / "home")
    turns = second.ask("GET", "/v1/turns?memoryAgentName=kept")[1]["data"]["list"]
    assert (second.key, [turn["content"] for turn in turns]) == (first.key, ["I live in Oslo."])
    assert second.end() == 0


def test_a_setting_that_does_not_exist_is_told_by_name(tmp_path):
    done = subprocess.run(
        [sys.executable, "infra/server.py", "--port", "0", "--home", str(tmp_path / "home")], cwd=ROOT,
        env=ENVIRONMENT | {"REVERIE_COLOUR": "blue"}, capture_output=True, text=True, check=False, timeout=SECONDS,
    )
    assert done.returncode == 1
    assert "REVERIE_COLOUR" in done.stderr
