#!/usr/bin/env python3
"""Writes a wheel: a Python package and Backplane's libraries from a build folder.

  core/python/make_wheel.py --build-dir build -o dist                      jax-backplane: JAX on Backplane
  core/python/make_wheel.py --package backplane --build-dir build -o dist  backplane: the Python interface
  pip install dist/jax_backplane-*.whl
  JAX_PLATFORMS=backplane python -c 'import jax; print(jax.devices())'
"""

import argparse
import base64
import dataclasses
import hashlib
import json
import pathlib
import platform
import re
import sys
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Package:
    folder: str  # in this one; the name with which Python imports it
    summary: str
    requires: tuple[str, ...]
    libraries: dict[str, str]  # paths in the build folder, and the folders in the package
    entry_points: str = ""
    parts: tuple[str, ...] = ()  # folders in the folder that are packages too
    extras: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)  # what else a part requires


def package(name, installation):
    """Returns the package with this name. `installation`: folders relative to the prefix, by Meson's option."""
    libdir, libexec = f"installed/{installation['libdir']}", f"installed/{installation['libexecdir']}"
    if name == "backplane":
        # The library finds plugins and the program of isolated ones relative to itself, as where it is installed.
        return Package("backplane", "Programs in HLO, StableHLO and ONNX on Backplane's backends", ("numpy>=1.24",),
                       {"core/c/libbackplane.so": libdir, "plugins/cpu/libbackplane_cpu.so": f"{libdir}/backplane",
                        "core/backplane-worker": f"{libexec}/backplane"},
                       "[torch_dynamo_backends]\nbackplane = backplane.torch:compile_graph\n", ("torch",),
                       {"torch": ("torch>=2.9", "onnxscript")})
    return Package("jax_backplane", "Backplane's backends as JAX platforms", ("jax>=0.10",),
                   {"core/pjrt/libbackplane_pjrt.so": "lib", "plugins/cpu/libbackplane_cpu.so": "lib",
                    "plugins/npu/libbackplane_npu.so": "lib"}, "[jax_plugins]\nbackplane = jax_backplane\n")


def installation_of(build):
    options = json.loads((build / "meson-info/intro-buildoptions.json").read_text())
    return {option["name"]: option["value"] for option in options if option["name"] in ("libdir", "libexecdir")}


def version():
    text = (SOURCE.parent.parent / "meson.build").read_text()
    return re.search(r"version: '([^']+)'", text).group(1)


def metadata(name, number, of):
    requires = "".join(f"Requires-Dist: {needed}\n" for needed in of.requires)
    for extra, all_needed in of.extras.items():
        requires += f"Provides-Extra: {extra}\n"
        requires += "".join(f"Requires-Dist: {needed}; extra == '{extra}'\n" for needed in all_needed)
    return (f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\nSummary: {of.summary}\n"
            f"Requires-Python: >=3.11\n{requires}")


def wheel_text(tag):
    return f"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n"


def files(of, build):
    """Yields the path in the wheel and the file."""
    for folder in (of.folder, *(f"{of.folder}/{part}" for part in of.parts)):
        for path in sorted((SOURCE / folder).iterdir()):
            if path.suffix == ".py" or path.name == "py.typed":
                yield f"{folder}/{path.name}", path
    for library, folder in of.libraries.items():
        path = build / library
        if not path.exists():
            sys.exit(f"{path} is missing: build it with ninja -C {build} {library}")
        yield f"{of.folder}/{folder}/{path.name}", path


def record(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", choices=("jax-backplane", "backplane"), default="jax-backplane",
                        help="default: jax-backplane")
    parser.add_argument("--build-dir", type=pathlib.Path, default=pathlib.Path("build"), help="default: build")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("."), help="folder; default: here")
    options = parser.parse_args()
    number = version()
    of = package(options.package, installation_of(options.build_dir))
    tag = f"py3-none-linux_{platform.machine()}"
    name = options.package.replace("-", "_")
    info = f"{name}-{number}.dist-info"
    wheel = options.output / f"{name}-{number}-{tag}.whl"
    options.output.mkdir(parents=True, exist_ok=True)
    contents = [(path, file.read_bytes(), 0o755 if file.stat().st_mode & 0o111 else 0o644)
                for path, file in files(of, options.build_dir)]
    contents += [(f"{info}/{path}", text.encode(), 0o644)
                 for path, text in (("METADATA", metadata(options.package, number, of)), ("WHEEL", wheel_text(tag)),
                                    ("entry_points.txt", of.entry_points)) if text]
    listed = "".join(record(path, content) for path, content, _ in contents) + f"{info}/RECORD,,\n"
    contents.append((f"{info}/RECORD", listed.encode(), 0o644))
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content, mode in contents:
            entry = zipfile.ZipInfo(path)
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(wheel)


if __name__ == "__main__":
    main()
