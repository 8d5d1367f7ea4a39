"""A home that an earlier version has written: it opens, everything in it is there, and remembering goes on.

`tests/data/first.sqlite` was written by the first version and is kept for ever; it is never made again once that
version is out. Until then, after a change of what rows hold, from the checkout:

    PYTHONPATH=. .venv/bin/python tests/end_to_end/test_upgrade.py

writes it anew, the same bytes for the same code: clock, ids and secrets are fixed, the embedder is the real one. It holds
two bodies, in Chinese and in English, with a change of mind in each, what one user and one session said, a reply to an
idempotency key, and a request that was accepted and whose memories were not drawn yet.
"""

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from app import app
from chalicelib import schedules
from chalicelib.errors import StoreUnavailable
from chalicelib.mind.access import Credential
from chalicelib.mind.ids import ulid
from chalicelib.settings import Settings
from chalicelib.stores.sqlite.connection import SCHEMA, Database
from chalicelib.wiring import PROCESS, World
from infra.gateway import Gateway

ROOT = Path(__file__).resolve().parents[2]
FIRST = ROOT / "tests" / "data" / "first.sqlite"
WRITTEN = 1_780_000_000.0
"""When it was written, in epoch seconds: 2026-05-28."""

SECRET = "5ec7e7" + "0" * 58
TOKEN = "rv_01kspc1a0000000000000000zz_" + SECRET
"""A host key of project `first`; it opens this file and nothing else."""

EN = [
    ("user", "Daniel", "I live in Glasgow, and I work as a nurse at the Royal Infirmary."),
    ("assistant", "Ada", "Noted. Do you like it there?"),
    ("user", "Daniel", "My daughter is called Maya. She is seven."),
    ("user", "Daniel", "I love rye bread."),
    ("assistant", "Ada", "The dense kind?"),
    ("user", "Daniel", "I moved last week. I live in Aberdeen now."),
]
ZH = [
    ("user", "小林", "我叫林晓，我住在杭州，在一家设计公司工作。"),
    ("assistant", "阿达", "记住了，你喜欢喝什么？"),
    ("user", "小林", "我喜欢喝龙井茶。我妹妹叫小红，她在北京上大学。"),
    ("user", "小林", "我对花生过敏。"),
    ("user", "小林", "我上个月搬家了，现在住在苏州。"),
]
BODIES = [("ada", EN), ("阿达", ZH)]
USER, SESSION, LATER = "My locker code is ALPHA-17.", "My train leaves at nine.", "My brother Emil sails a boat."


class Fixed(World):
    """A world without chance: ids count up, the clock stands still."""

    def __init__(self, home):
        super().__init__(Settings(home=home), clock=lambda: WRITTEN)
        self.numbers = count(1)

    def ids(self):
        return ulid(int(self.clock() * 1000), next(self.numbers).to_bytes(10, "big"))

    def secret(self):
        return SECRET


class Client:
    """The application as a holder of the key meets it."""

    def __init__(self):
        self.gateway = Gateway(app, lambda: None)

    def ask(self, method, path, body=None, **headers):
        """The data of a call that succeeds."""
        given = {"authorization": f"Token {TOKEN}", "content-type": "application/json", **headers}
        reply = self.gateway.answer(method, path, given, json.dumps(body).encode() if body else b"")
        assert reply.status == 200, reply.body.decode()
        return json.loads(reply.body)["data"]

    def say(self, name, said, conversation="first", headers=None, **more):
        """Remember (role, character, content), each with an id and a time of its own."""
        messages = [
            {"role": role, "character": who, "content": text, "id": f"m{at}", "time": f"2026-05-2{at}T09:00:00+00:00"}
            for at, (role, who, text) in enumerate(said)
        ]
        body = {"memoryAgentName": name, "conversationId": conversation, "messages": messages, **more}
        return self.ask("POST", "/v1/memories", body, **(headers or {}))

    def recall(self, name, query, headers=None, **more):
        return self.ask("POST", "/v1/recall", {"memoryAgentName": name, "query": query, **more}, **(headers or {}))

    def items(self, path, name, **headers):
        return self.ask("GET", f"{path}?limit=200&memoryAgentName={name}", **headers)["list"]


def written(home):
    """Write everything that the file holds, into a home."""
    world = Fixed(home)
    PROCESS.use(world)
    world.credentials.create(Credential(TOKEN.split("_")[1], "first", "host", ""), world.secret())
    client = Client()
    for name, said in BODIES:
        client.say(name, said, headers={"idempotency-key": f"first-{len(said)}"})
    client.say("ada", [("user", "Daniel", USER)], headers={"x-user-id": "daniel"})
    client.say("ada", [("user", "Daniel", SESSION)], sessionId="morning")
    client.recall("ada", "Where does Daniel live?")
    client.say("ada", [("user", "Daniel", LATER)], "later", asyncMode=1)
    PROCESS.use(None)


def make(file):
    """Write the file anew, as one file without its log."""
    with tempfile.TemporaryDirectory() as home:
        written(Path(home))
        file.unlink(missing_ok=True)
        with closing(sqlite3.connect(Path(home) / "reverie.sqlite")) as whole:
            whole.execute("VACUUM INTO ?", [str(file)])


def versions(file):
    with closing(sqlite3.connect(file)) as opened:
        return opened.execute("SELECT version FROM schema").fetchall()


@pytest.fixture
def home(tmp_path):
    """A home that holds a copy of the file."""
    shutil.copy(FIRST, tmp_path / "reverie.sqlite")
    return tmp_path


@pytest.fixture
def client(home):
    """The application of now over the copy, a minute after it was written."""
    PROCESS.use(World(Settings(home=home), clock=lambda: WRITTEN + 60))
    yield Client()
    PROCESS.use(None)


def test_it_is_small_and_says_its_schema_and_is_brought_to_the_one_of_now(home):
    assert FIRST.stat().st_size < 300_000
    assert versions(FIRST) == [(1,)]
    Database(home / "reverie.sqlite", lambda: WRITTEN).close()
    assert max(versions(home / "reverie.sqlite")) == (SCHEMA,)


@pytest.mark.parametrize(("name", "said"), BODIES)
def test_every_turn_reads_back_in_order_with_its_id_and_time(client, name, said):
    turns = [turn for turn in client.items("/v1/turns", name) if turn["conversationId"] == "first"]
    assert [(turn["role"], turn["character"], turn["content"]) for turn in turns] == said
    assert [turn["messageId"] for turn in turns] == [f"m{at}" for at in range(len(said))]
    assert turns[-1]["time"] == f"2026-05-2{len(said) - 1}T09:00:00.000+00:00"


@pytest.mark.parametrize(("name", "texts"), [("ada", ("Glasgow", "Maya", "rye bread", "Aberdeen")), ("阿达", ("杭州", "龙井", "小红", "花生", "苏州"))])
def test_every_memory_reads_back_with_its_sources_its_log_and_its_revisions(client, name, texts):
    memories = client.items("/v1/memories", name)
    for text in texts:
        assert any(text in memory["memorySummaryText"] for memory in memories)
    for memory in memories:
        assert memory["changeLog"][0]["why"] == "said"
        assert memory["sources"][0]["messageId"].startswith("m")
        [revision] = client.ask("GET", f"/v1/memories/{memory['memorySummaryId']}")["revisions"]
        assert revision["memorySummaryText"] == memory["memorySummaryText"]


@pytest.mark.parametrize(("name", "query", "word"), [
    ("ada", "What is my daughter called?", "Maya"), ("ada", "Where does Daniel live now?", "Aberdeen"),
    ("阿达", "我对什么过敏？", "花生"), ("阿达", "小林现在住在哪里？", "苏州"),
])
def test_recall_finds_what_was_said_by_the_vectors_of_then(client, name, query, word):
    found = client.recall(name, query)
    assert word in found["memoryPrompt"]
    assert found["warnings"] == []


def test_what_a_user_and_a_session_said_is_theirs(client):
    assert "ALPHA-17" in client.recall("ada", "What is my locker code?", {"x-user-id": "daniel"})["memoryPrompt"]
    assert "train" in client.recall("ada", "When does my train leave?", sessionId="morning")["memoryPrompt"]
    assert "ALPHA-17" not in client.recall("ada", "What is my locker code?")["memoryPrompt"]


def test_what_was_said_again_is_known_and_remembering_goes_on_after_it(client):
    again = client.say("ada", [*EN, ("user", "Daniel", "Maya wants to be an astronaut.")])
    assert again["repeatedMessageCount"] == len(EN)
    turns = [turn for turn in client.items("/v1/turns", "ada") if turn["conversationId"] == "first"]
    assert (turns[-1]["content"], turns[-1]["position"]) == ("Maya wants to be an astronaut.", len(EN))
    assert "astronaut" in client.recall("ada", "What does Maya want to be?")["memoryPrompt"]


def test_a_repeat_of_a_request_gets_its_reply_of_then(client):
    again = client.say("ada", EN, headers={"idempotency-key": f"first-{len(EN)}"})
    assert set(again["memoriesInfo"]["memorySummaryIds"]) <= {memory["memorySummaryId"] for memory in client.items("/v1/memories", "ada")}
    assert again["repeatedMessageCount"] == 0


def test_what_was_accepted_and_not_done_yet_is_done(client):
    assert "Emil" in client.recall("ada", "Who sails a boat?")["memoryPrompt"]
    schedules.sweep()
    while schedules.work():
        pass
    assert {task["status"] for task in client.ask("GET", "/memories/task/all")["list"]} == {"succeeded"}
    assert client.ask("GET", "/health")["pending"] == 0
    assert any("Emil" in memory["memorySummaryText"] for memory in client.items("/v1/memories", "ada"))


def newer(home):
    """Let the copy be of a later version; its bytes."""
    with closing(sqlite3.connect(home / "reverie.sqlite")) as opened, opened:
        opened.execute("UPDATE schema SET version = ?", [SCHEMA + 1])
    return (home / "reverie.sqlite").read_bytes()


def test_a_file_of_a_newer_version_is_refused_and_left_as_it_is(home):
    before = newer(home)
    with pytest.raises(StoreUnavailable, match=rf"has schema {SCHEMA + 1}, this version knows {SCHEMA} at most"):
        Database(home / "reverie.sqlite", lambda: WRITTEN)
    assert (home / "reverie.sqlite").read_bytes() == before


def test_commands_tell_so_too(home):
    before = newer(home)
    for program in ("infra.keys list", "infra.rebuild"):
        done = subprocess.run(
            [sys.executable, "-m", *program.split(), "--home", str(home)], cwd=ROOT, capture_output=True, text=True,
            check=False, timeout=60,
        )
        assert (done.returncode, "use a newer Reverie" in done.stderr, "Traceback" in done.stderr) == (1, True, False)
    assert (home / "reverie.sqlite").read_bytes() == before


if __name__ == "__main__":
    make(FIRST)
