"""Another embedding model over a home that exists: the start that is refused, the command that embeds everything anew."""

import json
import os
import signal
import subprocess
import sys
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("REVERIE_")}
DIMENSION, SECONDS = 256, 60
SERVER, REBUILD = ("infra/server.py", "--port", "0"), ("-m", "infra.rebuild")
SAID = ["My sister Nora lives in Lisbon.", "I work at Acme Robotics.", "我妹妹叫小红，她住在北京。"]

pytestmark = pytest.mark.serial


def embedded(text):
    """A vector of the text's pairs of characters."""
    vector = [0.0] * DIMENSION
    for pair in zip(f" {text}", f"{text} ", strict=True):
        vector[zlib.crc32("".join(pair).encode()) % DIMENSION] += 1.0
    return vector


class Handler(BaseHTTPRequestHandler):
    """Speaks the embeddings protocol; while the endpoint is shut, an answer waits."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
        self.server.asked.append(texts)
        if len(self.server.asked) > self.server.most:
            self.server.reached.set()
            self.server.ended.wait()
        data = [{"object": "embedding", "index": at, "embedding": embedded(text)} for at, text in enumerate(texts)]
        body = json.dumps({"object": "list", "data": data, "model": "pairs", "usage": {}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nothing is logged."""


class Endpoint(ThreadingHTTPServer):
    """An embedding model of our own: `most` requests are answered, the next one waits for the end."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.most, self.reached, self.ended = [], 10**6, Event(), Event()

    def handle_error(self, request, client_address):
        """A client that was killed is no news."""


@pytest.fixture
def endpoint():
    server = Endpoint()
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.ended.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def other(endpoint):
    """The settings that name the other model."""
    return {
        "REVERIE_EMBEDDER": "openai", "REVERIE_EMBEDDING_MODEL": "pairs",
        "OPENAI_BASE_URL": f"http://127.0.0.1:{endpoint.server_port}/v1", "OPENAI_API_KEY": "none",
    }


@pytest.fixture
def begun():
    """Begins commands over a home; kills those that still run at the end."""
    running = []

    def begin(home, settings, *command):
        running.append(subprocess.Popen(
            [sys.executable, *command, "--home", str(home)], cwd=ROOT, text=True,
            env=ENVIRONMENT | {"PYTHONPATH": str(ROOT)} | settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ))
        return running[-1]

    yield begin
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def done(process):
    """Exit code and error stream of a command."""
    told = process.stderr.read()
    return process.wait(SECONDS), told


def remember(server, *texts):
    messages = [{"role": "user", "content": text} for text in texts]
    assert server.ask("POST", "/v1/memories", {"memoryAgentName": "ada", "messages": messages})[0] == 200


def recalled(server, query):
    return server.ask("POST", "/v1/recall", {"memoryAgentName": "ada", "query": query})[1]["data"]["memoryPrompt"]


@pytest.fixture
def home(start_server, tmp_path):
    """A home made with the default model."""
    first = start_server(tmp_path / "home")
    remember(first, *SAID, *(f"My colleague number {number} is called Zed{number}." for number in range(120)))
    assert first.end() == 0
    return tmp_path / "home"


def test_the_start_is_refused_until_a_rebuild_has_embedded_everything_anew(home, other, begun, start_server):
    code, told = done(begun(home, other, *SERVER))
    assert code == 1
    for named in ("multilingual-e5-small", "384", "pairs", str(DIMENSION), f"infra/rebuild --home {home}"):
        assert named in told
    assert "Traceback" not in told
    assert done(begun(home, other, *REBUILD))[0] == 0
    server = start_server(home, **other)
    assert "Lisbon" in recalled(server, "Where does Nora live?")
    remember(server, "My favourite tea is oolong.")
    assert "oolong" in recalled(server, "What is my favourite tea?")
    health = server.ask("GET", "/health")[1]["data"]
    assert (health["status"], health["embedder"], health["pending"]) == ("ok", "pairs", 0)
    assert server.end() == 0
    code, told = done(begun(home, {}, *SERVER))
    assert (code, "multilingual-e5-small" in told) == (1, True)


def test_a_model_that_is_away_keeps_no_server_from_starting_once_it_was_measured(tmp_path, other, endpoint, start_server):
    server = start_server(tmp_path / "home", **other)
    remember(server, *SAID)
    assert server.end() == 0
    endpoint.shutdown()
    endpoint.server_close()
    server = start_server(tmp_path / "home", **other)
    found = server.ask("POST", "/v1/recall", {"memoryAgentName": "ada", "query": "Where does Nora live?"})[1]["data"]
    assert "Lisbon" in found["memoryPrompt"]
    assert "words alone" in found["warnings"][0]


def test_a_rebuild_that_is_killed_goes_on_with_the_next_call_and_keeps_servers_out(home, other, endpoint, begun, start_server):
    endpoint.most = 2  # one to measure the model, one batch
    process = begun(home, other, *REBUILD)
    assert endpoint.reached.wait(SECONDS)
    code, told = done(begun(home, other, *SERVER))
    assert (code, f"process {process.pid}, which rebuilds" in told) == (1, True)
    process.send_signal(signal.SIGKILL)
    assert done(process)[0] == -signal.SIGKILL
    once = set(endpoint.asked[1])
    endpoint.most = 10**6
    before = len(endpoint.asked)
    assert done(begun(home, other, *REBUILD))[0] == 0
    again = [text for texts in endpoint.asked[before + 1:] for text in texts]
    assert len(once) == 64
    assert not once & set(again)
    server = start_server(home, **other)
    assert "小红" in recalled(server, "我妹妹叫什么名字？")
    assert "Zed77" in recalled(server, "Who is colleague number 77, called Zed77?")


def test_beside_a_server_it_is_refused_and_told_who_holds_the_home(home, other, begun, start_server):
    server = start_server(home)
    code, told = done(begun(home, other, *REBUILD))
    assert code == 1
    assert f"process {server.process.pid}, which serves {server.url}" in told
    assert "Lisbon" in recalled(server, "Where does Nora live?")


def test_a_home_that_is_not_there_is_told_and_not_made(tmp_path, begun):
    code, told = done(begun(tmp_path / "nowhere", {}, *REBUILD))
    assert (code, "nowhere" in told, (tmp_path / "nowhere").exists()) == (1, True, False)
