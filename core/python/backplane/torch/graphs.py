"""Graphs of PyTorch that run on a backend."""

import collections
import threading
import warnings
from dataclasses import dataclass
from typing import Any, Sequence

import torch
from torch._subclasses import FakeTensorMode
from torch.utils.dlpack import from_dlpack

from backplane.errors import Error
from backplane.executable import Executable
from backplane.tensors import Taken, capsule_of
from backplane.torch.export import export, unsupported, why
from backplane.torch.options import Options

MAX_PROGRAMS = 16  # of a graph, for different sizes
MAX_CHANGES = 2  # of weights, after which they are inputs
MAX_CONSTANT_BYTES = 1 << 30  # of weights, which the model has once more

ELEMENT_TYPES = {
    torch.bool: "pred", torch.int8: "s8", torch.int16: "s16", torch.int32: "s32", torch.int64: "s64",
    torch.uint8: "u8", torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
}


@dataclass(frozen=True)
class Result:
    """What a graph returns at one place: a tensor with these properties, or a value that is known."""

    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    dtype: torch.dtype | None = None
    value: Any = None

    def restore(self, array: Taken) -> torch.Tensor:
        """Returns the tensor of a result, which it keeps, with the strides that PyTorch expects."""
        tensor: torch.Tensor = from_dlpack(capsule_of(array.release(), has_version=False))
        if tensor.stride() == self.strides or tensor.numel() == 0:
            return tensor
        for dimension, (size, stride) in enumerate(zip(self.shape, self.strides)):
            if stride == 0 and size > 1:  # all elements along it are one
                tensor = tensor.narrow(dimension, 0, 1)
        made = torch.empty_strided(tensor.shape, self.strides, dtype=self.dtype).copy_(tensor)
        return made.expand(self.shape)


def results_of(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> list[Result]:
    """Returns what the graph returns for these inputs, without computing it. UNSUPPORTED: that depends on elements."""
    detached = [value.detach() if isinstance(value, torch.Tensor) else value for value in inputs]
    with FakeTensorMode(allow_non_fake_inputs=True) as mode, torch.no_grad(), torch._C._DisableAutocast():
        fakes = [mode.from_tensor(value, static_shapes=True) if isinstance(value, torch.Tensor) else value
                 for value in detached]
        try:
            results = graph(*fakes)
        except Exception as error:
            raise unsupported(f"its sizes are not known before it runs: {why(error)}") from error
    return [Result(tuple(result.shape), tuple(result.stride()), result.dtype) if isinstance(result, torch.Tensor)
            else Result(value=result) for result in results]


class Specialization:
    """A graph compiled for the sizes of its inputs, and for the weights that are constants."""

    def __init__(self, graph: torch.fx.GraphModule, inputs: Sequence[Any], weights: Sequence[int],
                 options: Options) -> None:
        """`weights`: positions of the inputs that become constants. Errors: UNSUPPORTED and those of the backend."""
        self.results = results_of(graph, inputs)
        for value in [*inputs, *self.results]:
            dtype = getattr(value, "dtype", None)
            if dtype is not None and dtype not in ELEMENT_TYPES:
                raise unsupported(f"a tensor has elements of type {dtype}, expected one of "
                                  f"{', '.join(map(str, ELEMENT_TYPES))}")
        constants = {position: value for position, value in enumerate(inputs)
                     if position in weights or not isinstance(value, torch.Tensor)}
        #: The weights with their state when they were compiled.
        self.weights = {position: (state_of(inputs[position]), inputs[position].detach()) for position in weights}
        model = export(graph, inputs, constants)
        self.executable: Executable = options.backend().compile(model, name="graph of PyTorch")
        self.positions = [int(array.name.removeprefix("input_")) for array in self.executable.inputs]
        expected = [(ELEMENT_TYPES[result.dtype], result.shape) for result in self.results if result.dtype is not None]
        found = [(array.element_type, array.shape) for array in self.executable.outputs]
        if found != expected:
            raise unsupported(f"torch.onnx makes a model with results {found}, expected {expected}")

    def is_current(self, inputs: Sequence[Any]) -> bool:
        """Whether the weights are still those that were compiled."""
        return all(state_of(inputs[position]) == state for position, (state, _) in self.weights.items())

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        arguments = [inputs[position].detach().resolve_neg() for position in self.positions]
        arrays = iter(self.executable._run_tensors(self.executable._prepare(arguments), 0))
        return [result.value if result.dtype is None else result.restore(next(arrays)) for result in self.results]


def state_of(weight: torch.Tensor) -> tuple[int, int]:
    """Returns what changes when the elements of a weight may have changed."""
    return weight.data_ptr(), -1 if weight.is_inference() else weight._version


class Graph:
    """A functional graph of ATen operations. Called with a list of its inputs, which it clears, it returns a list of
    its results. Any thread may call it."""

    def __init__(self, graph: torch.fx.GraphModule, examples: Sequence[Any], options: Options,
                 is_inference: bool) -> None:
        self._boxed_call = True  # tells AOTAutograd, which looks for it in __dict__, that inputs come as a list
        self.graph, self.options = graph, options
        self.compiled: collections.OrderedDict[tuple[Any, ...], Specialization] = collections.OrderedDict()
        self.changes = 0
        self.lock = threading.Lock()
        self.weights = weights_of(examples) if is_inference and options.constant_weights else []
        #: Graphs without arrays to compute with are left to PyTorch without a word.
        self.is_on_torch = not any(isinstance(example, torch.Tensor) for example in examples)

    def __call__(self, inputs: list[Any]) -> Sequence[Any]:
        given = list(inputs)
        inputs.clear()
        program = None if self.is_on_torch else self.find(given)
        if program is None:
            results: Sequence[Any] = self.graph(*given)
            return results
        return program.run(given)

    def find(self, inputs: Sequence[Any]) -> Specialization | None:
        """Returns the graph compiled for these inputs, or nothing if PyTorch runs it."""
        key = tuple(value for value in inputs if not isinstance(value, torch.Tensor))
        with self.lock:
            found = self.compiled.get(key)
            if found is not None and found.is_current(inputs):
                self.compiled.move_to_end(key)
                return found
            if found is not None:
                self.changes += 1
                self.compiled.clear()
            try:
                made = Specialization(self.graph, inputs, self.constant_weights(inputs), self.options)
            except Error as error:
                self.is_on_torch = True
                self.report(error)
                return None
            self.compiled[key] = made
            if len(self.compiled) > MAX_PROGRAMS:
                self.compiled.popitem(last=False)
            return made

    def constant_weights(self, inputs: Sequence[Any]) -> Sequence[int]:
        if self.changes > MAX_CHANGES or sum(inputs[position].nbytes for position in self.weights) > MAX_CONSTANT_BYTES:
            return []
        return [position for position in self.weights if not inputs[position].is_inference()]

    def report(self, error: Error) -> None:
        """Says that PyTorch runs the graph, as the options demand."""
        if self.options.fallback == "error":
            raise error
        if self.options.fallback == "warn":
            count = sum(node.op == "call_function" for node in self.graph.graph.nodes)
            warnings.warn(f"PyTorch runs a graph of {count} operations, not Backplane: {error}", stacklevel=2)


def weights_of(examples: Sequence[Any]) -> list[int]:
    """Returns the positions of parameters and buffers of modules that the graph does not change."""
    context = torch._guards.TracingContext.try_get()
    data = None if context is None else context.fw_metadata
    if data is None:
        return []
    return [position for position in data.static_input_indices if position not in data.mutated_inp_runtime_indices and
            isinstance(examples[position], torch.Tensor)]
