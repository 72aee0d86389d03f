#!/usr/bin/env python3
"""jaxlib reads the StableHLO that Backplane writes, and then has the same program. Skipped where JAX is not installed.

The programs: those in core/import/stablehlo/tests/bytecode, for several versions, and those that JAX keeps for its own
tests of compatibility, also inside serialized exports, if flatbuffers is installed. Also the HLO of file tests and
samples, raised to StableHLO; of the samples XLA:CPU computes the same as from their HLO.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
FIXTURES = ROOT / "core" / "import" / "stablehlo" / "tests" / "bytecode"
VERSIONS = {
    "old.mlir": ["0.9.0", "0.10.0", "0.12.0", "0.14.0", "0.15.0", "1.0.0", "1.9.0", "1.17.0"],
    "recent.mlir": ["1.9.0", "1.10.0", "1.12.0", "1.14.0", "1.16.0", "1.17.0"],
}

sys.path.insert(0, str(ROOT / "tools/testing"))
from jax_on_build import run_in_python_with

run_in_python_with("jax, numpy", "jax==0.10.2")
import jax
import jax._src.internal_test_util.export_back_compat_test_data as stored_by_jax
import numpy as np
from jax._src.interpreters import mlir
from jaxlib import _jax, xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def stored_modules(value, name):
    """The stored programs in the value of a variable, with their names."""
    if isinstance(value, dict) and "mlir_module_serialized" in value:
        yield name, value["mlir_module_serialized"]
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from stored_modules(item, f"{name}.{key}")
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from stored_modules(item, f"{name}.{number}")


def modules_of_jax():
    for path in sorted(pathlib.Path(list(stored_by_jax.__path__)[0]).rglob("*.py")):
        text = path.read_text()
        if "mlir_module_serialized" in text:
            variables = {}
            exec(compile(text, str(path), "exec"), variables)
            for key, value in variables.items():
                if not key.startswith("__"):
                    yield from stored_modules(value, f"{path.stem}.{key}")


def modules_of_exports():
    """The programs inside the exports that JAX keeps, as `jax.export` serializes them."""
    from jax import export
    folder = pathlib.Path(list(stored_by_jax.__path__)[0])
    for path in sorted(folder.glob("export_*.py")):
        variables = {}
        exec(compile(path.read_text(), str(path), "exec"), variables)
        for stored in variables.get("serializations", []):
            exported = export.deserialize(bytearray(stored["exported_serialized"]))
            yield f"{path.stem}.{stored['serialization_version']}", exported.mlir_module_serialized


def stored_programs():
    yield from modules_of_jax()
    if importlib.util.find_spec("flatbuffers") is None:
        print("without the serialized exports: flatbuffers is not installed")
    else:
        yield from modules_of_exports()


def emit(program, form, *arguments):
    command = [BUILD / "tools" / "backplane", "opt", program, "--passes=none", f"--emit={form}", *arguments]
    done = subprocess.run(command, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode())
    return done.stdout


def text_in_jax(bytecode):
    with mlir.make_ir_context() as context:
        module = stablehlo.deserialize_portable_artifact(context, bytecode)
        module.operation.verify()
        return module.operation.get_asm()


def check(program, version, folder):
    """Returns what is wrong; empty if nothing is."""
    try:
        read = folder / "read.mlir"
        read.write_text(text_in_jax(emit(program, "bytecode", f"--target-version={version}")))
        same = emit(read, "stablehlo") == emit(program, "stablehlo")
        return "" if same else "jaxlib has another program"
    except (RuntimeError, ValueError) as error:
        return str(error)


def raised_programs():
    """The HLO of the file tests and samples, case by case."""
    for path in [*sorted(ROOT.glob("core/*/testdata/**/*.hlo")), *sorted((ROOT / "samples/models").glob("*.hlo"))]:
        for number, text in enumerate(path.read_text().split("// -----")):
            yield f"{path.name}:{number + 1}", text


def check_raised(program):
    """Returns what is wrong with the StableHLO of HLO; None if it has none, or only in versions after that of jaxlib."""
    try:
        bytecode = emit(program, "bytecode")
    except RuntimeError as error:
        if "needs StableHLO" in str(error):
            return None
        bytecode = None
    try:
        text = emit(program, "stablehlo").decode()
    except RuntimeError:
        return None
    try:
        if bytecode is not None:
            text_in_jax(bytecode)
        with mlir.make_ir_context():
            ir.Module.parse(text).operation.verify()
        return ""
    except (RuntimeError, ValueError, ir.MLIRError) as error:
        return str(error)


def check_raised_programs(folder):
    """Returns the problems, and the number of programs that jaxlib reads."""
    problems, count = [], 0
    program = folder / "raised.hlo"
    for name, text in raised_programs():
        program.write_text(text)
        problem = check_raised(program)
        count += problem == ""
        if problem:
            problems.append(f"{name}: {problem}")
    return problems, count


def compile_on_cpu(module):
    device = jax.devices("cpu")[0]
    return device.client.compile_and_load(module, _jax.DeviceList((device,)), xla_client.CompileOptions())


def check_models():
    """Returns the sample models whose StableHLO has other results on XLA:CPU than their HLO."""
    random, problems = np.random.default_rng(7), []
    for model in sorted((ROOT / "samples/models").glob("*.hlo")):
        proto = xla_client.hlo.hlo_module_from_text(model.read_text()).as_serialized_hlo_module_proto()
        computation = xla_client.XlaComputation(proto)
        shapes = [shape.dimensions() for shape in computation.program_shape().parameter_shapes()]
        arguments = [jax.device_put(random.uniform(-1, 1, shape).astype(np.float32)) for shape in shapes]
        expected, found = (
            [np.asarray(result) for result in compile_on_cpu(module).execute(arguments)]
            for module in (_jax.mlir.xla_computation_to_mlir_module(computation), emit(model, "stablehlo").decode()))
        if [result.tobytes() for result in expected] != [result.tobytes() for result in found]:
            problems.append(f"{model.name}: XLA computes something else from its StableHLO")
    return problems


def main():
    problems, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = [(FIXTURES / name, version) for name, versions in VERSIONS.items() for version in versions]
        for name, stored in stored_programs():
            path = folder / f"{name}.mlirbc"
            path.write_bytes(stored)
            programs.append((path, "1.17.0"))
        for program, version in programs:
            count += 1
            problem = check(program, version, folder)
            if problem:
                problems.append(f"{program.name} for {version}: {problem}")
        raised_problems, raised = check_raised_programs(folder)
    raised_problems += check_models()
    for problem in problems[:20] + raised_problems[:20]:
        print(problem)
    print(f"{count - len(problems)} of {count} programs are the same in jaxlib, which reads {raised} programs of HLO")
    sys.exit(1 if problems or raised_problems or count < 100 or raised < 1000 else 0)


if __name__ == "__main__":
    main()
