"""Backplane's backends as JAX platforms.

JAX calls initialize() when a backend is used for the first time. Registers the platforms `backplane` (the backend that
BACKPLANE_BACKEND names, cpu if nothing is said) and `backplane_NAME` (the backend NAME), if JAX_PLATFORMS or
jax.config's jax_platforms name them; otherwise nothing is registered, loaded or printed.
"""

import os
import pathlib
import sys

from jax_backplane import callbacks, foreign_functions, linear_algebra, platform_branches

PREFIX = "backplane"
LIBRARY = "libbackplane_pjrt.so"
TESTED_WITH = "0.10.2"  # the version of JAX whose internals are used here


def platforms(names: str | None) -> list[str]:
    """Returns the platforms of Backplane in a list such as "backplane_npu,cpu"."""
    listed = [name.strip() for name in (names or "").split(",")]
    return [name for name in listed if name == PREFIX or name.startswith(PREFIX + "_")]


def library_path() -> pathlib.Path:
    """Returns the library: BACKPLANE_PJRT_LIBRARY, or the one in this package."""
    named = os.environ.get("BACKPLANE_PJRT_LIBRARY")
    return pathlib.Path(named) if named else pathlib.Path(__file__).parent / "lib" / LIBRARY


def backend_option(platform: str) -> str:
    """Returns the name of a platform's backend, or the path of its plugin if the package has it."""
    name = os.environ.get("BACKPLANE_BACKEND") or "cpu" if platform == PREFIX else platform[len(PREFIX) + 1:]
    own = pathlib.Path(__file__).parent / "lib" / f"libbackplane_{name}.so"
    return str(own) if "BACKPLANE_PATH" not in os.environ and own.exists() else name


class SerializingBackend:
    """What JAX asks a backend before it uses the persistent compilation cache."""
    platform = "cpu"
    supports_executable_serialization = True


def add_rules(platform: str, c_api) -> list[str]:
    """Adds what JAX has by hard-coded lists of platforms. Returns what could not be added, as JAX's internals differ.

    `c_api`: the capsule of the library's PJRT_Api.
    """
    failed = []

    def attempt(what, add):
        try:
            add()
        except Exception as error:  # JAX's internals are no interface: any may be missing
            failed.append(f"{what} ({type(error).__name__}: {error})")

    def add_donation():
        from jax._src.interpreters import mlir
        mlir._platforms_with_donation.append(platform)

    def add_foreign_functions():
        from jaxlib import xla_client
        xla_client.register_custom_call_handler(platform, foreign_functions.registrar(c_api))

    def add_cache():
        from jax._src import compilation_cache
        original = compilation_cache.is_cache_used
        if getattr(original, "is_backplane", False):
            return

        def is_cache_used(backend):
            return original(SerializingBackend() if platforms(backend.platform) else backend)

        is_cache_used.is_backplane = True
        compilation_cache.is_cache_used = is_cache_used

    attempt("the donation of buffers", add_donation)
    attempt("the compilation cache", add_cache)
    attempt("jax.ffi", add_foreign_functions)
    attempt("callbacks", lambda: callbacks.add_rules(platform, c_api))
    attempt("lax.platform_dependent", lambda: platform_branches.add_rules(platform))
    attempt("eigh, lu and svd", lambda: linear_algebra.add_eigh_lu_svd(platform))
    attempt("eig, schur, hessenberg, tridiagonal and qr with pivots", lambda: linear_algebra.add_lapack(platform))
    return failed


def warn(message: str):
    print(f"jax_backplane: {message}", file=sys.stderr)


def initialize():
    """Registers the platforms that are asked for. Says clearly what is wrong if one cannot be used."""
    import jax
    from jax._src import xla_bridge

    wanted = platforms(jax.config.jax_platforms)
    if not wanted:
        return
    library = library_path()
    if not library.exists():
        warn(f"there is no {library}: install the wheel of jax-backplane, or set BACKPLANE_PJRT_LIBRARY to the path of "
             f"{LIBRARY}")
        return
    for platform in wanted:
        if platform in xla_bridge._backend_factories:
            continue
        c_api = xla_bridge.register_plugin(platform, library_path=str(library),
                                           options={"backend": backend_option(platform), "platform_name": platform})
        for what in add_rules(platform, c_api):
            warn(f"JAX {jax.__version__} lacks what {what} needs here; tested with JAX {TESTED_WITH}")
