"""The outbox: what was noted is there in order until it is cleared, with the vectors that were kept."""

from array import array

import pytest

from chalicelib.mind.ids import ulid
from chalicelib.mind.rows import RowConflict
from chalicelib.mind.scopes import Scope
from chalicelib.records import keys
from chalicelib.records.pending import Outbox, marked, marked_scope, noted


@pytest.fixture
def outbox(table):
    return Outbox(table)


def note(outbox, scope, count):
    for number in range(count):
        outbox.table.commit([noted(scope, ulid(number, bytes(10)), keys.turn(scope, "c", number)), marked(scope)])


def records(entries):
    return [int(entry.record[-10:]) for entry in entries]


def test_entries_come_oldest_first_or_newest_first_and_say_if_there_are_more(outbox, scope):
    note(outbox, scope, 5)
    assert records(outbox.oldest(scope, 3)) == [0, 1, 2]
    assert records(outbox.oldest(scope, 9, after=outbox.oldest(scope, 3)[-1].key.sort)) == [3, 4]
    newest, more = outbox.newest(scope, 2)
    assert (records(newest), more) == ([4, 3], True)
    assert outbox.newest(scope, 5)[1] is False
    assert outbox.newest(Scope(scope.body), 5) == ([], False)


def test_a_scope_is_marked_once_however_much_is_noted(outbox, table, scope):
    note(outbox, scope, 3)
    [mark] = [row for partition in keys.shards("dirty") for row in table.query(partition).rows]
    assert marked_scope(mark) == scope
    assert mark.version == 3


def test_a_name_of_an_entry_is_used_once(outbox, scope):
    note(outbox, scope, 1)
    with pytest.raises(RowConflict):
        note(outbox, scope, 1)


def test_vectors_are_kept_with_entries_as_they_are(outbox, scope):
    note(outbox, scope, 130)
    entries, vector = outbox.oldest(scope, 130), array("f", [0.1, -2.5e-7, 1.0])
    outbox.keep_vectors([(entry, vector) for entry in entries], "a model")
    again = outbox.oldest(scope, 130)
    assert records(again) == records(entries)
    assert all((entry.vector, entry.model) == (vector, "a model") for entry in again)


def test_what_is_cleared_is_gone_and_nothing_else(outbox, scope):
    note(outbox, scope, 130)
    outbox.clear(outbox.oldest(scope, 120))
    assert records(outbox.oldest(scope, 130)) == list(range(120, 130))
    outbox.clear([])
