"""Ids: they sort by time, name their scope, and can't be made up."""

import re

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.mind.ids import MEMORY, ULID, memory_id, milliseconds_of, ref_of, task_id, task_time, ulid
from chalicelib.mind.scopes import Body, Scope

TIMES, ENTROPY = st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=16)
ULIDS = st.builds(ulid, TIMES, ENTROPY)


@given(TIMES, ENTROPY)
def test_an_id_carries_its_time(milliseconds, entropy):
    text = ulid(milliseconds, entropy)
    assert ULID.fullmatch(text)
    assert milliseconds_of(text) == milliseconds


@given(TIMES, ENTROPY, TIMES, ENTROPY)
def test_ids_sort_by_time_then_by_chance(one, chance, other, others):
    earlier = (one, chance[:10]) < (other, others[:10])
    assert (ulid(one, chance) < ulid(other, others)) == earlier


def test_an_id_is_what_the_ulid_specification_says():
    assert ulid(1469922850259, bytes(10)) == "01ARZ3NDEK" + "0" * 16
    assert ulid(2**48 - 1, b"\xff" * 10) == "7" + "Z" * 25


@given(st.text(max_size=9), ULIDS)
def test_a_memory_id_names_its_scope(name, text):
    ref = Scope(Body("p", "n", name)).ref
    assert ref_of(memory_id(ref, text)) == ref


@given(st.text() | st.from_regex(MEMORY, fullmatch=True).map(lambda text: f"{text} ") | st.from_regex(MEMORY, fullmatch=True).map(str.upper))
def test_what_is_no_memory_id_names_no_scope(text):
    assert ref_of(text) is None


@given(ULIDS, st.text(max_size=9))
def test_a_task_id_tells_its_project_when_it_was_made(text, project):
    assert task_time(task_id(project, text), project) == milliseconds_of(text)


@given(ULIDS, st.text(max_size=9), st.text(max_size=9))
def test_a_task_id_of_another_project_is_none(text, project, other):
    """Six digits of a hash can be the same by chance; then they are the same here too."""
    made = task_id(project, text)
    assert task_time(made, other) is None or made == task_id(other, text)


@given(ULIDS, st.from_regex(re.compile("[0-9a-f]{6}"), fullmatch=True))
def test_a_forged_seal_is_refused(text, seal):
    forged = f"task_{text}{seal}"
    assert task_time(forged, "p") is None or forged == task_id("p", text)


def test_a_task_id_with_anything_about_it_is_refused():
    made = task_id("p", ulid(1, bytes(10)))
    for wrong in ("", "task_", made[:-1], f"{made}0", f"{made}\n", f" {made}", made.upper(), made.replace("task", "mem")):
        assert task_time(wrong, "p") is None
