// Nets as bytes, the file of weights, and what the caller gives.
#include "core/import/caffe/caffe.h"

#include <catch2/catch.hpp>

#include "core/backplane.h"
#include "core/import/protobuf/wire.h"
#include "core/text/printer.h"
#include "tools/testing/temporary_folder.h"

namespace bp::import::caffe {
namespace {

using protobuf::Writer;

// Fields by number, as on the wire.
std::string varint(std::uint32_t number, std::int64_t value) {
  Writer writer;
  writer.integer({number, {}}, value);
  return writer.take();
}
std::string bytes(std::uint32_t number, std::string_view value) {
  Writer writer;
  writer.text({number, {}}, value);
  return writer.take();
}
std::string real(std::uint32_t number, float value) {
  Writer writer;
  writer.real32({number, {}}, value);
  return writer.take();
}

// BlobShape with the sizes packed.
std::string shape(std::initializer_list<std::int64_t> sizes) {
  Writer dims;
  dims.integers({1, {}}, std::vector<std::int64_t>(sizes));
  return dims.take();
}

// Numbers as bytes, float or double.
template <class T>
std::string packed(std::initializer_list<T> numbers) {
  return {reinterpret_cast<const char *>(std::data(numbers)), numbers.size() * sizeof(T)};
}

// A layer of NetParameter, with further fields.
std::string layer(std::string_view name, std::string_view type, std::string_view rest) {
  return bytes(100, bytes(1, name) + bytes(2, type) + std::string(rest));
}

std::string input(std::initializer_list<std::int64_t> sizes) {
  return layer("x", "Input", bytes(4, "x") + bytes(143, bytes(1, shape(sizes))));
}

// x -> InnerProduct "ip" with one output and these blobs.
std::string inner_product(std::string_view blobs) {
  return bytes(1, "net") + input({1, 2}) +
         layer("ip", "InnerProduct",
               bytes(3, "x") + bytes(4, "y") + bytes(117, varint(1, 1) + varint(2, 0)) + std::string(blobs));
}

std::string weights(std::string_view blob, std::string_view name = "ip") {
  return bytes(1, "net") + layer(name, "InnerProduct", bytes(7, blob));
}

constexpr std::string_view net_text =
    "layer { name: 'x' type: 'Input' top: 'x' input_param { shape { dim: 1 dim: 2 } } }\n"
    "layer { name: 'ip' type: 'InnerProduct' bottom: 'x' top: 'y'\n"
    "  inner_product_param { num_output: 1 bias_term: false } }\n";

std::string error_of(std::string_view net, std::string_view weights_bytes = {}) {
  Options options{.file = "net.caffemodel"};
  options.weights_file = "weights.caffemodel";
  const auto module = read(net, weights_bytes, options);
  return module.ok() ? "no error" : module.error().to_string();
}

// Returns the constants of a net.
std::string constants_of(std::string_view net, std::string_view weights_bytes = {}) {
  const auto module = read(net, weights_bytes, {});
  if (!module.ok()) {
    return module.error().to_string();
  }
  std::string text;
  for (const ir::Instruction instruction : module->entry().instructions()) {
    if (instruction.opcode() == ir::Opcode::Constant) {
      text += text::print(instruction.literal());
    }
  }
  return text;
}

const std::string blob = bytes(5, packed({2.5F, -3.0F})) + bytes(7, shape({1, 2}));

}  // namespace

TEST_CASE("a net as bytes becomes a module") {
  const std::string net = inner_product(bytes(7, blob));
  CHECK(is_caffe(net));
  const auto module = read(net, {}, {});
  REQUIRE(module.ok());
  CHECK(module->name() == "net");
  const std::string text = text::print(*module);
  CHECK(text.find("%x = f32[1,2]{1,0} parameter(0)") != std::string::npos);
  CHECK(text.find("ROOT %y = f32[1,1]") != std::string::npos);
}

TEST_CASE("weights are packed or not, float or double, with a shape or four sizes") {
  const std::string expected = "{ {2.5, -3} }";
  const std::string four = varint(1, 1) + varint(2, 1) + varint(3, 1) + varint(4, 2);
  CHECK(constants_of(inner_product(bytes(7, blob))) == expected);
  CHECK(constants_of(inner_product(bytes(7, real(5, 2.5F) + real(5, -3) + bytes(7, shape({1, 2}))))) == expected);
  CHECK(constants_of(inner_product(bytes(7, bytes(8, packed({2.5, -3.0})) + bytes(7, shape({1, 2}))))) == expected);
  CHECK(constants_of(inner_product(bytes(7, bytes(5, packed({2.5F, -3.0F})) + four))) == expected);
  // In two parts, as a message that is written twice.
  CHECK(constants_of(inner_product(bytes(7, real(5, 2.5F) + bytes(5, packed({-3.0F})) + bytes(7, varint(1, 1)) +
                                                bytes(7, varint(1, 2))))) == expected);
  CHECK(constants_of(net_text, weights(blob)) == expected);
  // The old form of layers: V1LayerParameter.
  const std::string old = bytes(2, bytes(4, "ip") + varint(5, 14) + bytes(6, bytes(5, packed({2.5F, -3.0F})) + four));
  CHECK(is_caffe(old));
  CHECK(constants_of(net_text, old) == expected);
}

TEST_CASE("a net of the old form as bytes becomes a module") {
  const std::string net = bytes(3, "x") + varint(4, 1) + varint(4, 2) + varint(4, 3) + varint(4, 3) +
                          bytes(2, bytes(2, "x") + bytes(3, "y") + bytes(4, "pool") + varint(5, 17) +
                                       bytes(19, varint(1, 1) + varint(12, 1)));
  CHECK(is_caffe(net));
  const auto module = read(net, {}, {});
  REQUIRE(module.ok());
  CHECK(text::print(*module).find("%y = f32[1,2,1,1]") != std::string::npos);
}

TEST_CASE("errors of a net as bytes name the field") {
  CHECK(error_of(inner_product({})) ==
        "net.caffemodel: NetParameter.layer[1]: InnerProduct \"ip\": 0 blobs of weights in weights.caffemodel, "
        "expected 1");
  CHECK(error_of(inner_product(bytes(7, bytes(5, packed({1.0F})) + bytes(7, shape({1, 2}))))) ==
        "net.caffemodel: NetParameter.layer[1].blobs[0]: the weights have 1 elements, expected 2 of [1,2]\n"
        "  note: this is blob 0 of InnerProduct \"ip\"");
  CHECK(error_of(inner_product(bytes(7, bytes(5, "abc")))) ==
        "net.caffemodel: offset 68: NetParameter.layer[1].blobs[0].data: 3 bytes, expected a multiple of 4");
  CHECK(error_of(inner_product(bytes(7, varint(7, 1)))) ==
        "net.caffemodel: offset 67: NetParameter.layer[1].blobs[0].shape: found a varint, expected a string of bytes");
  CHECK(error_of(net_text, weights(blob + bytes(7, shape({1})))) ==
        "weights.caffemodel: NetParameter.layer[0].blobs[0]: the weights have the sizes [1,2,1], expected [1,2]\n"
        "  note: this is blob 0 of InnerProduct \"ip\"");
  CHECK(error_of(bytes(1, "net") + input({1, 2}) +
                 layer("p", "Pooling", bytes(3, "x") + bytes(4, "y") + bytes(121, varint(1, 7)))) ==
        "net.caffemodel: NetParameter.layer[1].pooling_param.pool: found 7, expected the number of MAX, AVE or "
        "STOCHASTIC");
  CHECK(error_of(bytes(2, bytes(4, "a") + varint(5, 99))) ==
        "net.caffemodel: 1 layer type that is not imported: V1LayerParameter.LayerType 99 (1 layer)");
  CHECK(error_of(net_text, "\x89HDF\r\n\x1a\n") ==
        "weights.caffemodel: weights in HDF5, expected a NetParameter (.caffemodel)\n"
        "  note: load them with Caffe, Net.load_hdf5(), and store them by Net.save()");
  CHECK(error_of(weights(blob)) ==
        "net.caffemodel: NetParameter: no layer has a top: the file has weights alone, expected the net "
        "(NAME.prototxt)");
  CHECK(error_of(bytes(1, "net\x01")) == "net.caffemodel: NetParameter: the net has no layers");
}

TEST_CASE("lists that are too long are refused") {
  const std::vector<std::int64_t> many(70000, 1);
  Writer dims;
  dims.integers({1, {}}, many);
  CHECK(error_of(inner_product(bytes(7, bytes(7, dims.bytes())))) ==
        "net.caffemodel: offset 78: NetParameter.layer[1].blobs[0].shape.dim: 70000 integers, expected at most 65536");
  const std::string reals(70000 * 4, '\0');
  CHECK(error_of(bytes(1, "net") + input({1, 2}) +
                 layer("e", "Eltwise", bytes(3, "x") + bytes(3, "x") + bytes(4, "y") + bytes(110, bytes(2, reals)))) ==
        "net.caffemodel: offset 65: NetParameter.layer[1].eltwise_param.coeff: 70000 numbers, expected at most 65536");
}

TEST_CASE("a net that is cut off is an error, never a crash") {
  const std::string net = inner_product(bytes(7, blob));
  for (std::size_t size = 0; size < net.size(); ++size) {
    const auto module = read(std::string_view(net).substr(0, size), {}, {});
    const auto with_weights = read(net_text, std::string_view(net).substr(0, size), {});
    // The last field of a layer may be complete: then the layer has no weights.
    CHECK_FALSE(module.ok());
    CHECK_FALSE(with_weights.ok());
  }
  for (std::size_t size = 0; size < net_text.size() - 2; ++size) {
    CHECK_FALSE(read(net_text.substr(0, size), weights(blob), {}).ok());
  }
}

TEST_CASE("other files are no nets") {
  CHECK_FALSE(is_caffe("HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }"));
  CHECK_FALSE(is_caffe("module { func.func @main() { return } }"));
  CHECK_FALSE(is_caffe(""));
  CHECK_FALSE(is_caffe("name: \"x\""));
  CHECK_FALSE(is_caffe("base_lr: 0.1 net: \"lenet.prototxt\""));
  CHECK_FALSE(is_caffe(bytes(1, "a") + bytes(2, "b")));
  CHECK(is_caffe("# LeNet\nname: \"LeNet\"\nlayer { name: \"data\" }"));
  CHECK(is_caffe("input: \"data\""));
  CHECK(is_caffe("layers { name: \"data\" }"));
}

TEST_CASE("weights come from the file of the same name, or the only one that has them") {
  const testing::TemporaryFolder folder;
  const std::string file = folder / "deploy.prototxt";
  testing::write_file(file, net_text);
  const auto error = [&] {
    const auto module = read_module(file);
    return module.ok() ? std::string() : module.error().notes().at(0);
  };
  CHECK(error() ==
        "weights are read from deploy.caffemodel, which is not there, or from the only file *.caffemodel in "
        "the folder that has them (there is none), or from the one that is given (--model-weights)");
  testing::write_file(folder / "other.caffemodel", weights(blob, "conv"));
  CHECK(error() ==
        "weights are read from deploy.caffemodel, which is not there, or from the only file *.caffemodel in "
        "the folder that has them (other.caffemodel does not), or from the one that is given (--model-weights)");
  testing::write_file(folder / "a.caffemodel", weights(blob));
  CHECK(read_module(file).ok());
  testing::write_file(folder / "b.caffemodel", weights(blob));
  CHECK(error() ==
        "weights are read from deploy.caffemodel, which is not there, or from the only file *.caffemodel in "
        "the folder that has them (a.caffemodel, b.caffemodel do), or from the one that is given (--model-weights)");
  ReadOptions options;
  options.weights = folder / "b.caffemodel";
  CHECK(read_module(file, options).ok());
  options.weights = folder / "absent.caffemodel";
  CHECK(read_module(file, options).error().to_string() ==
        "cannot read " + (folder / "absent.caffemodel") + ": No such file or directory");
  testing::write_file(folder / "program.hlo", "HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }\n");
  CHECK(read_module(folder / "program.hlo", options).error().to_string() ==
        (folder / "program.hlo") + ": the file of weights " + options.weights +
            " is given, but HLO text has its weights itself");
  testing::write_file(folder / "deploy.caffemodel", weights(blob));
  CHECK(read_module(file).ok());
  testing::write_file(folder / "deploy.caffemodel", weights(blob).substr(0, 20));
  const auto cut = read_module(file);
  REQUIRE_FALSE(cut.ok());
  CHECK(cut.error().to_string() ==
        (folder / "deploy.caffemodel") + ": offset 5: NetParameter: field 100 has 36 bytes, but 12 are left");
}

TEST_CASE("sizes of inputs are given by name or number") {
  ReadOptions options;
  options.parameter_sizes = {{"x", {3, 2}}};
  const std::string net = inner_product(bytes(7, blob));
  const auto module = parse_module(net, "net.caffemodel", options);
  REQUIRE(module.ok());
  CHECK(ir::to_string(module->entry().parameter(0).shape(), ir::PrintLayout::Never) == "f32[3,2]");
  options.parameter_sizes = {{"0", {4, 2}}};
  CHECK(parse_module(net, "net.caffemodel", options).ok());
  options.parameter_sizes = {{"y", {4, 2}}};
  CHECK(parse_module(net, "net.caffemodel", options).error().to_string() ==
        "net.caffemodel: the input \"y\" is given, expected one of x");
  const auto parameters = parse_parameters(net, "net.caffemodel");
  REQUIRE(parameters.ok());
  REQUIRE(parameters->size() == 1);
  CHECK(parameters->at(0).name == "x");
  CHECK(parameters->at(0).shape.size(1) == 2);
}

}  // namespace bp::import::caffe
