// Reads packages, and loads what is in them.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <unordered_map>

#include "core/base/mapped_file.h"
#include "core/ir/storage.h"
#include "core/ir/verifier.h"
#include "core/package/container.h"
#include "core/package/hex.h"
#include "core/package/image_check.h"
#include "core/package/index_json.h"
#include "core/package/package.h"
#include "core/package/signing.h"
#include "core/package/step_check.h"
#include "core/text/parser.h"

namespace bp::package {
namespace {

std::string described(const std::vector<MadeBy> &devices) {
  std::string text;
  for (const MadeBy &made_by : devices) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", made_by.device);
  }
  return text;
}

// Returns an array whose bytes are the blob, which has as many.
ir::Literal borrowed(const SharedBytes &blob, const ir::Shape &shape) {
  return ir::Literal::borrowed(
      shape, std::shared_ptr<const std::byte[]>(blob.owner(), const_cast<std::byte *>(blob.bytes().data())));
}

// Returns a constant whose bytes are the blob, without a copy where its buffer has the representation of a literal.
Result<ir::Literal> literal_of(const SharedBytes &blob, const ir::Shape &shape) {
  return ir::is_stored_as_literal(shape) ? Result(borrowed(blob, shape)) : ir::load(blob.bytes(), shape);
}

// Returns a copy at an address at which the blobs are aligned.
Result<SharedBytes> aligned_copy(std::span<const std::byte> bytes) {
  BP_ASSIGN(runtime::Block block, runtime::Block::allocate(bytes.size(), ir::Literal::alignment));
  std::ranges::copy(bytes, block.bytes().begin());
  auto owner = std::make_shared<const runtime::Block>(std::move(block));
  const std::span<const std::byte> copy = owner->bytes();
  return SharedBytes(copy, std::move(owner));
}

class Loader {
 public:
  Loader(const Package &package, Devices devices) : package_(package), index_(package.index()), devices_(devices) {}

  Result<runtime::Executable> load() {
    programs_.resize(index_.programs.size());
    is_step_.resize(index_.executables.size());
    for (const ExecutableEntry &entry : index_.executables) {
      BP_ASSIGN(runtime::Executable executable, load(entry));
      executables_.push_back(std::make_shared<runtime::Executable>(std::move(executable)));
    }
    BP_TRY(check_interface(executables_.back()->module(), index_.interface));
    return std::move(*executables_.back());
  }

 private:
  Result<runtime::Executable> load(const ExecutableEntry &entry) {
    BP_ASSIGN(ir::Module module, read_module(entry));
    BP_ASSIGN(runtime::CalledExecutables called, called_by(entry, module));
    if (entry.is_on_host) {
      return runtime::Executable::on_host(std::move(module), std::move(called));
    }
    if (entry.program) {
      BP_ASSIGN(auto only, program(*entry.program, module));
      BP_TRY(check_program(module.entry(), only->signature()));
      return runtime::Executable(std::move(module), std::move(only));
    }
    BP_ASSIGN(std::vector<runtime::Step> steps, steps_of(entry, module));
    BP_TRY(check_steps(module, steps));
    return runtime::Executable(std::move(module), std::move(steps), std::move(called));
  }

  Result<std::vector<runtime::Step>> steps_of(const ExecutableEntry &entry, const ir::Module &module) {
    std::unordered_map<std::string_view, ir::InstructionId> by_name;
    for (ir::Instruction instruction : module.entry().instructions()) {
      by_name.emplace(instruction.name(), instruction.id());
    }
    const auto find = [&](const std::string &name) -> Result<ir::InstructionId> {
      const auto found = by_name.find(name);
      return found != by_name.end() ? Result(found->second)
                                    : invalid_input("a step names {}, which {} does not have", name, module.name());
    };
    std::vector<runtime::Step> steps;
    for (const StepEntry &step : entry.steps) {
      runtime::Step &loaded = steps.emplace_back();
      if (step.program) {
        BP_ASSIGN(loaded.program, program(*step.program, module));
      } else if (step.executable) {
        loaded.executable = executables_[*step.executable];
        if (is_step_[*step.executable]) {
          return invalid_input("two steps run the executable {}, expected one", loaded.executable->module().name());
        }
        is_step_[*step.executable] = true;
      } else {
        BP_ASSIGN(loaded.instruction, find(step.instruction));
      }
      for (const std::string &name : step.inputs) {
        BP_ASSIGN(const ir::InstructionId id, find(name));
        loaded.inputs.push_back(id);
      }
      for (const std::string &name : step.outputs) {
        BP_ASSIGN(const ir::InstructionId id, find(name));
        loaded.outputs.push_back(id);
      }
    }
    return steps;
  }

  Result<runtime::CalledExecutables> called_by(const ExecutableEntry &entry, const ir::Module &module) const {
    runtime::CalledExecutables called;
    for (const auto &[name, number] : entry.called) {
      const auto all = module.computations();
      const auto found = std::ranges::find_if(all, [&](ir::Computation c) { return c.name() == name; });
      if (found == all.end()) {
        return invalid_input("{} has no computation {}, which another executable would run", module.name(), name);
      }
      BP_TRY(check_called(*found, *executables_[number]));
      called.insert_or_assign((*found).id(), executables_[number]);
    }
    return called;
  }

  Result<ir::Module> read_module(const ExecutableEntry &entry) const {
    std::vector<ir::Literal> elided;
    for (const LargeConstant &constant : entry.constants) {
      BP_ASSIGN(const SharedBytes bytes, package_.blob(constant.blob, "a constant of a module"));
      const ir::Shape &shape = constant.shape;
      const std::int64_t width = shape.is_array() ? ir::byte_width(shape.element_type()) : 0;
      if (width == 0 || !shape.is_static() || bytes.size() % static_cast<std::size_t>(width) != 0 ||
          static_cast<std::int64_t>(bytes.size()) / width != shape.element_count()) {
        return invalid_input("a constant of shape {} has {} bytes", to_string(shape), bytes.size());
      }
      elided.push_back(borrowed(bytes, shape));
    }
    BP_ASSIGN(const SharedBytes text, package_.blob(entry.module, "the module of an executable"));
    text::ParseOptions options;
    options.file = package_.file();
    options.elided = &elided;
    BP_ASSIGN(ir::Module module, text::parse_module(text.text(), options));
    BP_TRY(ir::verify(module));
    return module;
  }

  // Loads a program once. `module`: of the executable that it is part of.
  Result<std::shared_ptr<const runtime::Program>> program(std::size_t number, const ir::Module &module) {
    if (programs_[number] == nullptr) {
      const ProgramEntry &entry = index_.programs[number];
      auto loaded = load(entry, module);
      if (!loaded.ok()) {
        return std::move(loaded).error().note(fmt::format("in the program {} of {}", entry.name, package_.file()));
      }
      programs_[number] = *std::move(loaded);
    }
    return programs_[number];
  }

  Result<std::shared_ptr<const runtime::Program>> load(const ProgramEntry &entry, const ir::Module &module) const {
    BP_ASSIGN(const SharedBytes bytes, package_.blob(entry.image, "an image"));
    host::Image image = host::make_image(bytes.bytes(), {});  // at an address that is aligned
    BP_TRY(check_image(image.bytes(), entry));
    BP_ASSIGN(std::vector<host::ImageConstant> constants, constants_of(image.module()));
    image = host::make_image(bytes.bytes(), std::move(constants));
    runtime::Signature signature{entry.name, entry.parameters, entry.result, runtime::signature_of(module).refusal};

    const MadeBy &made_by = index_.devices[entry.device];
    const auto device = std::ranges::find(devices_, std::string_view(made_by.device),
                                          [](const auto &candidate) { return candidate->id(); });
    if (device == devices_.end()) {
      std::string here;
      for (const auto &other : devices_) {
        here += fmt::format("{}{}", here.empty() ? "" : ", ", other->id());
      }
      return invalid_input("{} was compiled for {}, but loaded for {}: load it for {}, or compile the model again",
                           package_.file(), described(index_.devices), here.empty() ? "the interpreter" : here,
                           described(index_.devices));
    }
    BP_TRY(check_device(image.module(), **device));
    if (!entry.artifact) {
      return runtime::Program::load_kernels(*device, std::move(signature), std::move(image));
    }
    BP_ASSIGN(SharedBytes artifact, package_.blob(*entry.artifact, "an artifact"));
    if ((*device)->compiler() == nullptr) {
      return invalid_input("backend {} has no {}, but the program has an artifact", (*device)->id(), BP_EXT_COMPILER);
    }
    auto loaded = runtime::Program::load_and_keep(*device, std::move(signature), std::move(image), std::move(artifact));
    return loaded.ok() ? std::move(loaded) : refused(made_by, **device, std::move(loaded).error());
  }

  // Says what a refused artifact was made for, and what is here.
  static Error refused(const MadeBy &made_by, const host::Device &device, Error error) {
    const Result<Sha256> build = device.plugin().file_hash();
    const bool is_same_build = build.ok() && *build == made_by.build;
    return Error(ErrorCode::InvalidInput, error.message())
        .note(fmt::format("made by {} {} for the target {}", made_by.device, made_by.version, made_by.target))
        .note(fmt::format("here is {} {}{} for the target {}: compile the model again for this target", device.id(),
                          device.description().version, is_same_build ? "" : ", another build of it,",
                          device.target()));
  }

  Result<std::vector<host::ImageConstant>> constants_of(const bp_module_t *image) const {
    const plugin::ModuleView view(image);
    const std::vector<ir::Shape> shapes = constant_shapes(image);
    std::vector<host::ImageConstant> constants;
    for (std::uint32_t i = 0; i < shapes.size(); ++i) {
      const bp_allocation_t &allocation = view.allocations()[i];
      if (allocation.kind != BP_ALLOC_CONSTANT || !shapes[i].is_valid()) {
        continue;
      }
      Sha256 hash;
      std::memcpy(hash.data(), view.content_hash(allocation).data(), hash.size());
      BP_ASSIGN(const SharedBytes bytes, package_.blob(hash, fmt::format("constant {} of an image", i)));
      if (bytes.size() != allocation.size || static_cast<std::int64_t>(bytes.size()) != shapes[i].byte_size()) {
        return invalid_input("constant {} has {} bytes, expected {} for {}", i, bytes.size(), allocation.size,
                             to_string(shapes[i]));
      }
      BP_ASSIGN(ir::Literal literal, literal_of(bytes, shapes[i]));
      const auto address = reinterpret_cast<std::uintptr_t>(bytes.bytes().data());
      const bool is_in_place = ir::is_stored_as_literal(shapes[i]) && address % allocation.alignment == 0;
      constants.push_back({i, shapes[i], std::move(literal), is_in_place});
    }
    return constants;
  }

  const Package &package_;
  const Index &index_;
  const Devices devices_;
  std::vector<std::shared_ptr<const runtime::Program>> programs_;  // by number in the index; nullptr: not yet
  std::vector<std::shared_ptr<runtime::Executable>> executables_;
  // By executable: whether a step runs it. It becomes a part of the steps around it, so one step has it.
  std::vector<bool> is_step_;
};

}  // namespace

Result<Package> Package::read(SharedBytes bytes, std::string file) {
  if (reinterpret_cast<std::uintptr_t>(bytes.bytes().data()) % ir::Literal::alignment != 0) {
    BP_ASSIGN(bytes, aligned_copy(bytes.bytes()));
  }
  BP_ASSIGN(Container container, read_container(bytes, file));
  Result<Index> index = read_index(container.index);
  if (!index.ok()) {
    return std::move(index).error().note("in the index of " + file);
  }
  return Package(std::move(file), *std::move(index), std::move(container.blobs));
}

Result<Package> Package::read_copy(std::span<const std::byte> bytes, std::string file) {
  BP_ASSIGN(SharedBytes copy, aligned_copy(bytes));
  return read(std::move(copy), std::move(file));
}

Result<Package> Package::open(const std::string &path, const std::optional<PublicKey> &signed_by) {
  BP_ASSIGN(SharedBytes bytes, map_file(path));
  if (signed_by) {
    BP_TRY(check_signature(path, bytes.bytes(), *signed_by));
  }
  return read(std::move(bytes), path);
}

std::optional<std::string_view> Package::section(const std::string &name) const {
  const auto found = index_.sections.find(name);
  if (found == index_.sections.end()) {
    return std::nullopt;
  }
  const auto content = blobs_.find(found->second);
  return content == blobs_.end() ? std::nullopt : std::optional(content->second.text());
}

std::string Package::backends() const {
  std::string names;
  for (const MadeBy &made_by : index_.devices) {
    names += (names.empty() ? "" : ",") + made_by.device;
  }
  return names.empty() ? "interpreter" : names;
}

Result<runtime::Executable> Package::load(Devices devices) const {
  return Loader(*this, devices).load();
}

Result<SharedBytes> Package::blob(const Sha256 &hash, std::string_view whose) const {
  const auto found = blobs_.find(hash);
  return found != blobs_.end() ? Result(found->second)
                               : invalid_input("{}: {} is missing: there is no blob {}", file_, whose, to_hex(hash));
}

bool is_package(const std::string &path) {
  std::string beginning(8, '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(beginning.data(), static_cast<std::streamsize>(beginning.size())) && is_container(beginning);
}

Error not_a_model(const std::string &path) {
  return invalid_input("{}: this is a package, which is compiled already, expected HLO or StableHLO", path)
      .note(fmt::format("backplane run {0} runs it, and backplane inspect {0} shows what is in it", path));
}

}  // namespace bp::package
