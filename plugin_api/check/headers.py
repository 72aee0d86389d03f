#!/usr/bin/env python3
"""Checks that the headers of the plugin ABI keep their promises:
- each compiles alone, as C11 and as C++20, without a warning, and includes only <stdint.h>;
- each function has a thread tag from the closed vocabulary and a rule above it, each struct a static assert of its
  size;
- the stable tiers have at most 25 functions of the plugin and 500 lines of declarations (not counting comments, drafts
  and the generated op_ids.h);
- each rule has one definition, and each rule that is cited exists;
- the size, alignment and offset of each struct and member are those in layout.txt: a published struct is frozen
  (BP-LAW-02).
`headers.py --bless` rewrites layout.txt; do that only for a new struct. Needs a C and a C++ compiler."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INCLUDE = ROOT / "plugin_api/include"
LAYOUT = HERE / "layout.txt"
TAGS = ["thread-safe", "control", "control & idle", "queue", "worker", "caller's thread"]
RULE = r"BP-[A-Z]+-\d\d"
FUNCTION = re.compile(r"\(BP_ABI \*(\w+)\)\(")
STRUCT = re.compile(r"typedef struct (\w+) \{\n(.*?)\n\} (\w+);", re.DOTALL)
HOST_TABLES = ["bp_diag_t", "bp_ostream_t", "bp_host_t", "bp_host_log_t", "bp_host_threads_t", "bp_run_t"]
MOST_FUNCTIONS, MOST_LINES = 25, 500
COMPILERS = [("CC", "cc", ["-x", "c", "-std=c11"]), ("CXX", "c++", ["-x", "c++", "-std=c++20"])]


def compiler(variable, default):
    return os.environ.get(variable, default).split()


def check_compiles_alone(header, problems):
    for variable, default, arguments in COMPILERS:
        command = compiler(variable, default) + arguments
        command += ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{INCLUDE}", "-"]
        source = f'#include "{header.relative_to(INCLUDE)}"\n'
        done = subprocess.run(command, input=source, capture_output=True, text=True)
        if done.returncode != 0:
            problems.append(f"{header.relative_to(ROOT)} does not compile alone: {' '.join(command)}\n{done.stderr}")


def comment_above(lines, at):
    begin = at
    while begin > 0 and re.match(r"\s*//", lines[begin - 1]):
        begin -= 1
    return "\n".join(lines[begin:at])


def check_text(header, text, problems):
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        where = f"{header.relative_to(ROOT)}:{number}"
        include = re.match(r"\s*#\s*include\s+(.*)", line)
        if include and include.group(1) != "<stdint.h>":
            target = (header.parent / include.group(1).strip('"')).resolve()
            if not target.is_relative_to(INCLUDE) or not target.exists():
                problems.append(f"{where}: includes {include.group(1)}, expected <stdint.h> or a header of the ABI")
        function = FUNCTION.search(line)
        tag = re.fullmatch(r"\s*// \[(.*)\]", lines[number - 2]) if function else None
        if function and (not tag or tag.group(1) not in TAGS):
            expected = ", ".join(f"[{known}]" for known in TAGS)
            problems.append(f"{where}: {function.group(1)} has no thread tag above it, expected one of {expected}")
        if function and not re.search(RULE, comment_above(lines, number - 1)):
            problems.append(f"{where}: {function.group(1)} has no rule in the comment above it, expected an id such as "
                            "BP-RUN-03")
    for _, _, name in STRUCT.findall(text):
        if f"BP_FROZEN({name}, " not in text:
            problems.append(f"{header.relative_to(ROOT)}: {name} has no BP_FROZEN with its size")


def check_size(texts, problems):
    """Limits the amount that a vendor has to write and to read: functions of the tables, except the host's; lines of
    code."""
    functions, lines = [], 0
    for header, text in texts.items():
        if "draft" in header.parts or header.name == "op_ids.h":
            continue
        code = re.sub(r"//[^\n]*", "", text)
        lines += sum(1 for line in code.splitlines() if line.strip())
        tables = [(name, body) for _, body, name in STRUCT.findall(code) if name not in HOST_TABLES]
        functions += [f"{name}.{function}" for name, body in tables for function in FUNCTION.findall(body)]
        functions += re.findall(r"typedef [^;{]*\(BP_ABI \*(bp_kernel)\)", code)
    if len(functions) > MOST_FUNCTIONS:
        problems.append(f"plugins have {len(functions)} functions, expected at most {MOST_FUNCTIONS}: {functions}")
    if lines > MOST_LINES:
        problems.append(f"the stable headers declare in {lines} lines, expected at most {MOST_LINES}")


def check_rules(texts, problems):
    defined = {}
    for header, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            for rule in re.findall(RULE + "(?=:)", line):
                where = f"{header.relative_to(ROOT)}:{number}"
                if rule in defined:
                    problems.append(f"{where}: {rule} is already defined at {defined[rule]}")
                defined[rule] = where
    for top in ("core", "plugin_api", "plugins", "docs"):
        for path in (ROOT / top).rglob("*"):
            if path.suffix not in (".h", ".cc", ".c", ".md"):
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                for rule in re.findall(RULE, line):
                    if rule not in defined:
                        problems.append(f"{path.relative_to(ROOT)}:{number}: there is no rule {rule}")


def members(body):
    """Returns the names of a struct's members, in order."""
    names = []
    for declaration in re.sub(r"//[^\n]*", "", body).split(";"):
        function = FUNCTION.search(declaration)
        if function:
            names.append(function.group(1))
        elif declaration.strip():
            for declarator in declaration.split(","):
                names.append(re.search(r"(\w+)\s*(\[[^\]]*\])?\s*$", declarator.strip()).group(1))
    return names


def layout(texts):
    """Returns the layout as a C compiler reports it: a line for each struct and one for each of its members."""
    program = ["#include <stddef.h>", "#include <stdio.h>"]
    program += [f'#include "{header.relative_to(INCLUDE)}"' for header in texts]
    program += ["int main(void) {"]
    for text in texts.values():
        for _, body, name in STRUCT.findall(text):
            program.append(f'printf("{name}: %zu, %zu\\n", sizeof({name}), _Alignof({name}));')
            for member in members(body):
                program.append(f'printf("  %3zu %2zu {member}\\n", offsetof({name}, {member}), '
                               f"sizeof((({name} *)0)->{member}));")
    program.append("}")
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, "layout.c"), pathlib.Path(folder, "layout")
        source.write_text("\n".join(program))
        subprocess.run([*compiler("CC", "cc"), "-std=c11", f"-I{INCLUDE}", source, "-o", binary], check=True)
        told = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    return "# struct: size, alignment; per member: offset, size, name. For 64-bit addresses. See headers.py.\n" + told


def first_difference(found, expected):
    for number, (a, b) in enumerate(zip(found.splitlines() + [""], expected.splitlines() + [""]), 1):
        if a != b:
            return f"line {number}: found '{a.strip()}', expected '{b.strip()}'"
    return "the lengths differ"


def main():
    problems = []
    texts = {header: header.read_text() for header in sorted(INCLUDE.rglob("*.h"))}
    for header, text in texts.items():
        check_compiles_alone(header, problems)
        check_text(header, text, problems)
    check_size(texts, problems)
    check_rules(texts, problems)
    if not problems:
        found = layout(texts)
        if "--bless" in sys.argv:
            LAYOUT.write_text(found)
        expected = LAYOUT.read_text() if LAYOUT.exists() else ""
        if found != expected:
            problems.append(f"plugin_api/check/layout.txt: {first_difference(found, expected)}. A published struct is "
                            "frozen; for a new one run plugin_api/check/headers.py --bless")
    print("\n".join(problems), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
