"""The file that all embedded adapters share: transactions, threads, its schema, and its end."""

import inspect
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from chalicelib.errors import StoreUnavailable
from chalicelib.mind.rows import Add, Key, Put
from chalicelib.stores.sqlite.connection import SCHEMA, Database, translated
from chalicelib.stores.sqlite.table import SqliteTable

MISUSE = {sqlite3.ProgrammingError, sqlite3.InterfaceError}
DRIVER_ERRORS = {
    kind for _, kind in inspect.getmembers(sqlite3, inspect.isclass)
    if issubclass(kind, Exception) and not issubclass(kind, sqlite3.Warning)
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "home" / "rows.sqlite"


@pytest.fixture
def database(path):
    with closing(Database(path, lambda: 0.0)) as opened:
        yield opened


def numbers(database):
    with database.reading() as cursor:
        return [number for (number,) in cursor.execute("SELECT number FROM numbers ORDER BY number")]


def insert_and(database, then):
    with database.writing() as cursor:
        cursor.execute("INSERT INTO numbers VALUES (1)")
        then(cursor)


def raise_key_error(_cursor):
    raise KeyError


@pytest.fixture
def counted(database):
    with database.writing() as cursor:
        cursor.execute("CREATE TABLE numbers (number INTEGER)")
    return database


class TestTransactions:
    def test_what_is_written_is_there_for_other_threads(self, counted):
        with counted.writing() as cursor:
            cursor.execute("INSERT INTO numbers VALUES (1)")
        found = []
        thread = threading.Thread(target=lambda: found.extend(numbers(counted)))
        thread.start()
        thread.join()
        assert found == [1]

    def test_an_exception_takes_everything_back(self, counted):
        with pytest.raises(KeyError):
            insert_and(counted, raise_key_error)
        assert numbers(counted) == []
        with counted.writing() as cursor:
            cursor.execute("INSERT INTO numbers VALUES (2)")
        assert numbers(counted) == [2]

    def test_a_reader_sees_one_state_while_others_write(self, counted):
        def write():
            with counted.writing() as cursor:
                cursor.execute("INSERT INTO numbers VALUES (1)")

        with counted.reading() as cursor:
            before = cursor.execute("SELECT count(*) FROM numbers").fetchone()
            thread = threading.Thread(target=write)
            thread.start()
            thread.join()
            assert cursor.execute("SELECT count(*) FROM numbers").fetchone() == before == (0,)
        assert numbers(counted) == [1]

    def test_two_processes_that_read_and_then_write_wait_for_each_other(self, path):
        with closing(Database(path, lambda: 0.0)) as one, closing(Database(path, lambda: 0.0)) as other:
            tables = [SqliteTable(one), SqliteTable(other)]
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda number: tables[number % 2].commit([Add(Key("p", "s"), {"n": 1})]), range(80)))
            assert tables[0].get([Key("p", "s")])[Key("p", "s")].data == {"n": 80}

    @pytest.mark.parametrize("outer", ["reading", "writing"])
    @pytest.mark.parametrize("inner", ["reading", "writing"])
    def test_transactions_do_not_nest(self, counted, outer, inner):
        with getattr(counted, outer)(), pytest.raises(RuntimeError, match="nest"), getattr(counted, inner)():
            pass

    @pytest.mark.parametrize(("pragma", "value"), [("journal_mode", "wal"), ("synchronous", 2), ("secure_delete", 1), ("foreign_keys", 0), ("busy_timeout", 10_000)])
    def test_every_connection_is_set_up_for_durability(self, database, pragma, value):
        with database.reading() as cursor:
            assert cursor.execute(f"PRAGMA {pragma}").fetchone() == (value,)


class TestSchema:
    def test_a_new_file_names_its_schema(self, database):
        with database.reading() as cursor:
            assert cursor.execute("SELECT version FROM schema").fetchall() == [(SCHEMA,)]

    def test_a_file_opened_again_keeps_its_schema_and_its_rows(self, path):
        for _ in range(2):
            with closing(Database(path, lambda: 0.0)) as database:
                table = SqliteTable(database)
                with database.reading() as cursor:
                    assert cursor.execute("SELECT version FROM schema").fetchall() == [(SCHEMA,)]
                table.commit([Put(Key("p", "s"), {})])
        with closing(Database(path, lambda: 0.0)) as database:
            assert SqliteTable(database).get([Key("p", "s")])[Key("p", "s")].version == 2

    def test_a_file_of_a_newer_schema_is_refused_and_left_alone(self, path):
        with closing(Database(path, lambda: 0.0)) as database, database.writing() as cursor:
            cursor.execute("UPDATE schema SET version = ?", (SCHEMA + 1,))
        before = path.read_bytes()
        with pytest.raises(StoreUnavailable, match=f"schema {SCHEMA + 1}.*newer Reverie"):
            Database(path, lambda: 0.0)
        assert path.read_bytes() == before


class TestEnd:
    def test_nothing_is_left_open_however_many_threads_there_were(self, path):
        program = (
            "import sys, threading, pathlib, gc\n"
            "from chalicelib.stores.sqlite.connection import Database\n"
            "database = Database(pathlib.Path(sys.argv[1]), lambda: 0.0)\n"
            "def read():\n"
            "    with database.reading() as cursor: cursor.execute('SELECT 1')\n"
            "threads = [threading.Thread(target=read) for _ in range(8)]\n"
            "[thread.start() for thread in threads]; [thread.join() for thread in threads]\n"
            "database.close(); del database; gc.collect()\n"
        )
        done = subprocess.run([sys.executable, "-W", "error", "-c", program, str(path)], capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        assert [file.name for file in path.parent.iterdir()] == [path.name]

    def test_the_connections_of_threads_that_have_ended_are_closed_on_the_way(self, counted):
        for _ in range(20):
            thread = threading.Thread(target=numbers, args=(counted,))
            thread.start()
            thread.join()
        assert len(counted._seats) <= 2  # noqa: SLF001  # what is kept open can't be seen from outside

    def test_a_closed_file_is_unavailable_in_every_thread(self, counted):
        refusals = []

        def read():
            try:
                numbers(counted)
            except StoreUnavailable as error:
                refusals.append(error.store)

        counted.close()
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
        read()
        assert refusals == ["sqlite", "sqlite"]

    def test_closing_twice_is_closing(self, database):
        database.close()
        database.close()


class TestErrors:
    @pytest.mark.parametrize("kind", sorted(DRIVER_ERRORS - MISUSE, key=str))
    def test_every_exception_of_the_driver_is_translated(self, kind):
        with pytest.raises(StoreUnavailable), translated():
            raise kind("the reason")

    @pytest.mark.parametrize("kind", sorted(MISUSE, key=str))
    def test_misuse_by_us_stays_what_it_is(self, kind):
        with pytest.raises(kind), translated():
            raise kind("the reason")

    def test_a_file_that_is_no_database_is_unavailable(self, path):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"no database " * 100)
        with pytest.raises(StoreUnavailable, match="not a database"):
            Database(path, lambda: 0.0)

    def test_a_directory_that_can_not_be_made_is_unavailable(self, tmp_path):
        (tmp_path / "file").write_text("in the way")
        with pytest.raises(StoreUnavailable, match="file"):
            Database(tmp_path / "file" / "rows.sqlite", lambda: 0.0)

    def test_an_error_of_a_statement_takes_the_transaction_back(self, counted):
        with pytest.raises(StoreUnavailable, match="no such table"):
            insert_and(counted, lambda cursor: cursor.execute("SELECT * FROM nowhere"))
        assert numbers(counted) == []


class TestPurge:
    def test_expired_rows_go_the_longest_expired_first_and_no_more_than_asked_for(self, path):
        with closing(Database(path, lambda: 100.0)) as database:
            table = SqliteTable(database)
            table.commit([Put(Key("p", f"{number}"), {}, expires=number) for number in (99, 97, 98, 101)] + [Put(Key("p", "kept"), {})])
            assert table.purge(2) == 2
            with database.reading() as cursor:
                assert cursor.execute("SELECT sort FROM rows ORDER BY sort").fetchall() == [("101",), ("99",), ("kept",)]
            assert (table.purge(2), table.purge(2)) == (1, 0)
