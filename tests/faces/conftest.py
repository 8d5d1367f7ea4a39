"""The application as its callers meet it: through the embedded server's gateway, over a world of its own for each test.

The world is the embedded one in a temporary home. Its clock is set by hand, and its embedder is a fake: a dimension for
each word, so that texts are near each other as far as they share words. Every reply that a test gets has been
held to the envelope's law on the way (`Answer.lawful`).
"""

import json
import re
import sqlite3
from array import array
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import count
from threading import Lock
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from app import app
from chalicelib import schedules
from chalicelib.language.analysis import Analysis
from chalicelib.language.rules.extractor import RuleExtractor
from chalicelib.language.rules.tagging import LacTagger
from chalicelib.mind.access import Credential
from chalicelib.mind.ids import ulid
from chalicelib.settings import Settings
from chalicelib.wiring import PROCESS, World
from infra.gateway import Gateway, decoded

START = 1_780_000_000.0
"""When every test begins, in epoch seconds: 2026-05-28."""

TEXTS = {
    "charactersInMemory", "linkedNewMemorySummaryId", "memnetaiContextId", "memoryChangeLog", "memoryPrompt",
    "memorySummaryId", "memorySummaryText", "metaData", "taskId", "tip", "createTime", "updateTime", "eventTime",
    "consumedPoints", "consumedMemoryCount", "consumedRecallCount", "consumedThinkingCount", "consumedDreamCount",
    "consumedCommonMemoryWords",
}
WHOLE = {"maxImpression", "contextType", "memoryStatus", "score", "newMemoryCount", "position", "hops", "total"}
LISTS = {"memorySummaryList", "associativeThinkingList", "commonSenseList", "evidence", "warnings", "sources", "summarys"}
"""Types that a client in a typed language (Go) decodes these fields into; it breaks on any other."""


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.seconds = START

    def __call__(self):
        return self.seconds

    def move(self, seconds):
        self.seconds += seconds


class WordEmbedder:
    """Texts to vectors by the words (Chinese: the characters) they hold, each word a dimension of its own; no model."""

    model, dimension, floor, ceiling = "words-1024", 1024, 0.0, 0.7

    def __init__(self):
        self.places, self.lock = {}, Lock()

    def embed(self, texts, kind):
        assert kind in {"query", "passage"}
        return [self.vector(text) for text in texts]

    def vector(self, text):
        sums = [0.0] * self.dimension
        for word in re.findall(r"[一-鿿]|\w+", text.casefold()):
            sums[self.place(word)] += 1.0
        length = sum(value * value for value in sums) ** 0.5 or 1.0
        return array("f", [value / length for value in sums])

    def place(self, word):
        with self.lock:
            return self.places.setdefault(word, len(self.places) % self.dimension)


@pytest.fixture(scope="session")
def language():
    """What is slow to build and keeps nothing: analyser and extractor, one of each for all worlds of this process."""
    return SimpleNamespace(analyser=Analysis(), extractor=RuleExtractor(LacTagger()))


class Small(World):
    """The embedded world without its model and without chance."""

    def __init__(self, home, clock, language):
        super().__init__(Settings(home=home), clock=clock, cache=home)
        self.language, self.numbers = language, count()

    def ids(self):
        return ulid(int(self.clock() * 1000), sha256(b"%d" % next(self.numbers)).digest())

    def secret(self):
        return sha256(b"secret %d" % next(self.numbers)).hexdigest()

    @cached_property
    def embedder(self):
        return WordEmbedder()

    @cached_property
    def analyser(self):
        return self.language.analyser

    @cached_property
    def extractor(self):
        return self.language.extractor


@dataclass(frozen=True)
class Answer:
    """A reply that keeps the envelope's law."""

    status: int
    headers: dict
    text: str

    @cached_property
    def envelope(self):
        return json.loads(self.text)

    @property
    def code(self):
        return self.envelope["code"]

    @property
    def msg(self):
        return self.envelope["msg"]

    @property
    def data(self):
        return self.envelope["data"]

    def lawful(self):
        """Itself, if status, envelope, headers and types are as every reply's are."""
        assert self.headers["content-type"] == "application/json; charset=utf-8"
        assert self.headers["access-control-allow-origin"] == "*"
        assert list(self.envelope) == ["code", "msg", "data"]
        assert isinstance(self.data, dict)
        assert isinstance(self.msg, str)
        assert self.msg
        assert (self.status == 200) == (self.code == "0")
        assert self.status == 200 or self.status >= 400
        typed(self.data)
        return self


def typed(value, name=""):
    """Hold every named field of a reply, at any depth, to its type."""
    if name in TEXTS:
        assert isinstance(value, str), name
    elif name in WHOLE:
        assert type(value) is int, name
    elif name in LISTS:
        assert isinstance(value, list), name
    if isinstance(value, dict):
        for key, inner in value.items():
            typed(inner, key)
    elif isinstance(value, list):
        for inner in value:
            typed(inner)


@dataclass(frozen=True)
class Caller:
    """Somebody with a key; *always* are headers that every call carries."""

    gateway: Gateway
    token: str
    always: dict = field(default_factory=dict)

    def ask(self, method, path, body=None, *, query=None, headers=None, raw=None):
        """The reply to one call; *raw* is a body that is sent as it stands, *query* is encoded."""
        given = {"Content-Type": "application/json", "Authorization": f"Token {self.token}", **self.always, **(headers or {})}
        sent = decoded([(name.encode(), value.encode()) for name, value in given.items() if value is not None])
        payload = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        reply = self.gateway.answer(method, f"{path}?{urlencode(query)}" if query else path, sent, payload)
        received = {name.decode("latin-1"): value.decode("latin-1") for name, value in reply.headers}
        return Answer(reply.status, received, reply.body.decode()).lawful()

    def get(self, path, **query):
        """The data of a GET that succeeds."""
        return self.done("GET", path, query=query)

    def post(self, path, **body):
        """The data of a POST that succeeds."""
        return self.done("POST", path, body)

    def done(self, method, path, body=None, **more):
        """The data of a call that succeeds."""
        answer = self.ask(method, path, body, **more)
        assert answer.status == 200, answer.text
        return answer.data

    def remember(self, *contents, name="ada", **more):
        """The data of remembering what the user said, one message for each text."""
        messages = [{"role": "user", "content": text} for text in contents]
        return self.post("/v1/memories", memoryAgentName=name, messages=messages, **more)

    def recall(self, query, name="ada", **more):
        """The data of recalling."""
        return self.post("/v1/recall", memoryAgentName=name, query=query, **more)

    def walk(self, path, **query):
        """Every item of a list, and the total, one page of one item after another."""
        items, cursor = [], None
        while True:
            page = self.get(path, **query, limit=1, **({"cursor": cursor} if cursor else {}))
            assert len(page["list"]) <= 1
            items += page["list"]
            cursor = page["nextCursor"]
            if cursor is None:
                return items, page.get("total")
            assert len(items) < 1000


class House:
    """A world with the application before it."""

    def __init__(self, home, language):
        self.clock = Clock()
        self.world = Small(home, self.clock, language)
        PROCESS.use(self.world)
        self.gateway = Gateway(app, lambda: None)

    def caller(self, project="p", kind="host", *, speaking_for=None, **bound):
        """Somebody with a new key of a project."""
        made = Credential(self.world.ids().lower(), project, kind, "", **bound)
        token = self.world.credentials.create(made, self.world.secret())
        return Caller(self.gateway, token, {"X-User-Id": speaking_for} if speaking_for else {})

    def work(self):
        """Do all queued work, as the worker does."""
        while schedules.work():
            pass

    def rows(self):
        """Everything that the file holds, table by table; SQLite's own tables, which count for all, are left out."""
        with sqlite3.connect(f"file:{self.world.database.path}?mode=ro", uri=True) as file:
            names = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
            held = {name: sorted(map(repr, file.execute(f'SELECT * FROM "{name}"'))) for name in names}  # noqa: S608 -- names of the file itself
        file.close()
        return held


@pytest.fixture
def house(tmp_path, language):
    """A world for one test."""
    made = House(tmp_path / "home", language)
    yield made
    PROCESS.use(None)


@pytest.fixture
def host(house):
    """A host of project p."""
    return house.caller()


@pytest.fixture(scope="module")
def shared(tmp_path_factory, language):
    """A world for all tests of a module: for tests that leave it as it was. Not beside `house`."""
    made = House(tmp_path_factory.mktemp("shared") / "home", language)
    yield made
    PROCESS.use(None)
