"""Who may do what: decided purely from a credential, the user it names, and a scope.

    admin    the whole project, and its credentials
    host     the whole project; speaks for the users it names
    gateway  a host that is always remote
    bound    one user: the scopes that user owns, in any body
    mind     one body: that body's own scope and its own sessions, not those of users

A header or field may narrow what a credential may do, never widen it. What is not the caller's does not exist for it.
"""

import hmac
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from chalicelib.errors import Forbidden, Missing, NotFound, OutOfRange
from chalicelib.mind.scopes import Body, Scope, escaped

CredentialKind = Literal["admin", "host", "bound", "gateway", "mind"]
RESERVED = frozenset({"account", "enterprise", "minds", "agents"})
"""Namespaces whose bodies obey the rules of their own interface on every route."""


@dataclass(frozen=True, slots=True)
class Credential:
    """What is kept of a key: never the secret itself, only its SHA-256."""

    key_id: str
    project: str
    kind: CredentialKind
    secret_hash: str
    user: str = ""
    namespace: str = ""
    name: str = ""
    revoked: bool = False

    def opens(self, secret: str) -> bool:
        """True for the right secret of a credential in force; compared in constant time."""
        return hmac.compare_digest(self.secret_hash, hashed(secret)) and not self.revoked


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling: a credential, and the user it speaks for ("" for none)."""

    credential: Credential
    user: str = ""

    @property
    def project(self) -> str:
        """The tenant. Nothing crosses it."""
        return self.credential.project

    @property
    def bound_to(self) -> str:
        """The user without whom nothing exists for this caller; "" where there is more."""
        return self.user if self.credential.kind == "bound" else ""

    @property
    def caller(self) -> str:
        """Under which name idempotency and heat are kept."""
        return self.credential.key_id


def hashed(secret: str) -> str:
    """SHA-256 in hexadecimal digits: a secret of 256 random bits needs no salt and no slow hash."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def checked(credential: Credential) -> Credential:
    """The credential, if it is whole. Raises Missing for what its kind needs, OutOfRange for what it has no use for."""
    if credential.kind == "bound" and not credential.user:
        raise Missing("user", "a bound key needs its user")
    if credential.kind == "mind" and not credential.name:
        raise Missing("body", "a mind key needs its body")
    if credential.user and credential.kind != "bound":
        raise OutOfRange("user", "only a bound key has a user of its own")
    if credential.name and credential.kind != "mind":
        raise OutOfRange("body", "only a mind key has a body of its own")
    return credential


def principal(credential: Credential, named: str) -> Principal:
    """The caller, speaking for the user it names. Raises Forbidden when it may not name that user."""
    kind = credential.kind
    if kind == "bound":
        if named not in {"", credential.user}:
            raise Forbidden("this key speaks for its own user only")
        return Principal(credential, credential.user)
    if kind == "mind" and named:
        raise Forbidden("this key speaks for no user")
    return Principal(credential, named)


def body_of(who: Principal, namespace: str, name: str) -> Body:
    """The body a request names. Raises NotFound for another mind's body, Forbidden in a reserved namespace."""
    own = who.credential
    if own.kind == "mind":
        if (namespace, name) != (own.namespace, own.name):
            raise NotFound("no such memory body")
    elif namespace in RESERVED:
        raise Forbidden(f"namespace {namespace} is reserved for its own interface")
    return Body(who.project, namespace, name)


def session_owner(who: Principal, session: str) -> str:
    """Under which owner a session is kept: a user's session is never another user's of the same id."""
    return f"{escaped(who.user)}/{session}"


def own_scope(who: Principal, body: Body, session: str = "") -> Scope:
    """Where this caller writes, and what it lists: the session it names, else its user's scope, else the body's own."""
    if session:
        return Scope(body, "session", session_owner(who, session))
    return Scope(body, "user", who.user) if who.user else Scope(body)


def reach(who: Principal, body: Body, session: str = "") -> tuple[Scope, ...]:
    """The scopes a recall searches: the body's own (not for a bound key), the user's, the session's."""
    scopes = [] if who.credential.kind == "bound" else [Scope(body)]
    if who.user:
        scopes.append(Scope(body, "user", who.user))
    if session:
        scopes.append(own_scope(who, body, session))
    return tuple(scopes)


def may_touch(who: Principal, scope: Scope) -> bool:
    """True if what lies in the scope exists for this caller."""
    own = who.credential
    if scope.body.project != who.project:
        return False
    if own.kind == "mind":
        own_body = (scope.body.namespace, scope.body.name) == (own.namespace, own.name)
        return own_body and scope.layer != "user" and theirs(who, scope)
    if scope.body.namespace in RESERVED:
        return False
    return not who.user or theirs(who, scope)


def theirs(who: Principal, scope: Scope) -> bool:
    """True if the scope is the named user's, or the body's own where the caller may see that."""
    if scope.layer == "agent":
        return who.credential.kind != "bound"
    return scope.owner == who.user if scope.layer == "user" else scope.owner.startswith(f"{escaped(who.user)}/")
