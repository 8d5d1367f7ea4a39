"""A writer of small ONNX models: protobuf by hand, so that a build needs no onnx package and its bytes never vary.

Field numbers are those of onnx.proto3 (ModelProto, GraphProto, NodeProto, TensorProto, AttributeProto, ValueInfoProto).
"""

import struct
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

KINDS = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
"""TensorProto.DataType."""

IR_VERSION, OPSET = 9, 20
INT, INTS, FLOAT = 2, 7, 1
"""AttributeProto.AttributeType."""

LOW = 0x7F
"""The seven bits of a byte that carry a varint; the eighth says that more follows."""

Field = tuple[int, int | float | str | bytes]
"""A field's number and value; an int becomes a varint, a float 32 bits, str and bytes are length-delimited."""

Attribute = int | float | list[int]


def varint(number: int) -> bytes:
    """The number, seven bits a byte, the low ones first; negative ones as 64 bits."""
    out, number = bytearray(), number % 2**64
    while number > LOW:
        out.append(number & LOW | LOW + 1)
        number >>= 7
    return bytes(out) + bytes([number])


def message(fields: Iterable[Field]) -> bytes:
    """The bytes of a protobuf message."""
    out = []
    for number, value in fields:
        if isinstance(value, int):
            out.append(varint(number << 3) + varint(value))
        elif isinstance(value, float):
            out.append(varint(number << 3 | 5) + struct.pack("<f", value))
        else:
            raw = value.encode() if isinstance(value, str) else value
            out.append(varint(number << 3 | 2) + varint(len(raw)) + raw)
    return b"".join(out)


def attribute(name: str, value: Attribute) -> bytes:
    """An attribute of a node."""
    if isinstance(value, list):
        return message([(1, name), *((8, item) for item in value), (20, INTS)])
    number, kind = (2, FLOAT) if isinstance(value, float) else (3, INT)
    return message([(1, name), (number, value), (20, kind)])


def value_info(name: str, dims: Sequence[int | str]) -> bytes:
    """An input or output of float32; a dimension with a name is free."""
    shape = message((1, message([(1 if isinstance(dim, int) else 2, dim)])) for dim in dims)
    return message([(1, name), (2, message([(1, message([(1, KINDS["float32"]), (2, shape)]))]))])


class Graph:
    """Constants and nodes, collected in order; `const` and `node` return the name of what they add."""

    def __init__(self) -> None:
        self._nodes: list[Field] = []
        self._tensors: list[Field] = []

    def const(self, name: str, values: npt.ArrayLike, dtype: str = "float32") -> str:
        """Add a constant."""
        array = np.array(values, dtype, order="C")
        dims: list[Field] = [(1, dim) for dim in array.shape]
        self._tensors.append((5, message([*dims, (2, KINDS[dtype]), (8, name), (9, array.tobytes())])))
        return name

    def node(
        self, operator: str, inputs: Sequence[str], name: str, domain: str = "", **attributes: Attribute
    ) -> str:
        """Add an operation whose one output has this name."""
        ends: list[Field] = [*((1, each) for each in inputs), (2, name), (4, operator)]
        extra: list[Field] = [(5, attribute(key, value)) for key, value in attributes.items()]
        self._nodes.append((1, message([*ends, *extra, (7, domain)])))
        return name

    def model(
        self, inputs: Mapping[str, Sequence[int | str]], outputs: Mapping[str, Sequence[int | str]]
    ) -> bytes:
        """The whole as a model file. *inputs*, *outputs*: name to dimensions."""
        ends: list[Field] = [(11, value_info(name, dims)) for name, dims in inputs.items()]
        ends += [(12, value_info(name, dims)) for name, dims in outputs.items()]
        graph = message([*self._nodes, (2, "graph"), *self._tensors, *ends])
        standard, extension = message([(1, ""), (2, OPSET)]), message([(1, "com.microsoft"), (2, 1)])
        return message([(1, IR_VERSION), (7, graph), (8, standard), (8, extension)])
