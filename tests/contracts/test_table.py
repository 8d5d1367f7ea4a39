"""What every Table keeps to: the same sentences over SQLite, over moto, and over a server on LocalStack's port.

The server is found at AWS_ENDPOINT_URL (`infra/stack/stack.py up dynamodb` starts one on the default port). Where none
answers its tests are skipped, but on a machine that sets CI they fail. moto is not thread safe and sits out the races.
"""

import os
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count, product

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError
from localstack_client.session import Session
from moto import mock_aws

from chalicelib.errors import Malformed, TooLarge
from chalicelib.mind.rows import ABSENT, ANY, MOST_WRITES, Add, Check, Delete, Key, Put, Row, RowConflict
from chalicelib.ports import Table
from chalicelib.stores.dynamodb import TTL, DynamoTable, table_definition
from chalicelib.stores.sqlite.connection import Database
from chalicelib.stores.sqlite.table import SqliteTable

START = 1_700_000_000
THREADS = 16
ODD_SORTS = [
    "\x00", "\x00a", " ", "!", "A", "a", "a\x00", "a\x00b", "aa", "b", "é", "记忆", "\ud7ff", "\ue000", "\uffff", "\U00010000", "😀",
    "\U0010ffff",
]


@dataclass
class FakeClock:
    """A clock that stands still until it is moved."""

    now: float = START + 0.5

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def table(request, tmp_path, clock) -> Iterator[Table]:
    with OPENED[request.param](tmp_path, clock) as opened:
        yield opened


@contextmanager
def sqlite_table(path, clock):
    with closing(Database(path / "rows.sqlite", clock)) as database:
        yield SqliteTable(database)


@contextmanager
def moto_table(_path, clock):
    settings = Config(ignore_configured_endpoint_urls=True)  # AWS_ENDPOINT_URL names the server of the other tests
    named = {"region_name": "us-east-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}
    with mock_aws(), closing(boto3.client("dynamodb", config=settings, **named)) as client, dynamo_table(client, clock) as opened:
        yield opened


@contextmanager
def localstack_table(_path, clock):
    settings = Config(retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=20, max_pool_connections=THREADS)
    with closing(Session(localstack_host="127.0.0.1").client("dynamodb", config=settings)) as client:
        require(client)
        with dynamo_table(client, clock) as opened:
            yield opened


def require(client):
    try:
        client.list_tables(Limit=1)
    except BotoCoreError as error:
        if os.environ.get("CI"):
            pytest.fail(f"no server answers: {error}")
        pytest.skip(f"no server answers: {error}")


@contextmanager
def dynamo_table(client, clock):
    name = f"rows-{uuid.uuid4().hex}"
    client.create_table(**table_definition(name))
    try:
        client.update_time_to_live(TableName=name, TimeToLiveSpecification=TTL)
        yield DynamoTable(client, name, clock, time.sleep, token=lambda: str(uuid.uuid4()))
    finally:
        client.delete_table(TableName=name)


OPENED: dict[str, Callable] = {"sqlite": sqlite_table, "moto": moto_table, "localstack": localstack_table}


def key(sort, partition="scope"):
    return Key(partition, sort)


def put(sort, data=None, expect=ANY, expires=None, partition="scope"):
    return Put(Key(partition, sort), data or {}, expect, expires)


def stored(table, sort, partition="scope"):
    return table.get([Key(partition, sort)]).get(Key(partition, sort))


def fill(table, sorts, data=None):
    for start in range(0, len(sorts), MOST_WRITES):
        table.commit([put(sort, data) for sort in sorts[start : start + MOST_WRITES]])


def sorts(page):
    return [row.key.sort for row in page.rows]


def refused(table, *writes) -> RowConflict:
    with pytest.raises(RowConflict) as caught:
        table.commit(writes)
    return caught.value


def paged(table, limit, **query):
    """All sort keys, page by page; each page but the last is full."""
    found, after = [], None
    while True:
        page = table.query("scope", after=after, limit=limit, **query)
        found += sorts(page)
        if page.cursor is None:
            return found
        assert len(page.rows) == limit
        after = page.cursor


def delete(sort, expect):
    return Delete(Key("scope", sort), expect)


def check(sort, expect):
    return Check(Key("scope", sort), expect)


every_conditional_write = pytest.mark.parametrize("kind", [put, delete, check])
every_table = pytest.mark.parametrize("table", list(OPENED), indirect=True)


@every_table
class TestReading:
    def test_a_row_that_was_put_is_there(self, table):
        table.commit([put("a", {"text": "hello"})])
        assert table.get([key("a")]) == {key("a"): Row(key("a"), {"text": "hello"}, 1, None)}

    def test_of_the_keys_asked_for_those_that_exist_come_back_once(self, table):
        fill(table, ["a", "b"])
        assert set(table.get([key("a"), key("c"), key("b"), key("a"), key("a", "other")])) == {key("a"), key("b")}

    def test_no_keys_no_rows(self, table):
        assert table.get([]) == {}

    def test_a_key_that_no_row_can_have_is_absent(self, table):
        assert table.get([key(""), key("a", ""), key("a" * 1025), key("a", "é" * 1025), key("\ud800")]) == {}

    def test_more_keys_than_a_request_takes_are_read_at_once(self, table):
        names = [f"{number:03}" for number in range(230)]
        fill(table, names)
        assert {found.sort for found in table.get([key(name) for name in names])} == set(names)

    def test_more_than_a_reply_can_carry_is_read_at_once(self, table):
        names = [f"{number:02}" for number in range(60)]
        for name in names:
            table.commit([put(name, {"text": "x" * 300_000})])
        assert len(table.get([key(name) for name in names])) == 60

    def test_partitions_are_apart(self, table):
        table.commit([put("a", {"of": 1}, partition="one"), put("a", {"of": 2}, partition="two")])
        assert [row.data for row in table.query("one").rows] == [{"of": 1}]
        assert table.query("on").rows == ()


@every_table
class TestQuerying:
    def test_rows_come_in_order_of_code_points(self, table):
        fill(table, ODD_SORTS[::-2] + ODD_SORTS[::2])
        assert sorts(table.query("scope")) == sorted(ODD_SORTS)

    def test_code_point_order_is_the_order_of_utf_8_bytes(self, table):
        fill(table, ODD_SORTS)
        found = [sort.encode() for sort in sorts(table.query("scope", newest_first=True))]
        assert found == sorted(found, reverse=True)

    @pytest.mark.parametrize("limit", [1, 3, 6, 7, 100])
    @pytest.mark.parametrize("newest_first", [False, True])
    def test_pages_hold_every_row_once_and_the_last_has_no_cursor(self, table, limit, newest_first):
        fill(table, list("abcdefg"))
        expected = sorted("abcdefg", reverse=newest_first)
        assert paged(table, limit, newest_first=newest_first) == expected

    def test_a_full_page_that_is_the_last_has_no_cursor(self, table):
        fill(table, ["a", "b", "c"])
        assert table.query("scope", limit=3).cursor is None
        assert table.query("scope", limit=2).cursor == "b"

    def test_every_range_is_what_a_sorted_list_would_give(self, table):
        held = ["a", "m", "m/", "m/1", "m/1/x", "m/2", "m0", "m/\U0010ffff", "n"]
        fill(table, held)
        prefixes, bounds = ["", "m/", "m/1", "x"], [None, "", "a", "m/", "m/1", "m/15", "m0", "z"]
        for prefix, after, until, newest_first in product(prefixes, bounds, bounds, [False, True]):
            expected = [
                sort for sort in sorted(held, reverse=newest_first)
                if sort.startswith(prefix) and (until is None or sort <= until)
                and (after is None or (sort < after if newest_first else sort > after))
            ]
            page = table.query("scope", prefix, after=after, until=until, newest_first=newest_first)
            assert sorts(page) == expected, (prefix, after, until, newest_first)

    @pytest.mark.parametrize("prefix", ["\U0010ffff", "\ud7ff", "a\x00", "😀"])
    def test_a_prefix_at_the_edge_of_unicode_finds_exactly_its_own(self, table, prefix):
        held = [*ODD_SORTS, prefix + "x", prefix + "\U0010ffff"]
        fill(table, held)
        assert sorts(table.query("scope", prefix)) == sorted(sort for sort in set(held) if sort.startswith(prefix))

    def test_pages_past_one_megabyte_without_losing_a_row(self, table):
        names = [f"{number:02}" for number in range(12)]
        for name in names:
            table.commit([put(name, {"text": name * 100_000})])
        page = table.query("scope")
        assert sorts(page) == names
        assert page.cursor is None
        assert page.rows[-1].data == {"text": "11" * 100_000}

    def test_a_cursor_may_name_a_row_that_is_gone(self, table):
        fill(table, ["a", "b", "c"])
        table.commit([Delete(key("b"))])
        assert sorts(table.query("scope", after="b")) == ["c"]
        assert sorts(table.query("scope", after="b", newest_first=True)) == ["a"]

    @pytest.mark.parametrize("bound", ["\ud800", "x" * 1025])
    def test_a_cursor_that_is_no_sort_key_is_malformed(self, table, bound):
        with pytest.raises(Malformed):
            table.query("scope", after=bound)
        with pytest.raises(Malformed):
            table.query("scope", until=bound)

    def test_a_partition_or_prefix_that_no_row_can_have_holds_nothing(self, table):
        assert table.query("").rows == table.query("x" * 2049).rows == table.query("scope", "x" * 1025).rows == ()

    def test_a_page_of_no_rows_is_not_asked_for(self, table):
        with pytest.raises(ValueError, match="at least one"):
            table.query("scope", limit=0)


@every_table
class TestVersions:
    def test_a_row_begins_at_one_and_grows_by_one_with_each_write(self, table):
        versions = []
        for write in (put("a", expect=ABSENT), put("a"), put("a", expect=2), Add(key("a"), {"n": 1}), put("a")):
            table.commit([write])
            versions.append(stored(table, "a").version)
        assert versions == [1, 2, 3, 4, 5]

    def test_a_row_begins_at_one_within_a_larger_commit(self, table):
        table.commit([put("a"), put("b", expect=ABSENT), Add(key("c"), {"n": 1})])
        table.commit([put("a"), put("b", expect=1), Add(key("c"), {"n": 1})])
        assert [row.version for row in table.query("scope").rows] == [2, 2, 2]

    def test_a_row_put_again_after_its_deletion_begins_at_one(self, table):
        fill(table, ["a"])
        fill(table, ["a"])
        table.commit([Delete(key("a"), 2)])
        table.commit([put("a")])
        assert stored(table, "a").version == 1

    def test_an_old_version_of_a_row_that_was_deleted_and_put_again_is_refused(self, table):
        table.commit([put("a", {"by": "first"})])
        table.commit([put("a", {"by": "first"})])
        table.commit([Delete(key("a"))])
        table.commit([put("a", {"by": "second"})])
        assert refused(table, put("a", {"by": "first"}, expect=2)).standing.data == {"by": "second"}

    def test_of_two_writers_with_the_same_version_one_is_refused(self, table):
        table.commit([put("a", {"by": "nobody"})])
        table.commit([put("a", {"by": "one"}, expect=1)])
        refused(table, put("a", {"by": "two"}, expect=1))
        assert stored(table, "a").data == {"by": "one"}


@every_table
class TestExpectations:
    @every_conditional_write
    def test_a_conflict_names_the_row_that_stands(self, table, kind):
        table.commit([put("a", {"n": 1, "text": "x"}, expires=START + 60)])
        for conflict in (refused(table, kind("a", expect=ABSENT)), refused(table, kind("a", expect=7), put("b"))):
            assert conflict.key == key("a")
            assert conflict.standing == Row(key("a"), {"n": 1, "text": "x"}, 1, START + 60)

    @every_conditional_write
    def test_a_version_expected_of_no_row_meets_nothing(self, table, kind):
        for conflict in (refused(table, kind("a", expect=1)), refused(table, put("b"), kind("a", expect=1))):
            assert (conflict.key, conflict.standing) == (key("a"), None)

    def test_writes_that_meet_what_they_expect_are_done(self, table):
        fill(table, ["a", "b", "c"])
        table.commit([put("a", {"new": True}, expect=1), Delete(key("b"), 1), Check(key("c"), 1), Check(key("d"), ABSENT), put("e", expect=ABSENT), Delete(key("f"), ABSENT)])
        assert sorts(table.query("scope")) == ["a", "c", "e"]
        assert stored(table, "c").version == 1

    def test_a_single_check_or_conditional_delete_is_done(self, table):
        fill(table, ["a"])
        table.commit([Check(key("a"), 1)])
        table.commit([Check(key("b"), ABSENT)])
        table.commit([Delete(key("b"), ABSENT)])
        table.commit([Delete(key("a"), 1)])
        assert table.query("scope").rows == ()

    def test_deleting_what_is_absent_is_no_conflict(self, table):
        table.commit([Delete(key("a"))])
        table.commit([Delete(key("a")), put("b")])
        assert sorts(table.query("scope")) == ["b"]

    def test_a_refused_commit_leaves_nothing_behind(self, table):
        table.commit([put("a", {"n": 1}), put("b", {"n": 1})])
        conflict = refused(table, put("a", {"n": 2}), put("c"), Add(key("d"), {"n": 1}), Delete(key("b")), Check(key("z"), 1))
        assert conflict.key == key("z")
        assert [(row.key.sort, row.data, row.version) for row in table.query("scope").rows] == [("a", {"n": 1}, 1), ("b", {"n": 1}, 1)]

    def test_nothing_to_do_is_done(self, table):
        table.commit([])


@every_table
class TestCounters:
    def test_a_counter_and_its_row_are_made_when_first_added_to(self, table):
        table.commit([Add(key("a"), {"n": 3, "m": -2})])
        assert stored(table, "a") == Row(key("a"), {"n": 3, "m": -2}, 1, None)

    def test_adding_keeps_the_rest_of_the_row(self, table):
        table.commit([put("a", {"text": "x", "n": 5}, expires=START + 60)])
        table.commit([Add(key("a"), {"n": 3, "m": 1})])
        assert stored(table, "a") == Row(key("a"), {"text": "x", "n": 8, "m": 1}, 2, START + 60)

    def test_a_counter_that_was_put_is_put_anew_with_its_row(self, table):
        table.commit([Add(key("a"), {"n": 3, "m": 1})])
        table.commit([put("a", {"n": 10})])
        table.commit([Add(key("a"), {"n": 1})])
        assert stored(table, "a").data == {"n": 11}

    def test_a_counter_reaches_its_floor_but_does_not_pass_it(self, table):
        table.commit([put("a", {"n": 5})])
        table.commit([Add(key("a"), {"n": -5}, floor=0)])
        conflict = refused(table, Add(key("a"), {"n": -1}, floor=0))
        assert conflict.standing == stored(table, "a") == Row(key("a"), {"n": 0}, 2, None)

    def test_an_absent_counter_counts_from_nothing_against_the_floor(self, table):
        assert refused(table, Add(key("a"), {"n": -1}, floor=0)).standing is None
        table.commit([put("b", {"m": 9})])
        assert refused(table, Add(key("b"), {"m": 1, "n": -1}, floor=0)).standing.data == {"m": 9}
        table.commit([Add(key("b"), {"n": 2}, floor=2)])
        assert stored(table, "b").data == {"m": 9, "n": 2}

    def test_one_counter_below_the_floor_stops_the_whole_commit(self, table):
        table.commit([Add(key("a"), {"n": 1})])
        refused(table, put("b"), Add(key("a"), {"m": 1, "n": -2}, floor=0))
        assert sorts(table.query("scope")) == ["a"]
        assert stored(table, "a").data == {"n": 1}

    def test_several_counters_are_made_in_one_commit(self, table):
        table.commit([Add(key(sort), {"n": index}) for index, sort in enumerate("abc")])
        table.commit([Add(key(sort), {"n": 1}) for sort in "abcd"])
        assert [row.data["n"] for row in table.query("scope").rows] == [1, 2, 3, 1]

    @pytest.mark.parametrize("value", ["5", 1.5, True, None, [1], {"n": 1}])
    def test_what_is_no_integer_is_no_counter(self, table, value):
        table.commit([put("a", {"n": value})])
        with pytest.raises(ValueError, match="counter"):
            table.commit([Add(key("a"), {"n": 1})])
        assert stored(table, "a") == Row(key("a"), {"n": value}, 1, None)

    def test_a_counter_may_have_the_name_of_a_field_that_lies_deeper(self, table):
        table.commit([put("a", {"deep": {"n": "x"}, "text": '"n":'})])
        for _ in range(2):
            table.commit([Add(key("a"), {"n": 2})])
        assert stored(table, "a") == Row(key("a"), {"deep": {"n": "x"}, "text": '"n":', "n": 4}, 3, None)

    def test_a_counter_of_many_digits_is_exact(self, table):
        table.commit([put("a", {"n": 10**30 + 1, "huge": 10**50})])
        table.commit([Add(key("a"), {"n": 1, "huge": 1})])
        assert stored(table, "a").data == {"n": 10**30 + 2, "huge": 10**50 + 1}

    @pytest.mark.parametrize("name", ["a.b", "#x", "size", "记忆", 'quo"te', "back\\slash", "\x00", "a b"])
    def test_a_counter_may_have_any_name(self, table, name):
        for _ in range(2):
            table.commit([Add(key("a"), {name: 2})])
        assert stored(table, "a").data == {name: 4}


@every_table
class TestData:
    @pytest.mark.parametrize("value", ["", "\x00", "".join(map(chr, range(1, 33))) + "\x7f\u2028", "记忆 😀 \U0010ffff \uffff", None, True, False, 0, -1, 2**53 + 1, -(10**37), 10**60, 0.1, 1.0, -0.0, 1e-300, 1.7976931348623157e308, 5e-324, [], {}, ["", None, [1, [2.0]]], {"": {"": ""}, "a": {"b": [{"c": 1.0}]}}])
    def test_every_json_value_comes_back_as_it_was(self, table, value):
        table.commit([put("a", {"value": value, "in": [value], "under": {"": value}})])
        table.commit([put("b", {"value": value}), put("c")])
        assert repr(stored(table, "a").data["value"]) == repr(value)
        assert repr(stored(table, "a").data["in"]) == repr([value])
        assert repr(stored(table, "a").data["under"]) == repr({"": value})
        assert repr(stored(table, "b").data["value"]) == repr(value)

    def test_floats_come_back_bit_for_bit(self, table):
        chance = random.Random(11)  # noqa: S311  # the same floats in every run
        floats = [chance.uniform(-1, 1) * 10.0 ** chance.randint(-200, 200) for _ in range(300)]
        table.commit([put("a", {"floats": floats})])
        assert stored(table, "a").data["floats"] == floats

    def test_any_field_name_is_kept(self, table):
        data = {"": 1, " ": "x", "p": 1, "s": "s", "data": "d", "version": 7, "expires": 9, "token": "t", "a.b[0]": 1.5, "\x00": None}
        table.commit([put("a", data)])
        assert stored(table, "a").data == data
        assert stored(table, "a").version == 1

    def test_a_key_may_hold_any_character(self, table):
        odd = Key("pro%2Fject/名\x00'\"; DROP TABLE rows", "turn/😀\x00\n/00")
        table.commit([Put(odd, {"n": 1})])
        assert list(table.get([odd])) == [odd]
        assert [row.key for row in table.query(odd.partition, "turn/😀\x00").rows] == [odd]

    def test_a_row_put_without_a_field_no_longer_has_it(self, table):
        table.commit([put("a", {"n": 1, "text": "x"}, expires=START + 60)])
        table.commit([put("a", {"m": 1})])
        assert stored(table, "a") == Row(key("a"), {"m": 1}, 2, None)

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {"\udfff": 1}])
    def test_what_json_cannot_hold_is_malformed_and_nothing_is_written(self, table, value):
        with pytest.raises(Malformed):
            table.commit([put("a"), put("b", {"value": value})])
        assert table.query("scope").rows == ()


@every_table
class TestLimits:
    def test_a_commit_takes_a_hundred_rows_and_no_more(self, table):
        writes = [put(f"{number:03}") for number in range(101)]
        with pytest.raises(TooLarge):
            table.commit(writes)
        assert table.query("scope").rows == ()
        table.commit(writes[:100])
        assert len(table.query("scope").rows) == 100

    def test_a_row_just_under_the_limit_is_kept_and_one_over_it_is_too_large(self, table):
        table.commit([put("a", {"text": "x" * 389_900})])
        with pytest.raises(TooLarge):
            table.commit([put("b"), put("c", {"text": "记" * 130_100})])
        assert sorts(table.query("scope")) == ["a"]

    def test_a_commit_over_four_megabytes_is_too_large(self, table):
        with pytest.raises(TooLarge):
            table.commit([put(f"{number:02}", {"text": "x" * 380_000}) for number in range(11)])
        assert table.query("scope").rows == ()

    def test_keys_just_within_their_limits_are_kept(self, table):
        longest = Key("p" * 2048, "é" * 512)
        table.commit([Put(longest, {})])
        table.commit([Put(longest, {}, 1), put("a")])
        assert list(table.get([longest])) == [longest]
        assert table.query(longest.partition, after=longest.sort).rows == ()

    @pytest.mark.parametrize("bad", [Key("p" * 2049, "s"), Key("p", "é" * 513)])
    def test_keys_over_their_limits_are_too_large(self, table, bad):
        with pytest.raises(TooLarge):
            table.commit([Put(bad, {})])

    @pytest.mark.parametrize("writes", [[put("a"), Delete(key("a"))], [Check(key("a"), ANY)], [put("")], [put("a", partition="")], [put("a", expect=0)], [Add(key("a"), {})], [Add(key("a"), {"n": 1.5})], [put("a", {"set": {1}})], [put("a", expires=1.5)]], ids=str)
    def test_what_no_caller_may_ask_for_is_an_error(self, table, writes):
        with pytest.raises(ValueError, match=r".+"):
            table.commit(writes)
        assert table.query("scope").rows == ()


@every_table
class TestExpiry:
    def test_a_row_is_there_until_its_second_begins(self, table, clock):
        table.commit([put("a", expires=START + 10), put("b")])
        clock.now = START + 9.99
        assert set(table.get([key("a"), key("b")])) == {key("a"), key("b")}
        clock.now = START + 10
        assert set(table.get([key("a"), key("b")])) == {key("b")}
        assert sorts(table.query("scope")) == ["b"]

    def test_expired_rows_take_no_place_on_a_page(self, table, clock):
        table.commit([put(f"{number:02}", expires=START + 1 if number % 3 else None) for number in range(20)])
        clock.now = START + 5
        assert paged(table, 3) == [f"{number:02}" for number in range(0, 20, 3)]

    @pytest.mark.parametrize("others", [[], [put("z")]], ids=["alone", "with another"])
    @pytest.mark.parametrize("expect", [ABSENT, ANY], ids=str)
    def test_a_row_put_over_an_expired_one_begins_at_one(self, table, clock, expect, others):
        table.commit([put("a", {"n": 1, "old": True}, expires=START + 10)])
        table.commit([put("a", {"n": 1, "old": True}, expires=START + 10)])
        clock.now = START + 11
        table.commit([put("a", {"new": True}, expect=expect), *others])
        assert stored(table, "a") == Row(key("a"), {"new": True}, 1, None)

    @pytest.mark.parametrize("others", [[], [put("z")]], ids=["alone", "with another"])
    def test_a_counter_added_to_an_expired_row_begins_anew(self, table, clock, others):
        table.commit([put("a", {"n": 7, "old": True}, expires=START + 10)])
        clock.now = START + 11
        assert refused(table, Add(key("a"), {"n": -1}, floor=0)).standing is None
        table.commit([Add(key("a"), {"n": 2}), *others])
        assert stored(table, "a") == Row(key("a"), {"n": 2}, 1, None)

    def test_an_expired_row_has_no_version_to_expect(self, table, clock):
        table.commit([put("a", expires=START + 10)])
        clock.now = START + 11
        for write in (put("a", expect=1), Delete(key("a"), 1), Check(key("a"), 1)):
            assert refused(table, write).standing is None
            assert refused(table, write, put("b")).standing is None

    def test_an_expired_row_is_absent_for_those_who_expect_that(self, table, clock):
        table.commit([put("a", expires=START + 10)])
        clock.now = START + 11
        table.commit([Check(key("a"), ABSENT), put("b")])
        table.commit([Delete(key("a"), ABSENT)])
        assert sorts(table.query("scope")) == ["b"]

    def test_putting_a_row_again_moves_or_takes_away_its_expiry(self, table, clock):
        table.commit([put("a", expires=START + 10), put("b", expires=START + 10), put("c", expires=START + 10)])
        table.commit([put("a"), put("b", expires=START + 99), put("c", expect=1, expires=START + 99)])
        clock.now = START + 11
        assert [row.expires for row in table.query("scope").rows] == [None, START + 99, START + 99]


@pytest.mark.parametrize("table", ["sqlite", "localstack"], indirect=True)
class TestRaces:
    def test_of_sixteen_that_put_the_same_absent_row_one_wins(self, table):
        def attempt(number):
            try:
                table.commit([put("a", {"by": number}, expect=ABSENT)])
            except RowConflict as conflict:
                return conflict.standing.data["by"]
            return number

        winners = set(raced(attempt))
        assert winners == {stored(table, "a").data["by"]}

    def test_of_sixteen_commits_that_share_a_row_one_wins_with_all_its_rows(self, table):
        def attempt(number):
            try:
                table.commit([put(f"own/{number:02}"), put("shared", {"by": number}, expect=ABSENT)])
            except RowConflict:
                return 0
            return 1

        assert sum(raced(attempt)) == 1
        assert sorts(table.query("scope", "own/")) == [f"own/{stored(table, 'shared').data['by']:02}"]

    def test_sixteen_that_add_lose_nothing(self, table):
        def attempt(number):
            for _ in range(5):
                table.commit([Add(key("a"), {"n": number, "calls": 1})])

        list(raced(attempt))
        assert stored(table, "a") == Row(key("a"), {"n": 5 * sum(range(THREADS)), "calls": 5 * THREADS}, 5 * THREADS, None)

    def test_sixteen_that_spend_never_pass_the_floor(self, table):
        table.commit([put("a", {"points": 100})])

        def attempt(_number):
            try:
                table.commit([Add(key("a"), {"points": -7}, floor=0)])
            except RowConflict:
                return 0
            return 1

        assert sum(raced(attempt)) == 14
        assert stored(table, "a").data == {"points": 2}

    def test_increments_that_are_tried_again_after_a_conflict_lose_nothing(self, table):
        table.commit([put("a", {"n": 0})])

        def attempt(_number):
            row = stored(table, "a")
            for tries in count(1):
                try:
                    table.commit([put("a", {"n": row.data["n"] + 1}, expect=row.version)])
                except RowConflict as conflict:
                    row = conflict.standing
                else:
                    return tries
            return 0

        list(raced(attempt))
        assert stored(table, "a") == Row(key("a"), {"n": THREADS}, THREADS + 1, None)


def raced(attempt):
    """What *attempt* returns in each of THREADS threads that begin at the same moment."""
    start = threading.Barrier(THREADS)

    def run(number):
        start.wait(timeout=30)
        return attempt(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))
