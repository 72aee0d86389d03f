"""Modules of PyTorch compute with torch.compile(backend="backplane") what they compute without it, forward and
backward. A result may differ by 2e-5 of its largest element, 2e-2 in bf16 and 4e-3 in f16; integers are equal."""

import copy
import unittest
import unittest.mock
import warnings

import torch
import torch._dynamo.testing
import torch.nn.functional as F
from torch import nn

import backplane
import backplane.torch
from backplane.torch.decompositions import decompositions
from backplane.torch.graphs import MAX_CHANGES

TOLERANCES = {torch.bfloat16: 2e-2, torch.float16: 4e-3}
TOLERANCE = 2e-5


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in tensors_of(item)]
    return tensors_of(list(value.values())) if hasattr(value, "values") else []


def expect_equal(found, expected):
    found, expected = tensors_of(found), tensors_of(expected)
    assert len(found) == len(expected) > 0, (len(found), len(expected))
    for x, y in zip(found, expected):
        assert (x.dtype, x.shape, x.stride()) == (y.dtype, y.shape, y.stride()), (x.dtype, x.shape, x.stride(), y.dtype,
                                                                                  y.shape, y.stride())
        if x.dtype.is_floating_point:
            scale = float(y.double().abs().max()) if y.numel() else 1.0
            torch.testing.assert_close(x.double(), y.double(), rtol=0, atol=TOLERANCES.get(x.dtype, TOLERANCE) * scale)
        else:
            torch.testing.assert_close(x, y, rtol=0, atol=0)


def compiled(function, **options):
    return torch.compile(function, backend="backplane", options={"fallback": "error", **options})


class Case(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.manual_seed(0)

    def infer(self, module, *inputs, **options):
        torch._dynamo.reset()  # a function is compiled a few times at most
        module = module.eval() if isinstance(module, nn.Module) else module
        with torch.no_grad():
            expect_equal(compiled(module, **options)(*inputs), module(*inputs))

    def train(self, module, *inputs):
        """Compares results, gradients of inputs and parameters, and buffers that the module has changed."""
        torch._dynamo.reset()
        sides = []
        for copied, is_compiled in ((copy.deepcopy(module), False), (module, True)):
            own = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs]
            results = tensors_of((compiled(copied) if is_compiled else copied)(*own))
            sum((result.float() * torch.cos(torch.arange(result.numel()).float()).reshape(result.shape)).sum()
                for result in results if result.is_floating_point()).backward()
            sides.append([results, [x.grad for x in own if x.grad is not None],
                          [p.grad for p in copied.parameters() if p.grad is not None], list(copied.buffers())])
        expect_equal(sides[1], sides[0])


def perceptron():
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4), nn.LogSoftmax(-1))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.projection, self.norm = nn.Linear(16, 48), nn.LayerNorm(16)

    def forward(self, x):
        q, k, v = self.projection(self.norm(x)).chunk(3, -1)
        heads = [value.unflatten(-1, (4, 4)).transpose(1, 2) for value in (q, k, v)]
        mixed = F.scaled_dot_product_attention(*heads, is_causal=True)
        return x + mixed.transpose(1, 2).flatten(2)


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
            nn.Conv2d(8, 8, 3, groups=4, dilation=2, padding=2), nn.SiLU(), nn.AvgPool2d(3, 2, 1, ceil_mode=True),
            nn.ConvTranspose2d(8, 4, 3, stride=2, output_padding=1), nn.GroupNorm(2, 4), nn.AdaptiveAvgPool2d(1),
            nn.Flatten(), nn.Linear(4, 5))

    def forward(self, x):
        return self.layers(x)


class Modules(Case):
    """Inference."""

    def test_perceptron(self):
        self.infer(perceptron(), torch.randn(2, 8))

    def test_convolutions(self):
        self.infer(Convolutions(), torch.randn(2, 3, 33, 33))

    def test_attention(self):
        self.infer(Attention(), torch.randn(2, 7, 16))

    def test_recurrent(self):
        self.infer(nn.LSTM(4, 6, batch_first=True), torch.randn(2, 5, 4))

    def test_embedding(self):
        module = nn.Sequential(nn.Embedding(10, 6, padding_idx=0), nn.Linear(6, 3))
        self.infer(module, torch.tensor([[1, 2, 0], [9, 3, 4]]))

    def test_multi_head_attention(self):
        x, padding = torch.randn(2, 5, 16), torch.tensor([[False] * 5, [False, False, True, False, True]])
        causal = torch.ones(5, 5, dtype=torch.bool).triu(1)
        for settings in ({"norm_first": True}, {"activation": "gelu"}):
            layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, **settings)
            self.infer(layer, x)
            self.infer(layer, x, causal)
        layer = nn.MultiheadAttention(16, 2, batch_first=True)
        for masks in ((), (padding,), (padding, True, causal), (None, False, causal), (None, True, None, False)):
            self.infer(layer, x, x, x, *masks)

    def test_views_and_outputs_that_share_memory(self):
        def views(x):
            y = x * 2
            return y.t(), y[1:, ::2], y, {"flat": y.view(-1), "input": x[0]}
        self.infer(views, torch.randn(3, 4))
        x = torch.randn(3, 4)
        self.assertEqual(compiled(views)(x)[3]["input"].data_ptr(), x.data_ptr())

    def test_operations_in_place(self):
        def update(x, y):
            x.add_(1)
            y[0, 1:] = x[0, :-1].relu()
            x.mul_(y)
            return x.sum() + y.sum()
        x, y = torch.randn(3, 4), torch.randn(3, 4)
        x2, y2 = x.clone(), y.clone()
        expect_equal((compiled(update)(x, y), x, y), (update(x2, y2), x2, y2))

    def test_channels_last(self):
        self.infer(nn.Conv2d(3, 4, 3), torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last))

    def test_control_flow_with_graph_breaks(self):
        def branch(x):
            y = x.sin()
            if y.sum() > 0:
                return y + 1
            return y.exp() - x
        counter = torch._dynamo.testing.CompileCounterWithBackend("backplane")
        function = torch.compile(branch, backend=counter)
        for x in (torch.ones(3), -torch.ones(3)):
            expect_equal(function(x), branch(x))
        self.assertEqual(counter.frame_count, 3)

    def test_types(self):
        for dtype in (torch.float16, torch.bfloat16, torch.float64):
            with self.subTest(dtype):
                self.infer(perceptron().to(dtype), torch.randn(2, 8).to(dtype))
                half = lambda x: (x.abs(), x.sum(), x.sum(1), x.sum(1, dtype=torch.float32), x.cumsum(0), x.amax(1))
                self.infer(half, torch.randn(3, 4).to(dtype))
                self.infer(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).to(dtype),
                           torch.randn(2, 3, 6, 6).to(dtype))
        integers = lambda x, y: (x // 3, x % y, x & y, x > y, (x + y).sum(), x.cumsum(0), x == 2, ~x, x.max(0),
                                 x.ceil(), x.floor(), x.round(), x.trunc())
        for dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
            with self.subTest(dtype):
                self.infer(integers, *(torch.tensor(x, dtype=dtype) for x in ([[7, 2], [0, 9]], [[2, 5], [3, 4]])))
        self.infer(lambda a, b: (a & b, a ^ b, ~a, a.any(), a.all(), a.sum(), torch.where(a, 1.5, b)),
                   torch.tensor([True, False, True]), torch.tensor([True, True, False]))

    def test_mixed_precision(self):
        def cast(x, module=perceptron()):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return module(x)
        self.infer(cast, torch.randn(2, 8))

    def test_edges(self):
        self.infer(lambda x: (x + 1, x.sum()), torch.randn(0, 3))
        self.infer(lambda x: x.exp(), torch.tensor(1.5))
        self.infer(lambda x: x.sign(), torch.tensor([-2.0, -0.0, 0.0, 3.0, torch.nan, torch.inf]))
        self.infer(lambda x: x.sort(stable=True, descending=True), torch.tensor([[1, 3, 1], [2, 2, 0]]))
        self.infer(lambda x: (torch.arange(5), x), torch.randn(2))
        self.infer(lambda x: (x + 1).expand(3, 2).t(), torch.randn(2))
        self.infer(lambda: torch.arange(5) + 1)
        self.infer(lambda x, n: x * n, torch.randn(2), 3)
        self.infer(lambda x: (x + 1, None, 7, x.shape), torch.randn(2))
        self.infer(lambda x: x * torch.tensor([1.0, 2.0]), torch.randn(2))
        self.infer(lambda x: x.t() @ x[:, ::2], torch.randn(4, 6)[::2])

    def test_elements_by_a_mask(self):
        def clear(x, mask):
            x = x.clone()
            x[mask] = 0.0
            x[x > 1] = 5
            return x
        self.infer(clear, torch.randn(3, 4), torch.tensor([True, False, True]))

    def test_on_device_with_memory_of_its_own(self):
        if "npu" not in {plugin.name for plugin in backplane.plugins()}:
            self.skipTest("there is no npu")
        self.infer(perceptron(), torch.randn(2, 8), device="npu")


class Libraries(Case):
    """Networks of torchvision and transformers, with random weights."""

    def test_torchvision(self):
        try:
            import torchvision
        except ImportError:
            self.skipTest("there is no torchvision")
        for name in ("resnet18", "mobilenet_v3_small", "squeezenet1_1"):
            with self.subTest(name):
                self.infer(getattr(torchvision.models, name)(weights=None), torch.randn(1, 3, 64, 64))

    def test_transformers(self):
        try:
            from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel
        except ImportError:
            self.skipTest("there is no transformers")
        sizes = {"vocab_size": 50, "num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4}
        bert = BertModel(BertConfig(intermediate_size=64, **sizes), add_pooling_layer=False)
        tokens, mask = torch.randint(0, 50, (2, 9)), torch.tensor([[1] * 9, [1] * 6 + [0] * 3])
        self.infer(bert, tokens, mask)
        self.infer(GPT2LMHeadModel(GPT2Config(bos_token_id=0, eos_token_id=0, use_cache=False, **sizes)), tokens)


class Training(Case):
    def test_gradients(self):
        image = torch.randn(2, 3, 33, 33)
        for name, module, inputs in (
                ("perceptron", perceptron(), [torch.randn(2, 8)]), ("convolutions", Convolutions(), [image]),
                ("attention", Attention(), [torch.randn(2, 7, 16)]),
                ("embedding", nn.Sequential(nn.Embedding(10, 6), nn.Tanh()), [torch.tensor([[1, 2, 1], [9, 3, 4]])]),
                ("recurrent", nn.LSTM(4, 6), [torch.randn(5, 2, 4)]),
                ("pooling", nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), [image]),
                ("separable", nn.Conv1d(4, 8, 4, stride=3, groups=4), [torch.randn(2, 4, 21)])):
            with self.subTest(name):
                self.train(module, *inputs)

    def test_steps_of_optimizers(self):
        def steps(model, step_of, optimizer, inputs, targets):
            losses = []
            for _ in range(5):
                optimizer.zero_grad()
                loss = step_of(model, inputs, targets)
                loss.backward()
                optimizer.step()
                losses.append(loss.detach())
            return losses, [p.detach() for p in model.parameters()]

        def loss_of(model, inputs, targets):
            return F.nll_loss(model(inputs), targets)

        inputs, targets, results = torch.randn(6, 8), torch.tensor([0, 1, 2, 3, 0, 1]), []
        for step_of in (loss_of, compiled(loss_of)):
            torch.manual_seed(1)
            model = perceptron()
            results.append(steps(model, step_of, torch.optim.Adam(model.parameters(), 0.01), inputs, targets))
        expect_equal(results[1], results[0])
        self.assertLess(results[1][0][-1], results[1][0][0])

    def test_decompositions_of_convolutions(self):
        """Every kind of convolution, on PyTorch itself."""
        convolution, backward = torch.ops.aten.convolution, torch.ops.aten.convolution_backward.default
        for groups, transposed, stride, padding, dilation in (
                (1, False, [2, 3], [1, 0], [1, 2]), (2, False, [1], [2], [1]), (2, True, [2, 1], [1, 1], [2, 1]),
                (4, False, [3], [0], [1])):
            with self.subTest(groups=groups, transposed=transposed, stride=stride):
                x = torch.randn(3, 4, 11, 12)
                weights = torch.randn(4, 8 // groups, 3, 2) if transposed else torch.randn(8, 4 // groups, 3, 2)
                rest = [1, 0] if transposed else [0, 0]
                settings = (stride, padding, dilation, transposed, rest, groups)
                gradient = torch.randn_like(convolution(x, weights, None, *settings))
                arguments = (gradient, x, weights, [8], *settings, [True] * 3)
                for found, expected in zip(decompositions()[backward](*arguments), backward(*arguments)):
                    torch.testing.assert_close(found, expected)


class Programs(Case):
    """When programs are compiled, and what happens if they cannot be."""

    def graphs(self, function, inputs, **options):
        """Returns how often a program was compiled for each call of the function."""
        counts, real = [], backplane.Backend.compile

        def count(*arguments, **named):
            counts[-1] += 1
            return real(*arguments, **named)

        made = compiled(function, **options)
        with unittest.mock.patch("backplane.Backend.compile", count), torch.no_grad():
            for call in inputs:
                counts.append(0)
                expect_equal(made(*call), function(*call))
        return counts

    def test_sizes(self):
        sizes = [(torch.randn(n, 3),) for n in (5, 3, 4, 3, 5, 4)]
        # The second size makes TorchDynamo leave the size open: then there is one graph with a program for each size.
        self.assertEqual(self.graphs(lambda x: (x * 2, x.shape[0] + 1, x.sum(0)), sizes), [1, 1, 1, 0, 1, 0])

    def test_weights_are_compiled_once_until_they_change(self):
        model = nn.Linear(3, 2).eval()
        x = torch.randn(1, 3)

        def changed(times):
            for i in range(times):
                if i > 0:
                    model.weight.add_(1)
                yield (x,)
                yield (x,)
        once_each = [1, 0] * (MAX_CHANGES + 2) + [0, 0] * 2
        self.assertEqual(self.graphs(model, changed(MAX_CHANGES + 4), constant_weights=True), once_each)

    def test_weights_that_are_inputs_may_change(self):
        model, x = nn.Linear(3, 2).eval(), torch.randn(1, 3)

        def changed():
            for _ in range(3):
                yield (x,)
                model.weight.data.add_(1)
        self.assertEqual(self.graphs(model, changed()), [1, 0, 0])

    def test_weights_in_inference_mode(self):
        with torch.inference_mode():
            model = nn.Linear(3, 2).eval()
            x = torch.randn(1, 3)
            made = compiled(model, constant_weights=True)
            expect_equal(made(x), model(x))
            model.weight.add_(1)
            expect_equal(made(x), model(x))

    def test_random_numbers_stay_with_pytorch(self):
        dropout = nn.Sequential(nn.Linear(3, 3), nn.Dropout())
        with self.assertWarnsRegex(UserWarning, r"PyTorch runs a graph of \d+ operations, not Backplane: "
                                   r"aten.\S+ draws random numbers, expected"):
            function = torch.compile(dropout, backend="backplane")
            self.assertEqual(function(torch.randn(2, 3)).shape, (2, 3))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            function(torch.randn(2, 3))  # said once

    def test_operations_that_onnx_lacks(self):
        function = lambda x: torch.linalg.qr(x)[1].abs()
        x = torch.randn(3, 3)
        with self.assertWarnsRegex(UserWarning, "linalg_qr"):
            expect_equal(torch.compile(function, backend="backplane")(x), function(x))
        torch._dynamo.reset()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            expect_equal(torch.compile(function, backend="backplane", options={"fallback": "silent"})(x), function(x))
        torch._dynamo.reset()
        with self.assertRaisesRegex(backplane.Error, "linalg_qr"):
            compiled(function)(x)

    def test_arguments_that_the_exporter_ignores(self):
        with self.assertRaisesRegex(backplane.Error, "aten.avg_pool2d.default has divisor_override=3, which torch.onnx"):
            compiled(lambda x: F.avg_pool2d(x, 2, divisor_override=3))(torch.randn(1, 1, 4, 4))

    def test_sizes_that_depend_on_elements(self):
        function, x = lambda x: x.nonzero() + 1, torch.tensor([0, 1, 2])
        with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True), \
                self.assertWarnsRegex(UserWarning, "not Backplane: its sizes are not known before it runs: .*nonzero"):
            expect_equal(torch.compile(function, backend="backplane")(x), function(x))

    def test_complex_numbers_stay_with_pytorch(self):
        with self.assertRaisesRegex(backplane.Error, "elements of type torch.complex64, expected one of"):
            compiled(lambda x: x * x)(torch.randn(3, dtype=torch.complex64))

    def test_errors_in_options(self):
        for options, message in (({"devices": "cpu"}, "there is no option 'devices' .* expected one of: device, "),
                                 ({"fallback": "no"}, "fallback is 'no', expected one of: warn, silent, error"),
                                 ({"device": "no-such"}, "no plugin answers to")):
            torch._dynamo.reset()
            with self.assertRaisesRegex(Exception, message):
                torch.compile(lambda x: x + 1, backend="backplane", options=options)(torch.randn(2))
        with self.assertRaisesRegex(Exception, "mode is 'max-autotune', expected none"):
            torch.compile(lambda x: x + 1, backend="backplane", mode="max-autotune")(torch.randn(2))


if __name__ == "__main__":
    unittest.main()
