"""What every interface does with a request before its verb: who calls, what is in the body, is it well formed."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Never, TypeVar
from urllib.parse import unquote

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from chalicelib.errors import Malformed, Missing, OutOfRange, TooLarge, Unauthenticated
from chalicelib.mind import access
from chalicelib.mind.access import Principal
from chalicelib.mind.scopes import escaped
from chalicelib.mind.texts import CONTROL, HIDDEN, blank, broken
from chalicelib.records.credentials import Credentials

MOST_BODY = 5_000_000
"""Bytes of a request body."""

MOST_NAME, MOST_NAME_BYTES, MOST_IDENTIFIER = 128, 384, 256
"""Characters and bytes of a name, bytes of an id that a client makes. Two names, a user and a session fit a partition
key of 2,048 bytes, two ids a sort key of 1,024, as DynamoDB has them."""

WHOLE = re.compile(r"-?[0-9]{1,11}")
"""A whole number of no more digits than any limit has."""

DIRT = "must not hold control, invisible or replacement characters"
COUNTED = "/ and % count three"

W = TypeVar("W", bound="Wire")


def shown(text: str) -> str:
    """The text, if it shows something."""
    if blank(text):
        raise PydanticCustomError("blank", "must not be empty or blank")
    return text


def dirty(text: str) -> bool:
    """True if a control or invisible format character hides in it, or what some decoder put for a broken one."""
    return bool(CONTROL.search(text) or HIDDEN.search(text.replace("\u200d", "")) or "\ufffd" in text)


def clean(text: str) -> str:
    """The text, if it is not dirty."""
    if dirty(text):
        raise PydanticCustomError("control", DIRT)
    return text


def unbroken(value: Any) -> Any:
    """The value, if it is no text with half of a character in it. Pydantic looks only where it measures a text."""
    if isinstance(value, str) and not value.isascii() and broken(value):
        raise PydanticCustomError("string_unicode", "holds half of a character (a lone surrogate)")
    return value


def kept_bytes(text: str) -> int:
    """The bytes that a text takes within a key: as UTF-8, what is escaped there counted as it is kept."""
    return len(escaped(text).encode("utf-8", "replace"))


def slim(text: str) -> str:
    """A name within the byte limit."""
    if kept_bytes(text) > MOST_NAME_BYTES:
        raise PydanticCustomError("range", f"must have 1 to {MOST_NAME_BYTES} bytes as UTF-8 ({COUNTED})")
    return text


def short(most: int) -> AfterValidator:
    """A check that a name has *most* characters at the most."""
    def checked(text: str) -> str:
        if len(text) > most:
            raise PydanticCustomError("range", f"must have 1 to {most} characters")
        return text
    return AfterValidator(checked)


def narrow(text: str) -> str:
    """An id within the byte limit."""
    if kept_bytes(text) > MOST_IDENTIFIER:
        raise PydanticCustomError("range", f"must have 1 to {MOST_IDENTIFIER} bytes as UTF-8 ({COUNTED})")
    return text


def flag(value: Any) -> Any:
    """0 and 1 as booleans; anything else is left for the type check to refuse."""
    if isinstance(value, int) and value not in {0, 1}:
        raise PydanticCustomError("range", "must be 0 or 1")
    return bool(value) if isinstance(value, int) else value


def number(value: Any) -> Any:
    """A whole number out of a query string; anything else is left for the type check to refuse."""
    return int(value) if isinstance(value, str) and WHOLE.fullmatch(value) else value


Shown = Annotated[str, AfterValidator(shown)]
Name = Annotated[str, AfterValidator(shown), AfterValidator(clean), short(MOST_NAME), AfterValidator(slim)]
Identifier = Annotated[
    str, AfterValidator(unbroken), AfterValidator(shown), AfterValidator(clean), AfterValidator(narrow)
]
Flag = Annotated[bool, BeforeValidator(flag)]
Number = Annotated[int, BeforeValidator(number)]


class Wire(BaseModel):
    """A shape of the wire: camel case, strict types, unknown fields ignored, null the same as absent."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", alias_generator=to_camel)

    @model_validator(mode="before")
    @classmethod
    def without_nulls(cls, data: Any) -> Any:
        """The fields that say something."""
        return {name: value for name, value in data.items() if value is not None} if isinstance(data, dict) else data

    @field_validator("*", mode="before")
    @classmethod
    def whole(cls, value: Any) -> Any:
        """A field without half of a character."""
        return unbroken(value)


def token(headers: Mapping[str, str]) -> str:
    """The key in the Authorization header. Raises Unauthenticated without one."""
    scheme, _, presented = headers.get("authorization", "").strip().partition(" ")
    if scheme.casefold() not in {"token", "bearer"} or not presented.strip():
        raise Unauthenticated("an Authorization header with Token or Bearer and a key is needed")
    return presented.strip()


def caller(credentials: Credentials, headers: Mapping[str, str]) -> Principal:
    """Who calls, and for which user. Raises Unauthenticated, Forbidden, or Malformed for an id that is none."""
    credential = credentials.opened(token(headers))
    named = headers.get("x-user-id")
    return access.principal(credential, "" if named is None else decoded("X-User-Id", named, header_text))


def header_text(value: str) -> str:
    """A header as text: servers hand bytes on as Latin-1, clients mean UTF-8, plain or percent-encoded.

    Raises UnicodeDecodeError for an encoding of no text: two such values must not become the same.
    """
    try:
        text = value.encode("latin-1").decode()
    except (UnicodeEncodeError, UnicodeDecodeError):
        text = value
    return unquote(text, errors="strict")


def identifier(field: str, text: str, most: int = MOST_IDENTIFIER) -> str:
    """An id that came in a header or a path, *most* bytes long. Raises Missing, OutOfRange."""
    if blank(text):
        raise Missing(field, "must not be empty or blank")
    if broken(text) or dirty(text):
        raise OutOfRange(field, DIRT)
    if kept_bytes(text) > most:
        raise OutOfRange(field, f"must have 1 to {most} bytes as UTF-8 ({COUNTED})")
    return text


def path_part(field: str, text: str) -> str:
    """A path parameter, an id or a name, decoded exactly once. Raises Missing, OutOfRange."""
    return decoded(field, text, lambda encoded: unquote(encoded, errors="strict"), MOST_NAME_BYTES)


def decoded(field: str, text: str, decode: Callable[[str], str], most: int = MOST_IDENTIFIER) -> str:
    """An id that came encoded. Raises Missing, OutOfRange."""
    try:
        return identifier(field, decode(text), most)
    except UnicodeDecodeError:
        raise OutOfRange(field, "is not percent-encoded UTF-8") from None


def json_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body. Raises TooLarge, or Malformed for anything else."""
    if len(body) > MOST_BODY:
        raise TooLarge("body", f"must have {MOST_BODY} bytes at the most")
    try:
        value = json.loads(body, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Malformed("body", "is not JSON") from None
    if not isinstance(value, dict):
        raise Malformed("body", "must be a JSON object")
    return value


def constant(name: str) -> Never:
    """NaN and Infinity are no JSON."""
    raise ValueError(name)


def checked(kind: type[W], data: Mapping[str, Any]) -> W:
    """The data as a wire shape. Raises Missing, OutOfRange, TooLarge or Malformed, naming the first wrong field."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise refusal(error) from None


def refusal(error: ValidationError) -> Malformed:
    """What pydantic found first, in our words."""
    first = error.errors(include_url=False, include_input=False)[0]
    field, kind, problem = located(first["loc"]), first["type"], first["msg"]
    if kind == "string_unicode":
        return Malformed(field, "holds half of a character (a lone surrogate)")
    if kind in {"missing", "blank", "too_short"}:
        words = {"missing": "is required", "too_short": "must not be empty"}
        return Missing(field, words.get(kind, problem))
    if kind in {"too_long", "string_too_long"}:
        return TooLarge(field, problem)
    ranged = kind in {"range", "control", "literal_error", "greater_than_equal", "less_than_equal", "unsupported"}
    return OutOfRange(field, problem) if ranged else Malformed(field, problem)


def located(path: tuple[int | str, ...]) -> str:
    """A field's place as a reader writes it: messages[3].content."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".") or "body"
