"""Who is behind each port. The only module that knows an adapter, and the only reader of clock, chance and environment.

Everything is built on first use, so that an entry point imports no driver it does not need.
"""

import logging
import os
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from chalicelib.acceptance import Acceptance
from chalicelib.derivation import Derivation
from chalicelib.errors import Conflict, Malformed, StoreUnavailable
from chalicelib.fresh import FreshTail
from chalicelib.mind.ids import ulid
from chalicelib.mind.ranking import Calibration
from chalicelib.once import Once
from chalicelib.ports import Analyser, AssociationGraph, Embedder, Extractor, Queue, SearchIndex, Table
from chalicelib.projection import Projection
from chalicelib.rebuild import Rebuild
from chalicelib.recall import Recall
from chalicelib.records.bodies import Bodies
from chalicelib.records.conversations import Conversations
from chalicelib.records.credentials import Credentials
from chalicelib.records.embedders import Embedders
from chalicelib.records.memories import Memories
from chalicelib.records.tasks import Tasks
from chalicelib.remember import Remember
from chalicelib.settings import Settings, read
from chalicelib.touches import Touches

if TYPE_CHECKING:
    from chalicelib.stores.sqlite.connection import Database
    from chalicelib.stores.sqlite.graph import SqliteGraph
    from chalicelib.stores.sqlite.index import SqliteIndex

VERSION = "0.1.0"
LAYER = Path("/opt/reverie/e5")
"""Where a Lambda layer puts the built embedder."""

LOG = logging.getLogger("reverie")


class World:
    """Every adapter and every verb over one set of settings."""

    def __init__(
        self, settings: Settings, *, clock: Callable[[], float] = time.time, cache: Path | None = None
    ) -> None:
        """*clock*: epoch seconds. *cache*: where built models are kept; by default the user's cache directory."""
        self.settings, self.clock = settings, clock
        self.since: datetime | None = None  # from when on this process has its stores to itself, if it has
        self.cache = cache or cache_directory(os.environ)

    def now(self) -> datetime:
        """The time, in UTC."""
        return datetime.fromtimestamp(self.clock(), UTC)

    def ids(self) -> str:
        """A new ULID."""
        return ulid(int(self.clock() * 1000), secrets.token_bytes(10))

    def secret(self) -> str:
        """256 random bits as 64 hexadecimal digits."""
        return f"{secrets.randbits(256):064x}"

    def patience(self, seconds: float) -> Callable[[], bool]:
        """True for so many seconds from now."""
        end = time.monotonic() + seconds
        return lambda: time.monotonic() < end

    @cached_property
    def database(self) -> "Database":
        """The file of the embedded world."""
        from chalicelib.stores.sqlite.connection import Database

        return Database(self.settings.home / "reverie.sqlite", self.clock)

    @cached_property
    def table(self) -> Table:
        """The truth."""
        if self.settings.stores == "aws":
            return self.dynamo()
        from chalicelib.stores.sqlite.table import SqliteTable

        return SqliteTable(self.database)

    def dynamo(self) -> Table:
        """The truth, on DynamoDB."""
        import boto3
        from botocore.config import Config

        from chalicelib.stores.dynamodb import DynamoTable

        once = Config(retries={"total_max_attempts": 1})  # the adapter repeats by itself, and knows what it may repeat
        client = boto3.client("dynamodb", endpoint_url=self.settings.aws_endpoint_url or None, config=once)
        return DynamoTable(client, self.settings.table, self.clock, time.sleep, token=self.ids)

    @cached_property
    def index(self) -> SearchIndex:
        """Documents by words and by vector."""
        index, embedder = self.sqlite_index, self.embedder
        try:
            index.claim(embedder.model, embedder.dimension)
        except Conflict as conflict:
            advice = f"`bash infra/rebuild --home {self.settings.home}` embeds everything anew with {embedder.model}"
            raise StoreUnavailable("search index", f"{conflict}; {advice}") from conflict
        return index

    @cached_property
    def sqlite_index(self) -> "SqliteIndex":
        """The index in the file, whosever vectors it holds."""
        self.embedded_only("the search index")
        from chalicelib.stores.sqlite.index import SqliteIndex

        return SqliteIndex(self.database)

    @cached_property
    def graph(self) -> AssociationGraph:
        """Entities and relations."""
        return self.sqlite_graph

    @cached_property
    def sqlite_graph(self) -> "SqliteGraph":
        """The graph in the file."""
        self.embedded_only("the association graph")
        from chalicelib.stores.sqlite.graph import SqliteGraph

        return SqliteGraph(self.database)

    @cached_property
    def queue(self) -> Queue:
        """Work for later."""
        self.embedded_only("the queue")
        from chalicelib.stores.sqlite.queue import SqliteQueue

        return SqliteQueue(self.database)

    def embedded_only(self, what: str) -> None:
        """Raises Malformed where the settings ask for stores that this version has no adapter for."""
        if self.settings.stores != "embedded":
            raise Malformed("REVERIE_STORES", f"this version has no adapter of {what} for aws yet; use embedded")

    @cached_property
    def embedder(self) -> Embedder:
        """Text to vectors."""
        if self.settings.embedder == "openai":
            return self.endpoint_embedder()
        from chalicelib.language.e5.model import E5, built

        return E5(LAYER if LAYER.exists() else built(self.cache / "e5"), threads=min(2, os.cpu_count() or 1))

    def endpoint_embedder(self) -> Embedder:
        """The model behind an endpoint, measured once, so that a later start needs no answer from it."""
        from chalicelib.language.openai import opened

        settings, name = self.settings, self.endpoint_name
        known = self.embedders.get(name)
        embedder = opened(settings.openai_base_url, settings.openai_api_key, settings.embedding_model, known)
        if known is None:
            self.embedders.keep(name, embedder.dimension, Calibration(embedder.floor, embedder.ceiling))
        return embedder

    @property
    def endpoint_name(self) -> str:
        """What tells the model behind the endpoint from any other."""
        return f"{self.settings.openai_base_url} {self.settings.embedding_model}"

    @cached_property
    def embedders(self) -> Embedders:
        """Records of what was measured of embedding models."""
        return Embedders(self.table)

    @cached_property
    def analyser(self) -> Analyser:
        """Text to terms."""
        from chalicelib.language.analysis import Analysis

        return Analysis()

    @cached_property
    def extractor(self) -> Extractor:
        """Turns to statements."""
        from chalicelib.language.rules.extractor import RuleExtractor
        from chalicelib.language.rules.tagging import LacTagger

        return RuleExtractor(LacTagger(), mode=self.settings.extraction_mode)

    @cached_property
    def bodies(self) -> Bodies:
        """Records of bodies and scopes."""
        return Bodies(self.table)

    @cached_property
    def conversations(self) -> Conversations:
        """Records of turns."""
        return Conversations(self.table)

    @cached_property
    def memories(self) -> Memories:
        """Records of memories."""
        return Memories(self.table)

    @cached_property
    def tasks(self) -> Tasks:
        """Records of tasks."""
        return Tasks(self.table)

    @cached_property
    def credentials(self) -> Credentials:
        """Records of keys."""
        return Credentials(self.table)

    @cached_property
    def once(self) -> Once:
        """Guard of requests that are to be done once."""
        return Once(self.table, self.since)

    @cached_property
    def projection(self) -> Projection:
        """Table to index and graph."""
        return Projection(self.table, self.index, self.graph, self.embedder, self.analyser)

    @cached_property
    def derivation(self) -> Derivation:
        """Turns to memories."""
        return Derivation(self.table, self.conversations, self.memories, self.tasks, self.extractor, self.projection)

    @cached_property
    def remember(self) -> Remember:
        """The verb."""
        acceptance = Acceptance(self.table, self.bodies, self.conversations, self.tasks, self.analyser)
        return Remember(acceptance, self.derivation, self.tasks, self.queue)

    @cached_property
    def recall(self) -> Recall:
        """The verb."""
        return Recall(
            self.table, self.bodies, FreshTail(self.table, self.analyser), self.index, self.graph, self.embedder,
            self.analyser, Touches(self.table), time.perf_counter,
        )

    def rebuild(self, told: Callable[[str, int], None]) -> int:
        """Empty index and graph and refill them from the Table, with the embedder of now; returns how many records.

        For a process that has the home to itself. *told*: called with what is being done and how many records so far.
        A model behind an endpoint is measured anew.
        """
        if self.settings.embedder == "openai":
            self.embedders.forget(self.endpoint_name)
        index, graph, embedder = self.sqlite_index, self.sqlite_graph, self.embedder

        def empty() -> None:
            graph.reset()
            index.reset(embedder.model, embedder.dimension)  # last: until then a start is refused, not half right

        rebuild = Rebuild(self.table, self.bodies, empty, lambda: self.projection)
        return rebuild(f"{embedder.model} ({embedder.dimension})", told)

    def warm(self) -> None:
        """Build everything, in one thread, before many threads use it."""
        for verb in (self.remember, self.recall, self.once, self.credentials):
            LOG.debug("built %s", type(verb).__name__)

    def purge(self) -> int:
        """Drop up to 1,000 expired rows where the store does not do that by itself; returns how many."""
        from chalicelib.stores.sqlite.table import SqliteTable

        return self.table.purge(1000) if isinstance(self.table, SqliteTable) else 0

    def close(self) -> None:
        """Let go of the file."""
        if "database" in self.__dict__:
            self.database.close()


def cache_directory(environ: Mapping[str, str]) -> Path:
    """Where this user's caches are: XDG_CACHE_HOME, else .cache in the home directory."""
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reverie"


class Process:
    """The one world of this process."""

    def __init__(self) -> None:
        """Nothing is built yet."""
        self.lock = Lock()
        self.world: World | None = None

    def get(self) -> World:
        """The world that the environment describes, built on first use."""
        with self.lock:
            if self.world is None:
                self.world = World(read(os.environ))
            return self.world

    def use(self, other: World | None) -> None:
        """Put another world in its place, and close the one before."""
        with self.lock:
            if self.world is not None:
                self.world.close()
            self.world = other


PROCESS = Process()


def world() -> World:
    """The world of this process."""
    return PROCESS.get()


def close() -> None:
    """Close the world of this process; the next use builds a new one."""
    PROCESS.use(None)
