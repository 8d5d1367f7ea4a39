"""Domain objects to the JSON of rows and back. Pydantic checks here too: what comes in may be an older version's."""

import base64
from array import array
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from chalicelib.mind.documents import Vector

T = TypeVar("T")


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """The adapter of a dataclass, built on first use."""
    return TypeAdapter(kind)


def packed(value: Any) -> dict[str, Any]:
    """A frozen dataclass as JSON; fields at their default are left out, so that rows stay small and grow new fields."""
    kind: Any = type(value)
    data: dict[str, Any] = adapter(kind).dump_python(value, mode="json", exclude_defaults=True)
    return data


def unpacked(kind: Callable[..., T], data: Any) -> T:
    """The dataclass that `packed` was given. Raises pydantic's ValidationError for what is none."""
    value: T = adapter(kind).validate_python(data)
    return value


def vector_text(vector: "Vector[float] | None") -> str | None:
    """A vector as base 64 of its float32 bytes."""
    return None if vector is None else base64.b64encode(vector.tobytes()).decode()


def vector_of(text: str | None) -> "Vector[float] | None":
    """The vector that `vector_text` was given."""
    if text is None:
        return None
    vector: Vector[float] = array("f")
    vector.frombytes(base64.b64decode(text))
    return vector
