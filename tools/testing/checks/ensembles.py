#!/usr/bin/env python3
"""Programs for several devices give the same results on ensembles of plugins as in the interpreter's simulation: each
collective with each kind of groups, with several element types, on 2, 4 and 8 devices."""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("BACKPLANE_TEST_BUILD", ROOT / "build"))
BACKPLANE = BUILD / "tools/backplane"
FULL = bool(os.environ.get("BACKPLANE_TEST_FULL"))
BACKENDS = {"cpu": [], "npu": [], "kernels": [], "nvptx": ["--emulate"]}
TYPES = ["f32", "s32", "bf16", "f16", "f64", "u8", "s64", "pred", "c64", "f8e4m3fn"]

# Replicas and partitions by number of devices.
GRIDS = {2: [(2, 1), (1, 2)], 4: [(4, 1), (2, 2), (1, 4)], 8: [(8, 1), (4, 2), (1, 8)]}


def groups(replicas, partitions):
    """Returns attributes of groups of equal size, with the size of a group in devices."""
    devices = replicas * partitions
    halves = "{" + ",".join("{" + ",".join(map(str, range(first, devices, 2))) + "}" for first in (0, 1)) + "}"
    backwards = "{{" + ",".join(map(str, reversed(range(devices)))) + "}}"
    found = [("replica_groups={}", replicas), ("channel_id=1, replica_groups={}", devices)]
    flat = "channel_id=1, use_global_device_ids=true, replica_groups="
    found += [(flat + halves, devices // 2), (flat + backwards, devices),
              (f"{flat}[2,{devices // 2}]<=[{devices}]", devices // 2)]
    if devices % 4 == 0:
        found.append((f"{flat}[{devices // 4},4]<=[2,{devices // 2}]T(1,0)", 4))
        found.append((f"{flat}mesh['a'={devices // 2},'b'=2] {{'a'}}", devices // 2))
    return found


def bodies(element, replicas, partitions):
    """Returns instructions that compute `r` of the value x, of 16 elements, with the shape of r."""
    combiners = {"pred": ["or", "and"], "c64": ["add", "multiply"]}.get(element, ["add", "maximum", "minimum"])
    x = f"{element}[16]"
    for attributes, size in groups(replicas, partitions):
        for combiner in combiners:
            yield f"r = {x} all-reduce(x), {attributes}, to_apply={combiner}", x
        gathered, part = f"{element}[{16 * size}]", f"{element}[{16 // size}]"
        yield f"r = {gathered} all-gather(x), {attributes}, dimensions={{0}}", gathered
        yield (f"s = ({x}, {gathered}) all-gather-start(x), {attributes}, dimensions={{0}}\n"
               f"  r = {gathered} all-gather-done(s)"), gathered
        yield f"s = {x} all-reduce-start(x), {attributes}, to_apply={combiners[0]}\n  r = {x} all-reduce-done(s)", x
        yield f"r = {part} reduce-scatter(x), {attributes}, dimensions={{0}}, to_apply={combiners[0]}", part
        if "use_global" not in attributes:
            yield f"r = {x} all-to-all(x), {attributes}, dimensions={{0}}", x
    limit = replicas if replicas > 1 else partitions
    channel = "" if replicas > 1 else "channel_id=1, "
    for pairs in ([(i, (i + 1) % limit) for i in range(limit)], [(0, limit - 1)]):
        text = "{" + ",".join(f"{{{a},{b}}}" for a, b in pairs) + "}"
        yield f"r = {x} collective-permute(x), {channel}source_target_pairs={text}", x
        yield (f"s = ({x}, {x}) collective-permute-start(x), {channel}source_target_pairs={text}\n"
               f"  r = {x} collective-permute-done(s)"), x
    numbers = ",".join(str(i) for i in reversed(range(limit)))
    yield f"r = {x} collective-broadcast(x), {channel}replica_groups={{{{{numbers}}}}}", x
    shapes, operands = ", ".join([x] * limit), ", ".join(["x"] * limit)
    yield (f"s = ({shapes}) all-to-all({operands}), {channel}replica_groups={{{{{numbers}}}}}\n"
           f"  r = {x} get-tuple-element(s), index={limit - 1}"), x


def program(name, element, replicas, partitions, body, result):
    """Each device has other operands, and the result is used."""
    combiners = "".join(
        f"{op} {{ a = {element}[] parameter(0)  b = {element}[] parameter(1)  ROOT c = {element}[] {op}(a, b) }}\n"
        for op in ("add", "multiply", "maximum", "minimum", "or", "and") if f"to_apply={op}" in body)
    own = (f"limit = s32[16] broadcast(seven), dimensions={{}}\n  own = pred[16] compare(sum, limit), direction=GT\n  "
           "x = pred[16] xor(p, own)" if element == "pred" else
           f"own = {element}[16] convert(sum)\n  x = {element}[16] add(p, own)")
    use = "not" if element == "pred" else "negate" if element != "u8" else "not"
    return f"""HloModule {name}, replica_count={replicas}, num_partitions={partitions}
{combiners}ENTRY main {{
  p = {element}[16] parameter(0)
  replica = u32[] replica-id()
  partition = u32[] partition-id()
  partitions = u32[] constant({partitions})
  first = u32[] multiply(replica, partitions)
  device = u32[] add(first, partition)
  signed = s32[] convert(device)
  devices = s32[16] broadcast(signed), dimensions={{}}
  positions = s32[16] iota(), iota_dimension=0
  seven = s32[] constant(7)
  sum = s32[16] add(devices, positions)
  {own}
  {body}
  ROOT u = {result} {use}(r)
}}
"""


def programs(devices):
    texts = []
    for replicas, partitions in GRIDS[devices]:
        for number, element in enumerate(TYPES):
            for place, (body, result) in enumerate(bodies(element, replicas, partitions)):
                if FULL or element == "f32" or place % 7 == (number + devices) % 7:
                    name = f"{element}_{replicas}x{partitions}_{place}"
                    texts.append(program(name, element, replicas, partitions, body, result))
    return texts


def main():
    failures, verdicts = [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for devices in GRIDS:
            texts = programs(devices)
            file = pathlib.Path(folder, f"on_{devices}.hlo")
            file.write_text("// -----\n".join(texts))
            for backend, settings in BACKENDS.items():
                if devices != 4 and backend not in ("cpu", "npu") and not FULL:
                    continue
                if not (BUILD / f"plugins/{backend}/libbackplane_{backend}.so").exists():
                    print(f"{backend} is not built: nothing is run on it")
                    continue
                done = subprocess.run([BACKPLANE, "run", file, "--on", backend, *settings, "--devices", str(devices),
                                       "--against", "interpreter", "--json"], capture_output=True, text=True,
                                      env={**os.environ, "BACKPLANE_PLUGIN_PATH": str(BUILD / "plugins")})
                outcomes = [json.loads(line) for line in done.stdout.splitlines()]
                verdicts.update(outcome["verdict"] for outcome in outcomes)
                failures += [f"{backend}: {outcome['module']} {outcome['verdict']}" for outcome in outcomes
                             if outcome["verdict"] == "differs"]
                if len(outcomes) != len(texts):
                    failures.append(f"{backend} on {devices} devices: {len(outcomes)} of {len(texts)} programs ran: "
                                    f"{done.stderr.strip()}")
    print(f"{sum(verdicts.values())} runs on ensembles: {dict(verdicts)}", *failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
