#!/usr/bin/env python3
"""Measures the time of PyTorch's equivalents of the programs of tools/bench/gpu, for bench_race.
Usage: torch_peer.py PROGRAM.hlo FOLDER cuda|cpu REPEATS"""

import pathlib
import re

import peer

DTYPES = {"f32": "float32", "bf16": "bfloat16"}


def programs(torch):
    functional = torch.nn.functional

    def dot(x, y):
        return x @ y

    def scan(x, w):
        for _ in range(1000):
            x = torch.tanh(x @ w)
        return x

    return {
        "attention": lambda q, k, v: functional.scaled_dot_product_attention(q, k, v),
        "column_sum": lambda x: x.sum(0),
        "dot_4096": dot,
        "dot_8192": dot,
        "dot_bias_gelu": lambda x, w, bias: functional.gelu(functional.linear(x, w.T, bias)),
        "dot_f32": dot,
        "dot_skinny": dot,
        "gelu": functional.gelu,
        "layer_norm": lambda x, scale, bias: functional.layer_norm(x, scale.shape, scale, bias),
        "scan": scan,
        "softmax": lambda x: torch.softmax(x, -1),
        "sort": lambda x: torch.sort(x).values,
        "transpose": lambda x: x.T.contiguous(),
    }


def parameters(model):
    """Returns (element type, dimensions) of the entry's parameters, in order."""
    entry = model[model.index("ENTRY"):]
    found = re.findall(r"= (\w+)\[([\d,]*)\]\S* parameter\((\d+)\)", entry)
    return [(dtype, [int(size) for size in dims.split(",") if size])
            for dtype, dims, number in sorted(found, key=lambda parameter: int(parameter[2]))]


def measure(model, folder, platform, repeats):
    import torch

    function = programs(torch).get(pathlib.Path(model).stem)
    if function is None:
        return {"error": f"no function of PyTorch stands for {pathlib.Path(model).name}"}
    function = torch.compile(function) if platform == "cuda" and pathlib.Path(model).stem != "scan" else function
    device = torch.device(platform)
    torch.backends.cuda.matmul.allow_tf32 = False

    def read(kind, number, dtype, dims):
        data = bytearray(pathlib.Path(folder, f"{kind}.{number}").read_bytes())
        return torch.frombuffer(data, dtype=getattr(torch, DTYPES[dtype])).reshape(dims)

    text = pathlib.Path(model).read_text()
    inputs = [read("input", number, *parameter).to(device) for number, parameter in enumerate(parameters(text))]

    def wait():
        if platform == "cuda":
            torch.cuda.synchronize()

    def run(arguments):
        result = function(*arguments)
        wait()
        return result

    with torch.inference_mode():
        run(inputs)  # the first run compiles
        seconds = peer.timed(repeats, lambda: inputs, run)
        theirs = run(inputs).cpu()
        dtype = next(name for name, of_torch in DTYPES.items() if getattr(torch, of_torch) == theirs.dtype)
        ours = read("output", 0, dtype, list(theirs.shape))
        norm = torch.linalg.vector_norm(theirs.double())
        difference = float(torch.linalg.vector_norm(theirs.double() - ours.double()) / max(norm, 1e-300))
    name = torch.cuda.get_device_name() if platform == "cuda" else platform
    return {"version": f"torch {torch.__version__}", "device": name, "difference": difference} | seconds


if __name__ == "__main__":
    peer.main(measure)
