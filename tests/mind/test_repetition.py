"""Sent again is not said again: the law of repeated windows, against a model that tries everything."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.mind.repetition import LEAST, fingerprint, longest, overlap, whole
from chalicelib.mind.turns import Said

NOW = datetime(2026, 5, 28, 9, tzinfo=UTC)
MARKS = st.lists(st.sampled_from("abc"), max_size=12)
SAID = Said("user", "Ada", "I like tea", NOW)


def tried(stored, arriving):
    """The length of the longest end of *stored* that begins *arriving*, by trying all of them."""
    lengths = range(min(len(stored), len(arriving)), LEAST - 1, -1)
    return next((length for length in lengths if stored[-length:] == arriving[:length]), 0)


@given(MARKS, MARKS)
def test_the_longest_end_that_begins_the_list_is_known(stored, arriving):
    assert longest(stored, arriving) == overlap(stored, arriving) == tried(stored, arriving)


@given(MARKS, st.integers(0, 8), MARKS)
def test_a_window_sent_again_with_more_behind_it_brings_only_what_is_behind(history, back, more):
    stored = [*history, *(f"{history.count('a')}{place}" for place in range(LEAST + back))]
    window = stored[-LEAST - back:]
    assert overlap(stored, [*window, *more]) == tried(stored, [*window, *more]) >= len(window)


@given(MARKS, MARKS, st.integers(1, 6))
def test_a_match_that_reaches_past_what_is_kept_is_read_from_further_back(stored, arriving, kept):
    """The head keeps the latest few; the rest is read once at the most, and makes no difference to the answer."""
    reads = []

    def earlier(count):
        reads.append(count)
        return stored[-count:]

    assert overlap(stored[-kept:], arriving, earlier) == tried(stored, arriving)
    assert len(reads) <= 1


def test_a_list_that_what_is_kept_can_answer_is_not_read_for():
    def earlier(_count):
        raise AssertionError

    assert overlap(list("abcdefgh"), list("efgh"), earlier) == 4
    assert overlap(list("abcd"), list("xyzuvw"), earlier) == 0
    assert overlap([], list("abcdef"), earlier) == 0


@pytest.mark.parametrize(("stored", "arriving", "known"), [
    ("abcd", "abcd", 4), ("abcd", "abcde", 4), ("abc", "abcd", 0), ("abcd", "bcde", 0), ("xabcd", "abcdy", 4), ("aaaa", "aaaaaa", 4), ("aaaaaa", "aaaa", 4), ("abcd", "", 0),
])
def test_three_messages_are_said_twice_and_four_are_known(stored, arriving, known):
    assert overlap(stored, arriving) == known


@given(st.lists(st.text("0123456789abcdef", min_size=24, max_size=24), max_size=8))
def test_a_list_is_known_as_a_whole_from_four_messages_on(marks):
    assert (whole(marks) is None) == (len(marks) < LEAST)
    if len(marks) >= LEAST:
        assert whole(marks) not in {whole(marks[1:]), whole([*marks, marks[0]])}


@pytest.mark.parametrize("change", [{"role": "assistant"}, {"character": "Bob"}, {"content": "I like tea."}, {"said_at": None}, {"said_at": NOW + timedelta(seconds=1)}])
def test_another_role_speaker_text_or_time_is_another_message(change):
    assert fingerprint(replace(SAID, **change)) != fingerprint(SAID)


def test_the_same_instant_in_another_zone_and_another_id_are_the_same_message():
    elsewhere = NOW.astimezone(timezone(timedelta(hours=8)))
    assert fingerprint(replace(SAID, said_at=elsewhere, message="m1")) == fingerprint(SAID)


@given(st.builds(Said, st.sampled_from(["user", "tool"]), st.text(max_size=5), st.text(max_size=9), st.none() | st.just(NOW)))
def test_a_message_and_the_turn_it_became_are_the_same(said):
    """Where the client gave no time, the time of arrival is no part of it: sent again it arrives later."""
    assert fingerprint(said.turn("c", 3, terms={}, now=NOW + timedelta(days=1))) == fingerprint(said)
