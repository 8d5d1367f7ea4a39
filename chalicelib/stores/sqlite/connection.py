"""The one SQLite file that all embedded adapters share: connections, transactions, and the version of its schema.

Each thread has a connection of its own, so readers never wait for anyone (WAL). Writers of this process queue up for a
lock before they ask SQLite for its own: SQLite lets those who wait sleep and try again, which starves some of them when
many write. Other processes meet that lock (10 s), for instance the command that makes keys while the server runs.
`synchronous=FULL` makes every commit durable before it returns; `secure_delete` overwrites what is deleted with zeros.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock, Thread

from chalicelib.errors import StoreUnavailable

SCHEMA = 1
"""Version of the tables in the file. A file of a newer schema is refused; an older one is the upgrade's business."""

PATIENCE = 10.0
"""Seconds to wait for another writer."""

PRAGMAS = (
    "journal_mode=WAL", "synchronous=FULL", "foreign_keys=OFF", "secure_delete=ON",
    f"busy_timeout={int(PATIENCE * 1000)}",
)


@contextmanager
def translated() -> Iterator[None]:
    """Turn what sqlite3 raises into StoreUnavailable; misuse of it (by us) stays what it is."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise
    except sqlite3.Error as error:
        raise StoreUnavailable("sqlite", str(error) or type(error).__name__) from error


def schema_of(path: Path) -> int | None:
    """The schema version of a file, read without changing anything in it; None where there is none yet."""
    if not path.exists():
        return None
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=PATIENCE)
    try:
        known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema'").fetchone()
        version: int | None = connection.execute("SELECT max(version) FROM schema").fetchone()[0] if known else None
    finally:
        connection.close()
    return version


def check(path: Path, version: int | None) -> None:
    """Raises StoreUnavailable for a file of a newer schema than this version knows."""
    if version is not None and version > SCHEMA:
        reason = f"{path} has schema {version}, this version knows {SCHEMA} at most: use a newer Reverie"
        raise StoreUnavailable("sqlite", reason)


class Seat:
    """One thread's connection; the lock is held while a transaction is open, so that `close` waits for its end."""

    def __init__(self, path: Path) -> None:
        self.lock, self.open = RLock(), True
        self.connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, cached_statements=256, timeout=PATIENCE
        )
        self.cursor = self.connection.cursor()
        try:
            for pragma in PRAGMAS:
                self.cursor.execute(f"PRAGMA {pragma}")
        except sqlite3.Error:
            self.close()
            raise

    @contextmanager
    def transaction(self, begin: str) -> Iterator[sqlite3.Cursor]:
        """Begin, and commit at the end; roll back when anything is raised inside."""
        with self.lock:
            if not self.open:
                raise StoreUnavailable("sqlite", "the file is closed")
            self.cursor.execute(begin)
            try:
                yield self.cursor
                self.cursor.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:  # SQLite ends it by itself after some errors
                    self.cursor.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connection, once the transaction under way has ended."""
        with self.lock:
            self.open = False
            self.connection.close()


class Database:
    """A file that holds the embedded world. *clock* gives the time in epoch seconds, for adapters whose rows expire."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        """Make the file and its directory if need be. Raises StoreUnavailable if that fails or the schema is newer."""
        self.path, self.clock = Path(path), clock
        self._here = threading.local()
        self._seats: dict[Thread, Seat] = {}
        self._register, self._writer = Lock(), Lock()
        self._closed = False
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnavailable("sqlite", str(error)) from error
        with translated():
            check(self.path, schema_of(self.path))  # before a connection that may write changes so much as a header
        try:
            self._take_schema()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Cursor]:
        """One consistent state of the file, however many statements read it."""
        with translated(), self._seat().transaction("BEGIN") as cursor:
            yield cursor

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Cursor]:
        """All statements or none: committed durably at the end, rolled back when anything is raised inside."""
        with translated():
            seat = self._seat()
            with self._alone(), seat.transaction("BEGIN IMMEDIATE") as cursor:
                yield cursor

    def close(self) -> None:
        """Close the connections of all threads; whoever is in a transaction may finish it, later ones are refused."""
        with self._register:
            self._closed = True
            seats, self._seats = tuple(self._seats.values()), {}
        for seat in seats:
            seat.close()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The only writer of this process."""
        if not self._writer.acquire(timeout=PATIENCE):
            raise StoreUnavailable("sqlite", f"another writer was at work for {PATIENCE:.0f} s")
        try:
            yield
        finally:
            self._writer.release()

    def _seat(self) -> Seat:
        """The connection of this thread, opened on first use, and in no transaction yet."""
        seat: Seat | None = getattr(self._here, "seat", None)
        if seat is None:
            seat = self._here.seat = self._opened()
        if seat.open and seat.connection.in_transaction:
            raise RuntimeError("a transaction is open in this thread, and they don't nest")
        return seat

    def _opened(self) -> Seat:
        """A new connection for this thread; those of threads that have ended are closed on the way."""
        with self._register:
            if self._closed:
                raise StoreUnavailable("sqlite", "the file is closed")
            for thread in [thread for thread in self._seats if not thread.is_alive()]:
                self._seats.pop(thread).close()
            seat = self._seats[threading.current_thread()] = Seat(self.path)
        return seat

    def _take_schema(self) -> None:
        """Write the schema version into a new file; refuse a file of a newer one."""
        with self.writing() as cursor:
            cursor.execute("CREATE TABLE IF NOT EXISTS schema (version INTEGER NOT NULL)")
            found = cursor.execute("SELECT max(version) FROM schema").fetchone()[0]
            if found is None:
                cursor.execute("INSERT INTO schema (version) VALUES (?)", (SCHEMA,))
            check(self.path, found)
