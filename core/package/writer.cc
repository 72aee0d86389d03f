// Writes packages.

#include <cstring>

#include "core/base/files.h"
#include "core/host/build_configuration.h"
#include "core/package/container.h"
#include "core/package/index_json.h"
#include "core/package/package.h"
#include "core/text/parser.h"
#include "core/text/printer.h"

namespace bp::package {
namespace {

// Literals with more elements are blobs of their own instead of text.
constexpr std::int64_t max_elements_in_text = 16;

SharedBytes copy_of(std::span<const std::byte> bytes) {
  return SharedBytes(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

SharedBytes copy_of(std::string_view text) {
  return copy_of(std::as_bytes(std::span(text)));
}

SharedBytes bytes_of(const ir::Literal &literal) {
  auto owner = std::make_shared<const ir::Literal>(literal);
  const std::span<const std::byte> bytes = owner->bytes();
  return {bytes, std::move(owner)};
}

class PackageWriter {
 public:
  Result<std::vector<SharedBytes>> write(const Content &content) {
    index_.backplane = host::core_version;
    index_.name = content.executable.module().name();
    index_.interface = content.interface;
    BP_TRY(add(content.executable));
    for (const auto &[name, text] : content.sections) {
      index_.sections.emplace(name, blobs_.add(copy_of(text)));
    }
    return write_container(to_json(index_), blobs_);
  }

 private:
  // Adds the executable after those that it contains, so that the last one is the whole.
  Status add(const runtime::Executable &executable) {
    ExecutableEntry entry;
    ir::Module module = executable.module();
    module.unique_names();  // steps are found by name
    BP_TRY(add_module(module, entry));
    entry.is_on_host = executable.is_on_host();
    if (executable.program() != nullptr) {
      BP_ASSIGN(entry.program, add(*executable.program()));
    }
    for (const runtime::Step &step : executable.steps()) {
      BP_ASSIGN(StepEntry added, add(step, module));
      entry.steps.push_back(std::move(added));
    }
    for (const auto &[computation, called] : executable.called()) {
      BP_TRY(add(*called));
      entry.called.emplace_back(module.computation(computation).name(), index_.executables.size() - 1);
    }
    index_.executables.push_back(std::move(entry));
    return {};
  }

  Status add_module(const ir::Module &module, ExecutableEntry &entry) {
    std::vector<ir::Literal> elided;
    text::PrintOptions options;
    options.max_literal_elements = max_elements_in_text;
    options.elided = &elided;
    const std::string text = text::print(module, options);
    text::ParseOptions again;
    again.file = "the text of " + module.name();
    again.elided = &elided;
    if (const auto read = text::parse_module(text, again); !read.ok()) {
      return unsupported(
          "{} cannot be packed, because its text cannot be read again: save the model in place of it, "
          "and compile where it runs: {}",
          module.name(), read.error().to_string());
    }
    entry.module = blobs_.add(copy_of(text));
    for (const ir::Literal &literal : elided) {
      if (!literal.shape().is_static()) {
        return unsupported("{} cannot be packed: a constant has shape {}, expected sizes that are known before it runs",
                           module.name(), to_string(literal.shape()));
      }
      entry.constants.push_back({literal.shape(), blobs_.add(bytes_of(literal))});
    }
    return {};
  }

  Result<StepEntry> add(const runtime::Step &step, const ir::Module &module) {
    const auto name = [&](ir::InstructionId id) { return std::string(module.instruction(id).name()); };
    StepEntry entry;
    if (step.instruction != ir::no_instruction) {
      entry.instruction = name(step.instruction);
      return entry;
    }
    for (ir::InstructionId id : step.inputs) {
      entry.inputs.push_back(name(id));
    }
    for (ir::InstructionId id : step.outputs) {
      entry.outputs.push_back(name(id));
    }
    if (step.program != nullptr) {
      BP_ASSIGN(entry.program, add(*step.program));
    } else {
      BP_TRY(add(*step.executable));
      entry.executable = index_.executables.size() - 1;
    }
    return entry;
  }

  Result<std::size_t> add(const runtime::Program &program) {
    if (program.is_compiled() && program.artifact().owner() == nullptr) {
      return unsupported(
          "the program {} of backend {} cannot be packed, because it has not kept its artifact: compile "
          "with keep_artifacts",
          program.name(), program.device()->id());
    }
    ProgramEntry entry;
    entry.name = program.name();
    BP_ASSIGN(entry.device, add(program.device()));
    const host::Image &image = program.image();
    index_.opset = std::max(index_.opset, image.module()->opset);
    entry.image = blobs_.add(copy_of(image.bytes()));
    if (program.is_compiled()) {
      entry.artifact = blobs_.add(program.artifact());
    }
    for (const host::ImageConstant &constant : image.constants()) {
      const auto hash = image.view().content_hash(image.view().allocations()[constant.allocation]);
      Sha256 key;
      std::memcpy(key.data(), hash.data(), key.size());
      blobs_.add(key, host::content_of(constant));
    }
    entry.parameters = program.signature().parameters;
    entry.result = program.signature().result;
    entry.memory = program.memory();
    entry.is_memory_complete = program.is_loaded();
    index_.programs.push_back(std::move(entry));
    return index_.programs.size() - 1;
  }

  Result<std::size_t> add(const std::shared_ptr<const host::Device> &device) {
    const auto found = std::ranges::find(devices_, device);
    if (found == devices_.end()) {
      MadeBy made_by{std::string(device->id()), device->description().version, {}, std::string(device->target())};
      BP_ASSIGN(made_by.build, device->plugin().file_hash());
      index_.devices.push_back(std::move(made_by));
      devices_.push_back(device);
      return devices_.size() - 1;
    }
    return static_cast<std::size_t>(found - devices_.begin());
  }

  BlobList blobs_;
  Index index_;
  std::vector<std::shared_ptr<const host::Device>> devices_;  // of Index::devices
};

}  // namespace

Result<std::string> pack(const Content &content) {
  BP_ASSIGN(const std::vector<SharedBytes> pieces, PackageWriter().write(content));
  std::string bytes;
  for (const SharedBytes &piece : pieces) {
    bytes += piece.text();
  }
  return bytes;
}

Status save(const Content &content, const std::string &path) {
  BP_ASSIGN(const std::vector<SharedBytes> pieces, PackageWriter().write(content));
  std::vector<std::string_view> texts;
  std::ranges::transform(pieces, std::back_inserter(texts), &SharedBytes::text);
  return write_file(path, texts);
}

}  // namespace bp::package
