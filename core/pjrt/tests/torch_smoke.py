"""Runs PyTorch programs on a backend of Backplane by torch_xla and on PyTorch's own cpu, and compares. One line per
program; ends with the number that passed. BACKPLANE_PJRT_LIBRARY names the library, BACKPLANE_BACKEND the backend.
Arguments: the names of programs, if not all of them are to run."""

import io
import os
import sys
import threading
import warnings

os.environ["PJRT_DEVICE"] = "BACKPLANE"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # torch_xla warns that there is no profiler

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm
from torch import nn
from torch_xla.experimental import plugins
from torch_xla.experimental.scan import scan

PROGRAMS = {}


class Plugin(plugins.DevicePlugin):
    def library_path(self):
        return os.environ["BACKPLANE_PJRT_LIBRARY"]


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def is_ours(device):
    return device.type == "xla"


def forward_and_backward(module, *inputs):
    """Returns the result of a module, and the gradients of its inputs and parameters."""
    inputs = [x.requires_grad_() if x.is_floating_point() else x for x in inputs]
    result = module(*inputs)
    result = result[0] if isinstance(result, tuple) else result
    (result * torch.cos(torch.arange(result.numel(), device=result.device)).reshape(result.shape)).sum().backward()
    return result, [x.grad for x in inputs if x.grad is not None], [p.grad for p in module.parameters()]


def made(make, device):
    """Returns a module with the same parameters on every device."""
    torch.manual_seed(0)
    return make().to(device)


@program
def elementwise(device):
    x = numbers(3, 5).to(device)
    return torch.tanh(x) * torch.exp(-x) + torch.where(x > 0, x, x / 2), F.gelu(x), torch.erf(x), x.abs().log1p()


@program
def transfers(device):
    types = [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
             torch.uint8, torch.bool, torch.complex64]
    moved = [torch.arange(6).reshape(2, 3).to(dtype).to(device) for dtype in types]
    assert [x.cpu().dtype for x in moved] == types
    others = [torch.zeros(0, 3), torch.tensor(3.5), numbers(2, 3, 4).permute(2, 0, 1)]
    return moved, [x.to(device) for x in others]


@program
def arithmetic_of_each_type(device):
    results = []
    for dtype in (torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.int8, torch.uint8):
        x = torch.arange(1, 7, device=device).to(dtype)
        results += [x * 3 - x, (x / 2).float(), x // 2, x % 4, x > 3, x.sum()]
    flags = torch.tensor([True, False, True]).to(device)
    return results, flags & ~flags, flags ^ True, flags.any(), flags.sum()


@program
def reductions_and_sorting(device):
    x = numbers(4, 6, 5).to(device)
    return (x.sum(), x.max(1), x.argmin(2), x.cumsum(2), x.var(1), torch.logsumexp(x, 1), x.sort(1), x.topk(3, 2),
            x.median(1), torch.quantile(x, 0.3, dim=1))


@program
def matrices(device):
    a, b = numbers(7, 5).to(device), numbers(5, 6, seed=1).to(device)
    return a @ b, torch.einsum("ij,kj->ik", a, a), torch.bmm(a[None], b[None]), a.double() @ b.double(), a.t() @ a


@program
def bfloat16_matrices(device):
    return numbers(8, 8).bfloat16().to(device) @ numbers(8, 8, seed=1).bfloat16().to(device)


@program
def in_place(device):
    x = numbers(4, 4).to(device)
    view = x.view(16)
    x.add_(1).mul_(2).relu_()
    view[3] = 9  # also seen in x
    x[0].zero_()
    x.t().sub_(1)
    x[1:3].exp_()
    y = torch.empty_like(x)
    torch.add(x, 1, out=y)
    return x, view, y


@program
def indexing(device):
    x, i = numbers(6, 4).to(device), torch.tensor([5, 0, 3]).to(device)
    y = x.clone()
    y[i] = 7.0
    y[2:4, 1:3] = 0
    y[x > 1] = -1
    y.index_put_((i, i % 4), numbers(3).to(device), accumulate=True)
    y.scatter_add_(0, torch.tensor([[0, 1, 2, 3], [0, 2, 1, 0]]).to(device), numbers(2, 4).to(device))
    return y, x[i], x[:, -1], x[1:5:2], x[i[0]], x.gather(1, i[:, None] % 4), x.index_select(0, i)


@program
def results_of_unknown_size(device):
    x = numbers(4, 6).to(device)
    return x.nonzero(), x[x > 0], torch.masked_select(x, x < 0).sum(), x[: int((x > 0).sum()) % 4]


@program
def linear(device):
    return forward_and_backward(made(lambda: nn.Linear(5, 7), device), numbers(3, 5).to(device))


@program
def convolutions(device):
    x = numbers(2, 4, 9, 9).to(device)
    makers = [lambda: nn.Conv2d(4, 6, 3, stride=2, padding=1), lambda: nn.Conv2d(4, 8, 3, groups=2, dilation=2),
              lambda: nn.ConvTranspose2d(4, 3, 3, stride=2), lambda: nn.MaxPool2d(3, 2, 1), lambda: nn.AvgPool2d(2)]
    return [forward_and_backward(made(make, device), x.detach().clone()) for make in makers]


@program
def normalizations(device):
    """Without running_var, which torch_xla computes in another way than PyTorch."""
    x = numbers(4, 6, 5, 5).to(device)
    batch_norm = made(lambda: nn.BatchNorm2d(6), device)
    makers = [lambda: nn.LayerNorm(5), lambda: nn.GroupNorm(2, 6)]
    return (forward_and_backward(batch_norm, x), batch_norm.running_mean,
            [forward_and_backward(made(make, device), x.detach().clone()) for make in makers])


@program
def embedding(device):
    return forward_and_backward(made(lambda: nn.Embedding(10, 4, padding_idx=1), device),
                                torch.tensor([[1, 2, 3], [9, 2, 0]]).to(device))


@program
def attention(device):
    def inputs():
        return [numbers(2, 5, 8, seed=seed).to(device) for seed in range(3)]
    return (forward_and_backward(made(lambda: nn.MultiheadAttention(8, 2, batch_first=True), device), *inputs()),
            F.scaled_dot_product_attention(*inputs(), is_causal=True),
            forward_and_backward(made(lambda: nn.TransformerEncoderLayer(8, 2, 16, 0.0), device), inputs()[0]))


@program
def recurrence(device):
    return forward_and_backward(made(lambda: nn.LSTM(4, 6, 2), device), numbers(5, 2, 4).to(device))


@program
def twenty_steps_of_each_optimizer(device):
    x = numbers(32, 4).to(device)
    classes = (x.sum(1) > 0).long()
    losses = []
    for optimizer in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop):
        model = made(lambda: nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.LayerNorm(16), nn.Linear(16, 2)), device)
        steps = optimizer(model.parameters(), lr=0.01)
        for _ in range(20):
            steps.zero_grad()
            loss = F.cross_entropy(model(x), classes)
            loss.backward()
            steps.step()
            if is_ours(device):
                torch_xla.sync()
            losses.append(loss.detach())
    return losses


@program
def autocast_to_bfloat16(device):
    model = made(lambda: nn.Linear(8, 2), device)
    with torch.autocast(device.type, dtype=torch.bfloat16):
        result = model(numbers(16, 8).to(device))
    result.float().square().mean().backward()
    return result, model.weight.grad


@program
def random_numbers(device):
    """Statistics, because the devices draw different numbers."""
    torch.manual_seed(1)
    count = 10000
    uniform, normal = torch.rand(count, device=device), torch.randn(count, device=device)
    integers = torch.randint(0, 10, (count,), device=device)
    kept = F.dropout(torch.ones(count, device=device), 0.3)
    means = [x.float().mean().cpu() for x in (uniform, normal, integers, kept, kept == 0)]
    expected, tolerance = torch.tensor([0.5, 0.0, 4.5, 1.0, 0.3]), torch.tensor([0.02, 0.05, 0.15, 0.03, 0.03])
    return ((torch.stack(means) - expected).abs() < tolerance, (uniform >= 0).all() & (uniform < 1).all(),
            (normal.std() - 1).abs() < 0.05)


@program
def printed(device):
    x = torch.arange(6.0).reshape(2, 3).to(device)
    text = repr(x).replace(f", device='{device}'", "") + f" {x[0, 1].item()} {x.tolist()} {x.sum():.2f}"
    return torch.tensor([ord(letter) for letter in text])


@program
def saved(device):
    stored = io.BytesIO()
    torch.save(made(lambda: nn.Linear(3, 3), device).state_dict(), stored)
    stored.seek(0)
    model = nn.Linear(3, 3).to(device)
    model.load_state_dict(torch.load(stored))
    return list(model.parameters())


@program
def compiled(device):
    def function(x):
        return (x.sin() * x).sum(-1)
    x = numbers(3, 4).to(device)
    if not is_ours(device):
        return function(x), function(x)
    return torch.compile(function, backend="openxla")(x), torch_xla.compile(function)(x)


@program
def loop_on_the_device(device):
    rows, start = numbers(6, 3).to(device), torch.zeros(3, device=device)

    def step(carry, row):
        return carry * 0.9 + row, carry.clone()

    if is_ours(device):
        return scan(step, start, rows)
    carries = []
    for row in rows:
        start, carry = step(start, row)
        carries.append(carry)
    return start, torch.stack(carries)


@program
def linear_algebra(device):
    a = numbers(5, 5).to(device)
    positive = a @ a.T + torch.eye(5, device=device)
    q, r = torch.linalg.qr(a)
    values, vectors = torch.linalg.eigh(positive)
    return (q @ r, values, vectors @ torch.diag(values) @ vectors.T, torch.linalg.cholesky(positive),
            torch.linalg.inv(positive), torch.linalg.svdvals(a), torch.linalg.det(a))


@program
def threads(device):
    results = [None] * 4

    def multiply(i):
        results[i] = (numbers(50, 50, seed=i).to(device) @ numbers(50, 50).to(device)).cpu()

    running = [threading.Thread(target=multiply, args=(i,)) for i in range(4)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return results


@program
def errors(device):
    """A program that is too large raises an exception, and the next one runs."""
    is_raised = False
    try:
        too_large = torch.ones(1 << 50, device=device)
        if is_ours(device):
            torch_xla.sync()  # may return before the program has failed
        too_large[:3].cpu()
    except (RuntimeError, ValueError):
        is_raised = True
    return torch.tensor(is_raised), torch.ones(3, device=device) + 1


@program
def programs_as_stablehlo(device):
    os.environ["XLA_STABLEHLO_COMPILE"] = "1"
    try:
        return forward_and_backward(made(lambda: nn.Linear(6, 7), device), numbers(4, 6).to(device))[0].cpu()
    finally:
        del os.environ["XLA_STABLEHLO_COMPILE"]


@program
def permutations(device):
    """torch_xla shuffles in a loop, with dynamic slices whose start index is a vector of one element."""
    return torch.randperm(50, device=device).cpu().sort()[0]


def flat(results):
    if isinstance(results, torch.Tensor):
        return [results.detach().cpu()]
    return [x for result in results for x in flat(result)]


def compare(found, expected, tolerance):
    assert len(found) == len(expected), f"{len(found)} results, expected {len(expected)}"
    for a, b in zip(found, expected):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance / 10, equal_nan=True)


def main():
    warnings.simplefilter("ignore")
    plugins.register_plugin("BACKPLANE", Plugin())
    plugins.use_dynamic_plugins()
    wanted = sys.argv[1:] or list(PROGRAMS)
    passed = 0
    for name in wanted:
        try:
            found = flat(PROGRAMS[name](torch_xla.device()))
            compare(found, flat(PROGRAMS[name](torch.device("cpu"))), 2e-2 if "bfloat16" in name else 2e-4)
            passed += 1
            print("passed", name, flush=True)
        except Exception as error:
            print("FAILED", name, type(error).__name__, str(error)[:2000], flush=True)
    print(f"{passed} of {len(wanted)} passed")
    sys.exit(passed != len(wanted))


if __name__ == "__main__":
    main()
