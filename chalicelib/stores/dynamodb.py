"""The Table on DynamoDB: one table, keys `p` and `s`, no secondary index.

An item: `p`, `s`, `version`, `expires` (epoch seconds, the TTL attribute), `data`, `counts` and, of rows written alone,
`token`. `data` is the row's data as JSON text rather than a map, because a map loses what JSON holds: numbers have no
type there (1.0 comes back as 1), end at 38 digits and 10**126, and keys may not be empty. Text brings every float back
bit for bit, can be read in the console, and costs a tenth of the time to take apart. Only integers at the top level of
the data stand apart, as numbers in the map `counts`, so that `Add` is one update without a read. So the order of fields
is not kept.

A condition tells most of what a write needs to know of its row. What it can't tell is learnt from the row that stood in
the way (ReturnValuesOnConditionCheckFailure), and then tried in another form (`instead`): a row that has expired though
TTL has not removed it yet, which may take days; a counter whose row does not exist yet.

What is repeated is done once: a transaction carries a ClientRequestToken, which DynamoDB knows for ten minutes; a row
written alone carries the token of its commit, by which a lost answer is told from a conflict. `Add` and `Delete` under
a condition are transactions even alone, for nothing else would tell that they have been done already.
"""

import json
import math
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple, TypeVar

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError, UndefinedModelAttributeError

from chalicelib.errors import Conflict, StoreUnavailable, TooLarge
from chalicelib.mind.commits import Weighed, added, answerable, checked, encoded, holdable, weighed, whole
from chalicelib.mind.rows import (
    ABSENT,
    ANY,
    Add,
    Check,
    Data,
    Expected,
    Key,
    Page,
    Put,
    Row,
    RowConflict,
    Write,
)

T = TypeVar("T")
Item = Mapping[str, Any]

TTL = {"Enabled": True, "AttributeName": "expires"}
"""The TimeToLiveSpecification of the table."""

MOST_KEYS = 100
"""Keys of one BatchGetItem (API reference)."""

MOST_DIGITS = 38
"""Digits of a number (Developer Guide, Data types)."""

TRIES, FORMS = 8, 10
"""How often a request is sent until a busy store counts as unavailable; in how many forms a commit is tried."""

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
"""Seconds; pauses double from one to the other and are then cut by chance: 3.6 s together at the most."""

BUSY = frozenset({
    "TransactionConflict", "TransactionConflictException", "TransactionInProgressException",
    "ReplicatedWriteConflictException", "ProvisionedThroughputExceeded", "ProvisionedThroughputExceededException",
    "ThrottlingError", "ThrottlingException", "Throttling", "RequestLimitExceeded", "InternalServerError",
    "ServiceUnavailable",
})
"""Codes of errors, and of reasons why a transaction was cancelled, that go away by themselves."""

METHODS = {"Put": "put_item", "Update": "update_item", "Delete": "delete_item"}
NAMES = {"#p": "p", "#s": "s", "#d": "data", "#c": "counts", "#v": "version", "#e": "expires"}
LIVE = "(attribute_not_exists(#e) OR #e > :now)"
"""True of a row that has not expired, and where there is none."""
GONE = "(attribute_not_exists(#p) OR #e <= :now)"
"""True where no row is, as far as anyone may see."""


class Busy(StoreUnavailable):
    """The store may take the same request in a moment."""


class Unmet(Conflict):
    """Conditions failed: the items that stood there ({}: none) by the position of the write in its commit."""

    def __init__(self, items: Mapping[int, Item]) -> None:
        super().__init__("a row is not as expected")
        self.items = items


@contextmanager
def translated() -> Iterator[None]:
    """Turn what botocore raises into ours; a request that DynamoDB finds ill-formed is our bug: ValueError."""
    try:
        yield
    except ClientError as error:
        raise meant(error.response) from error
    except ParamValidationError as error:
        raise ValueError(str(error)) from error
    except (BotoCoreError, UndefinedModelAttributeError) as error:
        raise StoreUnavailable("dynamodb", str(error)) from error


def meant(response: Mapping[str, Any]) -> Exception:
    """What an error response means."""
    code = response.get("Error", {}).get("Code", "")
    message = response.get("Error", {}).get("Message", "")
    if code == "ConditionalCheckFailedException":
        return Unmet({0: response.get("Item", {})})
    if code == "TransactionCanceledException":
        return cancelled(response.get("CancellationReasons", []), message)
    return fault(code, message)


def cancelled(reasons: Sequence[Mapping[str, Any]], message: str) -> Exception:
    """What the reasons of a cancelled transaction mean together: a failed condition tells more than a busy row."""
    codes = [reason.get("Code", "None") for reason in reasons]
    failed = [index for index, code in enumerate(codes) if code == "ConditionalCheckFailed"]
    if failed:
        return Unmet({index: reasons[index].get("Item", {}) for index in failed})
    for code, reason in zip(codes, reasons, strict=True):
        if code not in BUSY | {"None"}:
            return fault(code, reason.get("Message", message))
    return Busy("dynamodb", message) if BUSY.intersection(codes) else StoreUnavailable("dynamodb", message)


def fault(code: str, message: str) -> Exception:
    """What an error code means, whether of a request or of one row of it."""
    if code in BUSY:
        return Busy("dynamodb", f"{code}: {message}")
    if code in {"ValidationException", "ValidationError"}:
        return TooLarge("row", message) if "size" in message.lower() else ValueError(message)
    return StoreUnavailable("dynamodb", f"{code}: {message}")


def table_definition(name: str) -> dict[str, Any]:
    """What create_table takes for the table; time to live is then set to TTL."""
    keys = {"p": "HASH", "s": "RANGE"}
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": key, "KeyType": kind} for key, kind in keys.items()],
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in keys],
    }


class DynamoTable:
    """Implements `ports.Table` on a table made by `table_definition`."""

    def __init__(
        self, client: Any, name: str, clock: Callable[[], float], pause: Callable[[float], None],
        *, token: Callable[[], str],
    ) -> None:
        """*client*: of boto3. *clock*: epoch seconds. *pause* sleeps. *token*: a new name, at most 36 characters."""
        self._client, self._name, self._clock, self._pause, self._token = client, name, clock, pause, token

    def get(self, keys: Sequence[Key]) -> Mapping[Key, Row]:
        """The rows that exist, strongly consistent."""
        now = self._now()
        wanted = [key for key in dict.fromkeys(keys) if holdable(key)]
        batches = (wanted[start : start + MOST_KEYS] for start in range(0, len(wanted), MOST_KEYS))
        rows = (seen(item, now) for batch in batches for item in self._batch(batch))
        return {row.key: row for row in rows if row}

    def query(
        self, partition: str, prefix: str = "", *, after: str | None = None, until: str | None = None,
        limit: int = 100, newest_first: bool = False,
    ) -> Page:
        """A page of rows in order of sort key; *until* is an upper bound in both directions."""
        if not answerable(partition, prefix, after=after, until=until, limit=limit):
            return Page((), None)
        begin = beginning(prefix, after=after, until=until, newest_first=newest_first)
        if begin is None:
            return Page((), None)
        request = question(partition, prefix, until, self._now()) | {
            "TableName": self._name, "ConsistentRead": True, "ScanIndexForward": not newest_first}
        rows = self._rows(request, key_of(Key(partition, begin)) if begin else None, limit + 1)
        return Page(tuple(rows[:limit]), rows[limit - 1].key.sort if len(rows) > limit else None)

    def commit(self, writes: Sequence[Write]) -> None:
        """Do all writes or none."""
        ready = forms = checked(writes)
        for form in range(FORMS if ready else 0):
            standing = self._tried(forms)
            if not standing:
                return
            forms = tuple(
                instead(ready[index], standing[index]) if index in standing else forms[index]
                for index in range(len(ready))
            )
            if form:
                self._pause(delay(form, self._token()))
        if ready:
            raise StoreUnavailable("dynamodb", "a row changed whenever it was to be written")

    def _tried(self, writes: Sequence[Weighed]) -> dict[int, Row | None]:
        """Try to do the writes. Returns what stood in the way, by position; {} if all is done."""
        now, token = self._now(), self._token()
        try:
            self._persevered(self._request(writes, now, token))
        except Unmet as unmet:
            if any(item.get("token", {}).get("S") == token for item in unmet.items.values()):
                return {}
            return {index: seen(item, now) for index, item in unmet.items.items()}
        return {}

    def _request(self, writes: Sequence[Weighed], now: int, token: str) -> Callable[[], Any]:
        """The request that does the writes, the same however often it is sent."""
        actions = [action(ready, now) for ready in writes]
        for each in actions:
            each.request["TableName"] = self._name
        first = actions[0]
        if len(actions) > 1 or not first.alone:
            items = [{each.verb: each.request} for each in actions]
            return partial(self._client.transact_write_items, TransactItems=items, ClientRequestToken=token)
        if first.verb == "Put":
            first.request["Item"]["token"] = {"S": token}
        return partial(getattr(self._client, METHODS[first.verb]), **first.request)

    def _batch(self, keys: Sequence[Key]) -> Iterator[Item]:
        """The items of at most MOST_KEYS keys; what comes back unread is asked for again."""
        asked, idle = [key_of(key) for key in keys], 0
        while asked:
            request = {self._name: {"Keys": asked, "ConsistentRead": True}}
            reply = self._persevered(partial(self._client.batch_get_item, RequestItems=request))
            yield from reply["Responses"].get(self._name, ())
            left = reply.get("UnprocessedKeys", {}).get(self._name, {}).get("Keys", [])
            idle = idle + 1 if len(left) == len(asked) else 0
            if idle == TRIES:
                raise StoreUnavailable("dynamodb", f"{len(left)} keys were not read in {TRIES} requests")
            if left:
                self._pause(delay(idle, self._token()))
            asked = left

    def _rows(self, request: Mapping[str, Any], start: Item | None, most: int) -> list[Row]:
        """At most so many rows, from as many pages of 1 MB as it takes."""
        rows: list[Row] = []
        while True:
            place = {"ExclusiveStartKey": start} if start else {}
            reply = self._persevered(partial(self._client.query, **request, **place, Limit=most - len(rows)))
            rows.extend(map(row_of, reply["Items"]))
            start = reply.get("LastEvaluatedKey")
            if not start or len(rows) >= most:
                return rows

    def _persevered(self, call: Callable[[], T]) -> T:
        """What the call returns, tried again while the store is busy, TRIES times in all."""
        for attempt in range(TRIES - 1):
            try:
                with translated():
                    return call()
            except Busy:
                self._pause(delay(attempt, self._token()))
        with translated():
            return call()

    def _now(self) -> int:
        """The time in whole seconds: a row expires at the beginning of a second."""
        return math.floor(self._clock())


class Action(NamedTuple):
    """One write as DynamoDB takes it. *alone*: it needs no transaction, because repeating it is harmless."""

    verb: str
    request: dict[str, Any]
    alone: bool


def action(ready: Weighed, now: int) -> Action:
    """The action that does a write, or fails if its row is not as expected."""
    write = ready.write
    key = {"Key": key_of(write.key)}
    if isinstance(write, Add):
        return Action("Update", key | adding(write, now), alone=False)
    if isinstance(write, Put):
        return putting(write, ready.text, now)
    if write.expect is ANY:
        return Action("Delete", key, alone=True)
    condition = conditioned(expectation(write.expect), values=expected_values(write.expect, now))
    return Action("ConditionCheck" if isinstance(write, Check) else "Delete", key | condition, alone=False)


def putting(write: Put, text: str, now: int) -> Action:
    """A Put as the whole item where its version is known, else as an update that counts the version on."""
    content, values = content_of(write, text), expected_values(write.expect, now)
    if write.expect is ANY:
        values |= {":d": content["data"], ":c": content["counts"], ":e": content.get("expires", {})}
        update = "SET #d = :d, #c = :c, #v = if_not_exists(#v, :zero) + :one"
        update += " REMOVE #e" if write.expires is None else ", #e = :e"
        return Action("Update", {"Key": key_of(write.key)} | conditioned(LIVE, update, values=values), alone=True)
    version = number(write.expect + 1 if isinstance(write.expect, int) else 1)
    item = {**key_of(write.key), **content, "version": version}
    return Action("Put", {"Item": item} | conditioned(expectation(write.expect), values=values), alone=True)


def adding(write: Add, now: int) -> dict[str, Any]:
    """The update that adds to counters of a row that exists.

    It fails where the text of `data` may hold a field of that name, which then is no counter, or lies deeper.
    """
    names, values = dict[str, str](), expected_values(ANY, now)
    sets, conditions = ["#v = #v + :one"], ["attribute_exists(#p)", LIVE]
    for index, (name, amount) in enumerate(write.amounts.items()):
        path = f"#c.#n{index}"
        names[f"#n{index}"] = name
        values |= {f":a{index}": number(amount), f":q{index}": {"S": quoted(name)}}
        sets.append(f"{path} = if_not_exists({path}, :zero) + :a{index}")
        conditions.append(f"(attribute_exists({path}) OR NOT contains(#d, :q{index}))")
        if write.floor is not None:
            values[f":f{index}"] = number(write.floor - amount)
            from_nothing = f"attribute_not_exists({path}) OR " if amount >= write.floor else ""
            conditions.append(f"({from_nothing}{path} >= :f{index})")
    return conditioned(" AND ".join(conditions), f"SET {', '.join(sets)}", names=names, values=values)


def conditioned(
    condition: str, update: str = "", *, names: Mapping[str, str] | None = None, values: Mapping[str, Item]
) -> dict[str, Any]:
    """The part of a request that holds expressions, with the names and values they use: DynamoDB refuses others."""
    used = set(re.findall(r"[#:]\w+", f"{condition} {update}"))
    return {
        "ConditionExpression": condition,
        "ExpressionAttributeNames": {name: of for name, of in (NAMES | dict(names or {})).items() if name in used},
        "ExpressionAttributeValues": {name: value for name, value in values.items() if name in used},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    } | ({"UpdateExpression": update} if update else {})


def expectation(expect: Expected) -> str:
    """The condition that a row is as expected; of ANY, nothing is expected and nothing asked."""
    return GONE if expect is ABSENT else f"#v = :version AND {LIVE}"


def expected_values(expect: Expected, now: int) -> dict[str, Item]:
    """The values that conditions and updates may use."""
    version = {":version": number(expect)} if isinstance(expect, int) else {}
    return {":now": number(now), ":zero": number(0), ":one": number(1)} | version


def instead(ready: Weighed, standing: Row | None) -> Weighed:
    """What to try after a write met *standing* (None: no row, or an expired one). Raises RowConflict if it is final."""
    write = ready.write
    if isinstance(write, Add):
        row = added(write, standing)
        if standing is not None and not hidden(write, standing.data):
            return ready
        expect = standing.version if standing else ABSENT
        return weighed(Put(row.key, row.data, expect, row.expires))
    if isinstance(write, Put) and write.expect is ANY:
        return ready if standing else weighed(replace(write, expect=ABSENT))
    raise RowConflict(write.key, standing)


def hidden(write: Add, data: Data) -> bool:
    """Whether `adding` can't tell that a counter is none, because its name also stands elsewhere in the data."""
    text, counts = parted(data)
    return any(name not in counts and quoted(name) in text for name in write.amounts)


def quoted(name: str) -> str:
    """A field's name as it stands in the text of `data`."""
    return f"{json.dumps(name, ensure_ascii=False)}:"


def parted(data: Data) -> tuple[str, dict[str, int]]:
    """Data as the text and the counts that an item keeps."""
    counts = {name: int(value) for name, value in data.items() if countable(name, value)}
    return encoded({name: value for name, value in data.items() if name not in counts}), counts


def countable(name: str, value: Any) -> bool:
    """Whether a field can be a number of DynamoDB without loss."""
    return bool(name) and whole(value) and abs(value) < 10**MOST_DIGITS


def content_of(write: Put, text: str) -> dict[str, Item]:
    """The attributes that hold a row's data and expiry. *text*: all of its data as JSON."""
    rest, counts = parted(write.data) if any(countable(*each) for each in write.data.items()) else (text, {})
    content: dict[str, Item] = {
        "data": {"S": rest}, "counts": {"M": {name: number(value) for name, value in counts.items()}}}
    return content if write.expires is None else content | {"expires": number(write.expires)}


def number(value: int) -> Item:
    """An integer as an attribute value."""
    return {"N": str(int(value))}


def integer(value: Item) -> int:
    """The integer of an attribute value, which may come back as 1E+20."""
    return int(Decimal(value["N"]))


def key_of(key: Key) -> dict[str, Item]:
    """A key as attributes."""
    return {"p": {"S": key.partition}, "s": {"S": key.sort}}


def row_of(item: Item) -> Row:
    """The row of an item."""
    counts = {name: integer(value) for name, value in item["counts"]["M"].items()}
    expires = integer(item["expires"]) if "expires" in item else None
    key = Key(item["p"]["S"], item["s"]["S"])
    return Row(key, json.loads(item["data"]["S"]) | counts, integer(item["version"]), expires)


def seen(item: Item, now: int) -> Row | None:
    """The row of an item, unless there is none or it has expired."""
    row = row_of(item) if item else None
    return row if row and (row.expires is None or row.expires > now) else None


def question(partition: str, prefix: str, until: str | None, now: int) -> dict[str, Any]:
    """The part of a query that says which rows; an *until* after all of the prefix does not bound them."""
    condition = "#p = :p"
    values = {":p": {"S": partition}, ":now": number(now)}
    bounded = until is not None and until.startswith(prefix)
    if prefix:
        condition += " AND " + ("#s BETWEEN :prefix AND :until" if bounded else "begins_with(#s, :prefix)")
        values[":prefix"] = {"S": prefix}
    elif bounded:
        condition += " AND #s <= :until"
    if until is not None and bounded:
        values[":until"] = {"S": until}
    names = {name: NAMES[name] for name in ("#p", "#s", "#e") if name in f"{condition} #e"}
    return {"KeyConditionExpression": condition, "FilterExpression": LIVE, "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values}


def beginning(prefix: str, *, after: str | None, until: str | None, newest_first: bool) -> str | None:
    """The sort key to start after, "" for the first row of the range; None: nothing can be in the range after it.

    DynamoDB refuses a start outside the range that is asked for, though *after* may well be.
    """
    if until is not None and (until < prefix or not until):
        return None
    if after is None:
        return ""
    if after and after.startswith(prefix) and (until is None or after <= until):
        return after
    below = after < prefix or not after
    return "" if below != newest_first else None


def delay(attempt: int, seed: str) -> float:
    """Seconds to wait: exponential backoff with full jitter (AWS Architecture Blog); chance comes from *seed*."""
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**attempt)
    return longest * zlib.crc32(f"{seed}/{attempt}".encode()) / 2**32
