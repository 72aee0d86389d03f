#!/usr/bin/env python3
"""Times a call of two networks with PyTorch eager, with inductor, and with torch.compile(backend="backplane"), in turns
in one process, and prints medians. Needs a Python with torch, onnxscript, torchvision and transformers, the package
backplane, and a C++ compiler for inductor. The machine should be idle."""

import argparse
import statistics
import sys
import time

import torch

import backplane.torch
from backplane.torch.options import Options

EXAMPLES = """examples:
  tools/frameworks/make_environment torch /tmp/torch
  /tmp/torch/bin/python tools/bench/torch_compile.py
"""


def resnet18():
    import torchvision
    return torchvision.models.resnet18(weights=None), [torch.randn(1, 3, 224, 224)]


def bert():
    from transformers import BertConfig, BertModel
    model = BertModel(BertConfig(num_hidden_layers=4), add_pooling_layer=False)
    return model, [torch.randint(0, 30000, (1, 64)), torch.ones(1, 64, dtype=torch.int64)]


def milliseconds(function, inputs):
    start = time.perf_counter()
    function(*inputs)
    return 1e3 * (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", default=Options().device, help="backend (default: cpu)")
    parser.add_argument("--threads", type=int, default=2, help="of PyTorch (default: 2)")
    parser.add_argument("--repeat", type=int, default=20, help="calls of each (default: 20)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    for make in (resnet18, bert):
        torch.manual_seed(0)
        model, inputs = make()
        model.eval()
        given = {"fallback": "error", "device": options.on}
        sides = {"eager": model, "inductor": torch.compile(model),
                 "backplane": torch.compile(model, backend="backplane", options=given),
                 "backplane, constant weights": torch.compile(
                     model, backend="backplane", options=given | {"constant_weights": True})}
        with torch.no_grad():
            for side, function in sides.items():
                print(f"{make.__name__}: first call, {side}: {milliseconds(function, inputs) / 1e3:.1f} s", flush=True)
            times = {side: [] for side in sides}
            for _ in range(options.repeat):
                for side, function in sides.items():
                    times[side].append(milliseconds(function, inputs))
        for side, found in times.items():
            print(f"{make.__name__}: {side}: {statistics.median(found):.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
