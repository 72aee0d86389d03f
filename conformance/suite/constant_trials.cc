// Trials of bp.constants/draft-1: what a device does with the contents of constants that the host tells to compile().
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "backplane/ext/draft/constants.h"
#include "conformance/check/number.h"
#include "conformance/suite/contract_trials.h"
#include "conformance/suite/guarded_block.h"
#include "conformance/suite/stage.h"
#include "core/compile/artifact_cache.h"
#include "core/debugging/random_scope.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/layers/interposer.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

using namespace layers;

// The conversation of a host with a device. Threads: a device asks from any.
struct Disclosure {
  std::mutex mutex;
  bool is_offered = false;
  bool is_known = false;                                    // the device has looked for the service
  std::uint64_t offers = 0;                                 // compilations for which the service was there
  std::uint32_t first_refused = BP_NONE, refused_step = 1;  // of these allocations the host has no contents
  std::uint64_t questions = 0;                              // in all
  std::vector<std::string> broken;                          // rules that a question broke
  std::map<const bp_diag_t *, const bp_module_t *> now;     // the calls of compile() that are in progress
  // The contents that were told, each in pages of its own, which cannot be written, and cannot be read any more once
  // compile() has returned. They stay reserved, so that no other memory gets their address.
  std::deque<GuardedBlock> told;
};

void protect(const GuardedBlock &block, int protection) {
  mprotect(block.pages().data(), block.pages().size(), protection);
}

// A host that offers the service if the disclosure says so.
struct Discloser final : Interposer {
  Discloser(std::unique_ptr<host::Entry> below, Disclosure &disclosure)
      : Interposer(std::move(below)), disclosure_(disclosure) {}

  const void *host_get_extension(LayeredHost &host, const char *id) override {
    if (std::string_view(id) != BP_EXT_CONSTANTS) {
      return Interposer::host_get_extension(host, id);
    }
    of_trial() = this;
    disclosure_.is_known = true;
    below_ = host.below;
    return disclosure_.is_offered ? &table : nullptr;
  }
  bp_status compiler_compile(LayeredDevice &device, const bp_module_t *module, const bp_ostream_t *artifact,
                             const bp_diag_t *diag) override {
    {
      const std::lock_guard lock(disclosure_.mutex);
      disclosure_.now[diag] = module;
      disclosure_.offers += disclosure_.is_offered ? 1 : 0;
    }
    const bp_status status = Interposer::compiler_compile(device, module, artifact, diag);
    const std::lock_guard lock(disclosure_.mutex);
    disclosure_.now.erase(diag);
    for (const GuardedBlock &block : disclosure_.told) {
      protect(block, PROT_NONE);
    }
    return status;
  }

 private:
  // The service's table has no room for data, and a process runs one trial at a time.
  static Discloser *&of_trial() {
    static Discloser *discloser = nullptr;
    return discloser;
  }
  static bp_status content(const bp_host_t *, const bp_diag_t *diag, std::uint32_t allocation, const void **data,
                           std::uint64_t *size) {
    return of_trial()->answer(diag, allocation, data, size);
  }
  bp_status answer(const bp_diag_t *diag, std::uint32_t allocation, const void **data, std::uint64_t *size) {
    const std::lock_guard lock(disclosure_.mutex);
    ++disclosure_.questions;
    const auto call = disclosure_.now.find(diag);
    if (call == disclosure_.now.end()) {
      disclosure_.broken.emplace_back("a content is asked for after compile(), or without its bp_diag");
      return BP_INVALID;
    }
    const bp_module_t *module = call->second;
    if (allocation >= module->allocations.count ||
        BP_AT(module, allocations, bp_allocation_t, allocation)->kind != BP_ALLOC_CONSTANT) {
      disclosure_.broken.push_back(
          fmt::format("the content of allocation {} is asked for, expected one of kind BP_ALLOC_CONSTANT", allocation));
      return BP_INVALID;
    }
    if (allocation >= disclosure_.first_refused &&
        (allocation - disclosure_.first_refused) % disclosure_.refused_step == 0) {
      return BP_UNSUPPORTED;
    }
    const auto *service = static_cast<const bp_host_constants_t *>(below_->get_extension(below_, BP_EXT_CONSTANTS));
    const void *bytes = nullptr;
    if (const bp_status status = service->content(below_, diag, allocation, &bytes, size); status != BP_OK) {
      return status;
    }
    auto block = GuardedBlock::make(nullptr, 0, *size, 64, GuardedBlock::Side::AtEnd, std::byte{0});
    if (!block.ok() || !block->write(0, {static_cast<const std::byte *>(bytes), *size}).ok()) {
      return BP_NO_MEMORY;
    }
    protect(*block, PROT_READ);
    *data = reinterpret_cast<const void *>(static_cast<std::uintptr_t>(block->location().offset));
    disclosure_.told.push_back(std::move(*block));
    return BP_OK;
  }
  static constexpr bp_host_constants_t table = {&Discloser::content};

  Disclosure &disclosure_;
  const bp_host_t *below_ = nullptr;
};

// The artifacts of a program: it is compiled once.
struct Artifacts final : compile::ArtifactCache {
  std::optional<std::vector<std::byte>> find(const Key &key) const override {
    const auto found = by_key.find(key);
    return found == by_key.end() ? std::nullopt : std::optional(found->second);
  }
  Status store(const Key &key, std::span<const std::byte> artifact) override {
    by_key[key].assign(artifact.begin(), artifact.end());
    return {};
  }
  std::map<Key, std::vector<std::byte>> by_key;
};

// Returns the text of a matrix with the elements at(row, column).
template <class At>
std::string matrix(int rows, int columns, At at) {
  std::string text = "{";
  for (int row = 0; row < rows; ++row) {
    text += row == 0 ? "{" : ", {";
    for (int column = 0; column < columns; ++column) {
      text += fmt::format("{}{}", column == 0 ? "" : ", ", at(row, column));
    }
    text += "}";
  }
  return text + "}";
}

// Programs with constants whose elements differ in all that a compiler may look for: zeros at the beginning, in the
// middle and at the end of either dimension, few elements amid zeros, powers of two, elements that are all the same,
// repeated rows. There are two of each shape, so that a content that is taken for another one shows. Sizes, and where
// the zeros begin and end, are those of tiles in one program, and any others, by the seed, in the next.
std::vector<std::string> programs_with_constants(std::uint64_t seed) {
  debugging::Random random(seed);
  const auto any = [](int row, int column) { return (row * 7 + column * 5 + row * column) % 11 - 5; };
  const auto power = [](int row, int column) { return 1 << ((row + column) % 6); };
  const auto same = [](int, int) { return 3; };
  std::vector<std::string> programs;
  bool is_of_tiles = false;
  for (const auto &[type, sum] : {std::pair{"s8", "s32"}, {"s8", "s32"}, {"bf16", "f32"}, {"f32", "f32"}}) {
    is_of_tiles = !is_of_tiles;
    const auto less = [&](int limit) { return is_of_tiles ? 0 : static_cast<int>(random.below(limit)); };
    const int rows = 256 - less(90), columns = 64 - less(25), left = 40 - less(9);
    const int first = 40 - less(30), last = rows - 36 + less(30), top = 64 - less(40), bottom = 160 - less(40);
    const int island = 90 + static_cast<int>(random.below(40)), begin = 8 + less(9);  // a row amid zeros; after zeros
    const auto zeros_in_middle = [=](int row, int column) {
      return row >= first && row < last && row != island ? 0 : any(row, column);
    };
    const auto zeros_around = [=](int row, int column) {
      return row < top || row >= bottom || column >= left ? 0 : 2 * any(row, column) + 1;
    };
    // Half of the blocks are zeros, others in each range of columns.
    const int width = 300 - less(90), cut = 200 - less(60);
    const auto zero_blocks = [=](int row, int column) {
      return (row / 32 % 2 == 0) == (column < cut) ? 0 : any(row, column);
    };
    // About one of so many elements is not 0, so that some tiles have such elements in a corner alone.
    const auto one_of = [&](std::uint64_t others) {
      return [others, place = static_cast<std::uint64_t>(random.below(1 << 30))](int row, int column) {
        return hash_of("place", place + static_cast<std::uint64_t>(row * 1000 + column)) % others == 0 ? 5 : 0;
      };
    };
    // Constants on the right, of which one has zeros alone in its second half, and one on the left, by columns.
    programs.push_back(fmt::format(
        "ENTRY main {{ x = {0}[16,{4}] parameter(0)  y = {0}[{4},{5}] parameter(1)  p = {0}[2,16,{4}] parameter(2)  "
        "q = {0}[16,{4}] parameter(3)  "
        "v = {0}[{4},{5}] constant({2})  u = {0}[40,{4}] constant({3})  z = {0}[2,{4},16] constant({{{6}, {7}}})  "
        "a = {1}[16,{5}] dot(x, v), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}  "
        "b = {1}[40,{5}] dot(u, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}  "
        "c = {1}[2,16,16] dot(p, z), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, "
        "rhs_contracting_dims={{1}}  "
        "w = {0}[{4},{5}] constant({8})  d = {1}[16,{5}] dot(q, w), lhs_contracting_dims={{1}}, "
        "rhs_contracting_dims={{0}}  "
        "t = {0}[4,{4},{5}] constant({{{9}, {10}, {11}, {12}}})  "
        "e = {1}[16,4,{5}] dot(q, t), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}  "
        "h = {0}[{4},{13}] constant({14})  f = {1}[16,{13}] dot(q, h), lhs_contracting_dims={{1}}, "
        "rhs_contracting_dims={{0}}  "
        "ROOT r = ({1}[16,{5}], {1}[40,{5}], {1}[2,16,16], {1}[16,{5}], {1}[16,4,{5}], {1}[16,{13}]) "
        "tuple(a, b, c, d, e, f) }}",
        type, sum, matrix(rows, columns, zeros_in_middle),
        matrix(40, rows, [&](int row, int column) { return row < begin ? 0 : zeros_around(column, row - begin); }),
        rows, columns, matrix(rows, 16, zeros_in_middle), matrix(rows, 16, [](int, int) { return 0; }),
        matrix(rows, columns, zeros_around), matrix(rows, columns, one_of(2000)), matrix(rows, columns, one_of(2000)),
        matrix(rows, columns, one_of(1000)), matrix(rows, columns, one_of(150)), width,
        matrix(rows, width, zero_blocks)));
  }
  for (const char *type : {"f32", "s32"}) {
    programs.push_back(
        fmt::format("ENTRY main {{ x = {0}[24,40] parameter(0)  p = {0}[24,40] constant({1})  "
                    "q = {0}[24,40] constant({2})  s = {0}[24,40] constant({3})  t = {0}[24,40] constant({4})  "
                    "a = {0}[24,40] multiply(x, p)  b = {0}[24,40] add(a, q)  c = {0}[24,40] maximum(b, s)  "
                    "ROOT d = {0}[24,40] subtract(c, t) }}",
                    type, matrix(24, 40, power), matrix(24, 40, any), matrix(24, 40, same),
                    matrix(24, 40, [any](int row, int column) { return any(row % 2, column); })));
  }
  return programs;
}

// Makes two elements of an array of floats infinite and NaN: their products with zeros are NaN.
void put_in_specials(Literal &literal, std::uint64_t seed) {
  ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
    if constexpr (is_float<T>) {
      const auto elements = literal.mutable_elements<T>();
      elements[seed % elements.size()] = T(std::numeric_limits<double>::infinity());
      elements[(seed >> 32) % elements.size()] = T(std::numeric_limits<double>::quiet_NaN());
    }
  });
}

// Compiles the program, or loads its artifact, for a device whose host offers the service or not, and runs it.
Result<Literal> run_with(Subject &subject, Disclosure &disclosure, bool is_offered, const ir::Module &module,
                         Artifacts &artifacts) {
  disclosure.is_offered = is_offered;
  BP_ASSIGN(const Backend backend, load_under(subject, [&disclosure](std::unique_ptr<host::Entry> below) {
              return std::make_unique<Discloser>(std::move(below), disclosure);
            }));
  CompileOptions options;
  options.fold_constants = false;
  options.device_only = true;
  options.cache = &artifacts;
  const bool is_made = !artifacts.by_key.empty();
  BP_ASSIGN(const Compiled compiled, backend.compile(module, options));
  if (is_made && compiled.report.cached != compiled.report.programs) {
    return make_error(ErrorCode::PluginFailure, "load() refuses it");
  }
  BP_ASSIGN(std::vector<Literal> arguments, interpreter::random_arguments(module, subject.seed_of("contract")));
  for (Literal &argument : arguments) {
    put_in_specials(argument, subject.seed_of("specials"));
  }
  return compiled.executable.run(std::move(arguments));
}

// Runs a program whose artifact was made without the service, with it, and with it but loaded without it; and one made
// with a service that has none of the contents, or every other one.
Result<std::optional<Verdict>> judge(Subject &subject, Disclosure &disclosure, const ir::Module &module,
                                     bool has_some) {
  Artifacts plain, informed;
  const Result<Literal> expected = run_with(subject, disclosure, false, module, plain);
  if (!expected.ok() && expected.error().code() == ErrorCode::Unsupported) {
    return std::optional<Verdict>();
  }
  if (!expected.ok()) {
    return std::optional(
        failure("BP-CONSTANT-03: a program with constants fails without the service: " + expected.error().to_string()));
  }
  for (const bool is_offered : {true, false}) {
    const Result<Literal> found = run_with(subject, disclosure, is_offered, module, informed);
    const char *how = is_offered ? "made with the service" : "made with the service and loaded without it";
    if (!found.ok()) {
      return std::optional(
          failure(fmt::format("BP-CONSTANT-03: an artifact {} fails: {}", how, found.error().to_string())));
    }
    if (!found->identical(*expected)) {
      return std::optional(
          failure(fmt::format("BP-CONSTANT-03: the result differs in bits if the artifact was {}", how)));
    }
  }
  Artifacts uninformed;
  disclosure.first_refused = 0;
  disclosure.refused_step = has_some ? 2 : 1;
  const Result<Literal> found = run_with(subject, disclosure, true, module, uninformed);
  disclosure.first_refused = BP_NONE;
  if (!found.ok() || !found->identical(*expected)) {
    return std::optional(failure(
        fmt::format("BP-CONSTANT-03: if the host has {} of the contents, {}", has_some ? "some" : "none",
                    found.ok() ? "the result differs in bits" : "a program fails: " + found.error().to_string())));
  }
  return std::optional<Verdict>();
}

Result<Verdict> contents_of_constants(Subject &subject) {
  Disclosure disclosure;
  bool has_some = true;
  for (const std::string &program : programs_with_constants(subject.seed_of("constants"))) {
    BP_ASSIGN(const ir::Module module, text::parse_module(program));
    BP_TRY(ir::verify(module));
    BP_ASSIGN(const std::optional<Verdict> failed, judge(subject, disclosure, module, has_some));
    has_some = !has_some;
    if (!disclosure.broken.empty()) {
      return failure("BP-CONSTANT-01: " + disclosure.broken.front());
    }
    if (failed) {
      return *failed;
    }
    if (disclosure.offers > 0 && !disclosure.is_known) {
      break;  // nor does it look for the service later
    }
  }
  return disclosure.questions > 0 ? Verdict()
                                  : Verdict{.status = CaseStatus::Unsupported,
                                            .message = "the device does not ask for the content of constants"};
}
// A device that writes to a content, or reads it too late, ends the process of the case (BP-CONSTANT-02).
// The cases of a worker share one verdict.
Verdict uses_contents(Subject &subject) {
  static const Verdict verdict = verdict_or_error(contents_of_constants(subject));
  return verdict;
}

constexpr ContractTrial constant_table[] = {
    {"BP-CONSTANT-01", "bp.compiler/1", uses_contents},
    {"BP-CONSTANT-02", "bp.compiler/1", uses_contents},
    {"BP-CONSTANT-03", "bp.compiler/1", uses_contents},
};

}  // namespace

const std::span<const ContractTrial> constant_trials = constant_table;

}  // namespace bp::conformance
