"""Who may do what: every kind of credential against every kind of scope, its own and others'."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Forbidden, Missing, NotFound
from chalicelib.mind.access import (
    RESERVED,
    Credential,
    body_of,
    checked,
    hashed,
    may_touch,
    own_scope,
    principal,
    reach,
    session_owner,
)
from chalicelib.mind.scopes import Body, Scope

HOST = Credential("k1", "p", "host", hashed("s"))
ADMIN, GATEWAY = replace(HOST, kind="admin"), replace(HOST, kind="gateway")
BOUND = replace(HOST, kind="bound", user="ada")
MIND = replace(HOST, kind="mind", namespace="minds", name="m")
HOSTS = pytest.mark.parametrize("credential", [HOST, ADMIN, GATEWAY], ids=lambda each: each.kind)
BODY, OWN = Body("p", "default", "b"), Body("p", "minds", "m")
HARD = st.text(st.sampled_from("ab/%2F"), max_size=4)
BODIES = st.builds(Body, st.sampled_from(["p", "q"]), st.sampled_from(["default", "minds", "account"]), st.sampled_from(["m", "b"]))
OWNERS = st.builds("/".join, st.lists(HARD, min_size=1, max_size=3))
SCOPES = st.builds(Scope, BODIES, st.sampled_from(["agent", "user", "session"]), OWNERS)
CALLERS = st.one_of(
    st.builds(principal, st.sampled_from([HOST, ADMIN, GATEWAY]), HARD),
    st.builds(lambda user: principal(replace(BOUND, user=user), ""), HARD.filter(bool)),
    st.just(principal(MIND, "")),
)


def test_only_the_right_secret_of_a_key_in_force_opens():
    assert HOST.opens("s")
    assert not HOST.opens("S")
    assert not HOST.opens("")
    assert not HOST.opens("\ud800")
    assert not replace(HOST, revoked=True).opens("s")


@pytest.mark.parametrize(("kind", "field"), [("bound", "user"), ("mind", "body")])
def test_a_key_that_needs_its_user_or_its_body_has_one(kind, field):
    with pytest.raises(Missing) as caught:
        checked(replace(HOST, kind=kind))
    assert caught.value.field == field
    assert checked(BOUND) is BOUND
    assert checked(MIND) is MIND


@HOSTS
def test_a_host_speaks_for_whom_it_names(credential):
    assert principal(credential, "ada").user == "ada"
    assert principal(credential, "").user == ""
    assert principal(credential, "").caller == credential.key_id


def test_a_bound_key_speaks_for_its_user_and_nobody_else():
    assert principal(BOUND, "").user == principal(BOUND, "ada").user == "ada"
    with pytest.raises(Forbidden):
        principal(BOUND, "Ada")


def test_a_mind_speaks_for_nobody():
    assert principal(MIND, "").user == ""
    with pytest.raises(Forbidden):
        principal(MIND, "ada")


@pytest.mark.parametrize(("credential", "namespace"), [*product([HOST, ADMIN, GATEWAY, BOUND], sorted(RESERVED))])
def test_bodies_of_reserved_namespaces_are_closed_to_all_but_minds(credential, namespace):
    with pytest.raises(Forbidden, match=namespace):
        body_of(principal(credential, ""), namespace, "m")
    assert not may_touch(principal(credential, ""), Scope(Body("p", namespace, "m")))


def test_a_body_is_of_the_callers_project():
    assert body_of(principal(HOST, ""), "default", "b") == BODY


def test_a_mind_has_one_body_and_others_do_not_exist_for_it():
    assert body_of(principal(MIND, ""), "minds", "m") == OWN
    for namespace, name in [("minds", "n"), ("default", "m"), ("account", "m")]:
        with pytest.raises(NotFound):
            body_of(principal(MIND, ""), namespace, name)


@HOSTS
def test_a_host_searches_the_body_then_the_user_then_the_session(credential):
    alone, ada = principal(credential, ""), principal(credential, "ada")
    assert reach(alone, BODY) == (Scope(BODY),)
    assert reach(ada, BODY) == (Scope(BODY), Scope(BODY, "user", "ada"))
    assert reach(ada, BODY, "s") == (Scope(BODY), Scope(BODY, "user", "ada"), Scope(BODY, "session", "ada/s"))
    assert reach(alone, BODY, "s") == (Scope(BODY), Scope(BODY, "session", "/s"))


def test_a_bound_key_searches_its_users_scopes_only():
    assert reach(principal(BOUND, ""), BODY, "s") == (Scope(BODY, "user", "ada"), Scope(BODY, "session", "ada/s"))


def test_a_caller_writes_to_its_session_else_to_its_user_else_to_the_body():
    assert own_scope(principal(HOST, "ada"), BODY, "s") == Scope(BODY, "session", "ada/s")
    assert own_scope(principal(HOST, "ada"), BODY) == own_scope(principal(BOUND, ""), BODY) == Scope(BODY, "user", "ada")
    assert own_scope(principal(HOST, ""), BODY) == Scope(BODY)


def test_a_mind_touches_its_body_and_its_own_sessions():
    who = principal(MIND, "")
    assert may_touch(who, Scope(OWN))
    assert may_touch(who, own_scope(who, OWN, "s"))
    for scope in (Scope(OWN, "session", "ada/s"), Scope(OWN, "user", "ada"), Scope(OWN, "user"), Scope(BODY), Scope(Body("q", "minds", "m"))):
        assert not may_touch(who, scope)


def test_a_host_that_names_nobody_touches_every_scope_of_its_project_and_one_that_does_what_that_user_has():
    scopes = [Scope(BODY), Scope(BODY, "user", "ada"), Scope(BODY, "user", "bob"), Scope(BODY, "session", "ada/s"), Scope(BODY, "session", "bob/s")]
    assert [may_touch(principal(HOST, ""), scope) for scope in scopes] == [True] * 5
    assert [may_touch(principal(HOST, "ada"), scope) for scope in scopes] == [True, True, False, True, False]
    assert [may_touch(principal(BOUND, ""), scope) for scope in scopes] == [False, True, False, True, False]


@given(CALLERS, SCOPES)
def test_nothing_crosses_a_project(who, scope):
    assert not (may_touch(who, scope) and scope.body.project != who.project)


@given(CALLERS, SCOPES)
def test_a_bound_key_touches_nothing_but_its_users_scopes(who, scope):
    if who.credential.kind == "bound" and may_touch(who, scope):
        assert scope.owner == who.user if scope.layer == "user" else scope.layer == "session"


@given(CALLERS, st.sampled_from([BODY, OWN]), HARD)
def test_a_caller_touches_all_that_it_searches_and_writes(who, body, session):
    kind = who.credential.kind
    if (body is OWN) == (kind == "mind"):
        scopes = reach(who, body, session)
        assert scopes
        assert all(may_touch(who, scope) for scope in (*scopes, own_scope(who, body, session)))


@given(HARD, HARD, HARD, HARD)
def test_a_session_of_one_user_is_never_anothers(user, session, other, others):
    """Whatever the two are called: neither is one's owner the other's, nor is it touched."""
    ada, bob = principal(HOST, user), principal(HOST, other)
    if user != other:
        assert session_owner(ada, session) != session_owner(bob, others)
        scope = Scope(BODY, "session", session_owner(ada, session))
        assert not bob.user or not may_touch(bob, scope)
    elif session != others:
        assert session_owner(ada, session) != session_owner(bob, others)
