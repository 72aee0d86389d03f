#!/usr/bin/env python3
"""A new elementwise operation takes the rows of docs/adding_an_op.md and nothing else: in a copy of the sources four
files get a row of an operation that HLO does not have. The copy is built, and cpu, npu and nvptx run the operation
natively for integers and agree with the interpreter. The build takes minutes: without --full the check only makes sure
that the rows can be added."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
FULL = bool(os.environ.get("BACKPLANE_TEST_FULL"))

# By file: pairs of a row that is there, and the row that is added below it. {number} is the next free number.
ROWS = {
    "core/ir/ops.def": [
        ('''      "bitwise exclusive or")
''', '''BP_OP({number}, Xnor, "xnor", 2, 2, elementwise, elementwise, Integer, Elementwise | Commutative, Exact,
      "whether bits are equal, bitwise")
''')],
    "core/interpreter/binary_formulas.cc": [
        ("    case Opcode::Xor: return loop_of_two<W, W, [](W x, W y) { return static_cast<W>(x ^ y); }>;\n",
         "    case Opcode::Xnor: return loop_of_two<W, W, [](W x, W y) { return static_cast<W>(~(x ^ y)); }>;\n")],
    "plugins/llvm/scalar/elementwise.cc": [
        ("    {BP_OP_XOR, [](const Element &e) { return e.b.CreateXor(e.x(), e.y()); }},\n",
         "    {BP_OP_XNOR, [](const Element &e) { return e.canonical(e.b.CreateNot(e.b.CreateXor(e.x(), e.y()))); }},\n")],
    "plugins/npu/vector_unit.cc": [
        ("    VectorFunction{BP_OP_XOR, 2, of_integers | of_pred, 1},\n",
         "    VectorFunction{BP_OP_XNOR, 2, of_integers, 1},\n"),
        ("    case BP_OP_XOR: return map<E, E, E>(i, s, [](W x, W y) { return x ^ y; });\n",
         "    case BP_OP_XNOR: return map<E, E, E>(i, s, [](W x, W y) { return ~(x ^ y); });\n")],
}
PROGRAM = """HloModule xnor
ENTRY main {
  x = TYPE[5,129] parameter(0)
  y = TYPE[5,129] parameter(1)
  same = TYPE[5,129] xnor(x, y)
  ROOT both = TYPE[5,129] add(same, x)
}
"""
BACKENDS = {"cpu": [], "npu": [], "nvptx": ["--emulate"]}
LIBRARIES = [f"plugins/{name}/libbackplane_{name}.so" for name in BACKENDS]


def with_row(name, text, number):
    """Returns the text of a file with the rows added."""
    for row, added in ROWS[name]:
        if text.count(row) != 1:
            sys.exit(f"{name} has the row below {text.count(row)} times, expected once; docs/adding_an_op.md and "
                     f"this check must follow the table\n{row}")
        text = text.replace(row, row + added.replace("{number}", str(number)))
    return text


def next_number():
    rows = (ROOT / "core/ir/ops.def").read_text().split("\nBP_OP(")[1:]
    return 1 + max(int(row.split(",")[0]) for row in rows)


def builds(folder, names):
    """Returns the names in a folder that are not sources, for copytree."""
    is_root = pathlib.Path(folder) == ROOT
    return [name for name in names if is_root and (name == ".git" or name.startswith("build"))]


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def build(source, out):
    run(["meson", "setup", out, "-Dunity=on", "-Doptimization=0"], source)
    ninja = ["ninja", "-C", out]
    run([*ninja, "tools/generate_op_tables"], source)
    run([out / "tools/generate_op_tables", "plugin_api"], source)
    run([*ninja, "tools/backplane", *LIBRARIES], source)


def try_backend(name, settings, command, folder):
    rows = [line for line in run([command, "ops", "--coverage", "--on", name, *settings], folder).splitlines()
            if line.startswith("| `xnor` |")]
    types, on_host = [cell.strip() for cell in rows[0].split("|")[2:4]] if rows else ("", "")
    if on_host or not ("signed" in types or "s8, s32" in types):
        sys.exit(f"{name} does not run the new operation natively: {rows}")
    for element_type in ("s8", "s32") if name == "npu" else ("u4", "s8", "u16", "s32", "u64"):
        program = folder / "xnor.hlo"
        program.write_text(PROGRAM.replace("TYPE", element_type))
        printed = run([command, "run", program, "--on", name, *settings, "--against", "interpreter"], folder)
        if "against interpreter: agrees" not in printed:
            sys.exit(f"{name}, {element_type}:\n{printed}")


def main():
    number = next_number()
    changed = {name: with_row(name, (ROOT / name).read_text(), number) for name in ROWS}
    if not FULL:
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        source, out = folder / "source", folder / "build"
        shutil.copytree(ROOT, source, ignore=builds)
        for name, text in changed.items():
            (source / name).write_text(text)
        build(source, out)
        for name, settings in BACKENDS.items():
            try_backend(name, settings, out / "tools/backplane", folder)


if __name__ == "__main__":
    main()
