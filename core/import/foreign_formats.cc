#include "core/import/foreign_formats.h"

#include <algorithm>

#include "core/import/protobuf/wire.h"

namespace bp::import {
namespace {

constexpr std::size_t beginning = 1 << 16;  // bytes that are looked at

bool has_text(std::string_view bytes, std::string_view text) {
  return bytes.substr(0, beginning).find(text) != std::string_view::npos;
}

bool is_zip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

// Whether the bytes are a message with exactly these fields.
bool is_message_of(std::string_view bytes, std::span<const std::uint32_t> all, std::span<const std::uint32_t> needed) {
  const Result<protobuf::Message> message = protobuf::Message::parse(bytes, {nullptr, "Message"});
  return !bytes.empty() && message.ok() && message->has_only(all) &&
         std::ranges::all_of(needed, [&](std::uint32_t number) { return message->has({number, ""}); });
}

constexpr ForeignFormat formats[] = {
    {"a PyTorch archive (.pt, .pth, .pt2)",
     "export the model: torch.onnx.export(..., dynamo=True) gives ONNX, torchax gives StableHLO",
     [](std::string_view bytes) { return is_zip(bytes) && (has_text(bytes, "data.pkl") || has_text(bytes, ".pt2")); }},
    {"a Keras model (.keras)",
     "load it with KERAS_BACKEND=jax, which runs on Backplane through PJRT, or save ONNX by model.export(FILE, format='onnx')",
     [](std::string_view bytes) { return is_zip(bytes) && has_text(bytes, "metadata.json"); }},
    {"NumPy arrays (.npz)", "give it as input of a run: --inputs FILE",
     [](std::string_view bytes) { return is_zip(bytes) && has_text(bytes, ".npy"); }},
    {"a zip archive", "unpack it, and give the model that it holds", is_zip},
    {"a NumPy array (.npy)", "give it as input of a run: --inputs FILE",
     [](std::string_view bytes) { return bytes.starts_with("\x93NUMPY"); }},
    {"a file compressed by gzip", "uncompress it: gunzip FILE",
     [](std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }},
    {"a file compressed by Zstandard", "uncompress it: zstd -d FILE",
     [](std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); }},
    {"a pickled object of Python", "export the model to ONNX or StableHLO with the program that made it",
     [](std::string_view bytes) { return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5; }},
    {"a TensorFlow Lite model", "convert it to ONNX: python -m tf2onnx.convert --tflite FILE --output model.onnx",
     [](std::string_view bytes) { return bytes.size() > 8 && bytes.substr(4, 4) == "TFL3"; }},
    {"an HDF5 file, as Keras wrote models (.h5)",
     "load it with KERAS_BACKEND=jax, which runs on Backplane through PJRT, or save ONNX by model.export(FILE, format='onnx')",
     [](std::string_view bytes) { return bytes.starts_with("\x89HDF\r\n\x1a\n"); }},
    {"weights of GGUF", "only weights are in it: export the model to ONNX or StableHLO with its framework",
     [](std::string_view bytes) { return bytes.starts_with("GGUF"); }},
    {"weights of safetensors", "only weights are in it: export the model to ONNX or StableHLO with its framework",
     [](std::string_view bytes) { return bytes.size() > 9 && bytes.substr(5, 5) == std::string_view("\0\0\0{\"", 5); }},
    {"an OpenVINO model", "export the model to ONNX with the framework that it came from",
     [](std::string_view bytes) { return has_text(bytes, "<net ") && has_text(bytes, "<layers>"); }},
    {"a solver of Caffe (.prototxt)", "give the net, which the field net or test_net of the solver names",
     [](std::string_view bytes) {
       return has_text(bytes, "base_lr:") && has_text(bytes, "net:") && !has_text(bytes, "layer");
     }},
    {"a TensorFlow SavedModel (saved_model.pb)",
     "let TensorFlow write HLO: tf.function(f, "
     "jit_compile=True).experimental_get_compiler_ir(x)(stage='hlo_serialized'), "
     "or ONNX: python -m tf2onnx.convert --saved-model FOLDER --output model.onnx",
     [](std::string_view bytes) {
       constexpr std::uint32_t fields[] = {1, 2};
       return bytes.starts_with("\x08\x01\x12") && is_message_of(bytes, fields, fields);
     }},
    {"an ELF library", "if it is a backend, load it by --on ./FILE",
     [](std::string_view bytes) {
       return bytes.starts_with(
           "\x7f"
           "ELF");
     }},
};

}  // namespace

std::span<const ForeignFormat> foreign_formats() {
  return formats;
}

const ForeignFormat *find_foreign_format(std::string_view bytes) {
  const auto found = std::ranges::find_if(formats, [&](const ForeignFormat &row) { return row.recognizes(bytes); });
  return found == std::end(formats) ? nullptr : found;
}

}  // namespace bp::import
