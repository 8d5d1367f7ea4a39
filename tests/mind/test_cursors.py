"""Cursors: they come back as they went out, and are good for their own list only."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import OutOfRange
from chalicelib.mind.cursors import cursor_of, sort_of

SORTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(SORTS, st.integers(0, 9))
def test_a_cursor_reads_back_the_same_within_its_list(sort, length):
    cursor = cursor_of(sort)
    assert cursor.isascii()
    assert not set("+/=") & set(cursor)
    assert sort_of(cursor, sort[:length]) == sort


def test_no_cursor_is_the_beginning_and_the_end():
    assert cursor_of(None) is None
    assert sort_of(None, "turn/") is None


@given(SORTS, SORTS.filter(bool))
def test_a_cursor_of_another_list_is_refused(sort, prefix):
    if not sort.startswith(prefix):
        with pytest.raises(OutOfRange, match="another list"):
            sort_of(cursor_of(sort), prefix)


@given(st.text(min_size=1))
def test_whatever_a_caller_sends_is_a_cursor_or_out_of_range(text):
    refused = None
    try:
        found = sort_of(text, "")
    except OutOfRange as refusal:
        refused = refusal
    assert refused.field == "cursor" if refused else found is not None


@pytest.mark.parametrize("raw", [b"\xff", b"\xed\xa0\x80", "turn/x".encode("utf-16")])
def test_bytes_that_are_no_text_are_no_cursor(raw):
    with pytest.raises(OutOfRange, match="no cursor"):
        sort_of(base64.urlsafe_b64encode(raw).decode(), "")
