"""Writes nets of Caffe: a text of the layers (.prototxt) and a NetParameter with their weights (.caffemodel).

The protocol buffer is written field by field, for Caffe is on no package index:
https://github.com/BVLC/caffe/blob/master/src/caffe/proto/caffe.proto
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field

import numpy as np

# Numbers of fields: NetParameter, LayerParameter, BlobProto, BlobShape.
NET_NAME, NET_LAYER = 1, 100
LAYER_NAME, LAYER_TYPE, LAYER_BLOBS = 1, 2, 7
BLOB_DATA, BLOB_SHAPE, SHAPE_DIM = 5, 7, 1
# V1LayerParameter
NET_LAYERS, V1_NAME, V1_TYPE, V1_BLOBS = 2, 4, 5, 6
V1_NUMBERS = {"Convolution": 4, "InnerProduct": 14, "Pooling": 17, "ReLU": 18, "LRN": 15, "Softmax": 20, "Dropout": 6,
              "Concat": 3, "Eltwise": 25, "Deconvolution": 39}


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def bytes_field(number: int, value: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(value)) + value


def text_field(number: int, value: str) -> bytes:
    return bytes_field(number, value.encode())


def blob(values: np.ndarray, is_old: bool = False, is_packed: bool = True) -> bytes:
    """Returns a BlobProto. is_old: with num, channels, height and width in place of a shape."""
    data = np.ascontiguousarray(values, dtype="<f4").tobytes()
    if is_packed:
        fields = bytes_field(BLOB_DATA, data)
    else:
        fields = b"".join(varint(BLOB_DATA << 3 | 5) + data[i:i + 4] for i in range(0, len(data), 4))
    if is_old:
        sizes = (1,) * (4 - values.ndim) + values.shape
        return b"".join(number_field(i + 1, size) for i, size in enumerate(sizes)) + fields
    dims = b"".join(varint(size) for size in values.shape)
    return bytes_field(BLOB_SHAPE, bytes_field(SHAPE_DIM, dims) if dims else b"") + fields


@dataclass
class Layer:
    name: str
    type: str
    text: str
    blobs: list[np.ndarray] = field(default_factory=list)


@dataclass
class Net:
    """A net that is built layer by layer. It knows the sizes of its arrays, so that weights get theirs."""

    name: str
    seed: int = 0
    layers: list[Layer] = field(default_factory=list)
    sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def layer(self, type: str, name: str, bottoms: list[str], tops: list[str], parameters: str = "",
              blobs: list[np.ndarray] | None = None) -> None:
        lines = [f'name: "{name}"', f'type: "{type}"', *(f'bottom: "{b}"' for b in bottoms),
                 *(f'top: "{t}"' for t in tops)]
        if parameters:
            lines.append(parameters)
        self.layers.append(Layer(name, type, "layer {\n" + "".join(f"  {line}\n" for line in lines) + "}\n",
                                 blobs or []))

    def weights(self, *sizes: int) -> np.ndarray:
        """Random weights that keep the size of what they are multiplied with."""
        terms = int(np.prod(sizes[1:]))
        return self.random.normal(0, np.sqrt(2 / max(terms, 1)), sizes).astype(np.float32)

    def small(self, *sizes: int) -> np.ndarray:
        return self.random.normal(0, 0.1, sizes).astype(np.float32)

    def input(self, name: str, *sizes: int) -> str:
        dims = " ".join(f"dim: {size}" for size in sizes)
        self.layer("Input", name, [], [name], f"input_param {{ shape {{ {dims} }} }}")
        self.sizes[name] = sizes
        return name

    def conv(self, name: str, bottom: str, outputs: int, kernel: int, stride: int = 1, pad: int = 0, group: int = 1,
             bias: bool = True, dilation: int = 1) -> str:
        batch, channels, *image = self.sizes[bottom]
        text = f"convolution_param {{ num_output: {outputs} kernel_size: {kernel}"
        text += f" stride: {stride}" * (stride != 1) + f" pad: {pad}" * (pad != 0) + f" group: {group}" * (group != 1)
        text += f" dilation: {dilation}" * (dilation != 1) + " bias_term: false" * (not bias) + " }"
        blobs = [self.weights(outputs, channels // group, kernel, kernel)] + [self.small(outputs)] * bias
        self.layer("Convolution", name, [bottom], [name], text, blobs)
        extent = (kernel - 1) * dilation + 1
        self.sizes[name] = (batch, outputs, *((size + 2 * pad - extent) // stride + 1 for size in image))
        return name

    def pool(self, name: str, bottom: str, method: str, kernel: int, stride: int = 1, pad: int = 0) -> str:
        batch, channels, *image = self.sizes[bottom]
        text = f"pooling_param {{ pool: {method} kernel_size: {kernel}"
        text += f" stride: {stride}" * (stride != 1) + f" pad: {pad}" * (pad != 0) + " }"
        self.layer("Pooling", name, [bottom], [name], text)
        counts = []
        for size in image:
            count = -(-(size + 2 * pad - kernel) // stride) + 1
            counts.append(count - (pad > 0 and (count - 1) * stride >= size + pad))
        self.sizes[name] = (batch, channels, *counts)
        return name

    def global_average(self, name: str, bottom: str) -> str:
        self.layer("Pooling", name, [bottom], [name], "pooling_param { pool: AVE global_pooling: true }")
        self.sizes[name] = (*self.sizes[bottom][:2], 1, 1)
        return name

    def dense(self, name: str, bottom: str, outputs: int, gain: float = 1) -> str:
        batch, *rest = self.sizes[bottom]
        text = f"inner_product_param {{ num_output: {outputs} }}"
        self.layer("InnerProduct", name, [bottom], [name], text,
                   [self.weights(outputs, int(np.prod(rest))) * np.float32(gain), self.small(outputs)])
        self.sizes[name] = (batch, outputs)
        return name

    def in_place(self, type: str, name: str, bottom: str, parameters: str = "",
                 blobs: list[np.ndarray] | None = None) -> str:
        self.layer(type, name, [bottom], [bottom], parameters, blobs)
        return bottom

    def same(self, type: str, name: str, bottoms: list[str], parameters: str = "",
             blobs: list[np.ndarray] | None = None) -> str:
        """A layer whose top has the sizes of its first bottom."""
        self.layer(type, name, bottoms, [name], parameters, blobs)
        self.sizes[name] = self.sizes[bottoms[0]]
        return name

    def concat(self, name: str, bottoms: list[str]) -> str:
        self.layer("Concat", name, bottoms, [name])
        first = self.sizes[bottoms[0]]
        self.sizes[name] = (first[0], sum(self.sizes[b][1] for b in bottoms), *first[2:])
        return name

    def normalize(self, name: str, bottom: str, prefix: str = "") -> str:
        """BatchNorm and Scale, in place."""
        channels = self.sizes[bottom][1]
        factor = 999.98
        blobs = [self.small(channels) * factor, self.random.uniform(0.5, 1.5, channels).astype(np.float32) * factor,
                 np.array([factor], dtype=np.float32)]
        self.in_place("BatchNorm", f"bn{prefix}{name}", bottom, "batch_norm_param { use_global_stats: true }", blobs)
        return self.in_place("Scale", f"scale{prefix}{name}", bottom, "scale_param { bias_term: true }",
                             [self.random.uniform(0.3, 0.7, channels).astype(np.float32), self.small(channels)])

    def text(self) -> str:
        return f'name: "{self.name}"\n' + "".join(layer.text for layer in self.layers)

    def bytes(self, is_v1: bool = False, is_packed: bool = True) -> bytes:
        parts = [text_field(NET_NAME, self.name)]
        for layer in self.layers:
            if not layer.blobs:
                continue
            if is_v1:
                fields = text_field(V1_NAME, layer.name) + number_field(V1_TYPE, V1_NUMBERS[layer.type])
                fields += b"".join(bytes_field(V1_BLOBS, blob(b, True, is_packed)) for b in layer.blobs)
            else:
                fields = text_field(LAYER_NAME, layer.name) + text_field(LAYER_TYPE, layer.type)
                fields += b"".join(bytes_field(LAYER_BLOBS, blob(b, False, is_packed)) for b in layer.blobs)
            parts.append(bytes_field(NET_LAYERS if is_v1 else NET_LAYER, fields))
        return b"".join(parts)

    def write(self, folder: pathlib.Path, is_v1: bool = False) -> pathlib.Path:
        """Writes NAME.prototxt and NAME.caffemodel, and returns the first."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.prototxt"
        path.write_text(self.text())
        path.with_suffix(".caffemodel").write_bytes(self.bytes(is_v1))
        return path
