"""Rows: what is written reads back the same, and so does what an older version wrote."""

from array import array
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from chalicelib.mind.commits import encoded
from chalicelib.mind.memories import Memory
from chalicelib.mind.turns import Turn
from chalicelib.records.codec import packed, unpacked, vector_of, vector_text
from chalicelib.records.conversations import Head, Receipt
from chalicelib.records.tasks import Task

MINUTES = st.builds(timezone, st.builds(timedelta, minutes=st.integers(-1439, 1439)))
TIMES = st.datetimes(datetime(1901, 1, 1), datetime(2199, 12, 31), timezones=MINUTES)  # noqa: DTZ001 -- the strategy adds the zone
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
COUNTS = st.none() | st.dictionaries(TEXTS, st.integers(1, 99), max_size=3)
st.register_type_strategy(datetime, TIMES)
st.register_type_strategy(str, TEXTS)
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
JSON = st.dictionaries(TEXTS, st.text("ab") | st.integers() | st.lists(st.booleans()), max_size=3)
VALUES = {
    "turn": st.builds(Turn, terms=COUNTS), "memory": st.builds(Memory), "head": st.builds(Head), "receipt": st.builds(Receipt),
    "task": st.builds(Task, options=JSON, result=st.none() | JSON),
}


@pytest.mark.parametrize("kind", VALUES)
@given(data=st.data())
def test_whatever_is_packed_reads_back_the_same(kind, data):
    value = data.draw(VALUES[kind])
    row = packed(value)
    assert encoded(row)
    assert unpacked(type(value), row) == value


@given(TIMES)
def test_a_time_keeps_its_offset_and_its_microseconds(moment):
    turn = Turn("c", 0, "user", "", "x", moment, moment)
    back = unpacked(Turn, packed(turn))
    assert back.said_at.isoformat() == moment.isoformat()


def test_what_is_as_usual_takes_no_room():
    now = datetime(2026, 5, 28, tzinfo=UTC)
    assert set(packed(Turn("c", 0, "user", "", "x", now, now))) == {"conversation", "position", "role", "character", "content", "said_at", "recorded_at"}


def test_a_row_of_an_older_version_has_the_defaults_of_what_it_does_not_know():
    old = {
        "id": "mem_1", "text": "x", "language": "en", "category": "fact", "subject": "Ada", "confidence": 1, "importance": 0, "said_at": "2026-05-28T00:00:00Z",
        "recorded_at": "2026-05-28T00:00:00+00:00", "updated_at": "2026-05-28T00:00:00Z", "impression": {"value": 1, "at": "2026-05-28T00:00:00Z"}, "sources": [], "changes": [],
    }
    memory = unpacked(Memory, old)
    assert (memory.state, memory.revision, memory.priority, memory.tags, memory.expires_at) == (1, 1, "normal", (), None)


def test_a_row_of_a_newer_version_is_read_as_far_as_it_is_known():
    assert unpacked(Head, {"next": 3, "colour": "blue"}) == Head(3)


def test_a_row_that_is_no_such_thing_is_refused():
    with pytest.raises(ValidationError):
        unpacked(Head, {"next": "many"})


@given(st.none() | st.lists(st.floats(width=32), max_size=9).map(lambda numbers: array("f", numbers)))
def test_a_vector_keeps_its_bits(vector):
    text = vector_text(vector)
    back = vector_of(text)
    assert back is None if vector is None else back.tobytes() == vector.tobytes()
