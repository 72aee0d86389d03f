"""Graphs of ATen operations as ONNX models."""

import logging
import operator
from contextlib import ExitStack, contextmanager
from typing import Any, Iterator, Mapping, Sequence

import torch

from backplane.errors import Code, Error

LOGGERS = ("torch.onnx._internal.exporter._schemas", "torch.onnx._internal.exporter._registration")


class Positional(torch.nn.Module):
    """A graph some of whose inputs are constants, and whose results are tensors only."""

    def __init__(self, graph: torch.fx.GraphModule, constants: Mapping[int, Any]) -> None:
        super().__init__()
        self.wrapped = graph
        self.numbers = {}
        for position, value in constants.items():
            if isinstance(value, torch.Tensor):
                self.register_buffer(f"constant_{position}", value.detach())
            else:
                self.numbers[position] = value
        self.tensors = [position for position, value in constants.items() if isinstance(value, torch.Tensor)]

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        left = iter(inputs)
        all_inputs = []
        for position in range(len(inputs) + len(self.numbers) + len(self.tensors)):
            if position in self.numbers:
                all_inputs.append(self.numbers[position])
            elif position in self.tensors:
                all_inputs.append(getattr(self, f"constant_{position}"))
            else:
                all_inputs.append(next(left))
        return tuple(result for result in self.wrapped(*all_inputs) if isinstance(result, torch.Tensor))


@contextmanager
def quiet() -> Iterator[None]:
    """Hides messages of torch.onnx about functions that are not used."""
    levels = {name: logging.getLogger(name).level for name in LOGGERS}
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def unsupported(reason: str) -> Error:
    return Error(Code.UNSUPPORTED, reason)


# Arguments that torch.onnx ignores, by position; they must be None.
IGNORED = {torch.ops.aten.avg_pool2d.default: (6, "divisor_override"),
           torch.ops.aten.avg_pool3d.default: (6, "divisor_override")}


def expect_operations(graph: torch.fx.GraphModule) -> None:
    """UNSUPPORTED: an operation draws random numbers: ONNX does not say which; or torch.onnx would make another one."""
    for node in graph.graph.nodes:
        if node.op != "call_function" or node.target is operator.getitem:
            continue
        position, name = IGNORED.get(node.target, (len(node.args), ""))
        if len(node.args) > position and node.args[position] is not None:
            raise unsupported(f"{node.target} has {name}={node.args[position]}, which torch.onnx ignores, expected none")
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            raise unsupported(f"{node.target} draws random numbers, expected operations whose results PyTorch defines")


def why(error: BaseException) -> str:
    """Returns the innermost reason of an exporter's exception, on one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def export(graph: torch.fx.GraphModule, inputs: Sequence[Any], constants: Mapping[int, Any]) -> bytes:
    """Returns the ONNX model of a graph for inputs of these shapes. Its inputs are named input_0, input_1, ... by their
    position in the graph; its outputs are the results that are tensors.

    `inputs`: all inputs of the graph. `constants`: values of those that the model has as constants, by position.
    UNSUPPORTED: torch.onnx cannot do it, for a reason that the message has.
    """
    expect_operations(graph)
    positions = [position for position in range(len(inputs)) if position not in constants]
    # Values have no meaning here: new tensors, row-major, do not alias each other.
    examples = tuple(torch.empty(inputs[position].shape, dtype=inputs[position].dtype) for position in positions)
    with ExitStack() as stack:
        stack.enter_context(quiet())
        stack.enter_context(torch.no_grad())
        stack.enter_context(torch._C._DisableAutocast())
        try:
            program = torch.export.export(Positional(graph, constants), examples, strict=False)
            model = torch.onnx.export(program, (), dynamo=True, verbose=False, optimize=False,
                                      input_names=[f"input_{position}" for position in positions])
            assert model is not None
            content: bytes = model.model_proto.SerializeToString()
        except Exception as error:
            raise unsupported(why(error)) from error
    return content
