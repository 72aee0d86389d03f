#include "plugins/native/compiler.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/llvm/kernel/channel_order.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/kernel/panels.h"
#include "plugins/llvm/module_view.h"
#include "plugins/llvm/program.h"
#include "plugins/llvm/scalar/element_type.h"
#include "plugins/native/code_generation.h"

namespace bp::native {

using plugin::Result;
using plugin::Status;

namespace {

// Returns the additions and multiplications of a dot or convolution; 0 for other ops.
double operations_of(emit::InstructionView instruction) {
  double operations = 0;
  if (instruction.op() == BP_OP_DOT) {
    operations = 2 * static_cast<double>(instruction.shape().elements);
    for (const std::int64_t d : instruction.numbers(BP_ATTR_LHS_CONTRACTING_DIMS)) {
      operations *= static_cast<double>(instruction.operand_shape(0).dims[static_cast<std::size_t>(d)]);
    }
  } else if (instruction.op() == BP_OP_CONVOLUTION) {
    const auto feature = static_cast<std::size_t>(instruction.numbers(BP_ATTR_DIM_LABELS)[3]);
    const emit::Shape &filter = instruction.operand_shape(1);
    operations = 2 * static_cast<double>(instruction.shape().elements) * static_cast<double>(filter.elements) /
                 static_cast<double>(std::max<std::int64_t>(filter.dims[feature], 1));
  }
  return operations;
}

// Returns the estimated time in nanoseconds: memory at 20 GB/s, contractions at 100 GFLOP/s, and 10 ns for the call.
float cost_of(emit::InstructionView kernel) {
  double bytes = 0, operations = operations_of(kernel);
  for (std::uint32_t n = 0; kernel.op() == BP_OP_FUSION && n < kernel.called(0).instruction_count(); ++n) {
    operations += operations_of(kernel.module().instruction(kernel.called(0).first_instruction() + n));
  }
  for (std::size_t i = 0; i < kernel.operand_count(); ++i) {
    bytes += static_cast<double>(kernel.operand_shape(i).bytes());
  }
  for (std::size_t i = 0; i < kernel.result_count(); ++i) {
    bytes += static_cast<double>(kernel.shape(i).bytes());
  }
  return static_cast<float>(10 + bytes / 20 + operations / 100);
}

// Adds the preference of operands that a kernel would otherwise copy.
void add_panels(std::string &preferences, llvm::LLVMContext &context, emit::InstructionView contraction,
                const emit::VectorTarget &target) {
  constexpr double gigabytes_per_second = 40;  // of the copy in the kernel, much of which stays in caches
  for (std::uint32_t operand = 0; operand < 2; ++operand) {
    if (const auto layout = emit::preferred_panels(context, contraction, operand, target)) {
      std::vector<std::int64_t> words = layout->minor_to_major;
      words.insert(words.end(), {1, static_cast<std::int64_t>(layout->tile.size())});
      words.insert(words.end(), layout->tile.begin(), layout->tile.end());
      const double bytes_copied = 2 * static_cast<double>(contraction.operand_shape(operand).bytes());
      plugin::append_preference(preferences,
                                {contraction.id(), operand, static_cast<float>(bytes_copied / gigabytes_per_second),
                                 static_cast<std::uint32_t>(words.size())},
                                words);
    }
  }
}

// Adds the preference of convolutions for neighbouring channels, unless the filter would have to be copied in each run
// and that takes longer than it saves.
void add_channel_order(std::string &preferences, const emit::ModuleView &module, emit::InstructionView convolution) {
  constexpr double gigabytes_per_second = 10;  // at which the core expects copies
  const auto order = emit::preferred_channel_order(convolution);
  if (!order) {
    return;
  }
  const emit::Shape &filter = convolution.operand_shape(1);
  const bool is_ready =
      filter.minor_to_major == order->layouts[1] || module.definition(convolution.operand(1)).op() == BP_OP_CONSTANT;
  const double saved = operations_of(convolution) * order->nanoseconds_saved / 3;  // by each array
  if (!is_ready && saved <= 2 * static_cast<double>(filter.bytes()) / gigabytes_per_second) {
    return;
  }
  for (std::uint32_t i = 0; i < order->layouts.size(); ++i) {
    std::vector<std::int64_t> words = order->layouts[i];
    words.push_back(0);  // tiles
    plugin::append_preference(preferences,
                              {convolution.id(), i < 2 ? i : BP_SLOT_RESULT, static_cast<float>(saved),
                               static_cast<std::uint32_t>(words.size())},
                              words);
  }
}

// Returns a file name: the module's name, with unusual characters replaced, and the beginning of its hash.
std::string dump_name(const emit::ModuleView &module) {
  std::string name;
  for (const char c : module.name().substr(0, 64)) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
    name += plain ? c : '_';
  }
  constexpr char digits[] = "0123456789abcdef";
  name += '.';
  for (int i = 0; i < 4; ++i) {
    name += digits[module.image().hash[i] >> 4];
    name += digits[module.image().hash[i] & 15];
  }
  return name;
}

}  // namespace

Status Compiler::claim(const bp_module_t *image, plugin::Claims &claims) const {
  BP_ASSIGN(const auto module, emit::ModuleView::open(image));
  for (std::uint32_t c = 0; c < module->computation_count(); ++c) {
    const emit::ComputationView computation = module->computation(c);
    if (computation.embedded()) {
      continue;
    }
    for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
      const emit::InstructionView instruction = module->instruction(computation.first_instruction() + n);
      const std::string problem = emit::kernel_problem(instruction, target_.vectors);
      if (problem.empty()) {
        claims.take(instruction.id(), emit::is_control_flow(instruction.op()) ? 10 : cost_of(instruction));
      } else {
        claims.refuse(instruction.id(), std::string(instruction.name()) + " " + problem);
      }
    }
  }
  return {};
}

Result<std::string> Compiler::preferences(const bp_module_t *image) const {
  BP_ASSIGN(const auto module, emit::ModuleView::open(image));
  const auto context = emit::make_fragile<llvm::LLVMContext>();
  std::string bytes;
  for (std::uint32_t c = 0; c < module->computation_count(); ++c) {
    const emit::ComputationView computation = module->computation(c);
    for (std::uint32_t n = 0; n < computation.instruction_count() && !computation.embedded(); ++n) {
      const emit::InstructionView instruction = module->instruction(computation.first_instruction() + n);
      const bool is_contraction = instruction.op() == BP_OP_DOT || instruction.op() == BP_OP_CONVOLUTION;
      if (!is_contraction || !emit::kernel_problem(instruction, target_.vectors).empty()) {
        continue;
      }
      add_panels(bytes, *context, instruction, target_.vectors);
      if (instruction.op() == BP_OP_CONVOLUTION) {
        add_channel_order(bytes, *module, instruction);
      }
    }
  }
  return bytes;
}

Result<emit::Program> Compiler::emit_program(const emit::ModuleView &module, bool in_one_unit) {
  emit::throw_when_out_of_memory();
  BP_ASSIGN(const std::string data_layout, generators_.with([](CodeGenerator &generator) -> Result<std::string> {
    return generator.machine->createDataLayout().getStringRepresentation();
  }));
  return emit::emit_program(
      module,
      {.target = target_.vectors, .triple = target_.triple, .data_layout = data_layout, .in_one_unit = in_one_unit});
}

Result<std::string> Compiler::object_of(emit::CodeUnit &unit, const std::string &dump) {
  const auto generate = [&] {
    return generators_.with([&](CodeGenerator &generator) { return generate_object(unit, generator, dump); });
  };
  if (!dump.empty()) {
    return generate();
  }
  const ObjectCache::Key key = ObjectCache::key(*unit.module);
  if (std::optional<std::string> known = objects_.find(key)) {
    return std::move(*known);
  }
  BP_ASSIGN(std::string object, generate());
  objects_.keep(key, object);
  return object;
}

Result<std::string> Compiler::write(const bp_module_t *image, std::string_view kind) {
  BP_ASSIGN(const auto module, emit::ModuleView::open(image));
  BP_ASSIGN(emit::Program program, emit_program(*module, true));
  return generators_.with([&](CodeGenerator &generator) {
    return kind == "obj" ? generate_object(program.units[0], generator, "")
                         : generate_text(program.units[0], *generator.machine, kind);
  });
}

Result<Artifact> Compiler::compile(const bp_module_t *image, const plugin::HostServices &services,
                                   const std::string &dump_folder) {
  BP_ASSIGN(const auto module, emit::ModuleView::open(image));
  BP_ASSIGN(emit::Program program, emit_program(*module, false));
  Artifact artifact;
  std::copy_n(image->hash, sizeof artifact.module_hash, artifact.module_hash);
  artifact.scratch_bytes = static_cast<std::uint64_t>(program.scratch_bytes);
  artifact.common_bytes = static_cast<std::uint64_t>(program.common_bytes);
  for (const bp_allocation_t &allocation : module->allocations()) {
    artifact.allocation_sizes.push_back(allocation.size);
  }
  artifact.objects.resize(program.units.size());
  std::vector<Status> outcomes(program.units.size());
  const std::string name = dump_name(*module);
  services.parallel(static_cast<std::uint32_t>(program.units.size()), [&](std::uint32_t i, std::uint32_t) {
    emit::CodeUnit &unit = program.units[i];
    auto object =
        object_of(unit, dump_folder.empty() ? "" : dump_folder + "/" + name + "." + unit.module->getModuleIdentifier());
    if (object.ok()) {
      artifact.objects[i] = std::move(object).value();
    } else {
      outcomes[i] = std::move(object).error();
    }
    unit.module.reset();
    unit.context.reset();
  });
  for (Status &outcome : outcomes) {
    BP_TRY(std::move(outcome));
  }
  return artifact;
}

}  // namespace bp::native
