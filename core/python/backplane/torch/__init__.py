"""Backplane as a backend of torch.compile.

    import torch
    compiled = torch.compile(model, backend="backplane", options={"device": "cpu"})

Where the wheel is installed, the name alone works; otherwise import this module first. docs/pytorch.md has the rest.

Needs torch and onnxscript: torch's AOTAutograd makes functional graphs of ATen operations, torch.onnx makes ONNX of
them, which the backend compiles. Forward and backward passes are compiled. A graph that cannot be compiled runs on
PyTorch, with a warning that names the operation.
"""

from typing import Any, Callable, Mapping, Sequence

import torch
from torch._dynamo import list_backends
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.backends.registry import register_backend
from torch.nn.attention import SDPBackend, sdpa_kernel

from backplane.torch.decompositions import decompositions
from backplane.torch.graphs import Graph
from backplane.torch.options import Options

__all__ = ["Options", "compile_graph"]


def compile_graph(module: torch.fx.GraphModule, inputs: Sequence[Any], *,
                  options: Mapping[str, Any] | None = None, mode: str | None = None) -> Callable[..., Any]:
    """Returns a function that computes what a graph of TorchDynamo does; torch.compile calls it.

    `options`: those of Options, by name. `mode` must be None: modes are settings of inductor. Graphs are compiled when
    they are called first, with the sizes of that call, and again for other sizes. Errors: INVALID: an option is wrong.
    """
    chosen = Options.of(options, mode)

    def compiler(is_inference: bool) -> Callable[[torch.fx.GraphModule, Sequence[Any]], Any]:
        return lambda graph, examples: Graph(graph, examples, chosen, is_inference)

    compile_it = aot_autograd(fw_compiler=compiler(False), bw_compiler=compiler(False),
                              inference_compiler=compiler(True), decompositions=decompositions())
    # The fused attention of PyTorch's cpu has a backward pass of its own, which nothing decomposes.
    with sdpa_kernel(SDPBackend.MATH):
        compiled: Callable[..., Any] = compile_it(module, inputs)
    return compiled


# Where the wheel is installed, its entry point is listed, and PyTorch registers it.
if "backplane" not in list_backends(exclude_tags=()):
    register_backend(name="backplane", compiler_fn=compile_graph)
