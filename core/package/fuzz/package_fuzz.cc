// Fuzz driver for packages, which may come from anybody: any bytes are either refused or can be loaded.
//
// The input is a list of patches to a valid package, four bytes each: offset (24 bits), new byte. Patches of the index
// and of the modules get past the hashes, because these are computed again. There is no backend, so a program ends at
// the search for its device, after all checks of its image.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "core/buffers/assign.h"
#include "core/package/container.h"
#include "core/package/hex.h"
#include "core/package/index_json.h"
#include "core/package/package.h"
#include "core/text/parser.h"

namespace {

using bp::SharedBytes;
namespace package = bp::package;

constexpr char scheduled[] = R"(
HloModule part, is_scheduled=true
ENTRY main { x = f32[32] parameter(0)  k = f32[32] constant({1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4,
  5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8})  y = f32[32] add(x, k)  ROOT r = (f32[32]) tuple(y) }
)";
constexpr char whole[] = R"(
HloModule whole
ENTRY main { x = f32[32] parameter(0)  k = f32[32] constant({...})  y = f32[32] add(x, k)
  ROOT z = f32[32] cosine(y) }
)";

[[noreturn]] void fail(const std::string &problem) {
  std::fprintf(stderr, "the good package is refused: %s\n", problem.c_str());
  std::abort();
}

SharedBytes shared(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return SharedBytes(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

std::string joined(const std::vector<SharedBytes> &pieces) {
  std::string bytes;
  for (const SharedBytes &piece : pieces) {
    bytes += piece.text();
  }
  return bytes;
}

// The parts of a package, before they are joined.
struct Parts {
  std::string index;               // with the hashes of the blobs
  std::vector<std::string> blobs;  // module, image, artifact, constant
};

Parts good_parts() {
  const auto module = bp::text::parse_module(scheduled);
  const auto plan = module.ok() ? bp::buffers::assign(*module, {}) : bp::Result<bp::buffers::Plan>(module.error());
  const auto image = plan.ok() ? bp::host::build_image(*module, bp::host::Stage::Final, &*plan)
                               : bp::Result<bp::host::Image>(plan.error());
  if (!image.ok() || image->constants().size() != 1) {
    fail(image.ok() ? "it has no constant" : image.error().to_string());
  }
  const auto text_of = [](std::span<const std::byte> bytes) {
    return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  };
  Parts parts{{}, {whole, text_of(image->bytes()), "artifact", text_of(image->constants()[0].literal.bytes())}};
  package::BlobList blobs;
  std::vector<bp::Sha256> hashes;
  for (const std::string &blob : parts.blobs) {
    hashes.push_back(blobs.add(shared(blob)));
  }
  const bp::ir::Shape shape = module->entry().parameter(0).shape();
  package::Index index;
  index.backplane = "fuzzed";
  index.name = "whole";
  index.interface = {{{"x", shape}}, {{"z", shape}}};
  index.devices = {{"acme", "1", {}, "here"}};
  index.programs.push_back({"part", 0, hashes[1], hashes[2], {shape}, module->entry().root().shape(), {}, false});
  package::ExecutableEntry executable;
  executable.module = hashes[0];
  executable.constants = {{shape, hashes[3]}};
  executable.steps = {{{}, {}, "x", {}, {}}, {0, {}, "", {"x"}, {"y"}}, {{}, {}, "z", {}, {}}};
  index.executables.push_back(executable);
  index.executables.push_back(std::move(executable));
  parts.index = boost::json::serialize(package::to_json(index));
  return parts;
}

// Joins the parts to a package; hashes of changed blobs are replaced in the index, too.
std::string join(const Parts &parts, const Parts &good) {
  std::string index = parts.index;
  package::BlobList blobs;
  for (std::size_t i = 0; i < parts.blobs.size(); ++i) {
    const auto bytes_before = std::as_bytes(std::span(std::string_view(good.blobs[i])));
    const std::string before = package::to_hex(bp::sha256(bytes_before));
    const std::string after = package::to_hex(blobs.add(shared(parts.blobs[i])));
    for (std::size_t at = index.find(before); at != std::string::npos; at = index.find(before, at + 1)) {
      index.replace(at, before.size(), after);
    }
  }
  boost::system::error_code problem;
  boost::json::value value = boost::json::parse(index, problem);
  return problem || !value.is_object() ? index : joined(package::write_container(value.as_object(), blobs));
}

// Returns what is wrong with a package.
std::string problem_of(const std::string &bytes) {
  const auto read = package::Package::read(shared(bytes), "fuzzed");
  if (!read.ok()) {
    return read.error().to_string();
  }
  const auto loaded = read->load({});
  return loaded.ok() ? "" : loaded.error().to_string();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const Parts good = [] {
    const Parts parts = good_parts();
    if (const std::string problem = problem_of(join(parts, parts));
        !problem.starts_with("fuzzed was compiled for acme")) {
      fail(problem);
    }
    return parts;
  }();
  Parts parts = good;
  std::size_t all = parts.index.size();
  for (const std::string &blob : parts.blobs) {
    all += blob.size();
  }
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    std::size_t at = static_cast<std::size_t>(data[i] | data[i + 1] << 8 | data[i + 2] << 16) % all;
    std::string *part = &parts.index;
    for (auto next = parts.blobs.begin(); at >= part->size(); ++next) {
      at -= part->size();
      part = &*next;
    }
    (*part)[at] = static_cast<char>(data[i + 3]);
  }
  (void)problem_of(join(parts, good));
  (void)problem_of({reinterpret_cast<const char *>(data), size});  // the same bytes as a package
  return 0;
}
