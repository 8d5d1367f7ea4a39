"""Impressions: they fade with time, rise by touch, and stay between 0 and 1."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.mind.impressions import RISE, Impression

AT = datetime(2026, 5, 28, tzinfo=UTC)
HELD = st.builds(Impression, st.floats(0, 1), st.just(AT))
LATER = st.timedeltas(timedelta(), timedelta(days=40_000)).map(lambda passed: AT + passed)
EVER = st.timedeltas(timedelta(days=-40_000), timedelta(days=40_000)).map(lambda passed: AT + passed)


@given(HELD, EVER)
def test_what_is_left_is_between_nothing_and_what_there_was(held, now):
    assert 0 <= held.felt(now) <= held.value


@given(HELD, EVER, EVER)
def test_it_only_fades(held, one, other):
    assert held.felt(min(one, other)) >= held.felt(max(one, other))


@given(st.floats(0, 1), st.floats(0, 1), LATER)
def test_the_stronger_stays_the_stronger(one, other, now):
    weak, strong = sorted([one, other])
    assert Impression(weak, AT).felt(now) <= Impression(strong, AT).felt(now)


@given(HELD, LATER)
def test_a_touch_makes_it_fresh_and_stronger(held, now):
    touched = held.touched(now)
    if now > AT:
        assert touched.at == now
        assert held.value <= touched.value <= 1
        assert touched.felt(now) == touched.value == pytest.approx(held.value + RISE * (1 - held.value))


@given(HELD, LATER, LATER)
def test_what_was_touched_is_never_felt_less_than_what_was_not(held, touched, now):
    """Forgetting begins anew with a touch, and is steep at first: that must not make the touched one the weaker."""
    assert held.touched(touched).felt(max(now, touched)) >= held.felt(max(now, touched))


@given(HELD, EVER)
def test_a_touch_before_the_last_one_changes_nothing(held, now):
    assert (held.touched(now) is held) == (now <= AT)


@pytest.mark.parametrize(("minutes", "share"), [(20, 0.582), (64, 0.442), (526, 0.358), (1440, 0.337), (2880, 0.278), (8640, 0.254), (44_640, 0.211)])
def test_it_fades_as_ebbinghaus_measured_it(minutes, share):
    """His seven intervals (Ebbinghaus 1885, ch. 7); the formula is his own fit to them."""
    assert Impression(1.0, AT).felt(AT + timedelta(minutes=minutes)) == pytest.approx(share, abs=0.035)
