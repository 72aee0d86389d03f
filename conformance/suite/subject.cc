#include "conformance/suite/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/mutants/mutant.h"
#include "core/compile/claims.h"
#include "core/compile/compile.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

constexpr std::array<std::string_view, 4> tiers = {"queue", "compiler", "memory", "kernels"};  // the highest first

// Finds out whether programs consist of copies.
class CopiesOnly final : public compile::Observer {
 public:
  compile::Options options() {
    compile::Options options;
    options.observer = this;
    options.device_only = true;
    options.fold_constants = false;
    return options;
  }
  bool is_true() const { return is_true_; }

  Status module(const std::string &, const ir::Module &) override { return {}; }
  Status program(const std::string &, const ir::Module &module, const buffers::Plan &, const host::Image &,
                 std::span<const std::byte>) override {
    for (const ir::Computation computation : module.computations()) {
      for (const ir::Instruction instruction : computation.instructions()) {
        is_true_ = is_true_ && !computes(instruction);
      }
    }
    return {};
  }

 private:
  // A copy between layouts moves elements.
  static bool computes(const ir::Instruction &instruction) {
    const bool is_copy = instruction.opcode() == ir::Opcode::Copy &&
                         ir::same(instruction.shape(), instruction.operand(0).shape(), ir::CompareLayout::Yes);
    return compile::is_claimable(instruction.opcode()) && !is_copy;
  }

  bool is_true_ = true;
};

bool has_front_end(const host::Candidate &candidate, std::string_view name) {
  return candidate.manifest &&
         std::ranges::count(candidate.manifest->front_ends, name, &host::ManifestFrontEnd::name) != 0;
}

std::string extension_of(std::string_view tier) {
  return "bp." + std::string(tier) + "/1";
}

}  // namespace

// FNV-1a, finished with the mixing function of SplitMix64 by Steele, Lea and Flood.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ (seed * 0x9e3779b97f4a7c15);
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

Result<Subject> Subject::find(Choice choice) {
  if (!choice.tier.empty() && std::ranges::count(tiers, choice.tier) == 0) {
    return invalid_input("there is no tier '{}', expected one of: kernels, memory, compiler, queue", choice.tier);
  }
  if (!choice.mutant.empty() && find_mutant(choice.mutant) == nullptr) {
    return invalid_input("there is no mutant '{}'", choice.mutant);
  }
  BP_ASSIGN(std::vector<Model> models, read_models(choice));
  if (choice.name == "interpreter") {
    return Subject(std::move(choice), {}, std::move(models));
  }
  BP_ASSIGN(host::Candidate candidate, find_file(choice));
  if (const Mutant *mutant = find_mutant(choice.mutant); mutant != nullptr && mutant->change_file != nullptr) {
    BP_ASSIGN(const std::string changed, mutant_file(*mutant, candidate.path));
    candidate = host::examine(changed);
  }
  return Subject(std::move(choice), std::move(candidate), std::move(models));
}

Result<std::vector<Model>> Subject::read_models(const Choice &choice) {
  std::vector<Model> models;
  for (const std::string &path : choice.models) {
    BP_ASSIGN(Model model, read_model(path));
    const auto has_its_name = [&](const Model &other) { return other.name == model.name; };
    if (std::ranges::any_of(models, has_its_name) || std::ranges::any_of(sample_models(), has_its_name)) {
      return invalid_input("{}: there is a model named {} already: give the file another name", path, model.name);
    }
    models.push_back(std::move(model));
  }
  return models;
}

// Finds the file, even if the loader refuses it.
Result<host::Candidate> Subject::find_file(const Choice &choice) {
  if (choice.name.find('/') != std::string::npos) {
    if (auto readable = host::FileBytes::open(choice.name); !readable.ok()) {
      return std::move(readable).error().at({choice.name, 0, 0, {}});
    }
    return host::examine(choice.name);
  }
  const std::vector<std::string> directories = host::plugin_directories();
  auto found = host::find_plugin(choice.name, directories);
  if (found.ok()) {
    return found;
  }
  for (host::Candidate &candidate : host::scan(directories)) {
    // A file that others can replace is not run, and a name that is refused leads to no file.
    const bool is_refused_device = candidate.answers_to(choice.name) && candidate.refusal.has_value();
    if ((is_refused_device || has_front_end(candidate, choice.name)) && !candidate.distrust.has_value()) {
      return std::move(candidate);
    }
  }
  return std::move(found).error();
}

const host::ManifestDevice *Subject::description() const {
  if (!candidate_.manifest || candidate_.manifest->devices.empty()) {
    return nullptr;
  }
  const host::ManifestDevice *named = candidate_.manifest->find(choice_.name);
  return named != nullptr ? named : &candidate_.manifest->devices[0];
}

std::string Subject::device_id() const {
  return is_interpreter() ? "interpreter" : description() == nullptr ? "" : description()->id;
}

std::string Subject::tier() const {
  if (!choice_.tier.empty() || description() == nullptr) {
    return choice_.tier;
  }
  const auto has = [&](std::string_view tier) {
    return std::ranges::count(description()->extensions, extension_of(tier)) != 0;
  };
  const auto highest = std::ranges::find_if(tiers, has);
  return highest == tiers.end() ? "" : std::string(*highest);
}

bool Subject::has(std::string_view extension) const {
  return description() != nullptr && std::ranges::count(description()->extensions, extension) != 0;
}

std::vector<host::Layer> Subject::layers() const {
  const Mutant *mutant = find_mutant(choice_.mutant);
  return mutant == nullptr || mutant->change_file != nullptr ? std::vector<host::Layer>()
                                                             : std::vector{mutant_layer(*mutant)};
}

BackendOptions Subject::backend_options() const {
  BackendOptions options;
  options.settings = choice_.settings;
  options.log = [](std::uint32_t, std::string_view) {};
  options.layers = layers();
  return options;
}

Result<const Backend *> Subject::backend() {
  if (!backend_) {
    backend_ = Backend::load(choice_.name, backend_options());
  }
  if (!backend_->ok()) {
    return backend_->error();
  }
  return &backend_->value();
}

void Subject::unload() {
  compiled_key_.clear();
  compiled_.reset();
  backend_.reset();
}

Result<std::shared_ptr<const Compiled>> Subject::compile(const std::string &key, const Module &module) {
  if (!compiled_ || compiled_key_ != key) {
    BP_ASSIGN(const Backend *backend, this->backend());
    CompileOptions options;
    options.device_only = true;
    options.fold_constants = false;
    CopiesOnly copies;
    auto compiled = backend->is_interpreter() ? backend->compile(module, options)
                                              : compile::compile(module, backend->devices(), copies.options());
    only_copies_ = !backend->is_interpreter() && copies.is_true();
    compiled_key_ = key;
    if (compiled.ok()) {
      compiled_ = std::make_shared<const Compiled>(std::move(compiled).value());
    } else {
      compiled_ = compiled.error();
    }
  }
  if (!compiled_->ok()) {
    return compiled_->error();
  }
  return compiled_->value();
}

Result<compile::Report> Subject::survey(const std::string &key, const Module &module) {
  if (!survey_ || surveyed_key_ != key || key.empty()) {
    BP_ASSIGN(const Backend *backend, this->backend());
    survey_ = compile::survey(module, backend->device());
    surveyed_key_ = key;
  }
  return *survey_;
}

bool Subject::takes_tiles() {
  if (!takes_tiles_) {
    takes_tiles_ = false;
    for (const std::string_view type : {"f32", "bf16", "s32"}) {
      const auto module = text::parse_module(fmt::format(
          "ENTRY main {{ x = {0}[9,9]{{1,0:T(4,4)}} parameter(0)  ROOT r = {0}[9,9]{{1,0:T(4,4)}} add(x, x) }}", type));
      *takes_tiles_ |= !is_interpreter() && module.ok() && compile(fmt::format("tiles/{}", type), *module).ok();
    }
  }
  return *takes_tiles_;
}

std::uint64_t Subject::seed_of(std::string_view case_id) const {
  return hash_of(case_id, choice_.seed);
}

}  // namespace bp::conformance
