"""Files and mistakes that tools/testing/checks/command_*.py try.

Each mistake is a row: arguments, exit code, and the whole standard error, in which "..." stands for any text and
"{plugins}" for the folder of the faulty plugins.
"""

import json
import os
import pathlib
import platform

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
PLUGINS = BUILD / "core/host/tests/plugins"
TINY = BUILD / "core/compile/tests/plugins/libbackplane_tiny.so"
HAS_NVPTX = (BUILD / "plugins/nvptx/libbackplane_nvptx.so").exists()
BACKEND = "cpu" if (BUILD / "plugins/cpu/libbackplane_cpu.so").exists() else "null"
MODEL = ROOT / "samples/models/transformer_block.hlo"
OPTIONS = json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())
SANITIZED = any(option["name"] == "b_sanitize" and option["value"] not in ("none", []) for option in OPTIONS)
TIME_LIMIT_SECONDS = 300
SUCCESS, NEGATIVE, USAGE, FAILED = range(4)  # tools/command/command.h

NESTED = 100_000
ARM_MACHINE, X86_MACHINE = b"\xb7\x00", b"\x3e\x00"  # at byte 18 of an ELF header


def model(*lines):
    return "\n".join(["HloModule m", "ENTRY e {", *lines, "}", ""])


def numpy_file(element_type, elements):
    header = f"{{'descr': '{element_type}', 'fortran_order': False, 'shape': (4,), }}".encode()
    header += b" " * (117 - len(header)) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + elements


SELF_CHECKING = model("  one = s32[] constant(1)", "  two = s32[] add(one, one)", "  expected = s32[] constant(%d)",
                      "  ROOT check = () custom-call(two, expected), custom_call_target=\"check.expect_eq\", "
                      "custom_call_has_side_effect=true")
FILES = {
    # RFC 8032, section 7.1, TEST 1.
    "key.pem": "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
               "-----END PRIVATE KEY-----\n",
    "public.pem": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
                  "-----END PUBLIC KEY-----\n",
    "good.hlo": model("  a = f32[4] parameter(0)", "  ROOT b = f32[4] negate(a)"),
    # A loop that turns 0 into 1 and 1 into 0.
    "endless.hlo": "\n".join([
        "flip { i = s32[] parameter(0)  one = s32[] constant(1)  b = s32[] and(i, one)  ROOT n = s32[] xor(b, one) }",
        "goes_on { i = s32[] parameter(0)  k = s32[] constant(1)  b = s32[] and(i, k)  ROOT r = pred[] compare(b, k), direction=LE }",
        "ENTRY e { i = s32[] parameter(0)  ROOT w = s32[] while(i), condition=goes_on, body=flip }"]),
    "constant.hlo": model("  ROOT b = f32[4] constant({1, 1, 1, 1})"),
    # The reduction's computation has an op that the backend supports only after expansion.
    "embedded.hlo": "\n".join([
        "add { a = f32[] parameter(0)  b = f32[] parameter(1)  s = f32[] add(a, b)  random = u32[] constant(12345)",
        "n = bf16[] stochastic-convert(s, random)  ROOT w = f32[] convert(n) }",
        "ENTRY e { x = f32[16,8] parameter(0)  zero = f32[] constant(0)",
        "ROOT y = f32[16] reduce(x, zero), dimensions={1}, to_apply=add }"]),
    "checked.hlo": model("  a = f32[4] parameter(0)", "  b = f32[4] sine(a)", "  z = f32[4] add(b, a)",
                         "  c = f32[4] multiply(z, z)", "  ROOT r = (f32[4], f32[4]) tuple(c, b)"),
    "chain.hlo": model("  x = f32[4] parameter(0)", "  first = f32[4] add(x, x)", "  second = f32[4] negate(first)",
                       "  ROOT third = f32[4] maximum(second, x)"),
    # When inlined, each function would contain the previous one twice.
    "doubling.hlo": "\n".join([
        "f0 { p = f32[4] parameter(0)  ROOT r = f32[4] sine(p) }",
        *[f"f{i} {{ p = f32[4] parameter(0)  first{i} = f32[4] call(p), to_apply=f{i - 1}  "
          f"ROOT r = f32[4] call(first{i}), to_apply=f{i - 1} }}" for i in range(1, 22)],
        "ENTRY e { x = f32[4] parameter(0)  ROOT r = f32[4] call(x), to_apply=f21 }"]),
    "two_replicas.hlo": "\n".join([
        "HloModule two, replica_count=2", "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }",
        "ENTRY e { a = f32[4] parameter(0)  ROOT r = f32[4] all-reduce(a), replica_groups={{0,1}}, to_apply=add }"]),
    "unpartitioned.hlo": model(
        "  a = f32[4] parameter(0), sharding={devices=[2]<=[2]}",
        "  s = f32[4] custom-call(a), custom_call_target=\"Sharding\", sharding={replicated}",
        "  ROOT b = f32[4] add(s, a)").replace("HloModule m", "HloModule m, num_partitions=2"),
    "divided.hlo": model(
        "  a = f32[4] parameter(0)",
        "  ROOT s = f32[2] custom-call(a), custom_call_target=\"SPMDFullToShardShape\", sharding={manual}"),
    "inexact.hlo": model("  x = f32[4] parameter(0)", "  y = f32[4] multiply(x, x)", "  ROOT r = f32[4] sqrt(y)"),
    # Saturated: almost no element depends on the inputs.
    "weak.hlo": model("  x = f32[4,4] parameter(0)", "  k = f32[] constant(1e5)", "  ks = f32[4,4] broadcast(k), dimensions={}",
                      "  y = f32[4,4] multiply(x, ks)", "  t = f32[4,4] tanh(y)", "  ROOT r = (f32[4,4], f32[4,4]) tuple(t, x)"),
    "weak_alone.hlo": model("  ROOT c = f32[3] constant({1, 2, 3})"),
    "passing.hlo": model("  a = f32[4] parameter(0)", "  b = f32[8] parameter(1)", "  c = (f32[4], f32[8]) tuple(a, b)",
                         "  ROOT d = f32[8] get-tuple-element(c), index=1"),
    "product.hlo": model("  x = f32[64,64] parameter(0)", "  y = f32[64,64] parameter(1)",
                         "  d = f32[64,64] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                         "  ROOT r = f32[64,64] add(d, x)"),
    "bounded.hlo": model("  x = f32[<=8] parameter(0)", "  ROOT s = f32[<=8] negate(x)"),
    "two.txt": "{1, 2}",
    "sized.txt": "size 2: {1, 2}",
    "pair.hlo": model("  x = f32[4] parameter(0)", "  t = (f32[4], f32[4]) tuple(x, x)",
                      "  ROOT w = f32[4] custom-call(t), custom_call_target=\"app.pair\""),
    "several.hlo": "\n// -----\n".join(
        model("  a = f32[4] parameter(0)", f"  ROOT b = f32[4] {op}(a)").replace("HloModule m", f"HloModule {op}")
        for op in ("negate", "abs")),
    "several.mlir": "\n// -----\n".join(
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
        f"  %b = stablehlo.{op} %a : tensor<4xf32>\n  return %b : tensor<4xf32>\n}}\n" for op in ("negate", "abs")),
    "tan.mlir": "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %b = stablehlo.tan %a : tensor<4xf32>\n"
                "  return %b : tensor<4xf32>\n}\n",
    "rows.txt": "{{1, 2}, {3, 4}, {5, 6}}\n",
    "open.mlir": "func.func @main(%a: tensor<?x2xf32>) -> tensor<?x2xf32> {\n  %r = stablehlo.negate %a : tensor<?x2xf32>\n"
                 "  return %r : tensor<?x2xf32>\n}\n",
    "several_one_wrong.hlo": "HloModule a\nENTRY e { ROOT x = f32[] parameter(0) }\n\nHloModule b\nENTRY e { ROOT x = f32[] fly(x) }\n",
    "empty.hlo": "",
    "blank.hlo": "\n // nothing here\n",
    "cut.hlo": "HloModule m\nENTRY e {\n  a = f32[4] parameter(0)\n  ROOT b = f32[4] neg",
    "binary.hlo": b"\x7fELF\x02\x01\x01\x00\x1b[31m\xff\xfe\x00",
    "nested_operands.hlo": "HloModule m\nENTRY e { ROOT b = f32[4] " + "negate(" * NESTED,
    "nested_tuples.hlo": "HloModule m\nENTRY e { ROOT b = " + "(" * NESTED,
    "nested_sharding.hlo": "HloModule m\nENTRY e { ROOT b = f32[4] parameter(0), sharding=" + "{" * NESTED,
    "nested_fusions.hlo": "\n".join(
        ["HloModule m", "c0 { p = f32[] parameter(0)  ROOT r = f32[] add(p, p) }"]
        + [f"c{i + 1} {{ p = f32[] parameter(0)  ROOT r = f32[] fusion(p), kind=kLoop, calls=c{i} }}" for i in range(20_000)]
        + ["ENTRY e { p = f32[] parameter(0)  ROOT r = f32[] fusion(p), kind=kLoop, calls=c20000 }", ""]),
    "unknown_op.hlo": model("  a = f32[4] parameter(0)", "  ROOT b = f32[4] frobnicate(a)"),
    "unknown_name.hlo": model("  ROOT b = f32[4] negate(a)"),
    "wrong_shape.hlo": model("  a = f32[4] parameter(0)", "  c = f32[5] parameter(1)", "  ROOT b = f32[4] add(a, c)"),
    "large.hlo": model("  a = f32[] parameter(0)", "  ROOT b = f32[1000000,1000000,1000] broadcast(a), dimensions={}"),
    "large_parameter.hlo": model("  ROOT a = f32[1000000,1000000,1000] parameter(0)"),
    "four.txt": "{1, 2, 3, 4}",
    "one.txt": "7",
    "four.npy": b"\x93NUMPY\x01\x00",
    "floats.npy": numpy_file("<f4", bytes(16)),
    "integers.npy": numpy_file("<i4", bytes(16)),
    "cut.npy": numpy_file("<f4", bytes(3)),
    "texts.npy": numpy_file("<U3", bytes(48)),
    "floats.bin": bytes(16),
    "short.bin": bytes(3),
    "damaged.npz": b"PK\x03\x04" + bytes(40),
    "empty.npz": b"PK\x05\x06" + bytes(18),
    "cut.onnx": b"\x08\x08\x3a\x7f\x0a",
    "noise.bin": b"\x01\x02\x03\x00\xff",
    "packed.zip": b"PK\x03\x04" + bytes(40),
    "weights.gguf": b"GGUF\x03\x00\x00\x00",
    "solver.prototxt": "net: \"lenet.prototxt\"\nbase_lr: 0.01\n",
    "broken.prototxt": "name: \"net\"\nlayer { type: ReLU }\n",
    "broken.onnx": b"\x08\x08\x3a\x02\x0a\x7f\x42\x02\x10\x11",
    "five.txt": "{1, 2, 3, 4, 5}",
    "cut.txt": "{1, 2,",
    "checks.hlo": SELF_CHECKING % 2 + "// -----\n" + SELF_CHECKING % 3,
    "infeed.hlo": model("  token = token[] after-all()", "  fed = (s32[], token[]) infeed(token)",
                        "  two = s32[] get-tuple-element(fed), index=0", "  expected = s32[] constant(2)",
                        "  ROOT check = () custom-call(two, expected), custom_call_target=\"check.expect_eq\", "
                        "custom_call_has_side_effect=true"),
    # Exchanges values with the application.
    "exchange.hlo": model("  t = token[] after-all()", "  fed = (s32[], token[]) infeed(t)",
                          "  value = s32[] get-tuple-element(fed), index=0", "  u = token[] get-tuple-element(fed), index=1",
                          "  double = s32[] add(value, value)", "  given = token[] outfeed(double, u), outfeed_shape=s32[]",
                          "  ROOT r = s32[] negate(double)"),
    "giving.hlo": model("  x = f32[4] parameter(0)", "  t = token[] after-all()",
                        "  given = token[] outfeed(x, t), outfeed_shape=f32[4]{0}", "  ROOT r = f32[4] negate(x)"),
    "text.txt": "forty-two",
    "cut.bpkg": "BPACKAGE",
    "newer.bpkg": b"BPACKAGE\x07" + bytes(100),
    "old.bpkg": b"BPEXEC1\n" + bytes(100),
    "empty.so": "",
    "text.so": "This is not a shared library. " * 10,
}
FILES_MADE_OF_PLUGINS = {
    "other_machine.so": lambda good: good[:18] + ARM_MACHINE + good[20:],
    "cut.so": lambda good: good[:4096],  # cut inside the loaded part, whatever the size of the debug information
}

# Errors of every command that reads a model.
BAD_MODELS = {
    "absent.hlo": "cannot read absent.hlo: No such file or directory",
    ".": "cannot read .: Is a directory",
    "empty.hlo": "empty.hlo:1:1: expected a computation, found the end of the text",
    "blank.hlo": "blank.hlo:3:1: expected a computation, found the end of the text",
    "cut.hlo": "cut.hlo:4:19: unknown opcode 'neg', did you mean 'not'?\n    ROOT b = f32[4] neg\n                    ^",
    "binary.hlo": "binary.hlo: an ELF library, expected an ONNX model, a Caffe net, HLO as a protocol buffer, StableHLO, as "
                  "text or MLIR bytecode or HLO text\n  note: if it is a backend, load it by --on ./FILE",
    "nested_operands.hlo": "nested_operands.hlo:2:...: nested more than 128 deep\n  ...\n  ...^",
    "nested_tuples.hlo": "nested_tuples.hlo:2:...: nested more than 128 deep\n  ...\n  ...^",
    "nested_sharding.hlo": "nested_sharding.hlo:2:...: ...\n  ...\n  ...^",
    "unknown_op.hlo": "unknown_op.hlo:4:19: unknown opcode 'frobnicate'\n    ROOT b = f32[4] frobnicate(a)\n                    ^",
    "unknown_name.hlo": "unknown_name.hlo:3:26: a is not defined before its use\n    ROOT b = f32[4] negate(a)\n                           ^",
    "wrong_shape.hlo": "wrong_shape.hlo:5:8: b: operand 1 has shape f32[5], expected f32[4]\n    ROOT b = f32[4] add(a, c)\n         ^",
}

BAD_PLUGINS = {
    "{plugins}/libbackplane_answers_to_all.so": "device org.example.test: get_extension answers to an unknown id, expected null",
    "{plugins}/libbackplane_cpu_feature.so": "needs 1 CPU features this machine does not have: teleportation",
    "{plugins}/libbackplane_device_init.so": "plugin org.example.test: init of the device: device lost: the card does not answer\n"
                                             "  note: is the power on?",
    "{plugins}/libbackplane_executable_stack.so": "requires an executable stack, expected none: link with -z noexecstack",
    "{plugins}/libbackplane_extra_exports.so": "exports 2 symbols besides bp_entry (first_extra, second_extra), expected none: "
                                               "link with a version script",
    "{plugins}/libbackplane_imports_core.so": "imports 1 symbols of the core (_ZN2bp4core8functionEv), expected none: "
                                              "services come through bp_host",
    "{plugins}/libbackplane_init.so": "plugin org.example.test: init: internal error (unknown status 77): the licence has expired",
    "{plugins}/libbackplane_manifest_not_json.so": "manifest: is not JSON: ...",
    "{plugins}/libbackplane_no_entry.so": "does not export bp_entry, expected exactly that symbol",
    "{plugins}/libbackplane_no_factory.so": 'has no factory "bp.device-factory/1", expected one',
    "{plugins}/libbackplane_no_manifest.so": "has no Backplane manifest, expected one (BP_PLUGIN_MANIFEST): not a plugin",
    "{plugins}/libbackplane_option.so": "device org.example.test: option 4 lacks a key, help, or a known type (it has type 7)",
    "{plugins}/libbackplane_null_function.so": "bp.kernels/1.find is null, expected a function",
    "{plugins}/libbackplane_other_abi.so": "is built for version 2.0.0 of the plugin ABI, expected 1.x.x",
    "{plugins}/libbackplane_other_abi_in_code.so": 'the manifest differs from the code: ABI version is "1.3.0" in the code, "1.0.0" in the manifest',
    "{plugins}/libbackplane_other_extension.so": "the manifest differs from the code: device org.example.test: list of extensions is "
                                                 '"bp.kernels/1" in the code, "bp.queue/1" in the manifest',
    "{plugins}/libbackplane_other_id.so": "the manifest differs from the code: device org.example.other: id is "
                                          '"org.example.test" in the code, "org.example.other" in the manifest',
    "{plugins}/libbackplane_promised_extension.so": "the manifest differs from the code: device org.example.test lists bp.memory/1, "
                                                    "but get_extension returns null",
    "{plugins}/libbackplane_text_relocation.so": "has text relocations, expected none: compile with -fPIC",
    "{plugins}/libbackplane_unique_symbol.so": "has 1 GNU_UNIQUE symbols (only_one), expected none: compile with -fno-gnu-unique",
    "{plugins}/libbackplane_unresolved.so": "cannot be loaded: ...: undefined symbol: function_that_is_nowhere",
    "./absent.so": "cannot be opened: No such file or directory",
    "/": "is a directory, expected a shared library",
    "./empty.so": "has 0 bytes, too few for an ELF shared library",
    "./text.so": "is not an ELF file, expected a shared library",
    "./cut.so": "... is outside the file of ... bytes",
}
if platform.machine() == "x86_64":
    BAD_PLUGINS["./other_machine.so"] = "is made for AArch64, expected x86-64"

# The error about a backend that does not exist.
NOBODY = """backplane: no plugin answers to "nobody", expected one of: ...
  note: searched ...
  note: for a plugin elsewhere, set BACKPLANE_PATH to its folder, or give its path, with a '/'"""

# Arguments, exit code, standard error.
MISTAKES = [
    ([], USAGE, ""),
    (["fly"], USAGE, "backplane: there is no command 'fly'; backplane --help lists them"),
    (["--describe", "x"], USAGE, "backplane: --describe is followed by 'x', expected nothing, backends or passes"),
    (["formats", "good.hlo"], SUCCESS, ""),
    (["run", "good.hlo", "--on", "nobody"], FAILED, NOBODY),
    *[(["run", "good.hlo", "--on", names], FAILED,
       f'backplane: the backend "{names}" has an empty name, expected a name such as cpu, a path, or several of these with commas '
       "between them") for names in ("", "null,", ",null", "null,,null")],
    *[(["run", "good.hlo", option, name], FAILED,
       f"backplane: {name}: there is no such device, expected interpreter: it is a part of the core, of which there is one")
      for option, name in (("--on", "interpreter:0"), ("--on", "interpreter:1"), ("--against", "interpreter:SIM-0001"))],
    *[(["run", "good.hlo", "--on", names], FAILED,
       f"backplane: {names}: the interpreter cannot be one of several backends, expected it alone, or not at all: it runs what the "
       "others do not claim") for names in ("interpreter,null", "null,interpreter")],
    (["run", "good.hlo", "--on", "null", "--against", "nobody"], FAILED, NOBODY),
    (["run", "constant.hlo", "--on", "null", "--against", "interpreter"], NEGATIVE, ""),
    *[(["run", "endless.hlo", "--on", name, "--deadline", "0.2"], FAILED,
       "backplane: ...not done by its deadline" + note)
      for name, note in [("interpreter", "\n  note: in while called by w"), ("kernels", "\n  note: in while called by w"),
                         ("npu", ""), (BACKEND, "")] if name != "null"],
    *[(["compile", "good.hlo", "--on", "npu", "--deadline", "1e-9", "-o", name], FAILED, "backplane: ...not done by its deadline")
      for name in ("late.bpkg", "late.artifact")],
    (["run", "good.hlo", "--on", "npu", "--layer", "counters"], SUCCESS,
     "counted in 2 runs\ninstruction ... cycles (cycles) ... dma-bytes (bytes)\n...b ... 142 ... 64\n...sum ... 142 ... 64"),
    (["run", "good.hlo", "--on", "interpreter", "--layer", "counters"], SUCCESS,
     "nothing was counted: no program ran on a device that has bp.counters/draft-1"),
    (["run", "large.hlo", "--on", "interpreter"], FAILED,
     "backplane: large.hlo:4:8: b: a value of shape f32[1000000,1000000,1000] exceeds the limit of ... bytes"),
    (["run", "large.hlo", "--on", BACKEND], FAILED,
     "backplane: ...out of memory: the system cannot allocate 4000000000000000 bytes" if BACKEND == "cpu" else
     "backplane: large.hlo:4:8: b: a value of shape f32[1000000,1000000,1000] exceeds the limit of ... bytes"),
    *[(["run", "nested_fusions.hlo", "--on", name], FAILED, "backplane: ...nested more than 256 deep" + 8 * "\n  note: ...")
      for name in ("interpreter", BACKEND)],
    # Several devices.
    *[(["run", "two_replicas.hlo", "--on", name], FAILED,
       "backplane: two needs 2 devices (replica_count=2, num_partitions=1), but would run on one; "
       "`run --devices 2` runs it on all of them") for name in ("interpreter", "null", BACKEND)],
    (["run", "two_replicas.hlo", "--on", "interpreter", "--devices", "3"], FAILED,
     "backplane: --devices is 3, expected 2: two has replica_count=2 and num_partitions=1"),
    (["run", "good.hlo", "--on", "interpreter", "--devices", "2"], FAILED,
     "backplane: --devices is 2, expected 1: m has replica_count=1 and num_partitions=1"),
    (["run", "good.hlo", "--on", "interpreter", "--devices", "1"], SUCCESS, ""),
    *[([command, "two_replicas.hlo"], SUCCESS, "") for command in ("opt", "memory")],
    *[(["run", "unpartitioned.hlo", "--on", name], SUCCESS,
       "unpartitioned.hlo is not partitioned yet (replica_count=1, num_partitions=2): one device runs the whole program")
      for name in ("interpreter", BACKEND)],
    (["run", "unpartitioned.hlo", "--on", "interpreter", "--devices", "2"], SUCCESS, ""),
    *[(["run", "divided.hlo", "--on", name], FAILED,
       "backplane: divided.hlo:4:8: s: SPMDFullToShardShape converts f32[4] to f32[2], its part on one of several devices: "
       "partition the program first") for name in ("interpreter", BACKEND)],
    # Inputs.
    (["run", "good.hlo", "--inputs", "four.txt", "--on", "null"], SUCCESS, ""),
    (["run", "good.hlo", "--inputs", "absent.txt", "--on", "null"], FAILED,
     "backplane: cannot read absent.txt: No such file or directory"),
    (["run", "good.hlo", "--inputs", ".", "--on", "null"], FAILED, "backplane: cannot read .: Is a directory"),
    (["run", "good.hlo", "--inputs", "four.npy", "--on", "null"], FAILED,
     "backplane: four.npy: not a NumPy array, expected a file of NumPy's format .npy\n"
     "  note: read as the value of parameter 0, f32[4]"),
    (["run", "good.hlo", "--inputs", "floats.npy", "--on", "null"], SUCCESS, ""),
    (["run", "good.hlo", "--inputs", "a=floats.npy", "--on", "null"], SUCCESS, ""),
    (["run", "good.hlo", "--inputs", "b=floats.npy", "--on", "null"], FAILED,
     "backplane: 1 input files were given, but good.hlo has 1 parameters, of which none is \"b\""),
    (["run", "good.hlo", "--inputs", "0=floats.npy", "--on", "null"], SUCCESS, ""),
    (["run", "good.hlo", "--inputs", "floats.bin", "--on", "null"], SUCCESS, ""),
    (["run", "good.hlo", "--inputs", "short.bin", "--on", "null"], FAILED,
     "backplane: short.bin: 3 bytes, expected 16 of f32[4]\n  note: read as the value of parameter 0, f32[4]"),
    (["run", "good.hlo", "--inputs", "integers.npy", "--on", "null"], FAILED,
     "backplane: integers.npy: an array of s32[4], expected f32[4]\n  note: read as the value of parameter 0, f32[4]"),
    (["run", "good.hlo", "--inputs", "cut.npy", "--on", "null"], FAILED,
     "backplane: cut.npy: 3 bytes of elements, expected those of f32[4]\n"
     "  note: read as the value of parameter 0, f32[4]"),
    (["run", "good.hlo", "--inputs", "texts.npy", "--on", "null"], FAILED,
     "backplane: texts.npy: elements of type '<U3', expected numbers or truth values\n"
     "  note: read as the value of parameter 0, f32[4]"),
    (["run", "good.hlo", "--inputs", "damaged.npz", "--on", "null"], FAILED,
     "backplane: damaged.npz: ..., expected a zip archive of .npy files"),
    (["run", "good.hlo", "--inputs", "empty.npz", "--on", "null"], FAILED, "backplane: empty.npz: there are no arrays in it"),
    (["run", "good.hlo", "--inputs", "x=floats.npy", "x=cut.npy", "--on", "null"], FAILED,
     "backplane: floats.npy and cut.npy are both for x, expected one array for each parameter"),
    (["run", "cut.onnx", "--on", "null"], FAILED, "backplane: cut.onnx: offset 2: ModelProto: field 7 has 127 bytes, but 1 are left"),
    (["check", "cut.onnx", "--on", "null"], NEGATIVE, ""),
    (["run", "good.hlo", "--inputs", "floats.npy", "--on", "null", "--save", "no/where.npz"], FAILED,
     "backplane: no/where.npz: ..."),
    # Formats of models.
    (["formats", "good.hlo"], SUCCESS, ""),
    (["formats", "packed.zip"], FAILED,
     "backplane: packed.zip: a zip archive, expected an ONNX model, a Caffe net, HLO as a protocol buffer, StableHLO, as "
     "text or MLIR bytecode or HLO text\n  note: unpack it, and give the model that it holds"),
    (["formats", "noise.bin"], FAILED,
     "backplane: noise.bin: a binary file (there is a byte 1 at offset 0), expected an ONNX model, ..."),
    (["run", "weights.gguf"], FAILED,
     "backplane: weights.gguf: weights of GGUF, expected ...\n  note: only weights are in it: ..."),
    (["run", "solver.prototxt"], FAILED,
     "backplane: solver.prototxt: a solver of Caffe (.prototxt), expected ...\n  note: give the net, ..."),
    (["run", "broken.prototxt"], FAILED,
     "backplane: broken.prototxt:2:9: the field type has a name ReLU, expected a text in quotes\n"
     "  layer { type: ReLU }\n          ^"),
    (["run", "good.hlo", "--model-weights", "weights.gguf"], FAILED,
     "backplane: good.hlo: the file of weights weights.gguf is given, but HLO text has its weights itself"),
    (["run", "broken.onnx"], FAILED, "backplane: broken.onnx: ...ModelProto..."),
    (["run", "good.hlo", "--inputs", "four.txt", "four.txt", "--on", "null"], FAILED,
     "backplane: 2 input files were given, but good.hlo has 1 parameters"),
    (["run", "good.hlo", "--inputs", "five.txt", "--on", "null"], FAILED,
     "backplane: five.txt:1:...\n  {1, 2, 3, 4, 5}\n  ...^\n  note: read as the value of parameter 0, f32[4]"),
    (["run", "good.hlo", "--inputs", "cut.txt", "--on", "null"], FAILED,
     "backplane: cut.txt:1:... found the end of the text\n  {1, 2,\n  ...^\n  note: read as the value of parameter 0, f32[4]"),
    (["run", "good.hlo", "--inputs", "text.txt", "--on", "null"], FAILED,
     "backplane: text.txt:1:1: expected ...found 'forty-two'\n  forty-two\n  ^\n  note: read as the value of parameter 0, f32[4]"),
    # Values that the program takes from the application and gives to it.
    *[(["run", "exchange.hlo", "--on", name, "--infeed", "one.txt"], SUCCESS, "") for name in ("interpreter", BACKEND)],
    *[(["run", "exchange.hlo", "--on", name, "--infeed", "one.txt", "four.txt"], SUCCESS,
       "--infeed: the program has taken 1 of 2 values, not read: four.txt") for name in ("interpreter", "npu")],
    *[(["run", "exchange.hlo", "--on", name], FAILED,
       "backplane: exchange.hlo:4:3: fed: takes s32[] from the application, which feeds nothing: expected a source of infeed")
      for name in ("interpreter", BACKEND)],
    (["run", "exchange.hlo", "--infeed", "absent.txt"], FAILED,
     "backplane: exchange.hlo:4:3: fed: --infeed absent.txt: cannot read absent.txt: No such file or directory"),
    (["run", "exchange.hlo", "--infeed", "text.txt"], FAILED,
     "backplane: exchange.hlo:4:3: fed: --infeed text.txt: expected an integer (s32), found 'forty-two'"),
    *[(["run", "giving.hlo", *comparison], FAILED,
       f"backplane: {comparison[0]} cannot compare a program that exchanges values with the application, as given (outfeed) does: "
       "expected a run without it") for comparison in (["--against", "interpreter"], ["--by-instruction"])],
    (["run", "large_parameter.hlo", "--on", "interpreter"], FAILED,
     "backplane: large_parameter.hlo:3:8: no memory for a value of shape f32[1000000,1000000,1000] (4000000000000000 bytes)"),
    # Programs that leave sizes open.
    (["run", "open.mlir"], FAILED, "backplane: open.mlir:2:8: stablehlo.negate: a size is not known: tensor<?x2xf32>\n...\n...^\n"
     "  note: sizes of parameter 0 (a), tensor<?x2xf32>, are not known: give them, as in --shape 0=8x2"),
    (["run", "open.mlir", "--shapes", "f32[3,2]", "--against", "interpreter"], SUCCESS, ""),
    (["run", "open.mlir", "--shapes", "f32[3,3]"], FAILED, "backplane: open.mlir:1:1: the shape given for parameter 0 is f32[3,3], "
     "but its type is tensor<?x2xf32>\n  func.func @main(%a: tensor<?x2xf32>) -> tensor<?x2xf32> {\n  ^"),
    (["run", "open.mlir", "--shape", "a=3x2", "--against", "interpreter"], SUCCESS, ""),
    (["run", "open.mlir", "--inputs", "rows.txt", "--print"], SUCCESS, ""),
    (["run", "open.mlir", "--inputs", "rows.txt", "--shape", "0=4x2"], FAILED,
     "backplane: rows.txt:1:1: 3 elements in dimension 0 of the literal of f32[4,2], expected 4\n"
     "  {{1, 2}, {3, 4}, {5, 6}}\n  ^\n  note: read as the value of parameter 0, f32[4,2]"),
    (["opt", "open.mlir", "--shape", "b=3x2"], FAILED, "backplane: open.mlir:1:1: sizes of parameter b are given, expected a number "
     "from 0 to 0, or one of the names a\n  func.func @main(%a: tensor<?x2xf32>) -> tensor<?x2xf32> {\n  ^"),
    (["opt", "good.hlo", "--shapes", "f32[4]"], FAILED,
     "backplane: good.hlo: shapes or values of parameters are given, expected none: an HLO module has its shapes, and a size that it bounds, as in f32[<=8], is that of the argument of a run"),
    # Programs as bytecode.
    (["opt", "open.mlir", "--passes=none", "--emit=bytecode", "--target-version=0.9.0", "-o", "open.mlirbc"],
     SUCCESS, ""),
    (["opt", "good.hlo", "--passes=none", "--emit=bytecode", "-o", "good.mlirbc"], SUCCESS, ""),
    (["run", "good.mlirbc", "--against", "interpreter"], SUCCESS, ""),
    (["opt", "several.hlo", "--emit=stablehlo", "-o", "several_raised.mlir"], SUCCESS, ""),
    (["run", "several_raised.mlir", "--against", "interpreter"], SUCCESS, ""),
    (["opt", "several.hlo", "--emit=bytecode"], FAILED,
     "backplane: several.hlo contains 2 modules, but --emit=bytecode takes one: choose it with --part=NAME, NAME being one of negate, abs"),
    (["opt", "tan.mlir", "--emit=bytecode", "--target-version=1.3.0"], FAILED,
     "backplane: tan.mlir:2:8: stablehlo.tan needs StableHLO 1.4.0, the target version is 1.3.0"),
    (["opt", "several.mlir", "--passes=none", "--emit=bytecode"], FAILED,
     "backplane: several.mlir contains 2 programs, expected one for --emit=bytecode"),
    (["opt", "tan.mlir", "--passes=none", "--emit=bytecode", "--target-version=1.3.0"], FAILED,
     "backplane: tan.mlir:2:8: stablehlo.tan needs StableHLO 1.4.0, the target version is 1.3.0\n"
     "    %b = stablehlo.tan %a : tensor<4xf32>\n         ^"),
    # Several modules in a file.
    *[(["run", name, "--on", BACKEND], SUCCESS, "") for name in ("several.hlo", "several.mlir")],
    (["run", "several.hlo", "--on", "null", "--inputs", "four.txt"], FAILED,
     "backplane: several.hlo contains 2 modules, but --inputs takes one: choose it with --part=NAME, NAME being one of negate, abs"),
    (["run", "several.hlo", "--part=abs", "--on", "null", "--inputs", "four.txt"], SUCCESS, ""),
    (["run", "several.hlo", "--part=3"], FAILED, "backplane: several.hlo: no module is named 3; the file contains 2: negate, abs"),
    (["run", "several_one_wrong.hlo"], FAILED,
     "backplane: several_one_wrong.hlo:5:26: unknown opcode 'fly', did you mean 'fft'?\n  ENTRY e { ROOT x = f32[] fly(x) }\n                           ^"),
    *[(["opt", name, "--check"], SUCCESS, "") for name in ("several.hlo", "several.mlir")],
    (["opt", "several.hlo", "--emit=proto", "-o", "several.pb"], FAILED,
     "backplane: several.hlo contains 2 modules, but --emit=proto takes one: choose it with --part=NAME, NAME being one of negate, abs"),
    (["opt", "several.hlo", "--part=2", "--emit=proto", "-o", "several.pb"], SUCCESS, ""),
    (["opt", "several.hlo", "--dump-dir", "several"], FAILED,
     "backplane: several.hlo contains 2 modules, but --dump-dir takes one: choose it with --part=NAME, NAME being one of negate, abs"),
    (["memory", "several.hlo"], FAILED,
     "backplane: several.hlo contains 2 modules, but this command takes one: choose it with --part=NAME, NAME being one of negate, abs"),
    (["memory", "several.hlo", "--part=1"], SUCCESS, ""),
    (["bisect", "several.hlo", "--part=abs", "--on", "null"], NEGATIVE, ""),
    (["reduce", "several.hlo", "--part=abs", "--extract", "b", "-o", "small.hlo"], SUCCESS, ""),
    # Self-checking programs.
    (["check", "checks.hlo", "--part", "1", "--on", "interpreter"], SUCCESS, ""),
    (["check", "checks.hlo", "--on", "interpreter"], NEGATIVE, ""),
    (["check", "checks.hlo", "--part", "1", "--on", "interpreter", "--policy", "device"], SUCCESS, ""),
    (["conform", "null", "--stage", "x_ray", "--case", "x_ray/entry"], SUCCESS, ""),
    (["conform", "{plugins}/libbackplane_extra_exports.so", "--stage", "x_ray"], NEGATIVE, ""),
    (["conform", "nobody"], FAILED, NOBODY),
    (["conform", "./absent.so"], FAILED, "backplane: ...cannot be opened: No such file or directory"),
    (["conform", "null", "--case", "ops/fly/*"], FAILED, "backplane: no case is called ops/fly/*"),
    (["conform", "null", "--case", "ops/add/f32"], FAILED,
     "backplane: no case is called ops/add/f32, but there is ops/add/f32/scalar/random: '*' stands for any text"),
    (["conform", "null", "--show", "ops/fly/*"], FAILED, "backplane: no case is called ops/fly/*"),
    (["conform", "null", "--stage", "x_ray", "--case", "ops/add/*"], FAILED,
     "backplane: no case of x_ray is called ops/add/*: --stage and --case both have to apply"),
    (["conform", "null", "--expectations", "good.hlo", "--case", "x_ray/entry"], FAILED,
     "backplane: good.hlo:1:1: a pattern comes before the first section, expected [never] or [not yet]\n  HloModule m\n  ^"),
    (["run", "good.hlo", "--on", "good.hlo"], FAILED,
     'backplane: no plugin answers to "good.hlo", expected one of: ...\n  note: searched ...\n  note: there is a file '
     "good.hlo here: for a file write ./good.hlo"),
    (["conform", "null", "--show", "x_ray/*"], FAILED,
     "backplane: --show is 'x_ray/*', which matches ... cases, such as x_ray/... and x_ray/...: expected one"),
    (["conform", "null", "--stage", "fly"], FAILED,
     "backplane: there is no stage 'fly', expected one of: x_ray, life_cycle, ..."),
    (["conform", "null", "--tier", "9"], FAILED,
     "backplane: there is no tier '9', expected one of: kernels, memory, compiler, queue"),
    (["conform", "verify", "absent.jsonl"], FAILED, "backplane: cannot read absent.jsonl: No such file or directory"),
    (["conform", "null", "--case", "performance/load/plugin", "--against-report", "absent.jsonl"], FAILED,
     "backplane: cannot read absent.jsonl: No such file or directory"),
    (["conform", "verify", "good.hlo"], FAILED, "backplane: good.hlo: line 1 is not a JSON object: ..."),
    (["conform", "workload", "absent.hlo"], FAILED, "backplane: cannot read absent.hlo: No such file or directory"),
    (["conform", "workload", "constant.hlo"], FAILED,
     "backplane: constant.hlo: no instruction of it computes something on a device"),
    (["conform", "null", "--stage", "x_ray", "--workload", "good.hlo"], FAILED,
     "backplane: good.hlo: is no workload, expected the output of `backplane conform workload`"),
    (["conform", "null", "--stage", "x_ray", "--workload", "absent.json"], FAILED,
     "backplane: cannot read absent.json: No such file or directory"),
    (["conform", "diff", "absent.jsonl", "good.hlo"], FAILED,
     "backplane: cannot read absent.jsonl: No such file or directory"),
    (["conform", "attach", "absent.jsonl", "{plugins}/libbackplane_good.so"], FAILED,
     'backplane: {plugins}/libbackplane_good.so: the manifest names no report, expected "conformance": {"report": '
     '"absent.jsonl", "sha256": "000..."}, with 64 zeros'),
    (["conform", "attach", "absent.jsonl", "{plugins}/libbackplane_with_report.so"], FAILED,
     "backplane: absent.jsonl: is not the report with_report.jsonl that the manifest of "
     "{plugins}/libbackplane_with_report.so names"),
    (["conform", "attach", "absent.jsonl", "text.so"], FAILED, "backplane: text.so: is not an ELF file, ..."),
    (["conform", "sign", "absent.jsonl", "key.pem"], FAILED,
     "backplane: cannot read absent.jsonl: No such file or directory"),
    (["conform", "sign", "good.hlo", "key.pem"], FAILED, "backplane: good.hlo: line 1 is not a JSON object: ..."),
    (["conform", "verify", "absent.jsonl", "--signed-by", "key.pem"], FAILED,
     "backplane: key.pem: is a private key, expected the public one, which is no secret: openssl pkey -in key.pem "
     "-pubout -out public.pem makes it of the private key"),
    (["conform", "null", "--challenge", ""], FAILED,
     "backplane: --challenge is empty, expected a text that nobody could know when the plugin was deposited"),
    (["conform", "interpreter", "--challenge", "x"], FAILED,
     "backplane: --challenge is for a plugin, which has a file: the interpreter has none"),
    (["conform", "report", "absent.jsonl"], FAILED, "backplane: cannot read absent.jsonl: No such file or directory"),
    (["check", "absent.hlo"], FAILED, "backplane: cannot read absent.hlo: No such file or directory"),
    (["check", "checks.hlo", "--part", "3"], FAILED, "backplane: checks.hlo has 2 parts, there is no part 3"),
    (["check", "checks.hlo", "--on", "nobody"], FAILED, NOBODY),
    # Settings of backends.
    (["run", "good.hlo", "--on", "null", "--set", "fly=1"], FAILED,
     "backplane: ...: backend dev.backplane.null has no option 'fly', expected none"),
    (["plugins", "nobody"], FAILED, NOBODY),
    (["check", "checks.hlo", "--on", "interpreter", "--features=x86-64"], FAILED,
     "backplane: the interpreter has no settings, but features was given"),
    (["compile", "good.hlo", "--on", "interpreter", "-o", "good.artifact"], FAILED,
     "backplane: the interpreter cannot make artifacts, expected a backend that compiles"),
    (["compile", "good.hlo", "--on", "null", "-o", "good.artifact"], FAILED,
     "backplane: good.hlo:4:8: backend dev.backplane.null does not run b (negate)"),
    (["compile", "good.hlo", "--on", "kernels", "--emit=ptx"], FAILED,
     "backplane: ...: backend dev.backplane.kernels has no option 'emit', expected none\n"
     "  note: --emit=ptx is a setting of the backend; backplane plugins NAME lists its settings"),
    (["compile", "good.hlo", "--on", BACKEND, "-o", "absent/good.bpkg"], FAILED,
     "backplane: cannot write absent/good.bpkg...: No such file or directory"),
    *[([command, file], FAILED, f"backplane: {file}: {message}") for command in ("run", "inspect") for file, message in (
        ("cut.bpkg", "a damaged package: it has 8 bytes, expected at least 64"),
        ("newer.bpkg", "a package of version 7, expected 1: it was made by another Backplane"),
        ("old.bpkg", "a serialized program of an earlier Backplane (it begins with BPEXEC1), expected a package: compile "
                     "the program again"))],
    # Plugins' files and new plugins.
    (["inspect", "absent.so"], FAILED, "backplane: absent.so: cannot be opened: No such file or directory"),
    (["inspect", "text.so"], FAILED, "backplane: text.so: is not an ELF file, expected a shared library"),
    (["inspect", "cut.so"], FAILED, "backplane: cut.so: ... is outside the file of ... bytes"),
    (["new", "acme", "--headers", "absent"], FAILED, "backplane: absent does not contain the headers of "
     "Backplane: backplane/c/plugin_frame.h is missing\n  note: install Backplane, or give the folder of its headers: --headers PREFIX/include"),
    (["new", "acme", "--headers", "headers", "-o", "."], FAILED,
     "backplane: . exists, expected a new or an empty folder: files are not overwritten"),
    (["new", "acme", "--headers", "headers", "-o", "good.hlo"], FAILED,
     "backplane: good.hlo exists, expected a new or an empty folder: files are not overwritten"),
    (["new", "acme", "--headers", "headers", "-o", "good.hlo/acme"], FAILED,
     "backplane: cannot make the directory good.hlo/acme: Not a directory"),
    # Where to write.
    (["run", "good.hlo", "--on", "null", "--dump-dir", "good.hlo"], FAILED,
     "backplane: cannot make the directory good.hlo: Not a directory"),
    (["reduce", "good.hlo", "--extract", "z", "-o", "small.hlo"], FAILED,
     "backplane: there is no instruction 'z' in module m"),
    (["opt", "good.hlo", "--check", "--on", "nobody"], FAILED, NOBODY),
    (["opt", "good.hlo", "--explain-fusion=nobody"], FAILED,
     "backplane: m: no pass considered fusing nobody; --explain-fusion without a name prints all decisions"),
    (["stats", "good.hlo", "--on", "interpreter"], FAILED,
     "backplane: the interpreter runs a module as it is, without passes: expected a device for --on, or none"),
    (["opt", "good.hlo", "--dump-dir", "/proc/dump"], FAILED, "backplane: cannot make the directory /proc/dump: ..."),
]
if BACKEND == "cpu":
    MISTAKES += [
        (["compile", "good.hlo", "--emit=ptx"], FAILED,
         "backplane: ...: option emit of backend dev.backplane.cpu is 'ptx', expected one of llvm, asm, obj\n"
         "  note: --emit=ptx is a setting of the backend; backplane plugins NAME lists its settings"),
        (["run", "good.hlo", "--set", "emit=asm"], FAILED,
         "backplane: ...: cpu: with option emit=asm nothing is made that runs: leave it out"),
        (["compile", "good.hlo", "--emit=asm", "-o", "good.s"], SUCCESS, ""),
        (["compile", "good.hlo", "--emit=obj", "--target=aarch64-linux-gnu", "-o", "good.o"], SUCCESS, ""),
        (["aot", "good.hlo", "-o", "absent/good.o", "--header", "good.h"], FAILED,
         "backplane: cannot write absent/good.o: No such file or directory"),
        (["aot", "several.hlo", "-o", "several.o", "--header", "several.h", "--weights", "several.weights"], FAILED,
         "backplane: several.hlo contains 2 modules, but --weights takes one: choose it with --part=NAME, NAME being one of negate, abs"),
        (["aot", "several.hlo", "-o", "several.o", "--header", "several.h"], SUCCESS, ""),
        (["aot", "bounded.hlo", "-o", "bounded.o", "--header", "bounded.h"], FAILED,
         "backplane: bounded.hlo:3:3: m cannot be compiled ahead of time: parameter x has shape f32[<=8], expected static sizes"),
        (["aot", "pair.hlo", "-o", "pair.o", "--header", "pair.h"], FAILED,
         "backplane: pair.hlo:5:8: backend dev.backplane.cpu does not run w (custom-call): target \"app.pair\": the device "
         "calls the application for it, and operand 0 is (f32[4], f32[4]), expected an array or a token: pass the elements "
         "of the tuple"),
        (["compile", "good.hlo", "-o", "absent/good.artifact"], FAILED,
         "backplane: cannot write absent/good.artifact: No such file or directory"),
        (["compile", "good.hlo", "--target=pdp11-dec-unix", "-o", "good.artifact"], FAILED,
         "backplane: ...: cpu: option target: unknown target 'pdp11-dec-unix', expected a triple such as ..."),
        (["run", "good.hlo", "--target=x86_64-linux-gnu", "--features=+avx3"], FAILED,
         "backplane: ...: cpu: option features: unknown feature 'avx3' of x86_64-linux-gnu, did you mean avx or avx2"),
        (["run", "good.hlo", "--target=x86_64-linux-gnu", "--features=+teleportation"], FAILED,
         "backplane: ...: cpu: option features: unknown feature 'teleportation' of x86_64-linux-gnu, expected a level, "
         "x86-64 to x86-64-v4, a CPU such as znver4, or LLVM's name of a feature, such as avx2"),
        (["run", "good.hlo", "--target=x86_64-linux-gnu", "--features=prefer-256-bit"], FAILED,
         "backplane: ...: cpu: option features: feature 'prefer-256-bit' of x86_64-linux-gnu is not used: no code is "
         "generated for it. Leave it out"),
        (["compile", "good.hlo", "--target=aarch64-linux-gnu", "--features=cortex-a66", "-o", "good.artifact"], FAILED,
         "backplane: ...: cpu: option features: unknown feature 'cortex-a66' of aarch64-linux-gnu, did you mean "
         "cortex-a65 or cortex-a76 or cortex-a34"),
        (["check", "checks.hlo", "--target=aarch64-linux-gnu", "--features=+sve"], FAILED,
         "backplane: ...: cpu: option features: feature 'sve' of aarch64-linux-gnu is not used: code has vectors of 128 bits (NEON). Leave it out"),
        (["check", "checks.hlo", "--target=aarch64-linux-gnu", "--features=+teleportation"], FAILED,
         "backplane: ...: cpu: option features: unknown feature 'teleportation' of aarch64-linux-gnu, expected a version such as "
         "armv8.2-a, a CPU such as cortex-a76, or LLVM's name of a feature, such as fullfp16"),
    ]
if HAS_NVPTX:
    MISTAKES += [
        (["compile", "good.hlo", "--on", "nvptx", "--emit=sass"], FAILED,
         "backplane: ...: option emit of backend dev.backplane.nvptx is 'sass', expected one of llvm, ptx, plan\n"
         "  note: --emit=sass is a setting of the backend; backplane plugins NAME lists its settings"),
        (["compile", "good.hlo", "--on", "nvptx", "--set", "emulate=1", "--emit=ptx"], FAILED,
         "backplane: ...: nvptx: an emulated GPU has no PTX: leave out emulate, or emit llvm or plan\n  note: ..."),
        (["run", "good.hlo", "--on", "nvptx", "--set", "emulate=1", "--set", "emit=plan"], FAILED,
         "backplane: ...: nvptx: with option emit=plan nothing is made that runs: leave it out"),
    ]

# Wrong options; each message is followed by a usage line.
MISUSES = [
    (["run"], "no model was given"),
    (["run", "good.hlo", "other.hlo"], "too many positional options have been specified on the command line"),
    (["run", "open.mlir", "--shapes", "f32[3"], "--shapes has 'f32[3', expected a shape such as f32[8,4]"),
    *[(["run", "open.mlir", "--shape", text], f"--shape has '{text}', expected a parameter and integers, such as x=8x128")
      for text in ("8", "a=3x", "a=3xb", "=3", "a=3,2")],
    (["opt", "open.mlir", "--value", "a=1.5"], "--value has 'a=1.5', expected a parameter and integers, such as 0=8"),
    (["run", "open.mlir", "--shape", "a=3x2", "--shapes", "f32[3,2]"],
     "--shapes gives the shapes of all parameters, and cannot be combined with --shape"),
    (["run", "good.hlo", "--fly"], "unrecognised option '--fly'"),
    (["run", "good.hlo", "--seed", "x"], "the argument ('x') for option '--seed' is invalid"),
    (["run", "good.hlo", "--seed", "-1"], "the argument ('-1') for option '--seed' is invalid"),
    (["run", "good.hlo", "--seed=-1"], "the argument ('-1') for option '--seed' is invalid"),
    (["run", "good.hlo", "--on", "interpreter", "--devices", "0"], "--devices is 0, expected at least 1"),
    (["run", "good.hlo", "--on", "null", "--devices", "1", "--by-instruction"],
     "--devices cannot be combined with --by-instruction, which runs instructions alone"),
    *[(["run", "exchange.hlo", "--infeed", "one.txt", *other],
       "--infeed cannot be combined with --against, --by-instruction or --devices, which run the model in other ways")
      for other in (["--against", "interpreter"], ["--by-instruction"], ["--on", "interpreter", "--devices", "1"])],
    (["run", "good.hlo", "--repeat", "0"], "--repeat is 0, expected at least 1"),
    (["compile", "good.hlo", "-o", "x", "--deadline", "-1"], "--deadline is -1, expected a number of seconds above 0"),
    (["compile", "good.hlo", "-o", "x", "--deadline", "1", "--isolate"], "--deadline does not reach a worker process: limit its calls by --isolate=SECONDS"),
    (["run", "good.hlo", "--deadline", "0"], "--deadline is 0, expected a number of seconds above 0"),
    (["run", "good.hlo", "--deadline", "1", "--isolate"], "--deadline does not reach a worker process: limit its calls by --isolate=SECONDS"),
    (["run", "cut.bpkg", "--features=x86-64-v2"], "--features is for models, but cut.bpkg is a package, which is compiled already"),
    (["run", "good.hlo", "--deadline", "soon"], "the argument ('soon') for option '--deadline' is invalid"),
    (["run", "good.hlo", "--layer", "counters="], "--layer is 'counters=', expected validate, trace=FILE, counters, counters=FILE, record=FILE or deadline=SECONDS"),
    (["run", "good.hlo", "--repeat", "1e9"], "the argument ('1e9') for option '--repeat' is invalid"),
    (["run", "good.hlo", "--tolerance", "x"], "the argument ('x') for option '--tolerance' is invalid"),
    (["run", "good.hlo", "--inputs"], "the required argument for option '--inputs' is missing"),
    (["check"], "no file was given"),
    (["conform"], "no backend was given"),
    (["conform", "null", "--shard", "3/2"], "the shard is 3 of 2, expected one from 1 to 2"),
    (["conform", "verify", "a.jsonl", "--html", "a.html"], "unrecognised option '--html'"),
    (["conform", "verify"], "no file with results was given"),
    (["conform", "report"], "no file with results was given"),
    (["conform", "workload"], "no program was given"),
    (["conform", "workload", "good.hlo", "--seed", "1"], "unrecognised option '--seed'"),
    (["conform", "null", "--list", "--badge", "a.svg"], "--list runs nothing, expected no --badge"),
    (["conform", "diff"], "no files with results were given, expected the old one and the new one"),
    (["conform", "diff", "a.jsonl"], "1 files with results were given, expected the old one and the new one"),
    (["conform", "diff", "a.jsonl", "b.jsonl", "--html", "a.html"], "unrecognised option '--html'"),
    (["conform", "report", "a.jsonl", "--seed", "1"], "unrecognised option '--seed'"),
    (["conform", "null", "--sample", "1"], "unrecognised option '--sample'"),
    (["conform", "null", "--list", "--html", "a.html"], "--list runs nothing, expected no --html"),
    (["conform", "--stages", "-o", "a.jsonl"], "--stages runs nothing, expected no --output"),
    (["conform", "null", "--show", "x_ray/entry", "--case", "ops/*"], "--show prints one case, expected no --case"),
    (["conform", "null", "--show", "x_ray/entry", "-o", "a.jsonl"], "--show prints one case, expected no --output"),
    (["conform", "null", "cpu"], "one backend is judged at a time, but cpu was given too"),
    (["conform", "null", "--set", "x"], "--set is 'x', expected NAME=VALUE"),
    (["conform", "null", "--deadline", "0"], "--jobs must be at least 0, --deadline positive"),
    (["check", "checks.hlo", "--part", "-1"], "--part and --jobs must be at least 0"),
    (["check", "checks.hlo", "--policy", "lenient"], "--policy is 'lenient', expected strict or device"),
    (["check", "checks.hlo", "--set", "=x"], "--set is '=x', expected NAME=VALUE"),
    (["run", "good.hlo", "--set", "target"], "--set is 'target', expected NAME=VALUE"),
    (["run", "good.hlo", "--layer", "trace"], "--layer is 'trace', expected validate, trace=FILE, counters, counters=FILE, record=FILE or deadline=SECONDS"),
    (["run", "good.hlo", "--threads=-1"], "--threads is -1, expected 0 to 1024"),
    (["compile", "good.hlo", "--threads=1025"], "--threads is 1025, expected 0 to 1024"),
    (["run", "good.hlo", "--isolate=-1"], "--isolate is -1, expected at most 1000000 seconds; 0: no limit"),
    (["run", "good.hlo", "--isolate-memory=1000000"], "--isolate-memory is given, expected --isolate too"),
    (["replay", "good.hlo", "--isolate-strict"], "--isolate-strict is given, expected --isolate too"),
    (["run", "good.hlo", "--isolate", "--isolate-memory=0"], "--isolate-memory is 0, expected at least 1"),
    (["conform", "sign", "a.jsonl"], "expected a file with results, and one with a private key"),
    (["conform", "null", "--challenge", "x", "--seed", "1"], "--challenge determines the seed, expected no --seed"),
    (["conform", "verify", "a.jsonl", "--challenge", ""],
     "--challenge is empty, expected the text that was given to the run"),
    (["conform", "attach"], "expected a file with results, and a plugin"),
    (["run", "good.hlo", "--isolate=1e9"], "--isolate is 1000000000, expected at most 1000000 seconds; 0: no limit"),
    (["replay"], "no recording was given"),
    (["replay", "good.calls", "--patience", "0"], "--patience is 0, expected more than 0 and at most 1000000 seconds"),
    (["compile"], "no model was given"),
    (["compile", "good.hlo"], "expected -o FILE, the file to write"),
    (["compile", "good.hlo", "--emit=llvm", "-o", "good.bpkg"],
     "--emit writes text, but -o good.bpkg is a package: give the text another suffix"),
    (["aot", "good.hlo", "-o", "good.o"], "expected -o FILE and --header FILE, the files to write"),
    (["aot", "good.hlo", "-o", "good.o", "--header", "good.h", "--shared", "--archive"],
     "--archive and --shared exclude each other"),
    (["aot", "good.hlo", "-o", "good.o", "--header", "good.h", "--inline-constants", "--weights", "w"],
     "--inline-constants and --weights exclude each other"),
    (["aot", "good.hlo", "-o", "good.o", "--header", "good.h", "--threads", "2"],
     "--threads is for --static-arena: without it, the application says how many it has"),
    (["aot", "good.hlo", "-o", "good.o", "--header", "good.h", "--static-arena", "--threads", "0"],
     "--threads is 0, expected 1 to 1024"),
    (["aot", "good.hlo", "-o", "good.o", "--header", "./good.o"], "--header is the same file as -o: ./good.o"),
    (["aot", "good.hlo", "-o", "good.hlo", "--header", "good.h"], "-o is the same file as the model: good.hlo"),
    (["aot", "good.hlo", "-o", "-", "--header", "good.h"], '-o is "-", expected a file'),
    (["aot", "good.hlo", "-o", "good.o", "--header", "good.h", "--name", "my-model"],
     '--name is "my-model", expected a name of C, such as model_1'),
    (["run", "good.hlo", "--signed-by", "public.pem"], "--signed-by is for packages, but good.hlo is none"),
    (["compile", "good.hlo", "-o", "good.artifact", "--sign", "key.pem"], "--sign is for packages, expected -o FILE.bpkg"),
    (["compile", "good.hlo", "-o", "good.bpkg", "--host-functions=infeed,,acme"],
     '--host-functions is "infeed,,acme", expected names separated by commas, such as infeed,acme.tokenize'),
    (["run", "cut.bpkg", "--cache-dir", "cache"],
     "--cache-dir is for models, but cut.bpkg is a package, which is compiled already"),
    (["run", "cut.bpkg", "--part=2"], "--part is for models, but cut.bpkg is a package, which is compiled already"),
    (["run", "cut.bpkg", "--no-fusion"],
     "--no-fusion is for models, but cut.bpkg is a package, which is compiled already"),
    (["run", "good.hlo", "--no-fusion", "--on", "interpreter"],
     "--no-fusion is given, but the interpreter runs no passes: expected another --on"),
    *[([command, "good.hlo", *more, "--disable-pass=copy-insertoin"],
       "--disable-pass: there is no pass 'copy-insertoin', did you mean 'copy-insertion'?")
      for command, more in (("run", []), ("compile", ["-o", "good.artifact"]), ("stats", []))],
    (["compile", "good.hlo", "-o", "good.artifact", "--disable-pass=dot-merging", "--disable-pass=copy-insertion"],
     "--disable-pass: the pass copy-insertion cannot be disabled: without its copies, values would overwrite others "
     "that are still needed"),
    (["stats"], "no model was given"),
    (["stats", "good.hlo", "--top", "-1"], "the argument ('-1') for option '--top' is invalid"),
    (["stats", "good.hlo", "--peak-flops", "0"], "--peak-flops is 0, expected a number above 0, such as 1e12"),
    (["stats", "good.hlo", "--peak-bandwidth", "inf"],
     "--peak-bandwidth is inf, expected a number above 0, such as 1e12"),
    (["opt"], "no model was given"),
    (["opt", "good.hlo", "--passes=simplfy"], "there is no pass 'simplfy', did you mean 'simplify'?"),
    (["opt", "good.hlo", "--emit=x"],
     "--emit is 'x', expected hlo, buffers, module-proto, proto, stablehlo or bytecode"),
    (["opt", "open.mlir", "--passes=none", "--emit=bytecode", "--target-version=0.8.0"],
     "--target-version is '0.8.0', expected 0.9.0 to 1.20.0, a version of StableHLO"),
    (["opt", "open.mlir", "--passes=none", "--emit=bytecode", "--target-version=1.9"],
     "--target-version is '1.9', expected 0.9.0 to 1.20.0, a version of StableHLO"),
    (["opt", "good.hlo", "--target-version=1.9.0"], "--target-version is given with --emit=hlo, expected --emit=bytecode"),
    (["opt", "good.hlo", "--passes=x"], "there is no pass 'x', expected one that backplane opt --list names"),
    (["opt", "good.hlo", "--passes=call-inlining,"], "there is no pass '', expected one that backplane opt --list names"),
    (["opt", "good.hlo", "--on", "null"], "--on is given without --check or --cluster, expected one of them: it names "
     "the backend whose passes are checked, or that gets clusters"),
    (["opt", "good.hlo", "--explain-clusters"], "clusters depend on a backend, expected --on NAME"),
    (["opt", "good.hlo", "--on", "null", "--cluster=auto", "--passes=none"], "--cluster and --passes exclude each other: "
     "--cluster runs the passes of a compilation for the backend; --disable-pass leaves one out"),
    (["opt", "good.hlo", "--on", "null", "--explain-clusters", "--emit=proto"], "--explain-clusters and --emit exclude each "
     "other: --explain-clusters prints a table, and no module"),
    (["opt", "good.hlo", "--on", "null", "--explain-clusters", "--dump-dir", "d"], "--explain-clusters and --dump-dir exclude "
     "each other: --explain-clusters runs the passes of a compilation for the backend; --disable-pass leaves one out"),
    (["opt", "good.hlo", "--check", "-o", "f.hlo"], "--check and --output exclude each other: --check compares results, and "
     "writes no module"),
    (["opt", "good.hlo", "--cluster=auto", "--on", "interpreter"], "clusters depend on a backend, expected --on NAME"),
    (["opt", "good.hlo", "--no-fusion"],
     "--no-fusion is given, expected --cluster or --explain-clusters too; --passes names the passes that run"),
    (["run", "good.hlo", "--cluster=x"], "--cluster is 'x', expected auto, marked or off"),
    (["run", "good.hlo", "--cluster-min", "0"], "--cluster-min is 0, expected at least 1"),
    (["run", "good.hlo", "--cluster=auto", "--on", "interpreter"],
     "--cluster is given, but the interpreter runs no passes: expected another --on"),
    (["opt", "good.hlo", "--check", "--draws", "0"],
     "--draws must be at least 1, --check-seconds positive"),
    (["opt", "good.hlo", "--check", "--allow-inexact"], "--allow-inexact changes results, expected no --check"),
    (["bisect"], "no model was given"),
    (["reduce"], "no model was given"),
    (["reduce", "good.hlo"], "expected -o FILE, the file to write"),
    (["reduce", "good.hlo", "-o", "small.hlo"], "expected exactly one of --check, --on, --command, --extract"),
    (["reduce", "good.hlo", "-o", "small.hlo", "--check", "--deadline", "0"],
     "--deadline and --memory must be positive, --draws at least 1, --tolerance at least 0"),
    (["fuzz", "--passes=x"], "there is no pass 'x', expected one that backplane opt --list names"),
    (["fuzz", "--size", "0"],
     "--count and --minutes must be at least 0, --size 1 to 100000, --failures at least 1"),
    (["fuzz", "--minutes", "nan"],
     "--count and --minutes must be at least 0, --size 1 to 100000, --failures at least 1"),
    (["memory"], "no model was given"),
    (["memory", "good.hlo", "--fly"], "unrecognised option '--fly'"),
    (["memory", "good.hlo", "--capacity", "0"], "--capacity is 0, expected more than 0"),
    (["run", "good.hlo", "--memory-limit", "-1"], "--memory-limit is -1, expected at least 0"),
    (["opt", "good.hlo", "--memory-limit", "-1"], "--memory-limit is -1, expected at least 0"),
    (["reduce", "good.hlo", "--extract", "z", "--depth", "-1", "-o", "small.hlo"],
     "--depth is -1, expected at least 0"),
    (["run", "good.hlo", "--tolerance", "nan"], "--tolerance is nan, expected at least 0"),
    (["bisect", "good.hlo", "--tolerance", "-1"], "--tolerance is -1, expected at least 0"),
    *[(["run", "good.hlo", "--layer", f"deadline={seconds}"],
       f"--layer is 'deadline={seconds}', expected validate, trace=FILE, counters, counters=FILE, record=FILE or deadline=SECONDS")
      for seconds in ("inf", "5x", "0x10", "")],
    (["check", "checks.hlo", "--memory"],
     "--memory needs a counting allocator: run build/tools/backplane_counting"),
    (["pack"], "no problem was given"),
    (["pack", "p.csv", "--capacity", "0"], "--capacity is 0, expected more than 0"),
    (["pack", "p.csv", "--heap-limit", "0"], "--heap-limit is 0, expected more than 0"),
    (["pack", "p.csv", "--heap-limit", "4", "--capacity", "4"],
     "--capacity and --heap-limit are both given, expected one of them: one heap, or several"),
    (["pack", "p.csv", "--deadline", "-1"], "--deadline is -1, expected 0 to 1000000 seconds"),
    (["inspect"], "no plugin or package was given"),
    (["new"], "no name was given"),
    (["new", "Acme"], "the name of a backend is 'Acme', expected a lower case letter, then at most 39 of a-z, 0-9 and -"),
    (["new", "../acme"], "the name of a backend is '../acme', expected a lower case letter, then at most 39 of a-z, 0-9 and -"),
    (["new", ""], "the name of a backend is '', expected a lower case letter, then at most 39 of a-z, 0-9 and -"),
    (["new", "x" * 41], "the name of a backend is '" + "x" * 41 + "', expected a lower case letter, then at most 39 of ..."),
    (["new", "interpreter"],
     "the name of a backend is 'interpreter', expected another name: that backend is part of Backplane"),
    (["new", "acme", "--tier", "jet"], "--tier is 'jet', expected kernels, compiler, memory or queue"),
    (["new", "acme", "--lang", "rust"], "--lang is 'rust', expected c or cpp"),
    (["plugins", "x", "y"], "too many positional options have been specified on the command line"),
    (["formats", "x", "y"], "too many positional options have been specified on the command line"),
    (["formats", "--why"], "--why explains the format of a file, but no file was given"),
    (["run", "good.hlo", "--save", "a.npz", "--on", "interpreter", "--devices", "1"],
     "--save cannot be combined with --devices, which has a result of each device"),
    (["ops", "x"], "too many positional options have been specified on the command line"),
]

COMMANDS = ["run", "check", "compile", "opt", "bisect", "reduce", "fuzz", "memory", "stats", "pack", "plugins", "instances",
            "inspect", "new", "ops", "formats", "replay"]

PRECISION_MISTAKES = [
    (["--stride", "x"], USAGE, "the argument ('x') for option '--stride' is invalid"),
    (["--threads", "0"], FAILED, "--threads=0: expected 1 to 1024"),
    (["--type", "s32"], FAILED, "--type=s32: expected a float or a complex number"),
    (["--on", "interpreter", "--op", "sin"], FAILED, "no function 'sin', expected one of: convert, abs, ..."),
    (["--on", "interpreter", "--json", "no/where"], FAILED, "cannot write no/where: No such file or directory"),
]
