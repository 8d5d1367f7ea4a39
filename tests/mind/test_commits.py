"""What a commit must be, and what each write makes of the row it meets, where no store is needed to tell."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Malformed, TooLarge
from chalicelib.mind.commits import added, answerable, checked, encoded, holdable, outcome
from chalicelib.mind.rows import ABSENT, ANY, MOST_ROW_BYTES, Add, Check, Delete, Key, Put, Row, RowConflict

KEY = Key("scope", "a")
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
datas = st.dictionaries(st.text(), st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))
standings = st.none() | st.builds(Row, st.just(KEY), datas, st.integers(1, 9), st.none() | st.integers(0, 10**10))


@given(datas)
def test_data_is_written_as_json_that_reads_back_the_same(data):
    assert repr(json.loads(encoded(data))) == repr(data)


@given(datas)
def test_the_size_of_a_put_is_that_of_its_key_and_its_json_in_utf_8(data):
    [ready] = checked([Put(KEY, data)])
    assert ready.size == len("scopea") + len(ready.text.encode())


def test_a_row_may_have_exactly_as_many_bytes_as_the_limit():
    room = MOST_ROW_BYTES - len('scopea{"text":""}')
    assert checked([Put(KEY, {"text": "x" * room})])[0].size == MOST_ROW_BYTES
    with pytest.raises(TooLarge, match="390001 bytes"):
        checked([Put(KEY, {"text": "x" * (room + 1)})])


@given(standings, st.integers(1, 9) | st.sampled_from([ABSENT, ANY]))
def test_a_write_is_done_exactly_when_it_meets_what_it_expects(standing, expect):
    meets = expect is ANY or expect == (standing.version if standing else ABSENT)
    for write in (Put(KEY, {"new": 1}, expect), Delete(KEY, expect)):
        if meets:
            row = outcome(write, standing)
            assert row == (Row(KEY, {"new": 1}, standing.version + 1 if standing else 1) if isinstance(write, Put) else None)
        else:
            with pytest.raises(RowConflict) as caught:
                outcome(write, standing)
            assert caught.value.standing is standing


@given(standings)
def test_a_check_leaves_the_row_as_it_is(standing):
    assert outcome(Check(KEY, standing.version if standing else ABSENT), standing) is standing


@given(st.integers(), st.integers(), st.none() | st.integers())
def test_a_sum_is_exact_or_refused_for_its_floor(before, amount, floor):
    standing = Row(KEY, {"n": before, "text": "x"}, 3, 99)
    if floor is not None and before + amount < floor:
        with pytest.raises(RowConflict):
            added(Add(KEY, {"n": amount}, floor), standing)
    else:
        assert added(Add(KEY, {"n": amount}, floor), standing) == Row(KEY, {"n": before + amount, "text": "x"}, 4, 99)


@pytest.mark.parametrize("amounts", [{f"{number}": 1 for number in range(21)}, {"": 1}, {"n": True}])
def test_an_add_has_one_to_twenty_named_integers(amounts):
    with pytest.raises(ValueError, match="named integers"):
        checked([Add(KEY, amounts)])


@pytest.mark.parametrize("expires", [-1, 2**53, True, 1.0])
def test_a_time_that_some_store_can_not_hold_is_no_expiry(expires):
    with pytest.raises(ValueError, match="expire"):
        checked([Put(KEY, {}, expires=expires)])


def test_bottomless_data_is_malformed():
    data = {}
    data["self"] = data
    with pytest.raises(Malformed, match="no JSON"):
        checked([Put(KEY, data)])


def test_keys_that_can_be_written_are_keys_that_can_be_read():
    for key in (KEY, Key("p" * 2048, "s" * 1024), Key("\x00", "\U0010ffff")):
        assert holdable(key)
        assert checked([Delete(key)])
    assert not any(map(holdable, (Key("", "s"), Key("p", ""), Key("p" * 2049, "s"), Key("p", "s" * 1025), Key("\ud800", "s"))))


def test_a_query_of_a_partition_that_can_not_be_has_no_answer():
    assert answerable("scope", "", after="", until=None, limit=1)
    assert not answerable("", "", after=None, until=None, limit=1)
    assert not answerable("scope", "\ud800", after=None, until=None, limit=1)
