#!/usr/bin/env python3
"""Stores the programs of this folder as portable artifacts, NAME.VERSION.mlirbc, with StableHLO's own writer.
Needs jaxlib (pip install jax==0.10.2)."""
import pathlib

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

VERSIONS = {  # those with another form of bytecode or of the operations
    "old": ["0.9.0", "0.10.0", "0.12.0", "0.14.0", "0.15.0", "1.0.0", "1.9.0", "1.17.0"],
    "recent": ["1.9.0", "1.13.0", "1.17.0"],
}

folder = pathlib.Path(__file__).parent
for name, versions in VERSIONS.items():
    for version in versions:
        with mlir.make_ir_context() as context:
            module = ir.Module.parse((folder / f"{name}.mlir").read_text())
            stored = stablehlo.serialize_portable_artifact(module, version, True)
            (folder / f"{name}.{version}.mlirbc").write_bytes(stored)
            print(name, version, len(stored), "bytes")
