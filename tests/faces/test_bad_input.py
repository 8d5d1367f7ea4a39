"""Bad input: a refusal in the envelope, with the code of its kind, naming the field, and nothing written."""

import json

import pytest

from app import app

LONE = "a\ud800b"
REMEMBER = {"memoryAgentName": "ada", "messages": [{"role": "user", "content": "I live in Oslo."}]}
RECALL = {"memoryAgentName": "ada", "query": "Where do I live?"}
ABSENT = object()
CLIENT_ID = [("", "A0410"), ("\u200b", "A0410"), ("x" * 257, "A0420"), ("喵" * 86, "A0420"), ("a\0b", "A0420"), (5, "A0400"), (LONE, "A0400")]
NAMESPACE = [(" ", "A0410"), ("x" * 129, "A0420"), ("a\nb", "A0420"), (5, "A0400"), (LONE, "A0400")]
NAME = [(ABSENT, "A0410"), (None, "A0410"), ("", "A0410"), ("x" * 129, "A0420"), ("a\u202eb", "A0420"), ([], "A0400"), *NAMESPACE]
FLAG = [(2, "A0420"), (-1, "A0420"), ("1", "A0400"), (0.5, "A0400"), ([], "A0400")]
TIME = [("2026-03-01T10:00:00", "A0420"), ("yesterday", "A0400"), ("", "A0400"), (5, "A0400"), ("0001-01-01T00:00:00Z", "A0420"), (LONE, "A0400")]
MESSAGE = {
    "role": [(ABSENT, "A0410"), ("robot", "A0420"), (5, "A0420")],
    "content": [(ABSENT, "A0410"), ("", "A0410"), (" \n\u200b", "A0410"), ("x" * 50_001, "A0413"), (5, "A0400"), (LONE, "A0400")],
    "character": [("x" * 65, "A0420"), ("a\0b", "A0420"), (5, "A0400"), (LONE, "A0400")],
    "id": CLIENT_ID,
    "time": TIME,
}
REMEMBERING = {
    "memoryAgentName": NAME,
    "namespace": NAMESPACE,
    "messages": [(ABSENT, "A0410"), ([], "A0410"), ({}, "A0400"), ("text", "A0400"), (REMEMBER["messages"] * 2001, "A0413")],
    "language": [(5, "A0400"), ("x" * 36, "A0420"), (LONE, "A0400")],
    "isThirdPerson": FLAG,
    "metadata": [("x" * 4097, "A0413"), ({}, "A0400"), (LONE, "A0400")],
    "asyncMode": FLAG,
    "conversationId": CLIENT_ID,
    "sessionId": CLIENT_ID,
}
RECALLING = {
    "memoryAgentName": NAME,
    "query": [(ABSENT, "A0410"), ("", "A0410"), (" ", "A0410"), ("x" * 8001, "A0413"), ("x" * 50_001, "A0413"), (5, "A0400"), (LONE, "A0400")],
    "namespace": NAMESPACE,
    "character": MESSAGE["character"],
    "recallDeep": [(2, "A0420"), (-1, "A0420")],
    "isIncludeLinkedNewMemoriesFromInvalid": FLAG,
    "isUsingAssociativeThinking": FLAG,
    "isUsingCommonSenseDatabase": FLAG,
    "isUsingGlobalCommonSenseDatabase": FLAG,
    "isUsingMemoryAgentCommonSenseDatabase": FLAG,
    "commonSenseDatabaseIdList": [("x", "A0400"), ({}, "A0400")],
    "commonSenseDatabaseIdList[0]": [([""], "A0410"), ([5], "A0400"), ([LONE], "A0400")],
    "isReturningDetailedMemoryInfo": FLAG,
    "sessionId": CLIENT_ID,
    "asOf": TIME,
    "maxTokens": [(49, "A0420"), (32_001, "A0420"), (1.5, "A0400"), ("100", "A0400")],
    "limit": [(0, "A0420"), (101, "A0420"), ("5", "A0400"), (True, "A0400")],
    "explain": FLAG,
    "filter": [({"tags": ["x"]}, "A0420")],
}
LIMIT = [("0", "A0420"), ("201", "A0420"), ("-1", "A0420"), ("--1", "A0400"), ("1.5", "A0400"), ("many", "A0400"), ("", "A0400"), ("9" * 30, "A0400")]
CURSOR = [("", "A0420"), ("!", "A0420"), ("喵", "A0420"), ("eA", "A0420"), ("_____w", "A0420"), ("x" * 9000, "A0420")]
QUERY_NAME = [(ABSENT, "A0410"), ("", "A0410"), (" ", "A0410"), ("x" * 129, "A0420"), ("a\0b", "A0420"), ("\ufffd", "A0420")]
QUERY_NAMESPACE = [("x" * 129, "A0420"), ("a\0b", "A0420"), ("\u2066", "A0410")]
PAST = [("2026-03-01T10:00:00Z", "A0420")]
LISTING = {"memoryAgentName": QUERY_NAME, "namespace": QUERY_NAMESPACE, "limit": LIMIT, "cursor": CURSOR, "asOf": PAST}
QUERIES = {
    "/v1/memories": LISTING | {"status": [("", "A0420"), ("0", "A0420"), ("5", "A0420"), ("1,,2", "A0420"), ("valid", "A0420")]},
    "/v1/turns": LISTING | {"conversationId": [("", "A0410"), ("x" * 257, "A0420"), ("a\0b", "A0420")]},
    "/v1/memory-bodies": {name: LISTING[name] for name in ("namespace", "limit", "cursor", "asOf")},
    "/memories/task/all": {name: LISTING[name] for name in ("limit", "cursor")},
}
TASK = [(ABSENT, "A0410"), ("", "A0410"), (" ", "A0410"), ("\u200b", "A0410"), ("x" * 257, "A0420"), ("a\0b", "A0420"), ("task_nobody", "A0404")]
NO_JSON = [b"", b"{", b"[]", b"null", b"3", b'"text"', b"NaN", b'{"limit": NaN}', b'{"limit": -Infinity}', b"[" * 100_000, b"\xff\xfe{}", b'{"a": "\xff"}']
STRANGE_KEYS = [None, "", "Token", "Token ", "Basic dTpw", "Token wrong", "Token rv_00000000_" + "0" * 64, "Token é", "Token " + "x" * 9000]
USERS = [("", "A0410"), (" ", "A0410"), ("%20", "A0410"), ("x" * 257, "A0420"), ("a%00b", "A0420"), ("%ED%A0%80", "A0420"), ("a\tb", "A0420")]
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
OURS = sorted((path, method) for path, methods in app.routes.items() for method in methods)


@pytest.fixture(scope="module")
def host(shared):
    """A host with something to lose."""
    caller = shared.caller()
    caller.remember("I live in Oslo.", "My sister Nora lives in Lisbon.")
    return caller


@pytest.fixture
def refused(shared, host):
    """Makes a call that must be refused: with this code, naming this field, without a trace."""
    def ask(code, field, *arguments, caller=host, **more):
        before = shared.rows()
        answer = caller.ask(*arguments, **more)
        assert (answer.code, answer.data) == (code, {}), answer.text
        assert answer.msg.startswith(f"{field}: ") if field else answer.msg
        assert shared.rows() == before
        return answer

    return ask


def table(fields):
    return [
        pytest.param(field, value, code, id=f"{field}-{number}")
        for field, values in fields.items() for number, (value, code) in enumerate(values)
    ]


def changed(valid, field, value):
    """A valid body with one field another, or without it."""
    changes = {field.partition("[")[0]: value}
    return {name: inner for name, inner in {**valid, **changes}.items() if inner is not ABSENT}


@pytest.mark.parametrize(("field", "value", "code"), table(REMEMBERING))
def test_a_bad_field_of_remember_is_refused(refused, field, value, code):
    refused(code, field, "POST", "/v1/memories", changed(REMEMBER, field, value))


@pytest.mark.parametrize(("field", "value", "code"), table(MESSAGE))
def test_a_bad_field_of_a_message_is_refused_with_its_place(refused, field, value, code):
    good, bad = REMEMBER["messages"][0], changed(REMEMBER["messages"][0], field, value)
    refused(code, f"messages[1].{field}", "POST", "/v1/memories", {**REMEMBER, "messages": [good, bad]})


@pytest.mark.parametrize("message", [None, 5, "text", []])
def test_a_message_that_is_none_is_refused_with_its_place(refused, message):
    refused("A0400", "messages[0]", "POST", "/v1/memories", {**REMEMBER, "messages": [message]})


@pytest.mark.parametrize(("field", "value", "code"), table(RECALLING))
def test_a_bad_field_of_recall_is_refused(refused, field, value, code):
    refused(code, field, "POST", "/v1/recall", changed(RECALL, field, value))


@pytest.mark.parametrize(("path", "field", "value", "code"), [
    pytest.param(path, *each.values, id=f"{path}-{each.id}") for path, fields in QUERIES.items() for each in table(fields)
])
def test_a_bad_field_of_a_query_is_refused(refused, path, field, value, code):
    valid = {"memoryAgentName": "ada"} if "memoryAgentName" in QUERIES[path] else {}
    refused(code, field, "GET", path, query=changed(valid, field, value))


@pytest.mark.parametrize("prefix", ["", "/v1"])
@pytest.mark.parametrize("call", ["GET detail", "GET progress", "DELETE delete"])
@pytest.mark.parametrize(("value", "code"), TASK)
def test_a_bad_task_id_is_refused_above_all_on_delete(refused, prefix, call, value, code):
    method, verb = call.split()
    field = "" if code == "A0404" else "taskId"
    refused(code, field, method, f"{prefix}/memories/task/{verb}", query=changed({}, "taskId", value))


@pytest.mark.parametrize(("path", "code", "field"), [
    ("/v1/memories/mem_nobody", "A0404", ""),
    ("/v1/memories/mem_nobody?asOf=2026-03-01T10:00:00Z", "A0420", "asOf"),
    ("/v1/memory-bodies/default/ada?asOf=2026-03-01T10:00:00Z", "A0420", "asOf"),
    ("/v1/memories/%20", "A0410", "memoryId"),
    ("/v1/memories/a%00b", "A0420", "memoryId"),
    ("/v1/memories/%ED%A0%80", "A0420", "memoryId"),
    ("/v1/memories/" + "x" * 9000, "A0420", "memoryId"),
    ("/v1/memory-bodies/default/nobody", "A0404", ""),
    ("/v1/memory-bodies/nowhere/ada", "A0404", ""),
    ("/v1/memory-bodies/default/%20", "A0410", "memoryAgentName"),
    ("/v1/memory-bodies/%E2%80%8B/ada", "A0410", "namespace"),
    ("/v1/memory-bodies/default/a%0Ab", "A0420", "memoryAgentName"),
    ("/v1/memory-bodies/%FF/ada", "A0420", "namespace"),
])
def test_a_bad_id_in_a_path_is_refused(refused, path, code, field):
    refused(code, field, "GET", path)


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/recall"])
@pytest.mark.parametrize("body", NO_JSON, ids=range(len(NO_JSON)))
def test_a_body_that_is_no_json_object_is_refused(refused, path, body):
    refused("A0400", "body", "POST", path, raw=body)


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/recall"])
def test_a_body_of_more_than_five_megabytes_is_refused(refused, path):
    refused("A0413", "body", "POST", path, raw=b'{"query": "' + b"x" * 5_000_000 + b'"}')


@pytest.mark.parametrize("field", ["memoryAgentName", "namespace", "language", "metadata", "conversationId", "sessionId"])
def test_half_a_character_as_bytes_is_refused_in_remember(refused, field):
    refused("A0400", field, "POST", "/v1/memories", raw=bytes_of({**REMEMBER, field: LONE}))


@pytest.mark.parametrize("field", ["content", "character", "id", "time"])
def test_half_a_character_as_bytes_is_refused_in_a_message(refused, field):
    said = {**REMEMBER, "messages": [{**REMEMBER["messages"][0], field: LONE}]}
    refused("A0400", f"messages[0].{field}", "POST", "/v1/memories", raw=bytes_of(said))


def bytes_of(body):
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(("path", "method", "key"), [
    pytest.param(path, method, key, id=f"{method} {path} {number}")
    for path, method in OURS for number, key in enumerate(STRANGE_KEYS) if key is not None or path != "/health"
])
def test_without_a_key_that_opens_something_nothing_is_done(refused, path, method, key):
    answer = refused("A0301", "", method, filled(path), REMEMBER, headers={"Authorization": key})
    assert answer.status == 401


@pytest.mark.parametrize(("path", "method"), OURS)
def test_a_revoked_key_opens_nothing(shared, refused, path, method):
    caller = shared.caller()
    shared.world.credentials.revoke(caller.token.split("_")[1])
    refused("A0301", "", method, filled(path), REMEMBER, caller=caller)


def filled(path):
    """The path with its parameters set."""
    return path.format(memory="mem_x", namespace="default", name="ada")


@pytest.mark.parametrize("path", sorted(app.routes))
def test_a_method_that_a_route_does_not_have_is_refused(refused, path):
    for method in sorted(METHODS - set(app.routes[path])):
        assert refused("A0405", "", method, filled(path), REMEMBER).status == 405


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/nowhere", "/v2/memories", "/v1/memories/a/b", "//v1/memories", "/memories"])
@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_route_that_does_not_exist_is_told(refused, path, method):
    assert refused("A0404", "", method, path, REMEMBER).status == 404


@pytest.mark.parametrize(("user", "code"), USERS)
def test_a_bad_user_id_is_refused(refused, user, code):
    for method, path in (("POST", "/v1/memories"), ("POST", "/v1/recall"), ("GET", "/v1/turns")):
        refused(code, "X-User-Id", method, path, REMEMBER, headers={"X-User-Id": user})


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "a\tb", "x" * 256])
def test_a_bad_idempotency_key_is_refused(refused, host, key):
    refused("A0420", "Idempotency-Key", "POST", "/v1/memories", REMEMBER, headers={"Idempotency-Key": key})
    task = host.get("/memories/task/all")["list"][0]["taskId"]
    refused("A0420", "Idempotency-Key", "DELETE", f"/memories/task/delete?taskId={task}", headers={"Idempotency-Key": key})


@pytest.mark.parametrize("task", ["", "%20"])
def test_a_refused_delete_leaves_its_idempotency_key_unused(refused, task):
    refused("A0410", "taskId", "DELETE", f"/memories/task/delete?taskId={task}", headers={"Idempotency-Key": "k"})


@pytest.mark.parametrize("namespace", ["account", "enterprise", "minds", "agents"])
def test_a_reserved_namespace_is_refused(refused, namespace):
    refused("A0303", "", "POST", "/v1/memories", {**REMEMBER, "namespace": namespace})
    refused("A0303", "", "POST", "/v1/recall", {**RECALL, "namespace": namespace})
    for path in ("/v1/memories", "/v1/turns"):
        refused("A0303", "", "GET", path, query={"memoryAgentName": "ada", "namespace": namespace})


def test_the_cursor_of_another_list_is_refused(shared, refused):
    other = shared.caller()
    for name in ("ada", "bob"):
        other.remember("I live in Oslo.", "I work at Acme Robotics.", name=name)
    cursors = {path: other.get(path, memoryAgentName="ada", limit=1)["nextCursor"] for path in QUERIES}
    assert all(cursors.values())
    for path in QUERIES:
        for cursor in (cursor for source, cursor in cursors.items() if source != path):
            refused("A0420", "cursor", "GET", path, query={"memoryAgentName": "ada", "cursor": cursor}, caller=other)


def test_the_cursor_of_another_conversation_is_refused(refused, host):
    cursor = host.get("/v1/turns", memoryAgentName="ada", conversationId="default", limit=1)["nextCursor"]
    query = {"memoryAgentName": "ada", "conversationId": "def", "cursor": cursor}
    refused("A0420", "cursor", "GET", "/v1/turns", query=query)


@pytest.mark.parametrize("kind", ["bound", "mind"])
def test_naming_a_user_without_the_right_is_refused(shared, refused, kind):
    bound = {"user": "alice"} if kind == "bound" else {"namespace": "default", "name": "ada"}
    caller = shared.caller(kind=kind, **bound)
    refused("A0303", "", "POST", "/v1/memories", REMEMBER, caller=caller, headers={"X-User-Id": "bob"})
    refused("A0303", "", "GET", "/v1/memory-bodies", caller=caller, headers={"X-User-Id": "bob"})


@pytest.mark.parametrize("query", ["memoryAgentName=%ff", "memoryAgentName=a%C3", "memoryAgentName=ada&conversationId=%E8%AE"])
def test_a_query_that_is_not_utf_8_is_refused_rather_than_read_as_another(shared, query):
    answer = shared.caller().ask("GET", f"/v1/turns?{query}")
    assert (answer.status, answer.code) == (400, "A0420")


def test_no_words_of_python_are_told_to_a_caller(shared):
    for value in ("--1", "1_0", "\u0661", "+1", " 1"):
        answer = shared.caller().ask("GET", "/v1/memory-bodies", query={"limit": value})
        assert (answer.code, "literal" in answer.msg) == ("A0400", False)
