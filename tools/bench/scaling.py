#!/usr/bin/env python3
"""Programs that grow in one way each, and what `backplane opt` takes for them at n and 8n.

    tools/bench/scaling.py --print nested_whiles 2000 > deep.hlo
    tools/bench/scaling.py                                        every program
    tools/bench/scaling.py nested_whiles wide_state --size 500    these, at 500 and 4,000

A row is a pass, or what is left of the command (reading, verifying, printing), that grew by more than --factor (16;
what is linear grows by 8) and takes at least --least seconds at 8n. Exit code 1 if there is one. Times are processor
times of one run, so on a busy machine a row is a reason to look, not a verdict; the tests in core count instead.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

ROW = "f32[8]"


def chain(n):
    lines = [f"  x{i + 1} = {ROW} sine(x{i})" for i in range(n)]
    return (
        "ENTRY main {\n  x0 = "
        + ROW
        + " parameter(0)\n"
        + "\n".join(lines)
        + f"\n  ROOT r = {ROW} negate(x{n})\n}}\n"
    )


def many_users(n):
    """One value with n users, whose results are one tuple."""
    lines = [f"  y{i} = {ROW} add(x, c{i})" for i in range(n)]
    constants = [f"  c{i} = {ROW} broadcast(s{i}), dimensions={{}}" for i in range(n)]
    scalars = [f"  s{i} = f32[] constant({i})" for i in range(n)]
    return (
        f"ENTRY main {{\n  x = {ROW} parameter(0)\n"
        + "\n".join(scalars + constants + lines)
        + f"\n  ROOT r = ({', '.join([ROW] * n)}) tuple({', '.join(f'y{i}' for i in range(n))})\n}}\n"
    )


def parameters(n):
    lines = [f"  p{i} = {ROW} parameter({i})\n  y{i} = {ROW} sine(p{i})" for i in range(n)]
    return (
        "ENTRY main {\n"
        + "\n".join(lines)
        + f"\n  ROOT r = ({', '.join([ROW] * n)}) tuple({', '.join(f'y{i}' for i in range(n))})\n}}\n"
    )


def concatenation(n):
    lines = [f"  y{i} = {ROW} slice(x), slice={{[{i}:{i + 8}]}}" for i in range(n)]
    return (
        f"ENTRY main {{\n  x = f32[{n + 8}] parameter(0)\n"
        + "\n".join(lines)
        + f"\n  ROOT r = f32[{8 * n}] concatenate({', '.join(f'y{i}' for i in range(n))}), dimensions={{0}}\n}}\n"
    )


def reductions(n):
    """n reductions, each with a computation of its own."""
    adders = [
        f"add{i} {{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }}" for i in range(n)
    ]
    lines = [f"  y{i + 1} = f32[] reduce(x, y{i}), dimensions={{0}}, to_apply=add{i}" for i in range(n)]
    return (
        "\n".join(adders)
        + f"\nENTRY main {{\n  x = {ROW} parameter(0)\n  y0 = f32[] constant(0)\n"
        + "\n".join(lines)
        + f"\n  ROOT r = f32[] negate(y{n})\n}}\n"
    )


def nested_calls(n):
    levels = [f"c0 {{ p = {ROW} parameter(0)  ROOT r = {ROW} sine(p) }}"]
    levels += [
        f"c{i} {{ p = {ROW} parameter(0)  q = {ROW} negate(p)  ROOT r = {ROW} call(q), to_apply=c{i - 1} }}"
        for i in range(1, n)
    ]
    return (
        "\n".join(levels) + f"\nENTRY main {{ x = {ROW} parameter(0)  ROOT r = {ROW} call(x), to_apply=c{n - 1} }}\n"
    )


def doubling_calls(n):
    """Each level calls the one below twice, so that inlined there are 2^n; n is the levels."""
    levels = [f"c0 {{ p = {ROW} parameter(0)  ROOT r = {ROW} sine(p) }}"]
    levels += [
        f"c{i} {{ p = {ROW} parameter(0)  q = {ROW} call(p), to_apply=c{i - 1}  t = {ROW} call(q), to_apply=c{i - 1}"
        f"  ROOT r = {ROW} add(t, p) }}"
        for i in range(1, n)
    ]
    return (
        "\n".join(levels) + f"\nENTRY main {{ x = {ROW} parameter(0)  ROOT r = {ROW} call(x), to_apply=c{n - 1} }}\n"
    )


def whiles(n, rounds):
    """Whiles within whiles, of as many rounds each; of 0, the number is read from the state, so nobody knows it."""
    state = f"(s32[], s32[], {ROW})"
    limit = "n = s32[] get-tuple-element(p), index=1" if rounds == 0 else f"n = s32[] constant({rounds})"
    cond = (
        f"cond {{ p = {state} parameter(0)  i = s32[] get-tuple-element(p), index=0  {limit}  ROOT r = pred[]"
        " compare(i, n), direction=LT }"
    )
    head = (
        f"p = {state} parameter(0)  i = s32[] get-tuple-element(p), index=0  m = s32[] get-tuple-element(p), index=1 "
        f" o = s32[] constant(1)  j = s32[] add(i, o)  x = {ROW} get-tuple-element(p), index=2"
    )
    bodies = [f"b0 {{ {head}  y = {ROW} sine(x)  ROOT r = {state} tuple(j, m, y) }}"]
    bodies += [
        f"b{i} {{ {head}  z = s32[] constant(0)  t = {state} tuple(z, m, x)  w = {state} while(t), condition=cond,"
        f" body=b{i - 1}  y = {ROW} get-tuple-element(w), index=2  v = {ROW} add(y, x)  ROOT r = {state} tuple(j, m,"
        " v) }"
        for i in range(1, n)
    ]
    return (
        "\n".join([cond] + bodies)
        + f"\nENTRY main {{ x = {ROW} parameter(0)  m = s32[] parameter(1)  z = s32[] constant(0)  t = {state}"
        f" tuple(z, m, x)  w = {state} while(t), condition=cond, body=b{n - 1}  ROOT r = {ROW}"
        " get-tuple-element(w), index=2 }\n"
    )


def nested_conditionals(n):
    levels = [
        f"c0 {{ p = (s32[], {ROW}) parameter(0)  x = {ROW} get-tuple-element(p), index=1  ROOT r = {ROW} sine(x) }}"
    ]
    levels += [
        f"c{i} {{ p = (s32[], {ROW}) parameter(0)  s = s32[] get-tuple-element(p), index=0  x = {ROW}"
        f" get-tuple-element(p), index=1  k = s32[] constant({i})  b = pred[] compare(s, k), direction=LT  q = {ROW}"
        f" add(x, x)  t = (s32[], {ROW}) tuple(s, q)  ROOT r = {ROW} conditional(b, t, p), true_computation=c{i - 1},"
        " false_computation=leaf }"
        for i in range(1, n)
    ]
    leaf = (
        f"leaf {{ p = (s32[], {ROW}) parameter(0)  x = {ROW} get-tuple-element(p), index=1  ROOT r = {ROW}"
        " cosine(x) }"
    )
    return (
        leaf
        + "\n"
        + "\n".join(levels)
        + f"\nENTRY main {{ s = s32[] parameter(0)  x = {ROW} parameter(1)  t = (s32[], {ROW}) tuple(s, x)  b ="
        f" pred[] parameter(2)  ROOT r = {ROW} conditional(b, t, t), true_computation=c{n - 1},"
        " false_computation=leaf }\n"
    )


def nested_fusions(n):
    levels = [f"f0 {{ p = {ROW} parameter(0)  ROOT r = {ROW} sine(p) }}"]
    levels += [
        f"f{i} {{ p = {ROW} parameter(0)  q = {ROW} fusion(p), kind=kLoop, calls=f{i - 1}  ROOT r = {ROW} add(q,"
        " p) }"
        for i in range(1, n)
    ]
    return (
        "\n".join(levels)
        + f"\nENTRY main {{ x = {ROW} parameter(0)  ROOT r = {ROW} fusion(x), kind=kLoop, calls=f{n - 1} }}\n"
    )


def wide_state(n):
    """A while whose state has n arrays, each of which changes."""
    state = f"({', '.join(['s32[]'] + [ROW] * n)})"
    reads = [f"  x{i} = {ROW} get-tuple-element(p), index={i + 1}\n  y{i} = {ROW} sine(x{i})" for i in range(n)]
    values = ", ".join(f"y{i}" for i in range(n))
    start = ", ".join(f"a{i}" for i in range(n))
    inputs = "\n".join(f"  a{i} = {ROW} parameter({i})" for i in range(n))
    return (
        f"cond {{ p = {state} parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(7)  ROOT r ="
        f" pred[] compare(i, n), direction=LT }}\nbody {{\n  p = {state} parameter(0)\n  i = s32[]"
        " get-tuple-element(p), index=0  o = s32[] constant(1)  j = s32[] add(i, o)\n"
        + "\n".join(reads)
        + f"\n  ROOT r = {state} tuple(j, {values})\n}}\nENTRY main {{\n{inputs}\n  z = s32[] constant(0)\n"
        f"  t = {state} tuple(z, {start})\n  ROOT w = {state} while(t), condition=cond, body=body\n}}\n"
    )


def fused_tuple(n):
    """Fusions whose results are one tuple, over one value."""
    fused = [f"f{i} {{ p = {ROW} parameter(0)  ROOT r = {ROW} add(p, p) }}" for i in range(n)]
    lines = [f"  y{i} = {ROW} fusion(x), kind=kLoop, calls=f{i}" for i in range(n)]
    return (
        "\n".join(fused)
        + f"\nENTRY main {{\n  x = {ROW} parameter(0)\n"
        + "\n".join(lines)
        + f"\n  ROOT r = ({', '.join([ROW] * n)}) tuple({', '.join(f'y{i}' for i in range(n))})\n}}\n"
    )


PROGRAMS = {
    # name: generator, n
    "chain": (chain, 5000),
    "many_users": (many_users, 2500),
    "parameters": (parameters, 2500),
    "concatenation": (concatenation, 2500),
    "reductions": (reductions, 2500),
    "nested_calls": (nested_calls, 2500),
    "doubling_calls": (doubling_calls, 250),
    "nested_one_trip_whiles": (lambda n: whiles(n, 1), 250),
    "nested_whiles": (lambda n: whiles(n, 3), 250),
    "nested_open_whiles": (lambda n: whiles(n, 0), 250),
    "nested_conditionals": (nested_conditionals, 250),
    "nested_fusions": (nested_fusions, 250),
    "wide_state": (wide_state, 500),
    "fused_tuple": (fused_tuple, 2500),
}


def measure(backplane, file, arguments, limit):
    """Seconds by pass, the rest as `command`, and the peak in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [backplane, "opt", file, "--timing", "--emit=buffers", "-o", os.devnull, *arguments]
    done = subprocess.run(
        ["/usr/bin/env", "-S", "prlimit", f"--cpu={limit}", *command], capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = {}
    for line in done.stderr.splitlines():
        if match := re.match(r"^([a-z-]+) +([0-9.]+) (ns|us|µs|ms|s)\b", line):
            unit = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}[match[3]]
            seconds[match[1]] = seconds.get(match[1], 0) + float(match[2]) * unit
    total = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    seconds["command"] = max(0.0, total - sum(seconds.values()))
    error = (
        ""
        if done.returncode == 0
        else (done.stderr.strip().splitlines() or [""])[-1][:200] + f" (exit code {done.returncode})"
    )
    return seconds, error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", choices=[[], *PROGRAMS], metavar="PROGRAM", help=", ".join(PROGRAMS))
    parser.add_argument("--print", nargs=2, metavar=("PROGRAM", "N"), help="writes that program to standard output")
    parser.add_argument("--size", type=int, help="n; the default depends on the program")
    parser.add_argument("--factor", type=float, default=16)
    parser.add_argument("--least", type=float, default=0.1)
    parser.add_argument("--limit", type=int, default=120, help="seconds of a run")
    parser.add_argument("--backplane", default="build/tools/backplane")
    parser.add_argument("--passes", help="as of opt")
    given = parser.parse_args()
    if given.print:
        generate, _ = PROGRAMS[given.print[0]]
        print("HloModule " + given.print[0] + "\n\n" + generate(int(given.print[1])), end="")
        return 0
    is_fine = True
    print("| program | n, 8n | pass | seconds | grew by |\n|---|---|---|---|---|")
    for name in given.programs or PROGRAMS:
        generate, size = PROGRAMS[name]
        size = given.size or size
        results = []
        for n in (size, 8 * size):
            with tempfile.NamedTemporaryFile("w", suffix=".hlo") as file:
                file.write(f"HloModule {name}\n\n" + generate(n))
                file.flush()
                seconds, error = measure(
                    given.backplane, file.name, [f"--passes={given.passes}"] if given.passes else [], given.limit
                )
            results.append(seconds)
            if error:
                is_fine = False
                print(f"| {name} | {n} | {error} | {sum(seconds.values()):.2f} | |", flush=True)
        small, large = results
        for which in sorted(large, key=lambda key: -large[key]):
            grown = large[which] / max(small.get(which, 0), 1e-4)
            if large[which] >= given.least and grown > given.factor:
                is_fine = False
                print(
                    f"| {name} | {size}, {8 * size} | {which} | {small.get(which, 0):.3f}, {large[which]:.2f} |"
                    f" {grown:.0f} |",
                    flush=True,
                )
        print(
            f"| {name} | {size}, {8 * size} | all | {sum(small.values()):.2f}, {sum(large.values()):.2f} |"
            f" {sum(large.values()) / sum(small.values()):.0f} |",
            flush=True,
        )
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
