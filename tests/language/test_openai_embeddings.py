"""Embeddings of an endpoint: the protocol spoken to a small server here, and everything an endpoint may do wrong."""

import base64
import json
import math
import struct
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai
import pytest
from openai import OpenAI

from chalicelib.errors import ModelUnavailable
from chalicelib.language import calibration
from chalicelib.language.calibration import calibrated
from chalicelib.language.openai import (
    BATCH_BYTES,
    BATCH_TEXTS,
    MOST_BYTES,
    OpenAIEmbedder,
    opened,
    prepared,
    translated,
)
from chalicelib.mind.ranking import Calibration

DIMENSION = 256


def embedded(text):
    """A vector of the text's pairs of characters: alike for texts that share them."""
    vector = [0.0] * DIMENSION
    for pair in zip(f" {text}", f"{text} ", strict=True):
        vector[zlib.crc32("".join(pair).encode()) % DIMENSION] += 3.0
    return vector


def packed(vector):
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def reply(vectors, *, encode=packed):
    data = [{"object": "embedding", "index": index, "embedding": encode(vector)} for index, vector in enumerate(vectors)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "data": data, "model": "fake", "usage": usage}


class Answer:
    """One answer of the fake: status, body (JSON unless bytes), what to do before it."""

    def __init__(self, status=200, body=None, *, headers=(), delay=0.0, cut=False, kind="application/json"):
        self.status, self.headers, self.delay, self.cut, self.kind = status, dict(headers), delay, cut, kind
        self.body = body if isinstance(body, bytes) else json.dumps(body or {"error": {"message": "secret words"}}).encode()


class Endpoint(ThreadingHTTPServer):
    """Speaks the embeddings protocol; `script` holds answers to give instead, one a request (None: the right one)."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.script, self.keys = [], [], []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request, client_address):
        """A client that has gone is no news."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        self.server.keys.append(self.headers["Authorization"])
        assert self.path == "/v1/embeddings"
        answer = self.server.script.pop(0) if self.server.script else None
        self.answer(answer or self.right(request))

    def right(self, request):
        encode = packed if request.get("encoding_format") == "base64" else list
        return Answer(200, reply([embedded(text) for text in request["input"]], encode=encode))

    def answer(self, answer):
        time.sleep(answer.delay)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body) + answer.cut * 10))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)
        self.close_connection = answer.cut

    def log_message(self, *_):
        """Nothing is worth printing."""


@pytest.fixture
def endpoint():
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def embedder(endpoint, pauses):
    with OpenAI(base_url=endpoint.url, api_key="key", timeout=5, max_retries=0) as client:
        yield OpenAIEmbedder(client, "fake", DIMENSION, 0.1, 0.6, pause=pauses.append)


def test_vectors_have_unit_length_and_single_precision(embedder):
    (vector,) = embedder.embed(["绿茶"], "passage")
    assert (vector.typecode, len(vector)) == ("f", DIMENSION)
    assert math.hypot(*vector) == pytest.approx(1, abs=1e-6)


def test_no_texts_are_no_request(embedder, endpoint):
    assert embedder.embed([], "query") == []
    assert endpoint.requests == []


def test_vectors_travel_as_base64(embedder, endpoint):
    embedder.embed(["tea"], "query")
    assert endpoint.requests == [{"model": "fake", "input": ["tea"], "encoding_format": "base64"}]


def test_an_endpoint_that_knows_no_base64_may_send_numbers(embedder, endpoint):
    right = embedder.embed(["tea"], "query")
    endpoint.script = [Answer(200, reply([embedded("tea")], encode=list))]
    assert embedder.embed(["tea"], "query") == right


def test_vectors_go_by_their_index_whatever_order_they_come_in(embedder, endpoint):
    right = embedder.embed(["a", "bb", "ccc"], "passage")
    body = reply([embedded("a"), embedded("bb"), embedded("ccc")])
    endpoint.script = [Answer(200, body | {"data": body["data"][::-1]})]
    assert embedder.embed(["a", "bb", "ccc"], "passage") == right


def test_many_texts_are_sent_in_batches_and_come_back_in_order(embedder, endpoint):
    texts = [f"text {number}" for number in range(2 * BATCH_TEXTS + 3)]
    vectors = embedder.embed(texts, "passage")
    assert [len(request["input"]) for request in endpoint.requests] == [BATCH_TEXTS, BATCH_TEXTS, 3]
    assert vectors[-1] == embedder.embed([texts[-1]], "passage")[0]


def test_long_texts_fill_a_batch_sooner(embedder, endpoint):
    embedder.embed(["字" * 5000] * 30, "passage")
    sizes = [sum(len(text.encode()) for text in request["input"]) for request in endpoint.requests]
    assert len(sizes) == 2
    assert max(sizes) <= BATCH_BYTES


@pytest.mark.parametrize("text", ["", " \n\t", "\x00", "\u200b"])
def test_a_text_that_shows_nothing_is_never_sent_empty(text):
    assert prepared(text) == "."


def test_half_a_character_is_replaced():
    assert prepared("a\ud800b") == "a?b"


def test_a_long_text_is_cut_between_characters():
    assert prepared("字" * 5000) == "字" * (MOST_BYTES // 3)


def test_several_threads_share_one_object(embedder):
    texts = [f"text {number % 5}" for number in range(40)]
    alone = {text: embedder.embed([text], "query") for text in set(texts)}
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: embedder.embed([text], "query"), texts)) == [alone[text] for text in texts]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_what_may_pass_is_tried_once_more(embedder, endpoint, pauses, status):
    endpoint.script = [Answer(status, headers={"Retry-After": "90"})]
    assert len(embedder.embed(["tea"], "query")) == 1
    assert pauses == [0.5]


def test_a_connection_that_breaks_is_tried_once_more(embedder, endpoint, pauses):
    endpoint.script = [Answer(200, b"{", cut=True)]
    assert len(embedder.embed(["tea"], "query")) == 1
    assert pauses == [0.5]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_endpoint_that_keeps_failing_is_unavailable_after_two_tries(embedder, endpoint, status):
    endpoint.script = [Answer(status), Answer(status), None]
    with pytest.raises(ModelUnavailable, match=str(status)):
        embedder.embed(["tea"], "query")
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_tried_again(embedder, endpoint, pauses, status):
    endpoint.script = [Answer(status)]
    with pytest.raises(ModelUnavailable, match=str(status)):
        embedder.embed(["tea"], "query")
    assert (len(endpoint.requests), pauses) == (1, [])


def test_what_the_endpoint_says_is_not_repeated(embedder, endpoint):
    endpoint.script = [Answer(400, {"error": {"message": "your input 'my PIN is 1234' is too long"}})]
    with pytest.raises(ModelUnavailable) as caught:
        embedder.embed(["my PIN is 1234"], "query")
    assert "PIN" not in str(caught.value)


def test_an_endpoint_that_does_not_answer_in_time_is_not_asked_again(endpoint, pauses):
    endpoint.script = [Answer(200, reply([embedded("tea")]), delay=1)]
    with OpenAI(base_url=endpoint.url, api_key="key", timeout=0.2, max_retries=0) as client:
        embedder = OpenAIEmbedder(client, "fake", DIMENSION, 0.1, 0.6, pause=pauses.append)
        with pytest.raises(ModelUnavailable, match="Timeout"):
            embedder.embed(["tea"], "query")
    assert pauses == []


def test_an_endpoint_that_is_not_there_is_unavailable(pauses):
    with OpenAI(base_url="http://127.0.0.1:9/v1", api_key="key", timeout=1, max_retries=0) as client:
        embedder = OpenAIEmbedder(client, "fake", DIMENSION, 0.1, 0.6, pause=pauses.append)
        with pytest.raises(ModelUnavailable, match="Connection"):
            embedder.embed(["tea"], "query")
    assert pauses == [0.5]


ONE = embedded("tea")
INFINITE = [math.inf, *ONE[1:]]
GARBAGE = {
    "no JSON": b"<html>busy</html>",
    "half of JSON": b'{"data": [',
    "a list": b"[]",
    "null": b"null",
    "a number": b"7",
    "nothing": b"{}",
    "no bytes": b"",
    "no vectors": {"data": []},
    "vectors that are none": {"data": [1]},
    "no index": {"data": [{"embedding": packed(ONE)}]},
    "no embedding": {"data": [{"index": 0}]},
    "broken base64": {"data": [{"index": 0, "embedding": "%%%"}]},
    "base64 of half a number": {"data": [{"index": 0, "embedding": "AAAAAAA="}]},
    "too many": reply([ONE, ONE]),
    "one index twice": {"data": [{"index": 1, "embedding": packed(ONE)}, {"index": 1, "embedding": packed(ONE)}]},
    "too short": reply([ONE[:-1]]),
    "too long": reply([[*ONE, 1.0]]),
    "without numbers": reply([[]], encode=list),
    "words for numbers": reply([["a"] * DIMENSION], encode=list),
    "null for a number": reply([[None] * DIMENSION], encode=list),
    "zero": reply([[0.0] * DIMENSION]),
    "NaN": reply([[math.nan] * DIMENSION]),
    "infinity": reply([INFINITE]),
    "a number past all bounds": reply([[10**400] * DIMENSION], encode=list),
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE)
def test_a_reply_that_can_not_be_used_makes_the_model_unavailable(embedder, endpoint, body):
    endpoint.script = [Answer(200, body)] * 2
    with pytest.raises(ModelUnavailable):
        embedder.embed(["tea"], "query")


def test_a_web_page_is_no_reply(embedder, endpoint):
    endpoint.script = [Answer(200, b"<html>welcome</html>", kind="text/html")]
    with pytest.raises(ModelUnavailable):
        embedder.embed(["tea"], "query")


def test_fewer_vectors_than_texts_are_refused(embedder, endpoint):
    endpoint.script = [Answer(200, reply([ONE]))]
    with pytest.raises(ModelUnavailable):
        embedder.embed(["tea", "milk"], "query")


def errors_of(parent):
    for error in parent.__subclasses__():
        yield error
        yield from errors_of(error)


OPENAI_ERRORS = {openai.OpenAIError, *errors_of(openai.OpenAIError)} | {
    error for name in openai.__all__
    if isinstance(error := getattr(openai, name), type) and issubclass(error, Exception)
}


def test_the_errors_of_the_package_are_found():
    assert {openai.RateLimitError, openai.APITimeoutError, openai.InvalidWebhookSignatureError} <= OPENAI_ERRORS


@pytest.mark.parametrize("error", sorted(OPENAI_ERRORS, key=lambda error: error.__name__), ids=lambda error: error.__name__)
def test_every_error_of_the_package_becomes_ours(error):
    with pytest.raises(ModelUnavailable), translated("fake"):
        raise error.__new__(error)


def test_an_error_of_ours_passes_as_it_is():
    ours = ModelUnavailable("fake", "why")
    with pytest.raises(ModelUnavailable) as caught, translated("fake"):
        raise ours
    assert caught.value is ours


def test_opening_learns_dimension_floor_and_ceiling_with_one_request(endpoint):
    embedder = opened(endpoint.url, "key", "fake")
    assert (embedder.model, embedder.dimension) == ("fake", DIMENSION)
    assert 0 <= embedder.floor < embedder.ceiling <= 1
    assert len(endpoint.requests) == 1


def test_opening_what_was_measured_before_asks_nothing(endpoint):
    first = opened(endpoint.url, "key", "fake")
    again = opened(endpoint.url, "key", "fake", (first.dimension, Calibration(first.floor, first.ceiling)))
    assert (again.dimension, again.floor, again.ceiling) == (first.dimension, first.floor, first.ceiling)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(("key", "sent"), [("key", "Bearer key"), ("", "Bearer none")])
def test_the_key_is_sent_and_may_be_missing_where_none_is_asked_for(endpoint, key, sent):
    opened(endpoint.url, key, "fake")
    assert endpoint.keys == [sent]


def test_opening_an_endpoint_that_fails_is_refused_as_ours(endpoint, pauses):
    endpoint.script = [Answer(500)] * 2
    with pytest.raises(ModelUnavailable):
        opened(endpoint.url, "key", "fake", pause=pauses.append)


def test_a_model_that_gives_everything_one_vector_is_refused():
    with pytest.raises(ModelUnavailable, match="nothing apart"):
        calibrated(lambda texts: [[1.0, 0.0]] * len(texts))


def test_calibration_finds_for_e5_about_what_was_measured_on_recall(e5):
    found = calibrated(lambda texts: e5.embed(texts, "passage"))
    assert found.floor == pytest.approx(e5.floor, abs=0.02)
    assert found.ceiling == pytest.approx(e5.ceiling, abs=0.02)


def test_calibration_has_two_dozen_strangers_and_a_dozen_pairs_half_of_them_chinese():
    assert (len(set(calibration.STRANGERS)), len({text for pair in calibration.SAME for text in pair})) == (24, 24)
    assert sum(not text.isascii() for text in calibration.STRANGERS) == 12
    assert sum(not pair[0].isascii() for pair in calibration.SAME) == 6
