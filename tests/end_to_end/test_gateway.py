"""The HTTP gateway of the embedded server, before a small application: what it adds to Chalice's local gateway."""

import http.client
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import uvicorn
from chalice.app import Chalice, Response
from chalice.local import ForbiddenError

from infra.gateway import MOST_BYTES, Gateway, decoded, target, translated


def small_application() -> Chalice:
    app = Chalice(app_name="small")
    together = threading.Barrier(8)

    @app.route("/echo/{part}", methods=["GET", "POST"], content_types=["*/*"], cors=True)
    def echo(part):
        request = app.current_request
        return {"part": part, "query": request.to_dict()["query_params"], "bytes": len(request.raw_body or b"")}

    @app.route("/together/{part}", methods=["GET"])
    def met(part):
        together.wait(30)
        return {"part": part, "header": app.current_request.headers["x-part"]}

    @app.route("/many", methods=["GET"])
    def many():
        return Response("text", {"Content-Type": "text/plain", "Set-Cookie": ["a=1", "b=2"]}, 201)

    return app


@pytest.fixture(scope="module")
def posts():
    return []


@pytest.fixture(scope="module")
def address(posts):
    listener = socket.create_server(("127.0.0.1", 0))
    gateway = Gateway(small_application(), lambda: posts.append(1))
    settings = {"ws": "none", "loop": "asyncio", "lifespan": "off", "log_config": None, "timeout_graceful_shutdown": 5}
    server = uvicorn.Server(uvicorn.Config(gateway, http="h11", **settings))
    thread = threading.Thread(target=server.run, args=[[listener]])
    thread.start()
    yield listener.getsockname()
    server.should_exit = True
    thread.join()
    assert gateway.close(5)


@pytest.fixture
def ask(address):
    def asked(method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(*address, timeout=30)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    return asked


def test_a_path_reaches_its_route_as_it_was_encoded(ask):
    _, _, body = ask("GET", "/echo/a%2Fb%25;c")
    assert json.loads(body)["part"] == "a%2Fb%25%3Bc"


def test_a_query_reaches_its_route(ask):
    _, _, body = ask("GET", "/echo/x?a=1&b=%E4%B8%AD&empty=")
    assert json.loads(body)["query"] == {"a": "1", "b": "中", "empty": ""}


@pytest.mark.parametrize("path", ["/nowhere", "//echo/x", "/echo", "/echo/x/y", "*"])
def test_an_unknown_route_is_refused_in_the_envelope(ask, path):
    status, headers, body = ask("GET", path, headers={"Authorization": "Token \xe9"})
    assert (status, json.loads(body)) == (404, {"code": "A0404", "msg": "no such route", "data": {}})
    assert headers["access-control-allow-origin"] == "*"
    assert headers["content-type"].startswith("application/json")


def test_a_body_of_the_largest_size_is_taken(ask):
    _, _, body = ask("POST", "/echo/x", b"x" * MOST_BYTES, {"Content-Type": "text/plain"})
    assert json.loads(body)["bytes"] == MOST_BYTES


def test_a_larger_body_is_refused_in_the_envelope(ask):
    status, _, body = ask("POST", "/echo/x", b"x" * (MOST_BYTES + 1))
    assert (status, json.loads(body)["code"]) == (413, "A0413")


def test_a_larger_body_of_unknown_length_is_refused_in_the_envelope(ask):
    status, _, body = ask("POST", "/echo/x", iter([b"x" * 1_000_000] * 11))
    assert (status, json.loads(body)["code"]) == (413, "A0413")


def test_a_body_that_claims_to_be_larger_is_refused_before_it_is_sent(address):
    with socket.create_connection(address, timeout=30) as connection:
        connection.sendall(b"POST /echo/x HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 413"


def test_a_head_is_a_get_without_its_body(ask):
    status, headers, body = ask("HEAD", "/echo/x")
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) > 0


def test_a_preflight_is_answered(ask):
    status, headers, _ = ask("OPTIONS", "/echo/x")
    assert status == 200
    assert set(headers["access-control-allow-methods"].split(",")) == {"GET", "POST", "OPTIONS"}


def test_headers_types_and_repeated_headers_are_kept(ask):
    status, headers, body = ask("GET", "/many")
    assert (status, headers["content-type"], body) == (201, "text/plain", b"text")
    assert headers.get_all("set-cookie") == ["a=1", "b=2"]


def test_requests_at_the_same_time_keep_their_own_request(ask):
    def one(number):
        return json.loads(ask("GET", f"/together/{number}", headers={"X-Part": str(number)})[2])

    with ThreadPoolExecutor(8) as pool:
        assert all(answer["part"] == answer["header"] for answer in pool.map(one, range(64)))


def test_a_post_wakes_whoever_does_queued_work(ask, posts):
    posts.clear()
    ask("GET", "/echo/x")
    ask("POST", "/echo/x")
    assert posts == [1]


def test_what_a_gateway_refuses_by_itself_is_told_in_the_envelope():
    gateway = Gateway(small_application(), lambda: None)
    gateway.local.handle_request = refuse
    reply = gateway.answer("GET", "/echo/x", {}, b"")
    assert (reply.status, json.loads(reply.body)["code"]) == (403, "A0303")


def test_an_error_that_nobody_caught_is_told_in_the_envelope_without_its_words():
    gateway = Gateway(small_application(), lambda: None)
    gateway.local.handle_request = stumble
    reply = gateway.answer("GET", "/echo/x", {}, b"")
    assert (reply.status, json.loads(reply.body)["code"]) == (500, "B0001")
    assert b"private" not in reply.body


def refuse(*_):
    raise ForbiddenError({}, b"")


def stumble(*_):
    raise RuntimeError("private")


def test_of_a_repeated_header_the_last_counts():
    assert decoded([(b"A", b"1"), (b"a", b"2")]) == {"a": "2"}


def test_a_fragment_does_not_cut_the_path():
    assert target({"raw_path": b"/a#b", "query_string": b"c=1"}) == "/a%23b?c=1"


def test_a_binary_body_is_decoded():
    assert translated({"statusCode": 200, "headers": {}, "body": "AAE=", "isBase64Encoded": True}).body == b"\0\1"
