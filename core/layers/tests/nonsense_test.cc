// Plugins that answer nonsense cause an error that says what it was, or their work is done without them; nothing else
// happens.
#include <catch2/catch.hpp>

#include <limits>
#include <thread>

#include "backplane/ext/draft/layout.h"
#include "core/layers/tests/tiny_program.h"

namespace bp::layers {
namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

// Layers that each override one function.
template <class Change>
struct ChangedDescription : Interposer {
  using Interposer::Interposer;
  const bp_device_desc_t *factory_get_desc(LayeredFactory &factory, std::uint32_t index) override {
    description = *Interposer::factory_get_desc(factory, index);
    Change()(description);
    return &description;
  }
  bp_device_desc_t description;
};

std::string with_description(void (*change)(bp_device_desc_t &)) {
  static void (*chosen)(bp_device_desc_t &);
  chosen = change;
  struct Chosen {
    void operator()(bp_device_desc_t &description) { chosen(description); }
  };
  return run("tiny", {mutant<ChangedDescription<Chosen>>()});
}

std::string with_program(void (*change)(bp_program_t &), bool has_memory = true) {
  static void (*chosen)(bp_program_t &);
  chosen = change;
  struct Changed : Interposer {
    using Interposer::Interposer;
    bp_status compiler_load(LayeredDevice &device, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                            std::uint8_t *taken, std::uint32_t count, const bp_program_t **program,
                            const bp_diag_t *diag) override {
      const bp_status status =
          Interposer::compiler_load(device, artifact, size, constants, taken, count, program, diag);
      if (*program != nullptr) {
        chosen(*const_cast<bp_program_t *>(*program));
      }
      return status;
    }
  };
  return run("tiny", {mutant<Changed>()}, has_memory);
}

std::string with_artifact(bp_status (*write)(const bp_ostream_t *artifact)) {
  static bp_status (*chosen)(const bp_ostream_t *);
  chosen = write;
  struct Changed : Interposer {
    using Interposer::Interposer;
    bp_status compiler_compile(LayeredDevice &, const bp_module_t *, const bp_ostream_t *artifact,
                               const bp_diag_t *) override {
      return chosen(artifact);
    }
  };
  return run("tiny", {mutant<Changed>()});
}

std::string with_claims(void (*change)(const bp_module_t *module, float *cost)) {
  static void (*chosen)(const bp_module_t *, float *);
  chosen = change;
  struct Changed : Interposer {
    using Interposer::Interposer;
    bp_status compiler_claim(LayeredDevice &device, const bp_module_t *module, float *cost,
                             const bp_diag_t *diag) override {
      const bp_status status = Interposer::compiler_claim(device, module, cost, diag);
      chosen(module, cost);
      return status;
    }
  };
  return run("tiny", {mutant<Changed>()});
}

std::string with_piece(void (*change)(bp_memory_t &piece)) {
  static void (*chosen)(bp_memory_t &);
  chosen = change;
  struct Changed : Interposer {
    using Interposer::Interposer;
    bp_status memory_alloc(LayeredDevice &device, std::uint32_t space, std::uint64_t size, std::uint32_t alignment,
                           bp_memory_t *out, const bp_diag_t *diag) override {
      const bp_status status = Interposer::memory_alloc(device, space, size, alignment, out, diag);
      bp_memory_t piece = *out;
      chosen(piece);
      if (piece.memory == 0) {
        Interposer::memory_release(device, out->memory);
      }
      *out = piece;
      return status;
    }
  };
  return run("tiny", {mutant<Changed>()});
}

// Replaces the plugin's signals; `signal` decides which points are signalled and how.
using SignalNext = void(LayeredHost &host, bp_point_t point, bp_status status);
std::string with_signals(void (*signal)(SignalNext *next, LayeredHost &host, bp_point_t point)) {
  static void (*chosen)(SignalNext *, LayeredHost &, bp_point_t);
  chosen = signal;
  struct Changed : Interposer {
    using Interposer::Interposer;
    void host_signal(LayeredHost &host, bp_point_t point, bp_status, std::uint32_t, const char *) override {
      chosen([](LayeredHost &to, bp_point_t at,
                bp_status status) { to.below->signal(to.below, at, status, 0xfffffffe, nullptr); },
             host, point);
    }
  };
  return run("tiny", {mutant<Changed>()});
}

}  // namespace

TEST_CASE("a description that makes no sense is refused") {
  CHECK_THAT(with_description([](bp_device_desc_t &d) { d.id = nullptr; }),
             Catch::Contains("the manifest differs from the code: device org.example.tiny: id is \"\" in the code"));
  CHECK_THAT(with_description([](bp_device_desc_t &d) { d.name = nullptr; }),
             Catch::Contains("the manifest differs from the code: device org.example.tiny: name is \"\" in the code"));
  CHECK_THAT(
      with_description([](bp_device_desc_t &d) { d.version = nullptr; }),
      Catch::Contains("the manifest differs from the code: device org.example.tiny: version is \"\" in the code"));
  CHECK_THAT(with_description([](bp_device_desc_t &d) { d.features = nullptr; }),
             Catch::Contains("list of extensions is \"\" in the code"));
  CHECK_THAT(with_description([](bp_device_desc_t &d) { d.opset = 0xffffffff; }),
             Catch::Contains("opset is \"4294967295\" in the code"));
  CHECK_THAT(with_description([](bp_device_desc_t &d) { d.options = nullptr, d.option_count = huge; }),
             Catch::Contains("options is null, expected 18446744073709551615 options"));
}

// Replaces the table of an extension by one in which something is missing.
template <class Table>
std::string with_table(std::string_view id, void (*change)(Table &table), const char *plugin = "tiny") {
  static std::string_view wanted;
  static void (*chosen)(Table &);
  wanted = id;
  chosen = change;
  struct Changed : Interposer {
    using Interposer::Interposer;
    const void *device_get_extension(LayeredDevice &device, const char *name) override {
      const void *found = Interposer::device_get_extension(device, name);
      if (found == nullptr || name != wanted) {
        return found;
      }
      table = *static_cast<const Table *>(found);
      chosen(table);
      return &table;
    }
    Table table;
  };
  // The second layer above must not hide what is missing.
  return run(plugin, {mutant<Changed>(), mutant<Interposer>()});
}

TEST_CASE("a table that lacks something is refused, also under layers") {
  const auto lacks = [](const char *what) {
    return Catch::Contains(std::string(what) + " is null, expected a function");
  };
  CHECK_THAT(with_table<bp_device_memory_t>(BP_EXT_MEMORY, [](auto &t) { t.alloc = nullptr; }),
             lacks("bp.memory/1.alloc"));
  CHECK_THAT(with_table<bp_device_memory_t>(BP_EXT_MEMORY, [](auto &t) { t.spaces = nullptr; }),
             Catch::Contains("bp.memory/1 lists no spaces"));
  CHECK_THAT(with_table<bp_device_compiler_t>(BP_EXT_COMPILER, [](auto &t) { t.load = nullptr; }),
             lacks("bp.compiler/1.load"));
  CHECK_THAT(with_table<bp_device_queue_t>(BP_EXT_QUEUE, [](auto &t) { t.submit = nullptr; }),
             lacks("bp.queue/1.submit"));
  CHECK_THAT(with_table<bp_device_queue_t>(BP_EXT_QUEUE, [](auto &t) { t.queues = nullptr; }),
             Catch::Contains("bp.queue/1 lists no queues"));
  CHECK_THAT(with_table<bp_device_custom_call_t>(BP_EXT_CUSTOM_CALL, [](auto &t) { t.routines = nullptr; }),
             Catch::Contains("bp.custom-call/draft-1: routines is null, expected 1 routines"));
  CHECK_THAT(with_table<bp_device_kernels_t>(
                 BP_EXT_KERNELS, [](auto &t) { t.find = nullptr; }, "tiny_kernels"),
             lacks("bp.kernels/1.find"));
}

TEST_CASE("a program that makes no sense is refused, or its memory is said to be too much") {
  CHECK_THAT(with_program([](bp_program_t &p) { p.run = nullptr; }), Catch::Contains("its program is incomplete"));
  CHECK_THAT(with_program([](bp_program_t &p) { p.scratch_alignment = 3; }),
             Catch::Contains("asks for scratch aligned to 3, expected a power of two"));
  CHECK_THAT(with_program([](bp_program_t &p) { p.scratch_space = 7; }),
             Catch::Contains("asks for scratch in space 7, expected one below 1"));
  for (const bool has_memory : {true, false}) {
    INFO(has_memory);
    CHECK_THAT(with_program([](bp_program_t &p) { p.scratch_size = huge; }, has_memory), Catch::Contains("bytes"));
    CHECK_THAT(with_program([](bp_program_t &p) { p.scratch_size = huge / 2; }, has_memory), Catch::Contains("bytes"));
    CHECK_THAT(with_program([](bp_program_t &p) { p.scratch_size = 1, p.scratch_alignment = 0x80000000; }, has_memory),
               Catch::Contains("right") || Catch::Contains("bytes"));
    CHECK(with_program([](bp_program_t &p) { p.resident_size = huge; }, has_memory) == "right");
  }
}

TEST_CASE("an artifact that makes no sense is refused") {
  CHECK_THAT(with_artifact([](const bp_ostream_t *) -> bp_status { return BP_OK; }),
             Catch::Contains("plugin org.example.tiny: load"));
  CHECK_THAT(with_artifact([](const bp_ostream_t *artifact) { return artifact->write(artifact, nullptr, 5); }),
             Catch::Contains("plugin org.example.tiny: compile: invalid"));
  CHECK_THAT(with_artifact([](const bp_ostream_t *artifact) { return artifact->write(artifact, "", huge / 4); }),
             Catch::Contains("plugin org.example.tiny: compile: out of memory"));
  CHECK_THAT(with_artifact([](const bp_ostream_t *artifact) { return artifact->write(artifact, nullptr, 0); }),
             Catch::Contains("plugin org.example.tiny: load"));
  CHECK_THAT(with_artifact([](const bp_ostream_t *) -> bp_status { return -1; }),
             Catch::Contains("compile: internal error (unknown status -1): no reason given"));
}

TEST_CASE("costs that make no sense are refused, or are no reason not to run") {
  CHECK_THAT(with_claims([](const bp_module_t *module, float *cost) {
               std::fill_n(cost, module->instrs.count, std::numeric_limits<float>::quiet_NaN());
             }),
             Catch::Contains("backend org.example.tiny: claim gave no cost for"));
  CHECK(with_claims([](const bp_module_t *module, float *cost) {
          std::fill_n(cost, module->instrs.count, -std::numeric_limits<float>::infinity());
        }) == "right");
  for (const float much : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::max()}) {
    static float chosen;
    chosen = much;
    CHECK(with_claims([](const bp_module_t *module, float *cost) {
            for (std::uint32_t i = 0; i < module->instrs.count; ++i) {
              cost[i] = cost[i] >= 0 ? chosen : cost[i];
            }
          }) == "right");
  }
}

TEST_CASE("memory that makes no sense is refused") {
  CHECK_THAT(with_piece([](bp_memory_t &piece) { piece.memory = 0; }),
             Catch::Contains("alloc reported success, but gave the handle 0"));
  CHECK(with_piece([](bp_memory_t &piece) { piece.host = nullptr, piece.address = huge; }) == "right");
}

TEST_CASE("signals that make no sense move nothing that they should not") {
  CHECK(with_signals([](SignalNext *next, LayeredHost &host, bp_point_t point) {
          next(host, point, BP_OK);
          next(host, point, BP_INTERNAL);
        }) == "right");
  CHECK(with_signals([](SignalNext *next, LayeredHost &host, bp_point_t point) {
          next(host, {point.timeline + 1'000'000, 1}, BP_INTERNAL);
          next(host, {0, huge}, BP_INTERNAL);
          next(host, {point.timeline, 0}, BP_INTERNAL);
          next(host, point, BP_OK);
        }) == "right");
  CHECK(with_signals([](SignalNext *next, LayeredHost &host, bp_point_t point) {
          std::thread([&] { next(host, point, BP_OK); }).join();
        }) == "right");
  CHECK(with_signals([](SignalNext *next, LayeredHost &host, bp_point_t point) {
          next(host, {point.timeline, huge}, BP_OK);
        }) == "right");
  CHECK_THAT(with_signals([](SignalNext *next, LayeredHost &host, bp_point_t point) { next(host, point, 77); }),
             Catch::Contains("plugin org.example.tiny: run: internal error (unknown status 77): no reason given"));
  CHECK_THAT(
      with_signals([](SignalNext *next, LayeredHost &host, bp_point_t point) { next(host, point, BP_DEVICE_LOST); }),
      Catch::Contains("plugin org.example.tiny: run: device lost"));
}

TEST_CASE("a report about an instruction that does not exist is shown all the same") {
  struct Blames : Interposer {
    using Interposer::Interposer;
    bp_status compiler_compile(LayeredDevice &, const bp_module_t *, const bp_ostream_t *,
                               const bp_diag_t *diag) override {
      diag->report(diag, 99, 123456, nullptr);
      return BP_INTERNAL;
    }
  };
  CHECK_THAT(run("tiny", {mutant<Blames>()}),
             Catch::Contains("compile: internal error: instruction 123456: no reason"));
}

}  // namespace bp::layers
