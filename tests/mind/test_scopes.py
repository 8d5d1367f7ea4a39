"""Scopes: one partition each, and each found again from its partition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.mind.scopes import Body, Scope, escaped, scope_named, unescaped

PARTS = st.text(st.sampled_from("/%2F5a记"), max_size=5) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCOPES = st.builds(Scope, st.builds(Body, PARTS, PARTS, PARTS), st.sampled_from(["agent", "user", "session"]), PARTS)


@given(PARTS)
def test_an_escaped_part_has_no_slash_and_reads_back_the_same(part):
    assert "/" not in escaped(part)
    assert unescaped(escaped(part)) == part


@given(SCOPES)
def test_a_scope_is_found_again_from_its_partition(scope):
    assert scope_named(scope.partition) == scope


@given(SCOPES, SCOPES)
def test_no_two_scopes_share_a_partition_or_a_ref(one, other):
    assert (one == other) == (one.partition == other.partition) == (one.ref == other.ref)


@given(SCOPES)
def test_a_partition_has_four_slashes_so_that_no_other_partition_is_like_it(scope):
    assert scope.partition.count("/") == 4


@given(SCOPES)
def test_a_ref_is_sixteen_letters_and_digits(scope):
    assert len(scope.ref) == 16
    assert set(scope.ref) <= set("abcdefghijklmnopqrstuvwxyz234567")


@pytest.mark.parametrize("partition", ["", "project/p", "p/n/b/agent", "p/n/b/nobody/", "p/n/b/agent//"])
def test_what_is_no_partition_of_a_scope_is_refused(partition):
    with pytest.raises(ValueError, match=r".*"):
        scope_named(partition)
