#!/usr/bin/env python3
"""find_package(Backplane): with an installation in a temporary folder, which is not the one that it was configured for,
and without the source tree, CMake builds applications in C and C++, plugins, one of them on the emitters, and a program
that is compiled ahead of time. A component that is missing or unknown is an error that says so."""

import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from installation import APPLICATIONS, ROOT, Installation, has_sanitizer

PROJECT = "cmake_minimum_required(VERSION 3.13)\nproject(test C CXX)\n"
WARNINGS = "-Wall -Wextra -Wpedantic -Werror"
PLUGINS = """find_package(Backplane REQUIRED COMPONENTS plugin_api)
backplane_add_plugin(acme acme/acme.c)
backplane_add_plugin(zeta zeta/zeta.cc)
target_compile_features(zeta PRIVATE cxx_std_20)
# A program may use the headers, too.
file(WRITE ${CMAKE_BINARY_DIR}/user.c "#include <backplane/backplane.h>\\nint main(void) { return BP_OK; }\\n")
add_executable(user ${CMAKE_BINARY_DIR}/user.c)
target_link_libraries(user PRIVATE Backplane::plugin_api)
"""
EMITTERS = """find_package(Backplane REQUIRED COMPONENTS emit)
backplane_add_plugin(riscv64 backend.cc)
target_link_libraries(riscv64 PRIVATE Backplane::emit)
"""
AHEAD_OF_TIME = """find_package(Backplane REQUIRED COMPONENTS aot)
backplane_aot(digits digits.hlo)
add_executable(in_c in_c.c)
target_link_libraries(in_c PRIVATE digits)
"""
# Arguments of find_package, and what CMake says.
REFUSED = {
    "1.0": ["requested version", "0.1.0"],
    "COMPONENTS cqp": ["there is no component cqp, expected some of backplane, plugin_api, aot, cpp, emit"],
    "COMPONENTS backplane cpp": ["component cpp: there is no", "libbackplane_core.a"],
}
# Components that find_package finds then: the library of the C++ interface has been removed.
FOUND = """find_package(Backplane 0.1.0 EXACT REQUIRED COMPONENTS backplane OPTIONAL_COMPONENTS cpp cqp)
find_package(Backplane 0.0.1 REQUIRED)
if(NOT Backplane_backplane_FOUND OR NOT TARGET Backplane::backplane OR Backplane_cpp_FOUND OR Backplane_cqp_FOUND OR
   TARGET Backplane::cpp OR NOT EXISTS ${Backplane_PLUGIN_DIR} OR NOT COMMAND backplane_aot)
  message(FATAL_ERROR "wrong components")
endif()
"""


def build(installation, folder):
    """Configures and builds the project in a folder, in its folder `build`."""
    installation.run(["cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={installation.prefix}",
                      f"-DCMAKE_C_FLAGS={WARNINGS}", f"-DCMAKE_CXX_FLAGS={WARNINGS}"], folder)
    installation.run(["cmake", "--build", "build"], folder)
    # CMake has compilers write what they read into files of its own.
    with installation.read.open("a") as read:
        read.writelines(file.read_text() for file in folder.rglob("*.d"))
    return folder / "build"


def project(installation, name, text):
    folder = installation.folder / name
    folder.mkdir(exist_ok=True)
    (folder / "CMakeLists.txt").write_text(PROJECT + text)
    return folder


def applications(installation):
    for name, expected in APPLICATIONS.items():
        folder = shutil.copytree(ROOT / "samples" / name, installation.folder / name)
        program = shutil.copy(ROOT / "samples/04_application_in_cpp/program.hlo", folder)
        # An application that links the core statically looks in the prefix for which it was configured.
        static = {"BACKPLANE_PATH": str(installation.plugins)} if name.endswith("cpp") else {}
        printed = installation.run([build(installation, folder) / "application", "kernels", program], folder, **static)
        installation.check([line.strip() for line in printed.splitlines()] == expected, f"{name} printed\n{printed}")


def plugins(installation):
    folder = project(installation, "plugins", PLUGINS)
    for name, language in (("acme", "c"), ("zeta", "cpp")):
        installation.run(["backplane", "new", name, "--lang", language], folder)
    built = build(installation, folder)
    installation.run([built / "user"], folder)
    for name in ("acme", "zeta"):
        printed = installation.run(["backplane", "conform", name, "--stage", "x_ray,life_cycle"], folder,
                                   BACKPLANE_PATH=str(built))
        installation.check(" 0 unexpected" in printed, f"{name}: backplane conform printed\n{printed}")


def emitters(installation):
    if not list(installation.prefix.rglob("libbp_emit.a")):
        return
    folder = project(installation, "emitters", EMITTERS)
    shutil.copy(ROOT / "samples/07_backend_for_an_llvm_target/backend.cc", folder)
    library = build(installation, folder) / "libbackplane_riscv64.so"
    printed = installation.run(["backplane", "inspect", library], folder)
    installation.check("can be loaded" in printed, f"backplane inspect printed\n{printed}")


def ahead_of_time(installation):
    if not (installation.plugins / "libbackplane_cpu.so").exists():
        return
    folder = project(installation, "ahead_of_time", AHEAD_OF_TIME)
    for file in ("models/digits.hlo", "06_program_without_backplane/in_c.c", "06_program_without_backplane/digit.inc"):
        shutil.copy(ROOT / "samples" / file, folder)
    printed = installation.run([build(installation, folder) / "in_c"], folder)
    installation.check(printed.startswith("the picture shows a 0"), f"in_c printed {printed}")


def missing_parts(installation):
    """Last, because it takes a library out of the installation."""
    next(installation.prefix.rglob("libbackplane_core.a")).unlink()
    for number, (arguments, expected) in enumerate(REFUSED.items()):
        folder = project(installation, f"refused_{number}", f"find_package(Backplane {arguments} REQUIRED)\n")
        printed = installation.run(["cmake", f"-DCMAKE_PREFIX_PATH={installation.prefix}", "."], folder, code=1)
        words = " ".join(printed.split())  # CMake breaks lines where it likes
        for text in expected:
            installation.check(text in words, f"find_package(Backplane {arguments}) says no '{text}':\n{printed}")
    folder = project(installation, "found", FOUND)
    installation.run(["cmake", f"-DCMAKE_PREFIX_PATH={installation.prefix}", "."], folder)


def main():
    if has_sanitizer():
        print("what links this build would have to be built with its sanitizer")
        return 77
    if shutil.which("cmake") is None:
        print("there is no cmake")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(folder)
        for check in (applications, plugins, emitters, ahead_of_time, missing_parts):
            check(installation)
        return installation.finish()


if __name__ == "__main__":
    sys.exit(main())
