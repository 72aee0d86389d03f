#!/usr/bin/env python3
"""Writes the wheel of jax-backplane: the Python package and Backplane's libraries from a build folder.

  core/python/make_wheel.py --build-dir build -o dist
  pip install dist/jax_backplane-*.whl
  JAX_PLATFORMS=backplane python -c 'import jax; print(jax.devices())'
"""

import argparse
import base64
import hashlib
import pathlib
import platform
import re
import sys
import zipfile

LIBRARIES = ["core/pjrt/libbackplane_pjrt.so", "plugins/cpu/libbackplane_cpu.so", "plugins/npu/libbackplane_npu.so"]
SOURCE = pathlib.Path(__file__).resolve().parent
ENTRY_POINTS = "[jax_plugins]\nbackplane = jax_backplane\n"


def version():
    text = (SOURCE.parent.parent / "meson.build").read_text()
    return re.search(r"version: '([^']+)'", text).group(1)


def metadata(number):
    return (f"Metadata-Version: 2.1\nName: jax-backplane\nVersion: {number}\n"
            "Summary: Backplane's backends as JAX platforms\nRequires-Python: >=3.11\nRequires-Dist: jax>=0.10\n")


def wheel_text(tag):
    return f"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n"


def files(build):
    """Yields the path in the wheel and the bytes of each file."""
    for path in sorted((SOURCE / "jax_backplane").glob("*.py")):
        yield f"jax_backplane/{path.name}", path.read_bytes()
    for library in LIBRARIES:
        path = build / library
        if not path.exists():
            sys.exit(f"{path} is missing: build it with ninja -C {build} {library}")
        yield f"jax_backplane/lib/{path.name}", path.read_bytes()


def record(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, default=pathlib.Path("build"), help="default: build")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("."), help="folder; default: here")
    options = parser.parse_args()
    number = version()
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"jax_backplane-{number}.dist-info"
    wheel = options.output / f"jax_backplane-{number}-{tag}.whl"
    options.output.mkdir(parents=True, exist_ok=True)
    contents = [*files(options.build_dir),
                (f"{info}/METADATA", metadata(number).encode()),
                (f"{info}/WHEEL", wheel_text(tag).encode()),
                (f"{info}/entry_points.txt", ENTRY_POINTS.encode())]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents:
            archive.writestr(name, content)
        listed = "".join(record(name, content) for name, content in contents) + f"{info}/RECORD,,\n"
        archive.writestr(f"{info}/RECORD", listed)
    print(wheel)


if __name__ == "__main__":
    main()
