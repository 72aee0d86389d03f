#!/usr/bin/env python3
"""Includes only go down the layers. The table is the one of docs/architecture.md."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent

ALL_CORE = {"base", "ir", "text", "import", "interpreter", "analysis", "passes", "packing", "buffers", "host", "layers", "remote", "runtime", "compile", "package", "aot"}
# The subfolders of conformance, and the others of them that each may include.
CONFORMANCE = {
    "check": set(),
    "coverage": set(),
    "images": set(),
    "museum": set(),
    "programs": set(),
    "report": {"coverage", "programs"},
    "mutants": {"images"},
    "suite": {"check", "coverage", "images", "mutants", "programs", "report"},
    "runner": {"report", "suite"},
}
# The layers that each layer may include, besides itself.
ALLOWED = {
    "core/base": set(),
    "core/ir": {"core/base"},
    "core/text": {"core/base", "core/ir"},
    "core/import": {"core/base", "core/ir", "core/text", "core/buffers", "core/host", "core/interpreter", "plugin_api"},
    "core/interpreter": {"core/base", "core/ir"},
    "core/analysis": {"core/base", "core/ir", "plugin_api/cpp/index_map.h"},
    "core/passes": {"core/base", "core/ir", "core/analysis", "core/interpreter"},
    "core/packing": {"core/base"},
    "core/buffers": {"core/base", "core/ir", "core/analysis", "core/packing"},
    "core/host": {"core/base", "core/ir", "core/buffers", "plugin_api"},
    "core/layers": {"core/base", "core/host", "plugin_api"},
    "core/remote": {"core/base", "core/ir", "core/text", "core/host", "core/layers", "plugin_api"},
    "core/runtime": {"core/base", "core/ir", "core/buffers", "core/host", "core/interpreter", "plugin_api"},
    "core/compile": {f"core/{layer}" for layer in ALL_CORE - {"text", "import", "interpreter", "layers", "remote", "package", "aot"}} | {"plugin_api"},
    "core/package": {"core/base", "core/ir", "core/text", "core/host", "core/runtime", "plugin_api"},
    "core/aot": {"core/base", "core/ir", "core/host", "core/runtime", "core/package", "plugin_api"},
    "core": {f"core/{layer}" for layer in ALL_CORE} | {"plugin_api"},
    "core/c": {"core", "core/base", "core/host", "plugin_api"},
    "core/pjrt": {f"core/{layer}" for layer in ALL_CORE} | {"core", "plugin_api"},
    "core/debugging": {f"core/{layer}" for layer in ALL_CORE} | {"core"},
    "plugin_api": set(),
    # A backend may use what backends share, never another backend. plugins/gpu is shared by backends of GPUs alone,
    # plugins/native by those of processors.
    "plugins/llvm": {"plugin_api"},
    "plugins/gpu": {"plugins/llvm", "plugin_api"},
    "plugins/nvptx": {"plugins/gpu", "plugins/llvm", "plugin_api"},
    "plugins/native": {"plugins/llvm", "plugin_api"},
    "plugins/cpu": {"plugins/native", "plugins/llvm", "plugin_api"},
    "plugins/kernels": {"plugin_api"},
    "plugins/npu": {"plugin_api"},
    "plugins/null": {"plugin_api"},
    "plugins/rust_kernels": {"plugin_api"},
    "samples": {"core/backplane.h", "plugin_api"},
    **{f"conformance/{folder}": {f"core/{layer}" for layer in ALL_CORE} | {"core", "core/debugging", "plugin_api"} |
       {f"conformance/{other}" for other in others} for folder, others in CONFORMANCE.items()},
    "tools": {f"core/{layer}" for layer in ALL_CORE} | {"core", "core/debugging", "plugin_api"} |
             {f"conformance/{folder}" for folder in CONFORMANCE},
}
RAW_STRING = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"')  # such as the text of a generated header
# Subfolders (rooms), and the other rooms of their folder that each may include. Files of the folder itself may include
# all of them.
PASSES = ("control_flow", "expansion", "fusion", "layout", "primitives", "simplification")
ROOMS = {
    "core/import": {"hlo_proto": {"protobuf"}, "hlo_text": set(), "library": set(), "mlir": set(), "onnx": {"protobuf"}, "protobuf": set(), "stablehlo": {"mlir"}},
    "core/passes": {room: set() for room in PASSES},
    "plugins/llvm": {
        "scalar": set(),
        "generator": {"scalar"},
        "contraction": {"generator", "scalar"},
        "fft": {"generator", "scalar"},
        "kernel": {"contraction", "fft", "generator", "scalar"},
        "support": {"contraction", "fft", "kernel", "scalar"},
    },
}
# Folders whose units do not include each other in a circle. A unit is a header with its source file.
WITHOUT_CIRCLES = re.compile(r"(conformance|plugins|core)/")
# External headers that the core must not use.
FORBIDDEN_IN_CORE = re.compile(r"^(llvm|llvm-c|mlir|google/protobuf|cuda)[/.]")


def layer_of(path):
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] == "backplane":  # headers of plugin_api/include/backplane
        return "plugin_api"
    if parts[0] in ("core", "plugins", "conformance") and len(parts) > 2:
        return f"{parts[0]}/{parts[1]}"
    return parts[0]


def room_of(path):
    """Returns the room of a file, None outside of rooms. What measures or tests rooms is in none."""
    parts = pathlib.PurePosixPath(path).parts
    is_room = len(parts) > 3 and "/".join(parts[:2]) in ROOMS and parts[2] not in ("bench", "tests")
    return parts[2] if is_room else None


def circle_through(unit, includes):
    """Returns the shortest circle of includes that begins and ends at the unit; None if there is none."""
    paths, seen = [[unit]], set()
    for path in paths:
        for included in sorted(includes.get(path[-1], ())):
            if included == unit:
                return [*path, unit]
            if included not in seen:
                seen.add(included)
                paths.append([*path, included])
    return None


def main():
    problems = []
    includes = {}  # of each unit: the other units that it includes
    files = [p for top in ("core", "plugin_api", "plugins", "conformance", "samples", "tools")
             for p in (ROOT / top).rglob("*") if p.suffix in (".h", ".hpp", ".c", ".cc", ".def")]
    for path in files:
        relative = path.relative_to(ROOT).as_posix()
        if "/tests/" in relative or "/fuzz/" in relative:
            continue  # tests may include anything in core
        layer = layer_of(relative)
        text = RAW_STRING.sub(lambda match: "\n" * match.group(0).count("\n"), path.read_text())
        for number, line in enumerate(text.splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
            if not match:
                continue
            included = match.group(1)
            where = f"{relative}:{number}"
            if layer.startswith("core") and FORBIDDEN_IN_CORE.match(included):
                problems.append(f"{where}: the core includes {included}")
            if not re.match(r"(core|plugin_api|plugins|conformance|samples|tools|backplane)/", included):
                continue
            room, included_room = room_of(relative), room_of(included)
            allowed = ROOMS[layer].get(room, set()) | {room} if room else set()
            if room and included_room and layer_of(included) == layer and included_room not in allowed:
                problems.append(f"{where}: the room {layer}/{room} may not include {included}")
            unit, included_unit = (str(pathlib.PurePosixPath(file).with_suffix("")) for file in (relative, included))
            if WITHOUT_CIRCLES.match(relative) and included_unit != unit:
                includes.setdefault(unit, set()).add(included_unit)
            target = layer_of(included)
            if target != layer and target not in ALLOWED[layer] and included not in ALLOWED[layer]:
                problems.append(f"{where}: {layer} may not include {included}")
    for unit in sorted(includes):
        circle = circle_through(unit, includes)
        if circle and unit == min(circle):
            problems.append(f"a circle of includes: {' -> '.join(circle)}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
