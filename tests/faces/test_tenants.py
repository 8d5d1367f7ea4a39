"""Tenants are apart: whatever one can see of its own is tried by another, on every route, in every place.

The routes are found from the application. A has data of its own: a host's, a bound user's, a session's. Every id,
cursor, name and text in A's replies (and in its headers and bodies) is then tried by strangers: the host of another
project (with a body of its own name, and a namesake of A's), another bound user of A's project (in a body of its own, and
within A's), and a mind of A's project. Each is tried on every route in every place that takes a text: path, query and
body fields (found from the wire models), headers, and every field name that A's replies have. For each try there is a twin: another stranger of the same kind does the same with a value of the same shape that
nobody has. Then nothing of A's is in any reply, both replies are the same, and A's rows are as they were.

A new route fails here until `ways` says how to call it; its fields and what it shows are found by themselves.
"""

import base64
import json
import random
import re
from copy import deepcopy
from dataclasses import dataclass, field
from urllib.parse import quote

import pytest

from app import app
from chalicelib.faces import memnet_wire as wire
from chalicelib.faces.requests import Wire

MARK = "qx"
"""In every word that A chooses, and in no word of ours."""

ULID = r"[0-7][0-9A-HJKMNP-TV-Z]{25}"
OWN = re.compile(rf"\w*{MARK}\w*|\w*{ULID}\w*", re.IGNORECASE)
MADE = re.compile(rf"(?:mem_[a-z2-7]{{16}}_|task_)?{ULID}(?:[0-9a-f]{{6}})?")
ID = re.compile(r"(mem_|task_)?([a-z2-7]{16}_)?([0-7][0-9A-HJKMNP-TV-Z]{9})[0-9A-HJKMNP-TV-Z]{16}(\w*)")
"""What an id is made of: kind, scope, time, chance, seal."""

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00")
TIMING = re.compile(r'"milliseconds":[\d.]+|"parts":{[^}]*}')
MEASURE = re.compile(r"-?\d+\.\d+(?:e-?\d+)?|(?<=\"score\":)\d+")
ROUTES = sorted(f"{method} {path}" for path, methods in app.routes.items() for method in methods)
HEADERS = ("X-User-Id", "X-Org-Id", "X-Run-Id", "Idempotency-Key")
KNOWING = {"namesake", "within"}
"""Strangers who know the name of A's body, and use it."""

EACH = 1
"""Values of each name in A's replies that are tried; of cursors all are."""


@dataclass(frozen=True)
class Way:
    """How a route is called: the shape of its fields, and a call that succeeds for whom it is meant."""

    shape: type[Wire] = Wire
    query: dict = field(default_factory=dict)
    body: dict = field(default_factory=dict)
    path: dict = field(default_factory=dict)


def ways(*, name, namespace, memory="none", task="none"):
    """How to call each route, over a body."""
    names = {"memoryAgentName": name, "namespace": namespace}
    said = {**names, "messages": [{"role": "user", "content": "I live in Rome."}]}
    asked = {**names, "query": "Where do I live, and what is the word?", "explain": 1, "isReturningDetailedMemoryInfo": 1}
    found = {
        "POST /v1/memories": Way(wire.RememberRequest, body=said),
        "POST /v1/recall": Way(wire.RecallRequest, body=asked),
        "GET /v1/memories": Way(wire.MemoriesQuery, query=names),
        "GET /v1/memories/{memory}": Way(path={"memory": memory}),
        "GET /v1/turns": Way(wire.TurnsQuery, query=names),
        "GET /v1/memory-bodies": Way(wire.BodiesQuery),
        "GET /v1/memory-bodies/{namespace}/{name}": Way(path={"namespace": namespace, "name": name}),
        "GET /health": Way(),
    }
    for prefix in ("", "/v1"):
        found[f"GET {prefix}/memories/task/all"] = Way(wire.TasksQuery)
        for call in (f"GET {prefix}/memories/task/detail", f"GET {prefix}/memories/task/progress", f"DELETE {prefix}/memories/task/delete"):
            found[call] = Way(wire.TaskQuery, query={"taskId": task})
    return found


@dataclass(frozen=True)
class Try:
    """One call as it will be made."""

    query: dict
    body: dict
    path: dict
    headers: dict = field(default_factory=dict)

    @classmethod
    def of(cls, way):
        return cls(deepcopy(way.query), deepcopy(way.body), deepcopy(way.path))


def made(caller, route, each):
    """The reply to one try."""
    method, template = route.split(" ")
    path = template.format(**{name: quote(value, safe="") for name, value in each.path.items()})
    return caller.ask(method, path, each.body or None, query=each.query, headers=each.headers)


def textual(annotation):
    """Whether a field of this type takes a text."""
    return "str" in repr(annotation)


def messages(shape):
    """The shape of the items where the field `messages` is."""
    return wire.WireMessage if "messages" in shape.model_fields else None


def fields(shape):
    """The names of its fields that take a text, as the wire has them."""
    return [info.alias for info in shape.model_fields.values() if textual(info.annotation)]


def places(way, names):
    """Every place of a call where a value can go, as functions that put it there."""
    where = "body" if way.body else "query"
    found = [(f"path {name}", lambda each, value, name=name: each.path.update({name: value})) for name in way.path]
    found += [
        (f"{where} {name}", lambda each, value, name=name: getattr(each, where).update({name: listed(way.shape, name, value)}))
        for name in fields(way.shape)
    ]
    if inner := messages(way.shape):
        found += [
            (f"message {name}", lambda each, value, name=name: each.body["messages"][0].update({name: value}))
            for name in fields(inner)
        ]
    found += [(f"header {name}", lambda each, value, name=name: each.headers.update({name: value})) for name in HEADERS]
    others = [name for name in names if name not in getattr(way, where) and name not in fields(way.shape) and name != "limit"]
    found.append(("all other names", lambda each, value: getattr(each, where).update(dict.fromkeys(others, value))))
    return found


def listed(shape, name, value):
    """The value as the field takes it: in a list where it takes a list."""
    info = next(info for info in shape.model_fields.values() if info.alias == name)
    return [value] if "list" in repr(info.annotation) else value


def uncoated(cursor):
    """What is inside a cursor."""
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()


def coated(text):
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def scrambled(text, chance):
    """The text with other words for A's own: as long, in the same order among others, still an id where it was one."""
    def other(found):
        if parts := ID.fullmatch(found[0]):
            kind, scope, time, seal = parts.groups("")
            scope = scope and drawn(16, "abcdef234567", chance) + "_"
            return kind + scope + time + drawn(16, "ABCDEFGH23456789", chance) + drawn(len(seal), "0123456789abcdef", chance)
        return found[0][0] + drawn(len(found[0]) - 1, "abcdefgh", chance)

    return OWN.sub(other, text)


def drawn(count, signs, chance):
    return "".join(chance.choice(signs) for _ in range(count))


def twin(value, chance):
    """The value's twin; that of a cursor is a cursor."""
    try:
        inner = uncoated(value)
    except ValueError:
        return scrambled(value, chance)
    return coated(scrambled(inner, chance)) if OWN.search(inner) else scrambled(value, chance)


def leaves(value, name=""):
    """(name, text) of every text in a reply."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, name)
    elif isinstance(value, str):
        yield name, value


def names_in(value):
    """The name of every field in a reply."""
    if isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names_in(inner)


def opened(answer):
    """The text of a reply with its cursors opened."""
    cursor = answer.data.get("nextCursor")
    return answer.text.replace(cursor, uncoated(cursor)) if cursor else answer.text


def plain(answer, value):
    """A reply without what was sent, without times, timings, and ids made for it."""
    text = opened(answer)
    for sent in (json.dumps(value, ensure_ascii=False)[1:-1], value[:40], *words(value)):
        text = re.sub(re.escape(sent), "¤", text, flags=re.IGNORECASE)
    return answer.status, MEASURE.sub("N", TIMING.sub("", TIME.sub("T", MADE.sub("I", text))))


def words(value):
    """The words of a value, or of what is inside a cursor, longest first."""
    return sorted(re.findall(r"\w{4,}", uncoated_or_same(value)), key=len, reverse=True)


def uncoated_or_same(value):
    try:
        return uncoated(value)
    except ValueError:
        return value


@dataclass
class Victim:
    """A: its keys, all that it has been shown, and what of that is its own."""

    shared: object
    host: object
    answers: list
    values: dict
    rows: dict
    names: list
    calls: dict

    def secrets(self):
        """Every word that is A's own."""
        return {word for answer in self.answers for word in OWN.findall(opened(answer))}


def lived(shared):
    """A's life: it remembers, recalls and looks, in all its layers; returns its host and what it was shown."""
    name, namespace = "qxbody", "qxspace"
    host, alice = shared.caller("qxproject"), shared.caller("qxproject", "bound", user="qxalice")
    said = {"memoryAgentName": name, "namespace": namespace, "metadata": "qxmeta", "conversationId": "qxtalk"}
    shown = []
    for who, word, more in ((host, "heron", {}), (alice, "otter", {}), (host, "raven", {"sessionId": "qxsession"})):
        messages = [
            {"role": "user", "content": f"My sister Qx{word} lives in Qxtown{word}.", "id": f"qx{word}1", "character": "Qxann"},
            {"role": "user", "content": f"I work at Qxfirm{word}.", "id": f"qx{word}2"},
        ]
        shown.append(who.ask("POST", "/v1/memories", {**said, **more, "messages": messages}, headers={"Idempotency-Key": f"qxkey{word}"}))
        shown.append(who.ask("POST", "/v1/memories", {**said, **more, "messages": messages[:1], "asyncMode": 1, "conversationId": "qxlater"}))
        shown.append(who.ask("POST", "/v1/recall", {
            **{key: said[key] for key in ("memoryAgentName", "namespace")}, **more, "query": "Where does my sister live?",
            "explain": 1, "isReturningDetailedMemoryInfo": 1,
        }))
    host.remember("My favourite tea is qxoolong.", name="qxother", namespace=namespace)
    shared.work()
    memory = host.get("/v1/memories", memoryAgentName=name, namespace=namespace)["list"][0]["memorySummaryId"]
    task = shown[0].data["taskId"]
    calls = ways(name=name, namespace=namespace, memory=memory, task=task)
    return host, alice, shown, calls


def looked(who, calls, shown):
    """Everything that a caller's reading routes show it, whole and by pages of one."""
    for route in (route for route in ROUTES if route.startswith("GET ")):
        for limit in ({}, {"limit": 1}):
            each = Try.of(calls[route])
            each.query.update(limit)
            shown.append(made(who, route, each))


def valued(answers, chance):
    """What is tried, with its twin: of each name in the replies some values that are A's own, and what A has sent."""
    sent = [("sent", each) for each in ("qxalice", "qxsession", "qxkeyheron", "qxmeta", "qxtalk", "qxproject", "qxnobody")]
    found = [leaf for answer in answers for leaf in leaves(answer.data)]
    some = {}
    for name, text in [*sent, *found]:
        if OWN.search(uncoated_or_same(text)) and text not in some.values() and len(text) < 200:
            count = sum(key[0] == name for key in some)
            if count < EACH or name in {"sent", "nextCursor"}:
                some[name, count] = text
    return {text: twin(text, chance) for text in dict.fromkeys(some.values())}


@pytest.fixture(scope="module")
def victim(shared):
    missing = set(ROUTES) - set(ways(name="", namespace=""))
    assert not missing, f"say how to call it, in `ways`: {', '.join(sorted(missing))}"
    host, alice, shown, calls = lived(shared)
    looked(host, calls, shown)
    looked(alice, calls, shown)
    ok = [answer for answer in shown if answer.status == 200]
    names = sorted({name for answer in ok for name in names_in(answer.data)})
    shared.clock.move(100)
    values = valued(ok, random.Random(1))  # noqa: S311 -- the same twins in every run
    return Victim(shared, host, ok, values, shared.rows(), names, calls)


def stranger(victim, kind, number):
    """A new caller of that kind, and how it calls: strangers have a body, and something in it."""
    who = f"stranger{number}"
    name, namespace = ("qxbody", "qxspace") if kind in KNOWING else (who, "default")
    if kind in {"foreign", "namesake"}:
        caller = victim.shared.caller(who)
    elif kind == "mind":
        caller = victim.shared.caller("qxproject", "mind", namespace=namespace, name=name)
    else:
        caller = victim.shared.caller("qxproject", "bound", user=who)
    caller.remember("I live in Rome.", name=name, namespace=namespace)
    memory, task = next(iter(victim.values)), "none"
    return caller, ways(name=name, namespace=namespace, memory=memory, task=task)


COUNT = iter(range(10**6))


def attacked(caller, way, route, value, names):
    """(where, what was sent, the reply) for one value in every place of a route."""
    for place, put in places(way, names):
        each = Try.of(way)
        put(each, value)
        yield place, repr(each), made(caller, route, each)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", ["foreign", "namesake", "bound", "within", "mind"])
def test_what_is_anothers_is_not_read_not_changed_and_not_known_to_exist(victim, kind, route):
    secrets, sent = victim.secrets(), {"qxbody", "qxspace"} if kind in KNOWING else set()
    numbers = [f"{next(COUNT):06d}" for _ in range(2)]
    (one, calls), (two, others) = (stranger(victim, kind, number) for number in numbers)
    for value, other in victim.values.items():
        if kind in KNOWING and set(OWN.findall(uncoated_or_same(value))) <= {"qxbody", "qxspace"}:
            continue
        for first, second in zip(
            attacked(one, calls[route], route, value, victim.names),
            attacked(two, others[route], route, other, victim.names), strict=True,
        ):
            (place, given, answer), (*_, counterpart) = first, second
            where, known = f"{kind}: {value!r} as {place} of {route}", set(OWN.findall(given + uncoated_or_same(value)))
            sent |= set() if route.startswith("GET") else known  # what it has written it may be shown
            assert not (set(OWN.findall(opened(answer))) & secrets) - sent - known, f"{where} shows what is A's"
            status, text = plain(counterpart, other)
            assert plain(answer, value) == (status, text.replace(numbers[1], numbers[0])), f"{where} is told from {other!r}"
    after = victim.shared.rows()
    changed = {name: set(rows) - set(after[name]) for name, rows in victim.rows.items()}
    assert not any(changed.values()), f"{kind}, {route}: {changed}"


def test_a_sees_what_is_its_own(victim):
    """Or the strangers' tries would prove nothing."""
    for route, way in victim.calls.items():
        assert route.startswith("DELETE") or made(victim.host, route, Try.of(way)).status == 200
    kinds = {name for answer in victim.answers for name, text in leaves(answer.data) if OWN.search(uncoated_or_same(text))}
    assert kinds >= {
        "memorySummaryId", "memorySummaryText", "taskId", "nextCursor", "conversationId", "messageId", "memoryAgentName",
        "namespace", "content", "memoryPrompt", "metaData",
    }
    assert len(victim.values) > 20
    assert not set(victim.values) & set(victim.values.values())
