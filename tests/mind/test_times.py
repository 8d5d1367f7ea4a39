"""Times: what clients may send, and what is kept of them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Malformed, OutOfRange
from chalicelib.mind.times import iso, milliseconds, parsed, said

OFFSETS = st.builds(timezone, st.builds(timedelta, minutes=st.integers(-1439, 1439)))
MOMENTS = st.datetimes(datetime(1901, 1, 1), datetime(2199, 12, 31), timezones=OFFSETS)  # noqa: DTZ001 -- the strategy adds the zone


@given(MOMENTS)
def test_a_time_with_an_offset_is_taken_as_it_is(moment):
    taken = said("time", moment.isoformat())
    assert taken == moment
    assert taken.utcoffset() == moment.utcoffset()


@pytest.mark.parametrize("text", ["2026-05-28T10:00:00Z", "2026-05-28T12:00:00+02:00", "20260528T100000Z", "2026-05-28 05:00-05:00"])
def test_the_same_instant_may_be_written_in_many_ways(text):
    assert said("time", text) == datetime(2026, 5, 28, 10, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-02-30T00:00:00Z", "2026-05-28T25:00:00Z", "1716890400", "２０２６-05-28T10:00:00Z", "\ud800"])
def test_what_is_no_time_is_malformed_and_names_its_field(text):
    with pytest.raises(Malformed) as caught:
        said("messages[3].time", text)
    assert caught.value.field == "messages[3].time"
    assert caught.value.problem.isascii() or "２" in caught.value.problem


@pytest.mark.parametrize("text", ["2026-05-28", "2026-05-28T10:00:00"])
def test_a_time_needs_an_offset(text):
    with pytest.raises(OutOfRange, match="offset"):
        said("time", text)


@pytest.mark.parametrize("text", ["2026-05-28T10:00:00+08:00:30", "2026-05-28T10:00:00-01:00:00.5"])
def test_an_offset_with_seconds_is_none_because_no_row_could_keep_it(text):
    with pytest.raises(Malformed, match="hours and minutes"):
        said("time", text)


@pytest.mark.parametrize("year", [1, 1900, 2200, 9999])
def test_the_year_must_be_sane(year):
    with pytest.raises(OutOfRange, match="year"):
        said("time", f"{year:04}-06-01T00:00:00Z")
    for good in (1901, 2199):
        assert said("time", f"{good}-06-01T00:00:00Z").year == good


def test_the_hour_that_comes_twice_when_clocks_are_set_back_is_two_hours():
    first, second = (said("time", f"2026-10-25T02:30:00+0{offset}:00") for offset in (2, 1))
    assert first < second
    assert milliseconds(second) - milliseconds(first) == 3_600_000


@given(MOMENTS)
def test_milliseconds_keep_the_instant(moment):
    assert abs(milliseconds(moment) / 1000 - moment.timestamp()) <= 0.001
    assert timedelta() <= moment - parsed(iso(moment)) < timedelta(milliseconds=1)
    assert parsed(iso(moment)).utcoffset() == moment.utcoffset()


@given(MOMENTS, MOMENTS)
def test_order_in_milliseconds_is_order_in_time(one, other):
    if one <= other:
        assert milliseconds(one) <= milliseconds(other)
