"""Factorizations for which JAX has rules for its own platforms alone.

eigh becomes the custom call "Eigh", which Backplane's core expands into loops that every backend runs. The others need
iterations without a bound, or a library: they are calls of LAPACK on the host, by the functions that JAX's cpu platform
calls.

Where sizes are symbolic, as in jax.export, eigh and lu are custom calls of JAX's platforms, too, because the rules for
known sizes have to compare them. svd of small matrices is one, too: the core's expansion takes half the time of JAX's
general rule.
"""


def lower_eigh(context, operand, *, lower, sort_eigenvalues, subset_by_index, algorithm):
    """Lowers eigh to the custom call "Eigh"."""
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir.dialects import hlo

    del subset_by_index, algorithm  # all eigenvalues, by Jacobi's method
    operand_aval, = context.avals_in
    if operand_aval.shape[-1] == 0:
        values = operand_aval.update(shape=operand_aval.shape[:-1])
        return [operand, hlo.real(mlir.reshape(context, operand, values))]
    types = [mlir.aval_to_ir_type(context.module_context, aval) for aval in context.avals_out]
    return mlir.custom_call("Eigh", result_types=types, operands=[operand], api_version=1,
                            backend_config=f"{int(lower)},{int(sort_eigenvalues)},100,1e-6").results


def has_symbolic_sizes(context) -> bool:
    from jax._src import core

    return not all(core.is_constant_shape(aval.shape) for aval in context.avals_in)


MAX_SVD_SIZE = 512  # the core's expansion of gesdd has square matrices of both sizes


def add_eigh_lu_svd(platform: str):
    """Registers rules whose custom calls the core expands. lu of known sizes is left to JAX's loops over blocks, svd of
    large matrices to its reduction to small ones."""
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg

    def register(primitive, rule, rule_for_call, is_for_call=has_symbolic_sizes):
        mlir.register_lowering(
            primitive,
            lambda context, *operands, **parameters: (rule_for_call if is_for_call(context) else rule)(
                context, *operands, **parameters),
            platform=platform)

    def is_small(context):
        return has_symbolic_sizes(context) or max(context.avals_in[0].shape[-2:]) <= MAX_SVD_SIZE

    of = mlir._platform_specific_lowerings
    general = mlir._lowerings
    register(linalg.eigh_p, lower_eigh, of["cpu"][linalg.eigh_p].rule)
    register(linalg.lu_p, general[linalg.lu_p].rule, of["tpu"][linalg.lu_p].rule)
    register(linalg.svd_p, general[linalg.svd_p].rule, of["cpu"][linalg.svd_p].rule, is_small)


def add_lapack(platform: str):
    """Registers the functions of LAPACK, and the rules of JAX's cpu platform that call them."""
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg
    from jaxlib import lapack, xla_client

    for name, function, api_version in lapack.registrations()["cpu"]:
        xla_client.register_custom_call_target(name, function, platform=platform, api_version=api_version)
    of_cpu = mlir._platform_specific_lowerings["cpu"]
    for primitive in (linalg.eig_p, linalg.geqp3_p, linalg.hessenberg_p, linalg.schur_p, linalg.tridiagonal_p,
                      linalg.tridiagonal_solve_p):
        mlir.register_lowering(primitive, of_cpu[primitive].rule, platform=platform)
