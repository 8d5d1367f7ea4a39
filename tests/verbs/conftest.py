"""The verbs over the embedded stores, in a file of its own for each test; nothing of them by chance, and no model.

Whatever a verb touches can be put in its place: `replace(mind, index=Down())` is the same mind with the index gone.
"""

import re
import threading
from array import array
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256
from itertools import count

import pytest

from chalicelib import schedules
from chalicelib.acceptance import Acceptance, Wish
from chalicelib.derivation import Derivation
from chalicelib.errors import ModelUnavailable, StoreUnavailable
from chalicelib.fresh import FreshTail
from chalicelib.language.analysis import Analysis
from chalicelib.mind.ids import ulid
from chalicelib.mind.scopes import Body, Scope
from chalicelib.mind.statements import Entity, Relation, Statement
from chalicelib.mind.turns import Said
from chalicelib.once import Once
from chalicelib.projection import Projection
from chalicelib.recall import Cue, Recall
from chalicelib.records.bodies import Bodies
from chalicelib.records.conversations import Conversations
from chalicelib.records.memories import Memories
from chalicelib.records.pending import Outbox
from chalicelib.records.tasks import Tasks
from chalicelib.remember import Remember
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.graph import SqliteGraph
from chalicelib.stores.sqlite.index import SqliteIndex
from chalicelib.stores.sqlite.queue import SqliteQueue
from chalicelib.stores.sqlite.table import SqliteTable
from chalicelib.touches import Touches

ADA = Scope(Body("p", "default", "ada"))
KNOWS = re.compile(r"(\w+) knows (\w+)")


class WordEmbedder:
    """Texts to vectors by their words, each word a dimension; texts are near each other as far as they share words."""

    model, dimension, floor, ceiling = "words-512", 512, 0.0, 0.7

    def __init__(self):
        self.embedded = []

    def embed(self, texts, kind):
        self.embedded += [text for text in texts if kind == "passage"]
        return list(map(self.vector, texts))

    def vector(self, text):
        sums = [0.0] * self.dimension
        for word in re.findall(r"\w+", text.casefold()):
            sums[int.from_bytes(sha256(word.encode()).digest()[:4], "big") % self.dimension] += 1.0
        length = sum(value * value for value in sums) ** 0.5 or 1.0
        return array("f", [value / length for value in sums])


class MuteEmbedder(WordEmbedder):
    """An embedder whose endpoint is gone."""

    def embed(self, *_asked):
        raise ModelUnavailable(self.model, "no answer")


class NoteExtractor:
    """Every sentence of a user that begins with `Note` is a statement; `A knows B` in it a relation; `now` expires."""

    def extract(self, turns):
        return [statement for turn in turns if turn.role == "user" for statement in self.of(turn)]

    def of(self, turn):
        for sentence in filter(None, map(str.strip, turn.content.split("."))):
            if sentence.startswith("Note"):
                known = KNOWS.findall(sentence)
                yield Statement(
                    sentence.removeprefix("Note").strip(), (turn.id,), "fact", "en", turn.speaker, 0.8,
                    entities=tuple(Entity(name, "person") for pair in known for name in pair),
                    relations=tuple(Relation(one, "knows", other) for one, other in known),
                    expires_at=turn.said_at + timedelta(hours=1) if " now" in sentence else None,
                )


class Down:
    """A store that does not answer, whatever it is asked."""

    def __getattr__(self, name):
        def refused(*_args, **_more):
            raise StoreUnavailable("the store", name)
        return refused


class Counted:
    """A port that counts its calls."""

    def __init__(self, port, calls):
        self.port, self.calls = port, calls

    def __getattr__(self, name):
        found = getattr(self.port, name)
        if not callable(found):
            return found

        def called(*args, **more):
            self.calls.append(f"{type(self.port).__name__}.{name}")
            return found(*args, **more)
        return called


class Interrupted:
    """A port after whose method something else happens, once: what another thread might do in that moment.

    It happens at the *nth* call in whose arguments *about* stands.
    """

    def __init__(self, port, method, act, *, about="", nth=1):
        self.port, self.method, self.about = port, method, about
        self.acts = [*[lambda: None] * (nth - 1), act][::-1]

    def __getattr__(self, name):
        found = getattr(self.port, name)

        def called(*args, **more):
            answer = found(*args, **more)
            if name == self.method and self.acts and self.about in repr(args):
                self.acts.pop()()
            return answer
        return called


@dataclass
class Mind:
    """All verbs over one set of ports."""

    clock: object
    table: object
    index: object
    graph: object
    queue: object
    embedder: object
    extractor: object
    analyser: object
    scope: Scope = ADA
    patient: object = schedules.always
    counter: object = field(default_factory=count)
    since: object = None

    def now(self):
        return self.clock.now

    def ids(self):
        return ulid(int(self.clock() * 1000), next(self.counter).to_bytes(10, "big"))

    def patience(self, _seconds=0):
        return self.patient

    def purge(self):
        return self.table.purge(1000)

    def close(self):
        """The file is closed by its fixture."""

    @property
    def conversations(self):
        return Conversations(self.table)

    @property
    def memories(self):
        return Memories(self.table)

    @property
    def tasks(self):
        return Tasks(self.table)

    @property
    def once(self):
        return Once(self.table, self.since)

    @property
    def projection(self):
        return Projection(self.table, self.index, self.graph, self.embedder, self.analyser)

    @property
    def derivation(self):
        return Derivation(self.table, self.conversations, self.memories, self.tasks, self.extractor, self.projection)

    @property
    def acceptance(self):
        return Acceptance(self.table, Bodies(self.table), self.conversations, self.tasks, self.analyser)

    @property
    def remember(self):
        return Remember(self.acceptance, self.derivation, self.tasks, self.queue)

    @property
    def recall(self):
        return Recall(
            self.table, Bodies(self.table), FreshTail(self.table, self.analyser), self.index, self.graph, self.embedder,
            self.analyser, Touches(self.table), lambda: 0.0,
        )

    def wish(self, *messages, conversation="c", request=None, **changes):
        """A request to remember texts that the user said, or messages."""
        said = tuple(message if isinstance(message, Said) else Said("user", "", message) for message in messages)
        name = request or self.ids()
        return replace(Wish(self.scope, conversation, said, name, f"task_{name}", {}, deferred=False), **changes)

    def say(self, *messages, patient=True, **more):
        """What remembering them comes to."""
        return self.remember(self.wish(*messages, **more), clock=self.now, ids=self.ids, patience=lambda: patient)

    def ask(self, query, *scopes, **more):
        """What the query calls to mind."""
        return self.recall(Cue(scopes or (self.scope,), query, **more), now=self.now(), ids=self.ids)

    def carry_on(self, task):
        """What a worker does who gets a message about the task; True if it served."""
        return schedules.carried_on(self, task.project, task.id)

    def sweep(self):
        return self.projection.sweep(now=self.now(), patience=self.patience())

    def turns(self, conversation="", scope=None):
        """All turns, in order."""
        found, after = [], None
        while True:
            page, after = self.conversations.page(scope or self.scope, conversation, after=after, limit=100)
            found += page
            if after is None:
                return found

    def kept(self, scope=None):
        """All memories."""
        rows = self.table.query((scope or self.scope).partition, "memory/", limit=1000).rows
        ids = [row.key.sort.removeprefix("memory/") for row in rows]
        return [found.memory for found in self.memories.get(scope or self.scope, ids).values()]

    def pending(self, scope=None):
        return Outbox(self.table).oldest(scope or self.scope, 1000)

    def rows(self, prefix, scope=None):
        return list(self.table.query((scope or self.scope).partition, prefix, limit=1000).rows)


@pytest.fixture(scope="session")
def analyser():
    return Analysis()


@pytest.fixture
def mind(tmp_path, clock, analyser):
    with closing(Database(tmp_path / "mind.sqlite", clock)) as database:
        index, embedder = SqliteIndex(database), WordEmbedder()
        index.claim(embedder.model, embedder.dimension)
        yield Mind(clock, SqliteTable(database), index, SqliteGraph(database), SqliteQueue(database), embedder, NoteExtractor(), analyser)


@pytest.fixture
def down():
    return Down()


@pytest.fixture
def mute():
    return MuteEmbedder()


@pytest.fixture
def interrupted():
    return Interrupted


@pytest.fixture
def counted(mind):
    """The same mind with all ports counted, and the calls so far."""
    calls = []
    ports = {name: Counted(getattr(mind, name), calls) for name in ("table", "index", "graph", "queue")}
    return replace(mind, **ports), calls


@pytest.fixture
def at_once():
    """Calls an act in many threads at the same moment; their results, or what they raised, in the order of numbers."""

    def run(act, threads):
        barrier, results = threading.Barrier(threads), [None] * threads

        def one(number):
            barrier.wait()
            try:
                results[number] = act(number)
            except Exception as error:  # noqa: BLE001 -- handed to the test, which looks at it
                results[number] = error

        workers = [threading.Thread(target=one, args=(number,)) for number in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return results

    return run
