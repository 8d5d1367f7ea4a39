"""Memories: every row that belongs to one in one commit, and no change over another."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from chalicelib.mind.commits import MOST_SORT_BYTES, checked
from chalicelib.mind.memories import born
from chalicelib.mind.rows import RowConflict
from chalicelib.mind.scopes import Scope
from chalicelib.mind.statements import Entity, Slot, Statement
from chalicelib.mind.turns import Turn
from chalicelib.records.memories import MOST_ENTITIES, Memories

START = datetime(2026, 5, 28, 9, tzinfo=UTC)
TURN = Turn("c", 3, "user", "Ada", "I like tea", START, START)
STATEMENT = Statement(
    "Ada likes tea", ("c/3",), "preference", "en", "Ada", 0.8, slot=Slot("Ａda", "drink/hot", "tea", single=False),
    entities=(Entity("Ada", "person"), Entity("Green  Tea"), Entity("green tea")),
)


@pytest.fixture
def memories(table):
    return Memories(table)


def made(scope, number=0, statement=STATEMENT, digest="d0"):
    name = f"mem_{scope.ref}_{number:026}"
    return born(statement, [TURN], id=name, text=statement.text, digest=digest, metadata="", now=START)


def sorts(memories, scope):
    return [row.key.sort for row in memories.table.query(scope.partition).rows]


def test_a_new_memory_comes_with_revision_log_digest_slot_and_entities(memories, scope):
    memory = made(scope)
    memories.table.commit(memories.adding(scope, memory, None))
    assert sorts(memories, scope) == [
        "digest/d0", f"entity/ada/{memory.id}", f"entity/green tea/{memory.id}", f"log/{memory.id}/000001", f"memory/{memory.id}",
        f"revision/{memory.id}/000001", f"slot/ada/drink%2Fhot/{memory.id}",
    ]
    assert memories.get(scope, [memory.id, "mem_none"])[memory.id].memory == memory
    assert memories.digests(scope, ["d0", "d1", "d0"])["d0"].data == {"memory": memory.id}
    assert [row.data["text"] for row in memories.revisions(scope, memory.id)] == ["Ada likes tea"]
    assert memories.get(Scope(scope.body), [memory.id]) == {}


def test_a_statement_that_somebody_has_made_meanwhile_is_refused_whole(memories, scope):
    memories.table.commit(memories.adding(scope, made(scope), None))
    before = sorts(memories, scope)
    with pytest.raises(RowConflict):
        memories.table.commit(memories.adding(scope, made(scope, 1), None))
    assert sorts(memories, scope) == before


def test_a_digest_is_taken_over_only_as_it_was_read(memories, scope):
    memories.table.commit(memories.adding(scope, made(scope), None))
    row = memories.digests(scope, ["d0"])["d0"]
    memories.table.commit(memories.adding(scope, made(scope, 1), row))
    assert memories.digests(scope, ["d0"])["d0"].data["memory"] == made(scope, 1).id
    with pytest.raises(RowConflict):
        memories.table.commit(memories.adding(scope, made(scope, 2), row))


def test_a_change_over_a_change_is_refused(memories, scope):
    memory = made(scope)
    memories.table.commit(memories.adding(scope, memory, None))
    kept = memories.get(scope, [memory.id])[memory.id]
    memories.table.commit(memories.changing(scope, replace(memory, verified=True), kept.version))
    with pytest.raises(RowConflict):
        memories.table.commit(memories.changing(scope, replace(memory, priority="high"), kept.version))
    assert memories.get(scope, [memory.id])[memory.id].memory == replace(memory, verified=True)


@pytest.mark.parametrize("letter", ["/", "%", "😀", "ﷺ", "a"])
def test_a_commit_of_a_statement_stays_small_whatever_it_names(memories, scope, letter):
    entities = tuple(Entity(f"{number}{letter * 400}") for number in range(MOST_ENTITIES + 9))
    statement = replace(STATEMENT, slot=Slot(letter * 400, "identity_employer", "x", single=True), entities=entities)
    writes = checked(memories.adding(scope, made(scope, statement=statement), None))
    assert len(writes) <= 60
    assert all(len(each.write.key.sort.encode()) <= MOST_SORT_BYTES for each in writes)


def test_all_revisions_are_read_however_many(memories, scope):
    memory = made(scope)
    for start in range(0, 250, 50):
        memories.table.commit([memories.adding(scope, replace(memory, revision=number), None)[1] for number in range(start + 1, start + 51)])
    assert [row.key.sort[-6:] for row in memories.revisions(scope, memory.id)] == [f"{number:06}" for number in range(1, 251)]
