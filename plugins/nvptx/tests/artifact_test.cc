// Artifacts whose bytes are whole, but that are not for this machine, or say what cannot be.
#include <catch2/catch.hpp>
#include <cstring>

#include "core/base/sha256.h"
#include "core/host/diagnostics.h"
#include "core/host/plugin.h"
#include "plugins/gpu/artifact.h"
#include "plugins/nvptx/tests/programs.h"
#include "plugins/nvptx/tests/with_driver.h"

namespace bp::nvptx::tests {
namespace {

constexpr std::size_t header_bytes = 40;  // eight letters and the checksum

// An artifact as it is written (artifact.h): lists, each after the number of its elements, and numbers.
class ArtifactBytes {
 public:
  explicit ArtifactBytes(std::string bytes) : bytes_(std::move(bytes)) {}

  std::string target() const { return bytes_.substr(target_at + sizeof(std::uint64_t), word(target_at)); }
  void set_target(const std::string &target) {
    bytes_.replace(target_at + sizeof(std::uint64_t), word(target_at), target);
    set_word(target_at, target.size());
  }
  std::uint64_t scratch_bytes() const { return word(after_list(allocation_sizes_at(), sizeof(std::uint64_t))); }
  void set_scratch_bytes(std::uint64_t bytes) {
    set_word(after_list(allocation_sizes_at(), sizeof(std::uint64_t)), bytes);
  }

  void replace(const std::string &text, const std::string &with) {
    REQUIRE(text.size() == with.size());
    REQUIRE(bytes_.find(text) != std::string::npos);
    bytes_.replace(bytes_.find(text), text.size(), with);
  }

  // Loads the artifact. Returns the error, or "" if there is none.
  std::string load(const host::Device &device) {
    const Sha256 sum = sha256(std::as_bytes(std::span(bytes_).subspan(header_bytes)));
    std::memcpy(bytes_.data() + header_bytes - sum.size(), sum.data(), sum.size());
    const auto count = static_cast<std::uint32_t>(word(allocation_sizes_at()) - 1);
    host::Diagnostics diagnostics;
    const bp_program_t *program = nullptr;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      return device.compiler()->load(device.abi(), bytes_.data(), bytes_.size(), nullptr, nullptr, count, &program,
                                     diag);
    });
    if (status == BP_OK) {
      program->destroy(program);
      return "";
    }
    CHECK(status == BP_INVALID);
    return diagnostics.reports().at(0).message;
  }

 private:
  static constexpr std::size_t target_at = header_bytes;

  std::uint64_t word(std::size_t at) const {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes_.data() + at, sizeof word);
    return word;
  }
  void set_word(std::size_t at, std::uint64_t word) { std::memcpy(bytes_.data() + at, &word, sizeof word); }
  std::size_t after_list(std::size_t at, std::size_t element_bytes) const {
    return at + sizeof(std::uint64_t) + word(at) * element_bytes;
  }
  std::size_t allocation_sizes_at() const {
    std::size_t at = after_list(target_at, 1);
    for (const std::size_t element_bytes :
         {sizeof(gpu::Command), sizeof(gpu::MemoryRange), sizeof(gpu::TensorMap), sizeof(std::uint32_t) /* targets */,
          sizeof(std::uint32_t) /* dependences */}) {
      at = after_list(at, element_bytes);
    }
    return at;
  }

  std::string bytes_;
};

}  // namespace

TEST_CASE("artifacts that are not for this machine, or say what cannot be, are refused") {
  const Module module = text::parse_module(R"(HloModule sorted
    less { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = pred[] compare(p, q), direction=LT }
    ENTRY main { x = f32[6144] parameter(0)  ROOT s = f32[6144] sort(x), dimensions={0}, to_apply=less })")
                            .value();
  const Settings settings = {{"emulate", "1"}};
  const Backend backend = open(settings);
  const ArtifactBytes artifact(text_from(module, settings));
  CHECK(ArtifactBytes(artifact).load(*backend.device()) == "");
  SECTION("with more scratch memory in its plan than a run gets") {
    REQUIRE(artifact.scratch_bytes() > 0);
    ArtifactBytes other = artifact;
    other.set_scratch_bytes(artifact.scratch_bytes() - 64);
    CHECK(other.load(*backend.device()) ==
          "nvptx: artifact is damaged: its last allocation is not the scratch memory of a run");
  }
  SECTION("emulated kernels of another host") {
    const std::string target = artifact.target(), host = target.substr(std::min(target.find(" on "), target.size()));
    CHECK(std::ranges::count(host, ' ') == 4);  // triple, processor and its features
    for (const std::string &other : {target.substr(0, target.size() - host.size()), target + "0"}) {
      ArtifactBytes foreign = artifact;
      foreign.set_target(other);
      CHECK(foreign.load(*backend.device()) == "nvptx: artifact is for " + other + ", expected " + target);
    }
  }
}

TEST_CASE("code that the driver's compiler refuses is refused with what it says") {
  const Module module =
      text::parse_module("HloModule m ENTRY main { x = f32[4] parameter(0)  ROOT r = f32[4] negate(x) }").value();
  const TestDriver driver("version=12030");
  {
    const auto backend = open_with_driver({{"target", "sm_80"}});
    REQUIRE(backend.ok());
    const auto made = backend->make_artifact(module, whole());
    REQUIRE(made.ok());
    ArtifactBytes artifact({reinterpret_cast<const char *>(made->bytes.data()), made->bytes.size()});
    CHECK(ArtifactBytes(artifact).load(*backend->device()) == "");
    artifact.replace(".version 7.", ".version 9.");
    CHECK(artifact.load(*backend->device()) ==
          "nvptx: loading kernels: an error (222); nvidia-smi shows whether GPU and driver are well; the driver's "
          "compiler: "
          "the test driver does not take this code");
  }
  CHECK(driver.problems() == "");
}

}  // namespace bp::nvptx::tests
