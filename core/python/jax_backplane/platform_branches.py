"""jax.lax.platform_dependent whose branches know nothing of Backplane.

JAX refuses a program that has neither a branch for the platform nor a default. It gets the branch for cpu here, which
is mostly plain JAX; a foreign function in it that Backplane lacks is an error that names the function.
"""


def with_platform(branches, platform: str):
    """Returns the platforms of each branch (None: the default) with `platform` beside cpu, if no other is for it."""
    if branches is None or any(names is None or platform in names for names in branches):
        return branches
    return tuple((*names, platform) if "cpu" in names else names for names in branches)


def add_rules(platform: str):
    from jax._src.interpreters import mlir
    from jax._src.lax.control_flow import conditionals

    lower_index = mlir._lowerings[conditionals.platform_index_p].rule
    lower_cond = mlir._lowerings[conditionals.cond_p].rule

    def lower_index_here(context, *, platforms):
        return lower_index(context, platforms=with_platform(platforms, platform))

    def lower_cond_here(context, *operands, branches_platforms=None, **parameters):
        return lower_cond(context, *operands, branches_platforms=with_platform(branches_platforms, platform),
                          **parameters)

    mlir.register_lowering(conditionals.platform_index_p, lower_index_here, platform=platform)
    mlir.register_lowering(conditionals.cond_p, lower_cond_here, platform=platform)
