"""Small programs of Flax, Optax, Equinox, Diffrax and NumPyro, written as their documentation does. libraries.py tests
them, and tools/bench/jax_race measures them."""

import functools
from typing import Any, Callable, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

PROGRAMS = {}


class Program(NamedTuple):
    """What a function of PROGRAMS returns, on the device that is JAX's default at the call."""
    step: Callable  # (state, *data) -> (the next state, a result)
    state: Any
    data: tuple = ()
    steps: int = 8
    promise: Callable = np.stack  # what runs on two devices have in common, of the list of results
    # Relative to the largest number of the promise. Sums in another order differ by some 1e-7 in f32, which a few steps
    # of training amplify a hundredfold at most; an error in a gradient shows in the second step.
    tolerance: float = 1e-4


def program(*libraries):
    """Adds a function to PROGRAMS, which returns a Program, and fails with an ImportError if one of the libraries is
    missing."""
    def add(function):
        @functools.wraps(function)
        def make():
            for library in libraries:
                __import__(library)
            return function()
        PROGRAMS[function.__name__] = make
        return make
    return add


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def letters(batch, length, seed=0):
    """Sequences of letters 0 to 15, each a fixed function of the two before it."""
    table = np.random.default_rng(seed).integers(0, 16, (16, 16))
    text = np.random.default_rng(seed + 1).integers(0, 16, (batch, length))
    for i in range(2, length):
        text[:, i] = table[text[:, i - 1], text[:, i - 2]]
    return text.astype(np.int32)


def cross_entropy(logits, labels):
    import optax
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def flax_training(model, optimizer, loss, data, **keywords):
    """Returns the Program that trains a module of flax.linen; loss(apply, variables, *data) -> a number."""
    from flax.training import train_state

    variables = jax.jit(model.init)(jax.random.key(0), data[0])
    state = train_state.TrainState.create(apply_fn=model.apply, params=variables["params"], tx=optimizer)

    @jax.jit
    def step(state, *data):
        value, gradients = jax.value_and_grad(lambda params: loss(state.apply_fn, params, *data))(state.params)
        return state.apply_gradients(grads=gradients), value

    return Program(step, state, data, **keywords)


@program("flax", "optax")
def linen_mlp_adam():
    import optax
    from flax import linen as nn

    model = nn.Sequential([nn.Dense(256), nn.gelu, nn.Dense(256), nn.LayerNorm(), nn.tanh, nn.Dense(10)])
    schedule = optax.warmup_cosine_decay_schedule(0.0, 3e-3, warmup_steps=3, decay_steps=20)
    data = numbers(128, 64), np.arange(128) % 10
    return flax_training(model, optax.adam(schedule), lambda apply, params, x, y: cross_entropy(
        apply({"params": params}, x), y), data)


@program("flax", "optax")
def linen_cnn_with_batch_norm():
    import optax
    from flax import linen as nn

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            for width in (16, 32):
                x = nn.Conv(width, (3, 3))(x)
                x = nn.relu(nn.BatchNorm(use_running_average=not train, momentum=0.9)(x))
                x = nn.max_pool(x, (2, 2), strides=(2, 2))
            x = nn.relu(nn.Dense(64)(x.reshape(x.shape[0], -1)))
            return nn.Dense(10)(nn.Dropout(0.25, deterministic=not train)(x))

    model, optimizer = Network(), optax.sgd(0.05, momentum=0.9, nesterov=True)
    data = numbers(32, 16, 16, 3), np.arange(32) % 10
    variables = jax.jit(model.init, static_argnums=2)(jax.random.key(0), data[0], False)
    params, statistics = variables["params"], variables["batch_stats"]

    @jax.jit
    def step(state, images, labels):
        params, statistics, memory, key = state
        key, own = jax.random.split(key)

        def loss(params):
            logits, updates = model.apply({"params": params, "batch_stats": statistics}, images, True,
                                          mutable=["batch_stats"], rngs={"dropout": own})
            return cross_entropy(logits, labels), updates["batch_stats"]

        (value, statistics), gradients = jax.value_and_grad(loss, has_aux=True)(params)
        updates, memory = optimizer.update(gradients, memory, params)
        return (optax.apply_updates(params, updates), statistics, memory, key), value

    return Program(step, (params, statistics, optimizer.init(params), jax.random.key(1)), data)


@program("flax", "optax")
def linen_lstm_with_clipping():
    import optax
    from flax import linen as nn

    class Network(nn.Module):
        @nn.compact
        def __call__(self, text):
            x = nn.Embed(16, 32)(text)
            return nn.Dense(16)(nn.RNN(nn.OptimizedLSTMCell(64))(x))

    optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(1e-2))
    return flax_training(Network(), optimizer, lambda apply, params, text: cross_entropy(
        apply({"params": params}, text[:, :-1]), text[:, 1:]), (letters(16, 33),))


@program("flax", "optax")
def linen_transformer_adamw():
    import optax
    from flax import linen as nn

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x, mask):
            x = x + nn.MultiHeadDotProductAttention(num_heads=4)(nn.LayerNorm()(x), mask=mask)
            return x + nn.Dense(64)(nn.gelu(nn.Dense(256)(nn.LayerNorm()(x))))

    class Network(nn.Module):
        @nn.compact
        def __call__(self, text):
            embed = nn.Embed(16, 64)
            x = embed(text) + self.param("positions", nn.initializers.normal(0.02), (text.shape[1], 64))
            for _ in range(2):
                x = nn.remat(Block)()(x, nn.make_causal_mask(text))
            return embed.attend(nn.LayerNorm()(x))

    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(optax.linear_schedule(3e-3, 1e-3, 10)))
    text = letters(16, 33)
    return flax_training(Network(), optimizer, lambda apply, params, text, following: cross_entropy(
        apply({"params": params}, text), following), (text[:, :-1], text[:, 1:]))


@program("flax", "optax")
def nnx_mlp_with_dropout():
    import optax
    from flax import nnx

    class Network(nnx.Module):
        def __init__(self, rngs):
            self.first = nnx.Linear(64, 256, rngs=rngs)
            self.norm = nnx.BatchNorm(256, rngs=rngs)
            self.dropout = nnx.Dropout(0.2, rngs=rngs)
            self.last = nnx.Linear(256, 1, rngs=rngs)

        def __call__(self, x):
            return self.last(self.dropout(nnx.silu(self.norm(self.first(x)))))

    model = Network(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.lion(1e-3), wrt=nnx.Param)

    @nnx.jit
    def train(model, optimizer, x, y):
        value, gradients = nnx.value_and_grad(lambda model: jnp.mean((model(x)[:, 0] - y) ** 2))(model)
        optimizer.update(model, gradients)
        return value

    def step(state, x, y):
        return state, train(*state, x, y)  # modules change in place

    x = numbers(128, 64)
    return Program(step, (model, optimizer), (x, np.sin(x[:, 0]) * x[:, 1]))


@program("flax", "optax")
def nnx_transformer_with_scan_over_layers():
    import optax
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self, rngs):
            self.attention = nnx.MultiHeadAttention(4, 32, decode=False, rngs=rngs)
            self.norms = nnx.List([nnx.RMSNorm(32, rngs=rngs) for _ in range(2)])
            self.up, self.down = nnx.Linear(32, 128, rngs=rngs), nnx.Linear(128, 32, rngs=rngs)

        def __call__(self, x):
            x = x + self.attention(self.norms[0](x))
            return x + self.down(nnx.relu(self.up(self.norms[1](x))))

    class Network(nnx.Module):
        def __init__(self, rngs):
            @nnx.split_rngs(splits=3)
            @nnx.vmap(in_axes=0, out_axes=0)
            def blocks(rngs):
                return Block(rngs)
            self.blocks, self.head = blocks(rngs), nnx.Linear(32, 4, rngs=rngs)

        def __call__(self, x):
            @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
            def forward(x, block):
                return block(x)
            return self.head(forward(x, self.blocks).mean(axis=1))

    model = Network(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(3e-3), wrt=nnx.Param)

    @nnx.jit
    def train(model, optimizer, x, y):
        value, gradients = nnx.value_and_grad(lambda model: cross_entropy(model(x), y))(model)
        optimizer.update(model, gradients)
        return value

    def step(state, x, y):
        return state, train(*state, x, y)

    return Program(step, (model, optimizer), (numbers(16, 24, 32), np.arange(16) % 4))


@program("optax")
def optax_optimizers_on_vmapped_problems():
    import optax

    optimizers = [optax.adafactor(1e-2), optax.lamb(1e-2), optax.rmsprop(1e-2), optax.adabelief(1e-2),
                  optax.sgd(optax.exponential_decay(1e-2, 5, 0.5), momentum=0.9), optax.contrib.muon(1e-2)]

    def loss(w, x):
        return jnp.mean(jnp.log1p(jnp.exp(-x @ w)) + 0.01 * jnp.sum(w * w))

    @jax.jit
    def step(state, x):
        def one_step(carry, _):
            params, memories = carry
            values, found = [], []
            for optimizer, w, memory in zip(optimizers, params, memories):
                value, gradients = jax.vmap(jax.value_and_grad(loss))(w, x)
                updates, memory = optimizer.update(gradients, memory, w)
                values.append(value.mean())
                found.append((optax.apply_updates(w, updates), memory))
            return tuple(map(list, zip(*found))), jnp.stack(values)
        return jax.lax.scan(one_step, state, length=5)

    params = [jnp.asarray(numbers(4, 16, 8)) for _ in optimizers]
    memories = [optimizer.init(w) for optimizer, w in zip(optimizers, params)]
    return Program(step, (params, memories), (numbers(4, 32, 16, seed=1),), steps=4)


@program("optax")
def optax_lbfgs_with_line_search():
    import optax

    optimizer = optax.lbfgs()

    def rosenbrock(x):
        return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    @jax.jit
    def step(state):
        x, memory = state
        value, gradient = optax.value_and_grad_from_state(rosenbrock)(x, state=memory)
        update, memory = optimizer.update(gradient, memory, x, value=value, grad=gradient, value_fn=rosenbrock)
        return (optax.apply_updates(x, update), memory), x

    # The way to the minimum, which is at 1, depends on rounding.
    x = jnp.full(8, -0.5)
    return Program(step, (x, optimizer.init(x)), steps=60, promise=lambda results: results[-1])


@program("equinox", "optax")
def equinox_ensemble():
    import equinox as eqx
    import optax

    @eqx.filter_vmap
    def ensemble(key):
        return eqx.nn.MLP(8, 1, width_size=64, depth=2, activation=jax.nn.silu, key=key)

    optimizer = optax.adamw(3e-3)

    @eqx.filter_jit
    def step(state, x, y):
        models, memory = state

        @eqx.filter_value_and_grad
        def loss(models):
            predicted = eqx.filter_vmap(lambda model: jax.vmap(model)(x), in_axes=eqx.if_array(0))(models)
            return jnp.mean((predicted[..., 0] - y) ** 2)

        value, gradients = loss(models)
        updates, memory = optimizer.update(gradients, memory, eqx.filter(models, eqx.is_array))
        return (eqx.apply_updates(models, updates), memory), value

    models = ensemble(jax.random.split(jax.random.key(0), 6))
    x = numbers(64, 8)
    return Program(step, (models, optimizer.init(eqx.filter(models, eqx.is_array))), (x, np.cos(x.sum(axis=1))))


@program("equinox", "optax")
def equinox_gru():
    import equinox as eqx
    import optax

    class Network(eqx.Module):
        cell: eqx.nn.GRUCell
        head: eqx.nn.Linear

        def __init__(self, key):
            first, second = jax.random.split(key)
            self.cell, self.head = eqx.nn.GRUCell(4, 48, key=first), eqx.nn.Linear(48, 1, key=second)

        def __call__(self, xs):
            last, _ = jax.lax.scan(lambda h, x: (self.cell(x, h), None), jnp.zeros(48), xs)
            return self.head(last)[0]

    optimizer = optax.chain(optax.clip(1.0), optax.adam(1e-2))

    @eqx.filter_jit
    def step(state, x, y):
        model, memory = state
        value, gradients = eqx.filter_value_and_grad(
            lambda model: optax.sigmoid_binary_cross_entropy(jax.vmap(model)(x), y).mean())(model)
        updates, memory = optimizer.update(gradients, memory)
        return (eqx.apply_updates(model, updates), memory), value

    model = Network(jax.random.key(0))
    x = numbers(32, 24, 4)
    return Program(step, (model, optimizer.init(eqx.filter(model, eqx.is_array))),
                   (x, (x.sum(axis=(1, 2)) > 0).astype(np.float32)))


@program("diffrax")
def diffrax_adaptive_solver():
    import diffrax

    def predator_and_prey(t, y, rates):
        return jnp.stack([rates[0] * y[0] - rates[1] * y[0] * y[1], rates[2] * y[0] * y[1] - rates[3] * y[1]])

    @jax.jit
    def step(y, rates):
        def solve(y):
            return diffrax.diffeqsolve(
                diffrax.ODETerm(predator_and_prey), diffrax.Tsit5(), t0=0.0, t1=4.0, dt0=None, y0=y, args=rates,
                saveat=diffrax.SaveAt(ts=jnp.linspace(0.0, 4.0, 9)),
                stepsize_controller=diffrax.PIDController(rtol=1e-5, atol=1e-6)).ys
        found = jax.vmap(solve)(y)
        return found[:, -1], found

    return Program(step, jnp.asarray(1.0 + 0.2 * np.abs(numbers(16, 2))), (np.float32([1.5, 1.0, 1.0, 3.0]),), steps=4,
                   tolerance=1e-3)  # rounding changes the sizes of steps, which promise errors of 1e-5 each


@program("diffrax")
def diffrax_stiff_solver():
    import diffrax

    def robertson(t, y, rates):
        slow, fast, middle = rates[0] * y[0], rates[1] * y[1] ** 2, rates[2] * y[1] * y[2]
        return jnp.stack([middle - slow, slow - fast - middle, fast])

    @jax.jit
    def step(y, rates):
        found = diffrax.diffeqsolve(
            diffrax.ODETerm(robertson), diffrax.Kvaerno3(), t0=0.0, t1=10.0, dt0=1e-3, y0=y, args=rates,
            stepsize_controller=diffrax.PIDController(rtol=1e-4, atol=1e-6)).ys[-1]
        return found, found

    return Program(step, jnp.asarray([1.0, 0.0, 0.0]), (np.float32([0.04, 3e7, 1e4]),), steps=3)


@program("diffrax", "equinox", "optax")
def diffrax_neural_ode_adjoint():
    import diffrax
    import equinox as eqx
    import optax

    optimizer = optax.adabelief(3e-3)

    def solve(model, y, adjoint):
        return diffrax.diffeqsolve(
            diffrax.ODETerm(lambda t, y, model: model(y)), diffrax.Dopri5(), t0=0.0, t1=1.0, dt0=0.125, y0=y,
            args=model, adjoint=adjoint).ys[-1]

    @eqx.filter_jit
    def step(state, x, y):
        model, memory = state

        def loss(model, adjoint):
            return jnp.mean((jax.vmap(lambda x: solve(model, x, adjoint))(x) - y) ** 2)

        value, gradients = eqx.filter_value_and_grad(loss)(model, diffrax.RecursiveCheckpointAdjoint())
        backwards = eqx.filter_grad(loss)(model, diffrax.BacksolveAdjoint())
        updates, memory = optimizer.update(gradients, memory)
        return (eqx.apply_updates(model, updates), memory), jnp.stack([value, optax.global_norm(backwards)])

    model = eqx.nn.MLP(2, 2, width_size=32, depth=2, activation=jax.nn.softplus, key=jax.random.key(0))
    x = numbers(32, 2)
    quarter_turn = x[:, ::-1] * np.float32([1, -1])
    return Program(step, (model, optimizer.init(eqx.filter(model, eqx.is_array))), (x, quarter_turn))


@program("diffrax")
def diffrax_stochastic_solver():
    import diffrax

    @jax.jit
    def step(keys, rates):
        def solve(key):
            noise = diffrax.VirtualBrownianTree(0.0, 1.0, tol=1e-3, shape=(), key=key)
            terms = diffrax.MultiTerm(diffrax.ODETerm(lambda t, y, rates: rates[0] * (rates[1] - y)),
                                      diffrax.ControlTerm(lambda t, y, rates: rates[2], noise))
            return diffrax.diffeqsolve(terms, diffrax.Euler(), t0=0.0, t1=1.0, dt0=0.02, y0=jnp.float32(0.0),
                                       args=rates).ys[-1]
        return jax.vmap(lambda key: jax.random.fold_in(key, 1))(keys), jax.vmap(solve)(keys)

    return Program(step, jax.random.split(jax.random.key(0), 64), (np.float32([2.0, 1.0, 0.3]),), steps=3)


@program("numpyro")
def numpyro_nuts():
    import numpyro
    from numpyro import distributions as dist

    def model(x, y=None):
        weights = numpyro.sample("weights", dist.Normal(jnp.zeros(3), 1.0).to_event(1))
        scale = numpyro.sample("scale", dist.HalfNormal(1.0))
        numpyro.sample("y", dist.Normal(x @ weights, scale), obs=y)

    kernel = numpyro.infer.NUTS(model)
    x = numbers(100, 3)
    data = x, (x @ np.float32([1.0, -2.0, 0.5]) + 0.5 * numbers(100, seed=1)).astype(np.float32)

    @jax.jit
    def step(state, *data):
        def draw(state, _):
            state = kernel.sample(state, data, {})
            # The scale is sampled as its logarithm.
            return state, jnp.append(state.z["weights"], jnp.exp(state.z["scale"]))
        return jax.lax.scan(draw, state, length=100)

    # Two chains that round differently soon draw different numbers, from the same distribution: the means of 900 draws
    # after the warm-up differ by their errors, which are about 0.05 / sqrt(900 / 2): a quarter of what is allowed.
    state = kernel.init(jax.random.key(0), 300, None, data, {})
    return Program(step, state, data, steps=12, tolerance=5e-3,
                   promise=lambda results: np.concatenate(results[3:]).mean(axis=0))


@program("numpyro")
def numpyro_svi():
    import numpyro
    from numpyro import distributions as dist
    from numpyro.infer.autoguide import AutoMultivariateNormal

    def model(x, y=None):
        bias = numpyro.sample("bias", dist.StudentT(4.0, 0.0, 2.0))
        with numpyro.plate("features", 8):
            weights = numpyro.sample("weights", dist.Laplace(0.0, 1.0))
        with numpyro.plate("rows", 256):
            numpyro.sample("y", dist.Bernoulli(logits=x @ weights + bias), obs=y)

    svi = numpyro.infer.SVI(model, AutoMultivariateNormal(model), numpyro.optim.ClippedAdam(0.02),
                            numpyro.infer.Trace_ELBO(num_particles=4))
    x = numbers(256, 8)
    data = x, (x[:, 0] - x[:, 1] + numbers(256, seed=1) > 0).astype(np.float32)
    step = jax.jit(lambda state, *data: jax.lax.scan(lambda state, _: svi.update(state, *data), state, length=10))
    return Program(step, svi.init(jax.random.key(0), *data), data)
