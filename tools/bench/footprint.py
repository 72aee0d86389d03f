"""The footprint of a net that is compiled ahead of time, compared with that of runtimes: bytes that a program ships,
and the most memory that it has (VmHWM) when it runs the net once."""

import array
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MODEL = HERE.parent.parent / "samples/models/digits.hlo"
MOST_DIFFERENT = 1e-4


def ask(what, *command):
    """Returns what a command prints as its last line, or nothing after saying why."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return (done.stdout.strip().splitlines() or [""])[-1]
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    print(f"skipped: {what}: {said[-1] if said else f'ended with {done.returncode}'}")
    return None


def size(path):
    return path.stat().st_size


def ahead_of_time(folder, build, image):
    """Returns rows of the net compiled ahead of time and of an empty program, and the results of the net."""
    weights, program, empty = folder / "digits.weights", folder / "digits", folder / "empty"
    compiler = ("cc", "-std=gnu11", "-O2", "-s")
    for command in ((build / "tools/backplane", "aot", MODEL, "--on", build / "plugins/cpu/libbackplane_cpu.so", "-o",
                     folder / "digits.o", "--header", folder / "digits.h", "--weights", weights),
                    (*compiler, "-DNET", f"-I{folder}", "-o", program, HERE / "footprint_main.c", folder / "digits.o"),
                    (*compiler, "-o", empty, HERE / "footprint_main.c")):
        if ask(command[0], *command) is None:
            sys.exit("evidence: the net cannot be compiled ahead of time")
    *results, memory = ask("the net", program, weights, image).split()
    return [("Compiled ahead of time", size(program), size(weights), int(memory)),
            ("An empty program in C", size(empty), 0, int(ask("the empty program", empty)))], list(map(float, results))


def measure(folder, build, python):
    """Returns rows (name, bytes of the program or libraries, bytes of the net, KiB of memory), and the problems."""
    image, net, library = folder / "image", folder / "digits.onnx", folder / "digits.so"
    array.array("f", [(i * 37 % 256) / 255 for i in range(28 * 28)]).tofile(image.open("wb"))
    rows, expected = ahead_of_time(folder, build, image)
    peer, problems = HERE / "footprint_peer.py", []
    has_net = ask("ONNX", python, HERE / "onnx_nets.py", MODEL, net) is not None
    has_tvm = has_net and ask("TVM", python, peer, "compile-for-tvm", net, library) is not None
    for kind, path, is_ready in (("onnxruntime", net, has_net), ("xla", MODEL, True), ("tvm", library, has_tvm),
                                 ("python", MODEL, True)):
        text = ask(kind, python, peer, kind, path, image) if is_ready else None
        if text is None:
            continue
        answer = json.loads(text)
        rows.append((answer["name"], answer["bytes"], size(path) if answer["bytes"] else 0, answer["kib"]))
        apart = max(abs(one - other) for one, other in zip(answer["results"], expected))
        if kind != "python" and not apart <= MOST_DIFFERENT:
            problems.append(f"{answer['name']}: results differ by {apart:.1e}")
    return rows, problems
