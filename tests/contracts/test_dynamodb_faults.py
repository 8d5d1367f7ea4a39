"""What DynamoDB does on bad days, which emulators never do: it throttles, reports conflicts, loses answers."""

import inspect
import re
from collections import deque
from contextlib import closing
from itertools import count

import boto3
import botocore.exceptions
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ParamValidationError, ReadTimeoutError

from chalicelib.errors import MindError, StoreUnavailable, TooLarge
from chalicelib.mind.rows import ABSENT, Add, Check, Delete, Key, Put, Row, RowConflict
from chalicelib.stores.dynamodb import (
    BUSY,
    FORMS,
    LONGEST_PAUSE,
    TRIES,
    Busy,
    DynamoTable,
    delay,
    meant,
    row_of,
    table_definition,
    translated,
)

NOW = 1000
DRIVER_ERRORS = [
    kind for _, kind in inspect.getmembers(botocore.exceptions, inspect.isclass)
    if issubclass(kind, Exception) and not issubclass(kind, Warning)
]
KEY, OTHER = Key("scope", "a"), Key("scope", "b")


def failure(code, message="", **more):
    return ClientError({"Error": {"Code": code, "Message": message}, **more}, "Operation")


def cancelled(*codes, items=()):
    reasons = [{"Code": code} for code in codes]
    for index, item in dict(items).items():
        reasons[index]["Item"] = item
    return failure("TransactionCanceledException", CancellationReasons=reasons)


def item(key=KEY, data="{}", version=1, counts=None, **more):
    counters = {name: {"N": str(value)} for name, value in (counts or {}).items()}
    return {"p": {"S": key.partition}, "s": {"S": key.sort}, "data": {"S": data}, "counts": {"M": counters},
            "version": {"N": str(version)}, **more}


class ScriptedClient:
    """Answers each request with the next of the answers it was given, and keeps the requests."""

    def __init__(self, *answers):
        self.answers, self.requests = deque(answers), []

    def answer(self, method, request):
        self.requests.append((method, request))
        given = self.answers.popleft()
        given = given(request) if callable(given) else given
        if isinstance(given, Exception):
            raise given
        return given

    def __getattr__(self, method):
        return lambda **request: self.answer(method, request)


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def opened(pauses):
    tokens = (f"token-{number}" for number in count())

    def table(*answers):
        client = ScriptedClient(*answers)
        return DynamoTable(client, "rows", lambda: NOW + 0.5, pauses.append, token=lambda: next(tokens)), client

    return table


class TestBusyStore:
    @pytest.mark.parametrize("code", sorted(BUSY))
    def test_a_write_is_tried_again(self, opened, pauses, code):
        table, client = opened(failure(code), failure(code), {})
        table.commit([Put(KEY, {}, ABSENT)])
        assert [method for method, _ in client.requests] == ["put_item"] * 3
        assert len(pauses) == 2

    @pytest.mark.parametrize("code", sorted(BUSY))
    def test_a_cancelled_transaction_is_tried_again_under_the_same_token(self, opened, code):
        table, client = opened(cancelled(code, "None"), cancelled("None", code), {})
        table.commit([Put(KEY, {}), Put(OTHER, {})])
        assert client.requests[0] == client.requests[1] == client.requests[2]
        assert client.requests[0][1]["ClientRequestToken"]

    def test_each_commit_has_a_token_of_its_own(self, opened):
        table, client = opened({}, {})
        for _ in range(2):
            table.commit([Add(KEY, {"n": 1})])
        first, second = (request["ClientRequestToken"] for _, request in client.requests)
        assert first != second

    def test_it_is_unavailable_in_the_end(self, opened, pauses):
        table, client = opened(*[failure("ThrottlingException", "Rate exceeded")] * TRIES)
        with pytest.raises(StoreUnavailable, match="Rate exceeded"):
            table.commit([Put(KEY, {})])
        assert not client.answers
        assert len(pauses) == TRIES - 1

    def test_reads_are_tried_again(self, opened):
        page = {"Items": [item()]}
        table, _ = opened(failure("InternalServerError"), {"Responses": {"rows": [item()]}}, failure("RequestLimitExceeded"), page)
        assert table.get([KEY])[KEY].version == 1
        assert table.query("scope").rows == (Row(KEY, {}, 1),)

    def test_a_page_that_fails_on_the_way_loses_no_row(self, opened):
        last = {"p": {"S": "scope"}, "s": {"S": "a"}}
        table, client = opened({"Items": [item()], "LastEvaluatedKey": last}, failure("ThrottlingException"), {"Items": [item(OTHER)]})
        assert [row.key for row in table.query("scope").rows] == [KEY, OTHER]
        assert client.requests[1] == client.requests[2]
        assert client.requests[2][1]["ExclusiveStartKey"] == last

    def test_every_read_is_strongly_consistent(self, opened):
        table, client = opened({"Responses": {}}, {"Items": []})
        table.get([KEY])
        table.query("scope")
        assert client.requests[0][1]["RequestItems"]["rows"]["ConsistentRead"] is True
        assert client.requests[1][1]["ConsistentRead"] is True

    def test_a_server_that_does_not_answer_is_unavailable_at_once(self, opened, pauses):
        table, _ = opened(EndpointConnectionError(endpoint_url="http://127.0.0.1:1"), ReadTimeoutError(endpoint_url="http://127.0.0.1:1"))
        for call in (lambda: table.commit([Put(KEY, {})]), lambda: table.get([KEY])):
            with pytest.raises(StoreUnavailable):
                call()
        assert pauses == []


class TestUnprocessedKeys:
    def test_they_are_asked_for_again(self, opened):
        left = {"rows": {"Keys": [{"p": {"S": "scope"}, "s": {"S": "b"}}]}}
        table, client = opened({"Responses": {"rows": [item()]}, "UnprocessedKeys": left}, {"Responses": {"rows": [item(OTHER)]}, "UnprocessedKeys": {}})
        assert set(table.get([KEY, OTHER])) == {KEY, OTHER}
        assert client.requests[1][1]["RequestItems"]["rows"] == {**left["rows"], "ConsistentRead": True}

    def test_without_any_progress_the_store_is_unavailable_in_the_end(self, opened):
        left = {"rows": {"Keys": [{"p": {"S": "scope"}, "s": {"S": "a"}}]}}
        table, client = opened(*[{"Responses": {}, "UnprocessedKeys": left}] * TRIES)
        with pytest.raises(StoreUnavailable, match="1 keys"):
            table.get([KEY])
        assert not client.answers

    def test_slow_progress_is_progress(self, opened):
        keys = [Key("scope", f"{number:02}") for number in range(3 * TRIES)]

        def one_at_a_time(request):
            first, *others = request["RequestItems"]["rows"]["Keys"]
            return {"Responses": {"rows": [item(Key("scope", first["s"]["S"]))]}, "UnprocessedKeys": {"rows": {"Keys": others}} if others else {}}

        table, _ = opened(*[one_at_a_time] * len(keys))
        assert set(table.get(keys)) == set(keys)


class TestRepetition:
    def test_a_row_written_alone_whose_answer_was_lost_is_no_conflict(self, opened):
        written = []

        def lost(request):
            written.append(request["Item"])
            return failure("InternalServerError")

        table, _ = opened(lost, lambda _: failure("ConditionalCheckFailedException", Item=written[0]))
        table.commit([Put(KEY, {"n": 1}, ABSENT)])

    def test_the_same_row_by_another_commit_is_a_conflict(self, opened):
        table, _ = opened(failure("InternalServerError"), failure("ConditionalCheckFailedException", Item=item(counts={"n": 1}, token={"S": "another"})))
        with pytest.raises(RowConflict) as caught:
            table.commit([Put(KEY, {"n": 1}, ABSENT)])
        assert caught.value.standing == Row(KEY, {"n": 1}, 1)

    @pytest.mark.parametrize("write", [Add(KEY, {"n": 1}), Delete(KEY, 1), Check(KEY, 1)], ids=str)
    def test_what_can_not_be_told_from_its_repetition_is_a_transaction_even_alone(self, opened, write):
        table, client = opened({})
        table.commit([write])
        assert [method for method, _ in client.requests] == ["transact_write_items"]

    @pytest.mark.parametrize("write", [Put(KEY, {}, ABSENT), Put(KEY, {}, 3), Put(KEY, {}), Delete(KEY)], ids=str)
    def test_other_rows_alone_are_plain_writes(self, opened, write):
        table, client = opened({})
        table.commit([write])
        assert [method for method, _ in client.requests] != ["transact_write_items"]


class TestConflicts:
    def test_a_failed_condition_tells_more_than_a_busy_row(self, opened):
        table, client = opened(cancelled("TransactionConflict", "ConditionalCheckFailed", items={1: item(OTHER, version=4)}))
        with pytest.raises(RowConflict) as caught:
            table.commit([Put(KEY, {}), Put(OTHER, {}, 3)])
        assert (caught.value.key, caught.value.standing.version) == (OTHER, 4)
        assert len(client.requests) == 1

    def test_a_counter_made_by_another_in_the_meantime_is_added_to(self, opened):
        failed = failure("ConditionalCheckFailedException", Item=item(counts={"n": 5}))
        table, client = opened(cancelled("ConditionalCheckFailed"), failed, {})
        table.commit([Add(KEY, {"n": 1})])
        assert [method for method, _ in client.requests] == ["transact_write_items", "put_item", "transact_write_items"]
        assert client.requests[0][1]["ClientRequestToken"] != client.requests[2][1]["ClientRequestToken"]

    def test_a_row_that_changes_whenever_it_is_to_be_written_makes_the_store_unavailable(self, opened, pauses):
        expired = failure("ConditionalCheckFailedException", Item=item(expires={"N": str(NOW)}))
        table, client = opened(*[expired, failure("ConditionalCheckFailedException", Item=item())] * (FORMS // 2))
        with pytest.raises(StoreUnavailable):
            table.commit([Put(KEY, {})])
        assert not client.answers
        assert len(pauses) == FORMS - 1


class TestErrors:
    @pytest.mark.parametrize("error", [failure("ValidationException", "Item size has exceeded the maximum allowed size"), cancelled("None", "ValidationError")])
    def test_a_row_that_outgrows_the_store_is_too_large(self, opened, error):
        for reason in error.response.get("CancellationReasons", [])[1:]:
            reason["Message"] = "Item size to update has exceeded the maximum allowed size"
        table, _ = opened(error)
        with pytest.raises(TooLarge):
            table.commit([Add(KEY, {"n": 1}), Put(OTHER, {})])

    @pytest.mark.parametrize("error", [failure("ValidationException", "Invalid UpdateExpression"), ParamValidationError(report="unknown parameter")], ids=str)
    def test_a_request_that_is_ill_formed_is_our_own_error(self, opened, error):
        table, _ = opened(error)
        with pytest.raises(ValueError, match=r"Invalid|unknown"):
            table.commit([Put(KEY, {})])

    @pytest.mark.parametrize("code", ["ResourceNotFoundException", "AccessDeniedException", "UnrecognizedClientException", "", "ANewCode"])
    def test_any_other_code_makes_the_store_unavailable_and_is_named(self, opened, code):
        table, _ = opened(failure(code, "the reason"))
        with pytest.raises(StoreUnavailable, match=f"{code}: the reason"):
            table.get([KEY])

    def test_a_transaction_cancelled_without_reasons_makes_the_store_unavailable(self):
        error = meant(failure("TransactionCanceledException", "cancelled").response)
        assert isinstance(error, StoreUnavailable)
        assert not isinstance(error, Busy)

    @pytest.mark.parametrize("kind", DRIVER_ERRORS)
    def test_every_exception_of_the_driver_is_translated(self, kind):
        error = kind.__new__(kind)
        error.response = {}
        with pytest.raises((MindError, ValueError)) as caught, translated():
            raise error
        assert caught.value is not error

    def test_every_error_that_dynamodb_declares_is_translated(self):
        with closing(boto3.client("dynamodb", region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test")) as client:
            for code in client.meta.service_model.shape_names:
                assert isinstance(meant({"Error": {"Code": code}}), (MindError, ValueError))

    def test_other_exceptions_pass(self):
        with pytest.raises(KeyError), translated():
            raise KeyError


class TestRequests:
    """DynamoDB refuses names and values that no expression uses, and brackets within brackets; emulators may not."""

    WRITES = (
        Put(KEY, {"n": 1}), Put(KEY, {"n": 1}, expires=NOW + 1), Put(KEY, {}, ABSENT), Put(KEY, {}, 3), Delete(KEY), Delete(KEY, 3),
        Delete(KEY, ABSENT), Check(KEY, 3), Check(KEY, ABSENT), Add(KEY, {"n": 1}), Add(KEY, {"n": 1, "m": -1}, floor=0),
        Add(KEY, {f"{number}": -1 for number in range(20)}, floor=-(10**37)),
    )

    @pytest.mark.parametrize("write", WRITES, ids=str)
    def test_a_write_names_exactly_what_its_expressions_use(self, opened, write):
        table, client = opened({})
        table.commit([write, Put(OTHER, {})])
        [request] = client.requests[0][1]["TransactItems"][0].values()
        self.hold(request)

    @pytest.mark.parametrize(("prefix", "until"), [("", None), ("a", None), ("", "b"), ("a", "ab"), ("a", "b")])
    def test_a_query_names_exactly_what_its_expressions_use(self, opened, prefix, until):
        table, client = opened({"Items": []})
        table.query("scope", prefix, until=until)
        self.hold(client.requests[0][1])

    def hold(self, request):
        texts = [value for name, value in request.items() if name.endswith("Expression")]
        used = set(re.findall(r"[#:]\w+", " ".join(texts)))
        given = {**request.get("ExpressionAttributeNames", {}), **request.get("ExpressionAttributeValues", {})}
        assert set(given) == used
        assert not any(re.search(r"(^|\s)\(\(", text) for text in texts)
        assert all(len(text) <= 4096 for text in texts)


class TestFormat:
    def test_an_item_reads_as_json_with_its_counters_apart(self, opened):
        table, client = opened({})
        table.commit([Put(KEY, {"text": "记忆", "n": 5, "sure": 1.0}, ABSENT, expires=NOW + 5)])
        assert client.requests[0][1]["Item"] == item(data='{"text":"记忆","sure":1.0}', counts={"n": 5}, expires={"N": str(NOW + 5)}, token={"S": "token-0"})

    def test_a_number_may_come_back_with_an_exponent(self):
        assert row_of(item(counts={"n": "1E+20"})).data == {"n": 10**20}

    def test_the_table_has_two_keys_and_pays_by_request(self):
        definition = table_definition("rows")
        assert [key["AttributeName"] for key in definition["KeySchema"]] == ["p", "s"]
        assert definition["BillingMode"] == "PAY_PER_REQUEST"

    def test_pauses_grow_to_a_bound_and_differ_between_commits(self):
        assert all(0 <= delay(attempt, f"{seed}") <= LONGEST_PAUSE for attempt in range(20) for seed in range(20))
        assert len({delay(3, f"{seed}") for seed in range(20)}) == 20
        assert max(delay(0, f"{seed}") for seed in range(50)) <= 0.05
