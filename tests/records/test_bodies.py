"""Bodies and scopes: founded once, whoever comes first, and found by those of their project."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from chalicelib.mind.ids import memory_id, ulid
from chalicelib.mind.rows import RowConflict
from chalicelib.mind.scopes import Body, Scope
from chalicelib.records.bodies import MOST_CHARACTERS, Bodies
from chalicelib.records.counting import MOST

THREADS = 8


@pytest.fixture
def bodies(table):
    return Bodies(table)


def found(bodies, scope, *speakers, now):
    """Found a scope with its body; what was written."""
    [place] = bodies.places([scope])
    writes = bodies.founding(place, speakers, now=now)
    bodies.table.commit(writes)
    return writes


def test_a_body_exists_from_its_first_use(bodies, scope, clock):
    assert bodies.body(scope.body) is None
    found(bodies, scope, now=clock.now)
    assert bodies.body(scope.body).created_at == clock.now
    assert list(bodies.scopes(scope.body)) == [scope]


def test_a_second_use_writes_nothing(bodies, scope, clock):
    found(bodies, scope, "Ada", now=clock.now)
    assert found(bodies, scope, "Ada", "", now=clock.move(days=1)) == []
    assert bodies.body(scope.body).created_at < clock.now


def test_of_two_who_found_at_once_one_is_refused_and_finds_what_the_other_made(bodies, scope, clock):
    barrier = Barrier(THREADS)

    def race(number):
        [place] = bodies.places([scope])
        barrier.wait()
        try:
            bodies.table.commit(bodies.founding(place, [f"speaker {number}"], now=clock.now))
        except RowConflict:
            return False
        return True

    with ThreadPoolExecutor(THREADS) as pool:
        won = list(pool.map(race, range(THREADS)))
    assert won.count(True) == 1
    [place] = bodies.places([scope])
    assert place.characters == (f"speaker {won.index(True)}",)


def test_new_speakers_are_added_behind_the_known_ones_each_once(bodies, scope, clock):
    found(bodies, scope, "Ben", "", "Ann", "Ben", now=clock.now)
    found(bodies, scope, "Cid", "Ann", now=clock.now)
    assert bodies.places([scope])[0].characters == ("Ben", "Ann", "Cid")


def test_speakers_are_bounded(bodies, scope, clock):
    found(bodies, scope, *map(str, range(MOST_CHARACTERS + 50)), now=clock.now)
    assert len(bodies.places([scope])[0].characters) == MOST_CHARACTERS
    assert found(bodies, scope, "one more", now=clock.now) == []


def test_places_come_in_the_order_asked_for(bodies, scope, clock):
    found(bodies, scope, "Ada", now=clock.now)
    own, known = bodies.places([Scope(scope.body), scope])
    assert (own.scope, own.scope_row, own.characters) == (Scope(scope.body), None, ())
    assert own.body_row is not None
    assert known.characters == ("Ada",)


def test_bodies_are_listed_page_by_page_each_once(bodies, clock):
    names = [("a", "2"), ("a", "10"), ("a/b", "x"), ("b%", "1/2"), ("记", "忆")]
    for namespace, name in names:
        found(bodies, Scope(Body("p", namespace, name)), now=clock.now)
    found(bodies, Scope(Body("q", "a", "foreign")), now=clock.now)
    seen, after = [], None
    while True:
        page, after = bodies.page("p", None, after=after, limit=2)
        seen += page
        if after is None:
            break
    assert sorted((known.body.namespace, known.body.name) for known in seen) == sorted(names)
    assert len(seen) == len(names)
    assert (bodies.total("p", None), bodies.total("p", "a"), bodies.total("p", "a/b"), bodies.total("p", "c")) == (5, 2, 1, 0)


def test_a_total_is_exact_or_not_given(bodies, table, clock):
    for number in range(MOST // 20):
        writes = [write for each in range(20) for write in bodies.founding(bodies.placed([Scope(Body("p", "n", f"{number}-{each}"))], {})[0], (), now=clock.now)]
        table.commit(writes)
    assert bodies.total("p", "n") == MOST
    found(bodies, Scope(Body("p", "n", "one more")), now=clock.now)
    assert bodies.total("p", "n") is None


def test_a_memory_is_found_by_its_id_within_its_project_only(bodies, scope, clock):
    found(bodies, scope, now=clock.now)
    name = memory_id(scope.ref, ulid(0, bytes(10)))
    assert bodies.scope_of("p", name) == scope
    assert bodies.scope_of("q", name) is None
    assert bodies.scope_of("p", "mem_x") is None
