"""What the embedded index holds in memory: bounded by bytes, whatever is asked for, and never another answer for it."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from chalicelib.errors import StoreUnavailable
from chalicelib.mind.documents import Document, Removal, Selection
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.index import SqliteIndex
from chalicelib.stores.sqlite.index_cache import IndexCache

MOST = 100_000


def document(scope, number, version=1):
    return Document(scope, f"turn/{number}", "turn", version, {f"word{number}": 1}, None, "m", 0, conversation="c", position=number)


@pytest.fixture
def database(tmp_path):
    with closing(Database(tmp_path / "index.sqlite", lambda: 0.0)) as opened:
        yield opened


@pytest.fixture
def index(database):
    made = SqliteIndex(database, cache_bytes=MOST)
    made.claim("m", 2)
    return made


@pytest.fixture
def cache(index, database):
    assert index
    return IndexCache(database, MOST)


def ask(cache, *scopes):
    with cache.opened(scopes) as found:
        return {scope: sorted(found[scope]) for scope in scopes}


def test_scopes_that_hold_nothing_are_not_kept_however_many_are_asked_for(cache, index):
    index.apply([document("full", 0)])
    ask(cache, "full")
    for hundred in range(100):
        ask(cache, *(f"made up {hundred} {number}" for number in range(100)))
    assert set(cache.sizes) == {"full"}


def test_scopes_that_could_not_be_read_are_not_kept_either(cache, database):
    database.close()
    for number in range(1000):
        with pytest.raises(StoreUnavailable):
            ask(cache, f"made up {number}")
    assert not cache.sizes


def test_a_scope_whose_documents_are_all_gone_is_not_read_anew_each_time(cache, index):
    index.apply([Removal("gone", f"turn/{number}", 1) for number in range(5)])
    assert ask(cache, "gone") == {"gone": []}
    assert set(cache.sizes) == {"gone"}


def test_scopes_whose_documents_are_all_gone_go_too_when_there_are_too_many(cache, index):
    index.apply([Removal(f"gone {number}", "turn/0", 1) for number in range(1000)])
    for number in range(1000):
        ask(cache, f"gone {number}")
    assert 0 < sum(cache.sizes.values()) <= MOST


def test_those_used_least_lately_go_first_and_no_more_than_must(cache, index):
    for scope in range(40):
        index.apply([document(f"s{scope:02}", number) for number in range(4)])
        ask(cache, f"s{scope:02}", "s00")
    names, total = set(cache.sizes), sum(cache.sizes.values())
    assert MOST - cache.sizes["s39"] < total <= MOST
    assert names == {"s00", *(f"s{scope:02}" for scope in range(41 - len(names), 40))}


def test_what_is_in_use_stays_though_it_is_too_much(cache, index):
    index.apply([document(scope, number) for scope in ("a", "b") for number in range(3000)])
    assert ask(cache, "a", "b") == {"a": ["turn"], "b": ["turn"]}
    assert sum(cache.sizes.values()) > MOST
    index.apply([document("c", 0)])
    ask(cache, "c")
    assert set(cache.sizes) == {"c"}


def test_after_eviction_and_others_writes_the_answers_are_those_of_the_file(index, database):
    other = SqliteIndex(database, cache_bytes=MOST)
    for scope in range(30):
        index.apply([document(f"s{scope}", number) for number in range(5)])
        other.facets([f"s{scope}"], "turn")
    other.apply([Removal("s0", "turn/1", 2), document("s0", 7)])
    for each in (index, other):
        assert sorted(each.select(["s0"], Selection("turn")).ids) == ["turn/0", "turn/2", "turn/3", "turn/4", "turn/7"]
        assert each.facets(["s29", "nowhere"], "turn")["total"] == 5


def test_threads_that_ask_while_scopes_come_and_go_all_get_what_the_file_has(cache, index):
    index.apply([document(f"s{scope}", number) for scope in range(60) for number in range(4)])

    def asked(first):
        names = [f"s{(first + step) % 60}" for step in range(120)]
        return all(ask(cache, name, "s0", "nowhere") == {name: ["turn"], "s0": ["turn"], "nowhere": []} for name in names)

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(asked, (0, 15, 30, 45)))
    ask(cache, "s0")
    assert "nowhere" not in cache.sizes
    assert sum(cache.sizes.values()) <= MOST
