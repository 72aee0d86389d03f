"""The classic nets of Caffe's model zoo, with random weights.

`slim` divides the numbers of channels, and `size` is that of the images: small nets have all layers of the large ones.
"""

from __future__ import annotations

from collections.abc import Callable

from net_writer import Net


def lenet(slim: int = 1, size: int = 28) -> Net:
    net = Net("lenet", 1)
    x = net.input("data", 2, 1, size, size)
    x = net.pool("pool1", net.conv("conv1", x, 20 // slim, 5), "MAX", 2, 2)
    x = net.pool("pool2", net.conv("conv2", x, 50 // slim, 5), "MAX", 2, 2)
    x = net.in_place("ReLU", "relu1", net.dense("ip1", x, 500 // slim))
    net.same("Softmax", "prob", [net.dense("ip2", x, 10)])
    return net


def five_convolutions(name: str, seed: int, slim: int, size: int, pools_first: bool) -> Net:
    """AlexNet, which normalizes and then pools, and CaffeNet, which does so the other way."""
    net = Net(name, seed)
    x = net.input("data", 2, 3, size, size)

    def block(x: str, number: int) -> str:
        x = net.in_place("ReLU", f"relu{number}", x)
        lrn = "lrn_param { local_size: 5 alpha: 0.0001 beta: 0.75 }"
        if pools_first:
            return net.same("LRN", f"norm{number}", [net.pool(f"pool{number}", x, "MAX", 3, 2)], lrn)
        return net.pool(f"pool{number}", net.same("LRN", f"norm{number}", [x], lrn), "MAX", 3, 2)

    x = block(net.conv("conv1", x, 96 // slim, 11, 4), 1)
    x = block(net.conv("conv2", x, 256 // slim, 5, 1, 2, 2), 2)
    x = net.in_place("ReLU", "relu3", net.conv("conv3", x, 384 // slim, 3, 1, 1))
    x = net.in_place("ReLU", "relu4", net.conv("conv4", x, 384 // slim, 3, 1, 1, 2))
    x = net.in_place("ReLU", "relu5", net.conv("conv5", x, 256 // slim, 3, 1, 1, 2))
    x = net.pool("pool5", x, "MAX", 3, 2)
    for number in (6, 7):
        x = net.in_place("ReLU", f"relu{number}", net.dense(f"fc{number}", x, 4096 // slim))
        x = net.in_place("Dropout", f"drop{number}", x, "dropout_param { dropout_ratio: 0.5 }")
    net.same("Softmax", "prob", [net.dense("fc8", x, 1000 // slim)])
    return net


def alexnet(slim: int = 1, size: int = 227) -> Net:
    return five_convolutions("alexnet", 2, slim, size, False)


def caffenet(slim: int = 1, size: int = 227) -> Net:
    return five_convolutions("caffenet", 3, slim, size, True)


def vgg16(slim: int = 1, size: int = 224) -> Net:
    net = Net("vgg16", 4)
    x = net.input("data", 1, 3, size, size)
    for stage, (count, channels) in enumerate(((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)), 1):
        for number in range(1, count + 1):
            x = net.conv(f"conv{stage}_{number}", x, channels // slim, 3, 1, 1)
            net.in_place("ReLU", f"relu{stage}_{number}", x)
        x = net.pool(f"pool{stage}", x, "MAX", 2, 2)
    for number in (6, 7):
        x = net.in_place("ReLU", f"relu{number}", net.dense(f"fc{number}", x, 4096 // slim))
        x = net.in_place("Dropout", f"drop{number}", x, "dropout_param { dropout_ratio: 0.5 }")
    net.same("Softmax", "prob", [net.dense("fc8", x, 1000 // slim)])
    return net


def googlenet(slim: int = 1, size: int = 224) -> Net:
    net = Net("googlenet", 5)

    def conv(name: str, bottom: str, outputs: int, kernel: int, stride: int = 1, pad: int = 0) -> str:
        x = net.conv(name, bottom, outputs // slim, kernel, stride, pad)
        return net.in_place("ReLU", f"relu_{name}", x)

    def inception(name: str, x: str, one: int, three_less: int, three: int, five_less: int, five: int,
                  pooled: int) -> str:
        name = f"inception_{name}"
        return net.concat(f"{name}/output", [
            conv(f"{name}/1x1", x, one, 1),
            conv(f"{name}/3x3", conv(f"{name}/3x3_reduce", x, three_less, 1), three, 3, 1, 1),
            conv(f"{name}/5x5", conv(f"{name}/5x5_reduce", x, five_less, 1), five, 5, 1, 2),
            conv(f"{name}/pool_proj", net.pool(f"{name}/pool", x, "MAX", 3, 1, 1), pooled, 1)])

    lrn = "lrn_param { local_size: 5 alpha: 0.0001 beta: 0.75 }"
    x = net.input("data", 1, 3, size, size)
    x = net.pool("pool1/3x3_s2", conv("conv1/7x7_s2", x, 64, 7, 2, 3), "MAX", 3, 2)
    x = net.same("LRN", "pool1/norm1", [x], lrn)
    x = conv("conv2/3x3", conv("conv2/3x3_reduce", x, 64, 1), 192, 3, 1, 1)
    x = net.pool("pool2/3x3_s2", net.same("LRN", "conv2/norm2", [x], lrn), "MAX", 3, 2)
    x = inception("3a", x, 64, 96, 128, 16, 32, 32)
    x = net.pool("pool3/3x3_s2", inception("3b", x, 128, 128, 192, 32, 96, 64), "MAX", 3, 2)
    x = inception("4a", x, 192, 96, 208, 16, 48, 64)
    x = inception("4b", x, 160, 112, 224, 24, 64, 64)
    x = inception("4c", x, 128, 128, 256, 24, 64, 64)
    x = inception("4d", x, 112, 144, 288, 32, 64, 64)
    x = net.pool("pool4/3x3_s2", inception("4e", x, 256, 160, 320, 32, 128, 128), "MAX", 3, 2)
    x = inception("5a", x, 256, 160, 320, 32, 128, 128)
    x = inception("5b", x, 384, 192, 384, 48, 128, 128)
    x = net.pool("pool5/7x7_s1", x, "AVE", net.sizes[x][2])
    x = net.in_place("Dropout", "pool5/drop_7x7_s1", x, "dropout_param { dropout_ratio: 0.4 }")
    net.same("Softmax", "prob", [net.dense("loss3/classifier", x, 1000 // slim)])
    return net


def resnet50(slim: int = 1, size: int = 224) -> Net:
    net = Net("resnet50", 6)

    def conv(name: str, bottom: str, outputs: int, kernel: int, stride: int = 1, pad: int = 0) -> str:
        x = net.conv(f"res{name}", bottom, outputs, kernel, stride, pad, bias=False)
        return net.normalize(name, x)

    x = net.conv("conv1", net.input("data", 1, 3, size, size), 64 // slim, 7, 2, 3)
    x = net.in_place("ReLU", "conv1_relu", net.normalize("_conv1", x))
    x = net.pool("pool1", x, "MAX", 3, 2)
    for stage, count in ((2, 3), (3, 4), (4, 6), (5, 3)):
        channels = 64 // slim << (stage - 2)
        for number in range(count):
            name = f"{stage}{chr(ord('a') + number)}"
            stride = 2 if number == 0 and stage > 2 else 1
            shortcut = conv(f"{name}_branch1", x, 4 * channels, 1, stride) if number == 0 else x
            y = net.in_place("ReLU", f"res{name}_branch2a_relu", conv(f"{name}_branch2a", x, channels, 1, stride))
            y = net.in_place("ReLU", f"res{name}_branch2b_relu", conv(f"{name}_branch2b", y, channels, 3, 1, 1))
            x = net.same("Eltwise", f"res{name}", [shortcut, conv(f"{name}_branch2c", y, 4 * channels, 1)])
            x = net.in_place("ReLU", f"res{name}_relu", x)
    x = net.pool("pool5", x, "AVE", net.sizes[x][2])
    net.same("Softmax", "prob", [net.dense("fc1000", x, 1000 // slim, 0.1)])
    return net


def squeezenet(slim: int = 1, size: int = 227) -> Net:
    net = Net("squeezenet", 7)

    def fire(number: int, x: str, squeezed: int, expanded: int) -> str:
        def conv(part: str, bottom: str, outputs: int, kernel: int) -> str:
            y = net.conv(f"fire{number}/{part}", bottom, outputs // slim, kernel, 1, kernel // 2)
            return net.in_place("ReLU", f"fire{number}/relu_{part}", y)
        x = conv("squeeze1x1", x, squeezed, 1)
        return net.concat(f"fire{number}/concat", [conv("expand1x1", x, expanded, 1), conv("expand3x3", x, expanded, 3)])

    x = net.conv("conv1", net.input("data", 1, 3, size, size), 96 // slim, 7, 2)
    x = net.pool("pool1", net.in_place("ReLU", "relu_conv1", x), "MAX", 3, 2)
    for number, squeezed, expanded in ((2, 16, 64), (3, 16, 64), (4, 32, 128), (5, 32, 128), (6, 48, 192), (7, 48, 192),
                                       (8, 64, 256), (9, 64, 256)):
        x = fire(number, x, squeezed, expanded)
        if number in (4, 8):
            x = net.pool(f"pool{number}", x, "MAX", 3, 2)
    x = net.in_place("Dropout", "drop9", x, "dropout_param { dropout_ratio: 0.5 }")
    x = net.in_place("ReLU", "relu_conv10", net.conv("conv10", x, 1000 // slim, 1))
    net.same("Softmax", "prob", [net.global_average("pool10", x)])
    return net


def mobilenet(slim: int = 1, size: int = 224) -> Net:
    net = Net("mobilenet", 8)

    def conv(name: str, bottom: str, outputs: int, kernel: int, stride: int = 1, group: int = 1) -> str:
        x = net.conv(name, bottom, outputs, kernel, stride, kernel // 2, group, bias=False)
        return net.in_place("ReLU", f"relu_{name}", net.normalize(name, x, "/"))

    x = conv("conv1", net.input("data", 1, 3, size, size), 32 // slim, 3, 2)
    plan = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *((512, 1),) * 5, (1024, 2), (1024, 1))
    for number, (outputs, stride) in enumerate(plan, 2):
        channels = net.sizes[x][1]
        x = conv(f"conv{number}/sep", conv(f"conv{number}/dw", x, channels, 3, stride, channels), outputs // slim, 1)
    x = net.conv("fc7", net.global_average("pool6", x), 1000 // slim, 1)
    net.same("Softmax", "prob", [x])
    return net


def every_kind(slim: int = 1, size: int = 9) -> Net:
    """A small net with the blocks of the others: a residual one, an inception, depthwise filters, LRN, classes."""
    net = Net("every_kind", 10)
    x = net.input("data", 1, 3, size, size)
    x = net.in_place("ReLU", "relu1", net.normalize("1", net.conv("conv1", x, 4 // slim, 3, 1, 1, bias=False)))
    x = net.same("Eltwise", "residual", [x, net.conv("conv2", x, 4 // slim, 3, 1, 1, group=4 // slim)])
    x = net.same("LRN", "norm", [net.in_place("ReLU", "relu2", x)], "lrn_param { local_size: 3 alpha: 0.5 }")
    x = net.concat("inception", [net.conv("one", x, 2, 1), net.pool("pooled", x, "MAX", 3, 1, 1)])
    x = net.pool("pool", x, "AVE", 3, 2)
    net.same("Softmax", "prob", [net.dense("classes", net.in_place("Dropout", "drop", x), 3)])
    return net


NETS: dict[str, Callable[..., Net]] = {
    "lenet": lenet, "alexnet": alexnet, "caffenet": caffenet, "vgg16": vgg16, "googlenet": googlenet,
    "resnet50": resnet50, "squeezenet": squeezenet, "mobilenet": mobilenet}
# Sizes that keep every layer and take little time: slim, size of the images.
SMALL = {"lenet": (5, 28), "alexnet": (16, 99), "caffenet": (16, 99), "vgg16": (16, 32), "googlenet": (8, 97),
         "resnet50": (8, 97), "squeezenet": (16, 99), "mobilenet": (8, 65)}
