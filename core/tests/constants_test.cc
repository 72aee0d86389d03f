// The contents of constants that compile() can ask for (bp.constants/draft-1), on the backends that compile.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "backplane/ext/draft/constants.h"
#include "core/backplane.h"
#include "core/base/sha256.h"
#include "core/interpreter/random_inputs.h"
#include "core/layers/interposer.h"

namespace bp {
namespace {

// Constants whose buffers are those of literals and constants in other layouts; npu wants the last one in tiles.
std::string text_with_constants() {
  const auto row = [](int count, int first) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : ", ", (first + i) % 100 - 50);
    }
    return "{" + text + "}";
  };
  const auto rows = [&](int count, int columns) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += (i == 0 ? "" : ", ") + row(columns, i * 7);
    }
    return "{" + text + "}";
  };
  return fmt::format(
      "HloModule constants\nENTRY main {{\n"
      "  x = f32[20] parameter(0)  a = f32[20] constant({})  s = f32[20] add(x, a)\n"
      "  u = f32[2] parameter(1)  v = f32[2] constant({})  b = f32[2] add(u, v)\n"
      "  y = f32[5,9]{{0,1}} parameter(2)  c = f32[5,9]{{0,1}} constant({})  t = f32[5,9]{{0,1}} multiply(y, c)\n"
      "  z = s8[11,40] parameter(3)  w = s8[40,70] constant({})\n"
      "  d = s32[11,70] dot(z, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
      "  ROOT r = (f32[20], f32[2], f32[5,9]{{0,1}}, s32[11,70]) tuple(s, b, t, d) }}\n",
      row(20, 0), row(2, 3), rows(5, 9), rows(40, 70));
}

struct Told {
  bp_status status = BP_OK;
  const void *data = nullptr;
  std::uint64_t size = 0;
};

// Asks for all contents during each compile(), and compares them with what load() gets.
struct Asker final : layers::Interposer {
  struct Seen {
    std::map<std::uint32_t, std::vector<std::byte>> contents;  // by allocation, of the last compile()
    bool is_offered = true;
    std::size_t asked = 0, compared = 0;
    std::vector<std::string> faults;
  };
  Asker(std::unique_ptr<host::Entry> below, Seen &seen) : Interposer(std::move(below)), seen_(seen) {}

  bp_status compiler_compile(layers::LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    seen_.contents.clear();
    const bp_host_t *host = device.host.below;
    const auto *service = static_cast<const bp_host_constants_t *>(host->get_extension(host, BP_EXT_CONSTANTS));
    seen_.is_offered = service != nullptr;
    if (service != nullptr) {
      ask(*service, host, module, diag);
    }
    return Interposer::compiler_compile(device, module, artifact, diag);
  }
  bp_status compiler_load(layers::LayeredDevice &device, const void *artifact, std::uint64_t size,
                          const bp_loc_t *constants, std::uint8_t *taken, std::uint32_t count,
                          const bp_program_t **program, const bp_diag_t *diag) override {
    for (const auto &[allocation, content] : seen_.contents) {
      std::vector<std::byte> loaded(content.size());
      const bp_loc_t to = {0, reinterpret_cast<std::uintptr_t>(loaded.data())}, from = constants[allocation];
      if (from.memory == 0) {
        std::memcpy(loaded.data(), reinterpret_cast<const void *>(static_cast<std::uintptr_t>(from.offset)),
                    loaded.size());
      } else {
        device.memory->copy(device.below, to, from, loaded.size(), diag);
      }
      expect(loaded == content, "load() gets another content", allocation);
      ++seen_.compared;
    }
    return Interposer::compiler_load(device, artifact, size, constants, taken, count, program, diag);
  }

 private:
  void expect(bool is_right, const char *fault, std::uint32_t allocation) {
    if (!is_right) {
      seen_.faults.push_back(fmt::format("{}: allocation {}", fault, allocation));
    }
  }

  // Each content is asked for by four threads, which get the same bytes.
  void ask(const bp_host_constants_t &service, const bp_host_t *host, const bp_module_t *module,
           const bp_diag_t *diag) {
    const plugin::ModuleView view(module);
    const auto count = static_cast<std::uint32_t>(view.allocations().size());
    std::array<std::vector<Told>, 4> told;
    std::vector<std::thread> threads;
    for (std::vector<Told> &own : told) {
      own.resize(count + 1);
      threads.emplace_back([&] {
        for (std::uint32_t i = 0; i <= count; ++i) {
          own[i].status = service.content(host, diag, i, &own[i].data, &own[i].size);
        }
      });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    const bp_diag_t other = {nullptr, [](const bp_diag_t *, bp_status, std::uint32_t, const char *) {}};
    for (std::uint32_t i = 0; i <= count; ++i) {
      const Told &first = told[0][i];
      for (const std::vector<Told> &own : told) {
        expect(own[i].status == first.status && own[i].data == first.data && own[i].size == first.size,
               "threads get different answers", i);
      }
      Told none;
      expect(service.content(host, &other, i, &none.data, &none.size) == BP_UNSUPPORTED && none.data == nullptr,
             "an answer to another call", i);
      if (i == count || view.allocations()[i].kind != BP_ALLOC_CONSTANT) {
        expect(first.status == BP_INVALID && first.data == nullptr && first.size == 0, "an answer for no constant", i);
        continue;
      }
      const std::span bytes(static_cast<const std::byte *>(first.data), first.size);
      expect(first.status == BP_OK && bytes.size() == view.allocations()[i].size, "no content, or too little", i);
      expect(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64 == 0, "the content is not aligned", i);
      expect(std::ranges::equal(sha256(bytes), view.content_hash(view.allocations()[i])), "another hash", i);
      seen_.contents[i].assign(bytes.begin(), bytes.end());
      ++seen_.asked;
    }
  }

  Seen &seen_;
};

std::string plugin_of_this_build(const std::string &name) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return folder / "plugins" / name / ("libbackplane_" + name + ".so");
}

// Compiles the program on a backend, and returns what was seen.
Asker::Seen seen_by(const std::string &plugin, BackendOptions options) {
  Asker::Seen seen;
  options.layers.emplace_back(
      [&seen](std::unique_ptr<host::Entry> below) { return std::make_unique<Asker>(std::move(below), seen); });
  const Backend backend = Backend::load(plugin, options).value();
  CompileOptions compilation;
  compilation.fold_constants = false;
  const Module module = parse_module(text_with_constants(), "constants.hlo").value();
  const auto compiled = backend.compile(module, compilation);
  INFO((compiled.ok() ? "" : compiled.error().to_string()));
  REQUIRE(compiled.ok());
  CHECK(compiled->executable.run(interpreter::random_arguments(module, 1).value()).ok());
  return seen;
}

}  // namespace

TEST_CASE("BP-CONSTANT-04: compile() gets the contents that load() gets, on any thread") {
  for (const std::string name : {"npu", "cpu"}) {
    const std::string plugin = plugin_of_this_build(name);
    if (!std::filesystem::exists(plugin)) {
      continue;
    }
    INFO(name);
    const Asker::Seen seen = seen_by(plugin, {});
    CHECK(seen.is_offered);
    CHECK(seen.faults == std::vector<std::string>());
    CHECK(seen.asked >= 4);
    CHECK(seen.compared == seen.asked);
  }
}

TEST_CASE("a service for contents of constants that is withdrawn is not offered") {
  BackendOptions options;
  options.withdrawn_services = {BP_EXT_CONSTANTS};
  CHECK_FALSE(seen_by(plugin_of_this_build("npu"), options).is_offered);
}

}  // namespace bp
