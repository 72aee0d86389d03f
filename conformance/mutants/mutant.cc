#include "conformance/mutants/mutant.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "conformance/mutants/fault.h"
#include "core/base/files.h"

namespace bp::conformance {
namespace {

using namespace layers;

// Calls the fault's function if there is one, otherwise the plugin's.
class Mutation final : public Interposer {
 public:
  Mutation(std::unique_ptr<host::Entry> below, Fault fault) : Interposer(std::move(below)), fault_(std::move(fault)) {}

  bp_status init(const char *path, const bp_diag_t *diag) override {
    const Next<bp_status()> next([&] { return Interposer::init(path, diag); });
    return fault_.entry_init ? fault_.entry_init(next) : next();
  }
  void deinit() override {
    const Next<void()> next([&] { Interposer::deinit(); });
    fault_.entry_deinit ? fault_.entry_deinit(next) : next();
  }
  const void *get_factory(const char *id) override {
    const Next<const void *(const char *)> next([&](const char *asked) { return Interposer::get_factory(asked); }, id);
    return fault_.entry_get_factory ? fault_.entry_get_factory(next, id) : next();
  }
#define BP_ABI_FUNCTION(object, table, name, tag, loss, result, parameters, arguments, roles)   \
  result table##_##name(Layered##object &object##_ BP_LAYERED_PARAMETERS parameters) override { \
    const Next<result parameters> next([&] parameters -> result {                               \
      return Interposer::table##_##name(object##_ BP_LAYERED_PARAMETERS arguments);             \
    } BP_LAYERED_PARAMETERS arguments);                                                         \
    const auto &fault = fault_.table##_##name;                                                  \
    return fault ? fault(next, object##_ BP_LAYERED_PARAMETERS arguments) : next();             \
  }
#include "core/layers/abi.def"
#undef BP_ABI_FUNCTION

 private:
  Fault fault_;
};

}  // namespace

const std::vector<Mutant> &mutants() {
  static const std::vector<Mutant> all = [] {
    std::vector<Mutant> list;
    for (const std::span<const Mutant> table :
         {file_mutants,        life_mutants,        kernel_mutants,      compiler_mutants,  memory_mutants,
          combination_mutants, performance_mutants, rule_mutants,        attribute_mutants, integer_mutants,
          float_mutants,       movement_mutants,    contraction_mutants, rewriting_mutants, schedule_mutants,
          queue_mutants,       history_mutants,     artifact_mutants,    run_mutants,       external_memory_mutants,
          information_mutants, constant_mutants,    promise_mutants,     traffic_mutants,   limit_mutants,
          front_end_mutants}) {
      list.insert(list.end(), table.begin(), table.end());
    }
    return list;
  }();
  return all;
}

const Mutant *find_mutant(std::string_view name) {
  const auto found = std::ranges::find(mutants(), name, &Mutant::name);
  return found == mutants().end() ? nullptr : &*found;
}

Result<std::string> mutant_file(const Mutant &mutant, const std::string &path) {
  BP_ASSIGN(const std::string file, read_file(path));
  const std::string changed = mutant.change_file(file);
  const int descriptor = memfd_create("mutant", MFD_CLOEXEC);
  if (descriptor < 0 || write(descriptor, changed.data(), changed.size()) != static_cast<ssize_t>(changed.size())) {
    return make_error(ErrorCode::Io, "a mutant of {} cannot be written", path);
  }
  return fmt::format("/proc/self/fd/{}", descriptor);
}

host::Layer mutant_layer(const Mutant &mutant) {
  return [make = mutant.make](std::unique_ptr<host::Entry> below) {
    return std::make_unique<Mutation>(std::move(below), make());
  };
}

}  // namespace bp::conformance
