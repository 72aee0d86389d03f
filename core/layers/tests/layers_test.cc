// Layers over a correct plugin change nothing and see everything; over one that breaks a rule, validate reports the
// rule.
#include <catch2/catch.hpp>

#include <boost/json.hpp>
#include <map>
#include <thread>

#include "backplane/ext/draft/constants.h"
#include "backplane/ext/draft/progress.h"
#include "core/layers/counters.h"
#include "core/layers/tests/tiny_program.h"
#include "core/layers/trace.h"
#include "core/layers/validate.h"

namespace bp::layers {
namespace {

// Returns the broken rules that validate finds, each once.
template <class Mutant>
std::vector<std::string> broken_rules(const std::string &name = "tiny", bool has_memory = true) {
  auto violations = std::make_shared<Violations>();
  run(name, {mutant<Mutant>(), validate_layer(violations)}, has_memory);
  std::vector<std::string> rules;
  for (const Violation &violation : violations->all()) {
    if (std::ranges::find(rules, violation.rule) == rules.end()) {
      rules.push_back(violation.rule);
    }
  }
  return rules;
}
using Rules = std::vector<std::string>;

}  // namespace

TEST_CASE("layers over a correct plugin change nothing") {
  for (const std::string name : {"tiny", "tiny_kernels"}) {
    INFO(name);
    auto violations = std::make_shared<Violations>();
    auto trace = std::make_shared<Trace>();
    CHECK(run(name, {validate_layer(violations), trace_layer(trace), validate_layer(violations)}) == "right");
    for (const Violation &violation : violations->all()) {
      FAIL_CHECK(violation.rule + ": " + violation.message);
    }
    CHECK(trace->size() > 10);
  }
}

TEST_CASE("a trace is JSON that names calls, modules and queues") {
  auto trace = std::make_shared<Trace>();
  REQUIRE(run("tiny", {trace_layer(trace)}) == "right");
  const boost::json::value json = boost::json::parse(trace->to_json());
  std::map<std::string, int> counts;
  bool has_module = false;
  for (const boost::json::value &event : json.at("traceEvents").as_array()) {
    const std::string name(event.at("name").as_string());
    ++counts[name];
    has_module |=
        name == "compiler.compile" && event.at("args").at("module") == "layered" && event.at("args").at("status") == 0;
  }
  CHECK(has_module);
  for (const char *name : {"entry.init", "factory.create", "device.init", "compiler.claim", "compiler.load",
                           "memory.alloc", "queue.submit", "host.signal", "program.destroy", "device.destroy"}) {
    INFO(name);
    CHECK(counts[name] > 0);
  }
  CHECK(counts["host.signal"] == counts["queue.submit"]);
}

// Lists the calls below this layer, in order.
struct Listed : Interposer {
  Listed(std::unique_ptr<host::Entry> below, std::vector<std::string> &calls)
      : Interposer(std::move(below)), calls_(calls) {}
  void deinit() override {
    calls_.emplace_back("entry.deinit");
    Interposer::deinit();
  }
  void enter(const Call &call) override { calls_.emplace_back(to_string(call.function)); }
  std::vector<std::string> &calls_;
};

TEST_CASE("counts are added up by counter and instruction, in a table and as JSON") {
  Counts counts;
  CHECK_THAT(counts.to_text(), Catch::Contains("nothing was counted"));
  counts.add_run();
  counts.add_run();
  counts.add("cycles", BP_UNIT_CYCLES, "step", "dot.1", 5);
  counts.add("cycles", BP_UNIT_CYCLES, "step", "tanh.2", 30);
  counts.add("dma-bytes", BP_UNIT_BYTES, "step", "dot.1", 64);
  counts.add("cycles", BP_UNIT_CYCLES, "step", "dot.1", 10);
  CHECK(counts.to_text() ==
        "counted in 2 runs\n"
        "instruction                               cycles (cycles)        dma-bytes (bytes)\n"
        "tanh.2                                                 30                        0\n"
        "dot.1                                                  15                       64\n"
        "sum                                                    45                       64\n");
  CHECK_THAT(counts.to_text(1), Catch::Contains("1 others                                               15"));
  CHECK(counts.to_json() ==
        R"({"runs":2,"counters":[{"name":"cycles","unit":"cycles","sum":45,"instructions":{"dot.1":15,"tanh.2":30}},)"
        R"({"name":"dma-bytes","unit":"bytes","sum":64,"instructions":{"dot.1":64}}]})"
        "\n");
}

TEST_CASE("counts of instructions with equal names in different modules are kept apart") {
  const auto copy_of = [](std::string_view text) {
    const ir::Module module = text::parse_module(text).value();
    return ModuleCopy(host::build_image(module, host::Stage::Legalize).value().module());
  };
  const ModuleCopy first = copy_of("HloModule step ENTRY main { x = f32[4] parameter(0)  ROOT y = f32[4] negate(x) }");
  const ModuleCopy other = copy_of("HloModule step ENTRY main { x = f32[5] parameter(0)  ROOT y = f32[5] negate(x) }");
  Counts counts;
  CHECK(counts.name_of(&first) == "step");
  CHECK(counts.name_of(&other) == "step (2)");
  CHECK(counts.name_of(&first) == "step");
  CHECK(counts.name_of(nullptr).empty());
  counts.add("cycles", BP_UNIT_CYCLES, "step", "y", 5);
  counts.add("cycles", BP_UNIT_CYCLES, "step (2)", "y", 7);
  counts.add("cycles", BP_UNIT_CYCLES, "", "y", 2);
  counts.add("cycles", BP_UNIT_CYCLES, "step", "z", 1);
  CHECK(counts.to_text() ==
        "counted in 0 runs\n"
        "instruction                               cycles (cycles)\n"
        "y of step (2)                                           7\n"
        "y of step                                               5\n"
        "y of an unknown module                                  2\n"
        "z                                                       1\n"
        "sum                                                    15\n");
  CHECK_THAT(counts.to_json(),
             Catch::Contains(R"json({"y of an unknown module":2,"y of step":5,"z":1,"y of step (2)":7})json"));
}

TEST_CASE("BP-DEVICE-01: after a failed init() only destroy() follows") {
  struct Fails final : Listed {
    using Listed::Listed;
    bp_status device_init(LayeredDevice &, const bp_diag_t *diag) override {
      diag->report(diag, BP_DEVICE_LOST, BP_NONE, "the card does not answer");
      return BP_DEVICE_LOST;
    }
  };
  std::vector<std::string> calls;
  const std::string result =
      run("tiny", {[&](auto below) { return std::make_unique<Fails>(std::move(below), calls); }});
  CHECK_THAT(result, Catch::Contains("init of the device: device lost: the card does not answer"));
  const auto created = std::ranges::find(calls, "factory.create");
  CHECK(std::vector(created, calls.end()) ==
        std::vector<std::string>{"factory.create", "device.init", "device.destroy", "entry.deinit"});

  struct Watched final : Listed {
    using Listed::Listed;
  };
  calls.clear();
  CHECK(run("tiny", {[&](auto below) { return std::make_unique<Watched>(std::move(below), calls); }}) == "right");
  CHECK(*(std::ranges::find(calls, "factory.create") + 1) == "device.init");
  CHECK(std::ranges::count(calls, "device.init") == 1);
}

TEST_CASE("BP-INIT-03: deinit() is not called after a failed init()") {
  struct Fails final : Listed {
    using Listed::Listed;
    bp_status init(const char *, const bp_diag_t *diag) override {
      diag->report(diag, BP_INTERNAL, BP_NONE, "no licence");
      return BP_INTERNAL;
    }
  };
  std::vector<std::string> calls;
  CHECK_THAT(run("tiny", {[&](auto below) { return std::make_unique<Fails>(std::move(below), calls); }}),
             Catch::Contains("init: internal error: no licence"));
  CHECK(calls.empty());
}

TEST_CASE("BP-ROUTINE-01: two routines of one name are refused") {
  struct Doubles final : Interposer {
    using Interposer::Interposer;
    const void *device_get_extension(LayeredDevice &device, const char *id) override {
      const void *found = Interposer::device_get_extension(device, id);
      if (std::string_view(id) != BP_EXT_CUSTOM_CALL || found == nullptr) {
        return found;
      }
      const auto &one = *static_cast<const bp_device_custom_call_t *>(found);
      routines = {one.routines[0], one.routines[0]};
      table = {routines.data(), routines.size()};
      return &table;
    }
    std::vector<bp_routine_t> routines;
    bp_device_custom_call_t table;
  };
  CHECK_THAT(run("tiny", {mutant<Doubles>()}),
             Catch::Contains("routines 0 and 1 are both called tiny.twice, expected different targets"));
}

// Below validate: asks services of the host about calls.
struct Asks : Interposer {
  using Interposer::Interposer;
  template <class Table>
  static const Table &service(LayeredDevice &device, const char *id) {
    return *static_cast<const Table *>(device.host.below->get_extension(device.host.below, id));
  }
  static bp_status content(LayeredDevice &device, const bp_diag_t *diag, std::uint32_t allocation) {
    const void *data = nullptr;
    std::uint64_t size = 0;
    return service<bp_host_constants_t>(device, BP_EXT_CONSTANTS)
        .content(device.host.below, diag, allocation, &data, &size);
  }
  static bp_status progress(LayeredDevice &device, const bp_diag_t *diag, std::uint64_t done) {
    return service<bp_host_progress_t>(device, BP_EXT_PROGRESS).report(device.host.below, diag, done, 10);
  }
};

TEST_CASE("validate hands on questions about a call, and names the rule that they break") {
  struct AsksRightly : Asks {
    using Asks::Asks;
    bp_status compiler_compile(LayeredDevice &d, const bp_module_t *m, const bp_ostream_t *out,
                               const bp_diag_t *diag) override {
      std::uint32_t contents = 0;
      for (std::uint32_t i = 0; i < m->allocations.count; ++i) {
        if (BP_AT(m, allocations, bp_allocation_t, i)->kind == BP_ALLOC_CONSTANT) {
          contents += content(d, diag, i) == BP_OK ? 1 : 0;
        }
      }
      CHECK(contents > 0);
      const bp_diag_t other = {nullptr, [](const bp_diag_t *, bp_status, std::uint32_t, const char *) {}};
      CHECK(content(d, &other, 0) == BP_UNSUPPORTED);
      CHECK(progress(d, &other, 11) == BP_OK);
      CHECK(progress(d, diag, 10) == BP_OK);
      return Interposer::compiler_compile(d, m, out, diag);
    }
  };
  CHECK(broken_rules<AsksRightly>() == Rules());
  struct AsksForInput : Asks {
    using Asks::Asks;
    bp_status compiler_compile(LayeredDevice &d, const bp_module_t *m, const bp_ostream_t *out,
                               const bp_diag_t *diag) override {
      CHECK(content(d, diag, m->allocations.count) == BP_INVALID);
      return Interposer::compiler_compile(d, m, out, diag);
    }
  };
  CHECK(broken_rules<AsksForInput>() == Rules{"BP-CONSTANT-01"});
  struct AsksInLoad : Asks {
    using Asks::Asks;
    bp_status compiler_load(LayeredDevice &d, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                            std::uint8_t *taken, std::uint32_t count, const bp_program_t **program,
                            const bp_diag_t *diag) override {
      CHECK(content(d, diag, 0) == BP_INVALID);
      return Interposer::compiler_load(d, artifact, size, constants, taken, count, program, diag);
    }
  };
  CHECK(broken_rules<AsksInLoad>() == Rules{"BP-CONSTANT-01"});
  struct DoesTooMuch : Asks {
    using Asks::Asks;
    bp_status compiler_compile(LayeredDevice &d, const bp_module_t *m, const bp_ostream_t *out,
                               const bp_diag_t *diag) override {
      progress(d, diag, 11);
      return Interposer::compiler_compile(d, m, out, diag);
    }
  };
  CHECK(broken_rules<DoesTooMuch>() == Rules{"BP-PROGRESS-01"});
  struct ReportsLate : Asks {
    using Asks::Asks;
    bp_status compiler_compile(LayeredDevice &d, const bp_module_t *m, const bp_ostream_t *out,
                               const bp_diag_t *diag) override {
      last = diag;
      return Interposer::compiler_compile(d, m, out, diag);
    }
    bp_status compiler_load(LayeredDevice &d, const void *artifact, std::uint64_t size, const bp_loc_t *constants,
                            std::uint8_t *taken, std::uint32_t count, const bp_program_t **program,
                            const bp_diag_t *diag) override {
      progress(d, last, 1);
      return Interposer::compiler_load(d, artifact, size, constants, taken, count, program, diag);
    }
    const bp_diag_t *last = nullptr;
  };
  CHECK(broken_rules<ReportsLate>() == Rules{"BP-PROGRESS-01"});
}

TEST_CASE("validate names the rule that a plugin breaks") {
  struct Nan : Interposer {
    using Interposer::Interposer;
    bp_status compiler_claim(LayeredDevice &d, const bp_module_t *m, float *cost, const bp_diag_t *diag) override {
      std::vector<float> own(m->instrs.count);
      const bp_status status = Interposer::compiler_claim(d, m, own.data(), diag);
      std::copy(own.begin(), own.end() - 1, cost);
      return status;
    }
  };
  CHECK(broken_rules<Nan>() == Rules{"BP-CLAIM-04"});

  struct Fickle : Interposer {
    using Interposer::Interposer;
    float count = 0;
    bp_status compiler_claim(LayeredDevice &d, const bp_module_t *m, float *cost, const bp_diag_t *diag) override {
      const bp_status status = Interposer::compiler_claim(d, m, cost, diag);
      cost[0] = ++count;
      return status;
    }
  };
  CHECK(broken_rules<Fickle>() == Rules{"BP-CLAIM-01"});

  struct Declines : Interposer {
    using Interposer::Interposer;
    bp_status compiler_compile(LayeredDevice &, const bp_module_t *, const bp_ostream_t *, const bp_diag_t *) override {
      return BP_UNSUPPORTED;
    }
  };
  CHECK(broken_rules<Declines>() == Rules{"BP-CLAIM-03"});

  struct Threaded : Interposer {
    using Interposer::Interposer;
    bp_status compiler_compile(LayeredDevice &d, const bp_module_t *m, const bp_ostream_t *s,
                               const bp_diag_t *diag) override {
      bp_status status = BP_OK;
      std::thread([&] { status = Interposer::compiler_compile(d, m, s, diag); }).join();
      return status;
    }
  };
  CHECK(broken_rules<Threaded>() == Rules{"BP-STREAM-01"});

  struct Twice : Interposer {
    using Interposer::Interposer;
    void host_signal(LayeredHost &h, bp_point_t p, bp_status s, std::uint32_t i, const char *m) override {
      Interposer::host_signal(h, p, s, i, m);
      Interposer::host_signal(h, p, s, i, m);
    }
  };
  CHECK(broken_rules<Twice>() == Rules{"BP-SIGNAL-01"});

  struct Late : Interposer {
    using Interposer::Interposer;
    const bp_diag_t *kept = nullptr;
    bp_status compiler_claim(LayeredDevice &d, const bp_module_t *m, float *cost, const bp_diag_t *diag) override {
      if (kept != nullptr && kept != diag) {
        kept->report(kept, BP_OK, BP_NONE, "late");
      }
      kept = kept == nullptr ? diag : kept;
      return Interposer::compiler_claim(d, m, cost, diag);
    }
  };
  // Queried twice in one call, the second time with another sink.
  CHECK(broken_rules<Late>() == Rules{"BP-DIAG-02"});

  struct Writes : Interposer {
    using Interposer::Interposer;
    bp_status program_run(LayeredProgram &p, const bp_run_t *run, const bp_diag_t *diag) override {
      const bp_status status = Interposer::program_run(p, run, diag);
      for (std::uint64_t i = 0; i < run->allocation_count; ++i) {
        *reinterpret_cast<float *>(run->allocations[i].offset) += 1;
      }
      return status;
    }
  };
  CHECK(broken_rules<Writes>("tiny", false) == Rules{"BP-RUN-01"});

  struct Overlaps : Interposer {
    using Interposer::Interposer;
    bp_status memory_alloc(LayeredDevice &d, std::uint32_t s, std::uint64_t n, std::uint32_t a, bp_memory_t *out,
                           const bp_diag_t *diag) override {
      const bp_status status = Interposer::memory_alloc(d, s, n, a, out, diag);
      out->address = 4096;
      return status;
    }
  };
  CHECK(broken_rules<Overlaps>() == Rules{"BP-ALLOC-02"});

  struct Forgets : Interposer {
    using Interposer::Interposer;
    const void *device_get_extension(LayeredDevice &d, const char *id) override {
      const void *found = Interposer::device_get_extension(d, id);
      return std::string_view(id) == BP_EXT_MEMORY && ++asked > 1 ? nullptr : found;
    }
    int asked = 0;
  };
  CHECK(broken_rules<Forgets>() == Rules{"BP-DEVICE-05"});

  struct Eager : Interposer {
    using Interposer::Interposer;
    const bp_device_t *factory_create(LayeredFactory &f, const bp_host_t *h, const char *id, std::uint32_t i,
                                      const bp_option_t *o, std::uint32_t n, const bp_diag_t *diag) override {
      h->get_extension(h, BP_EXT_LOG);
      return Interposer::factory_create(f, h, id, i, o, n, diag);
    }
  };
  CHECK(broken_rules<Eager>() == Rules{"BP-CREATE-01"});

  struct Modifies : Interposer {
    using Interposer::Interposer;
    bp_status kernels_kernel(LayeredDevice &d, const bp_call_t *call, const bp_diag_t *diag) override {
      const bp_status status = Interposer::kernels_kernel(d, call, diag);
      if (call->operands[0] != call->results[0]) {
        *static_cast<float *>(const_cast<void *>(call->operands[0])) = 7;
      }
      return status;
    }
  };
  CHECK(broken_rules<Modifies>("tiny_kernels") == Rules{"BP-KERNEL-01"});

  struct Strange : Interposer {
    using Interposer::Interposer;
    bp_status compiler_compile(LayeredDevice &, const bp_module_t *, const bp_ostream_t *, const bp_diag_t *) override {
      return 99;
    }
  };
  CHECK(broken_rules<Strange>() == Rules{"bp_status"});
}

}  // namespace bp::layers
