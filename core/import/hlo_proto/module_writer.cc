#include <algorithm>
#include <numeric>

#include "core/import/hlo_proto/attribute_proto.h"
#include "core/import/hlo_proto/hlo_proto.h"
#include "core/import/hlo_proto/metadata_proto.h"
#include "core/import/hlo_proto/module_proto.h"
#include "core/import/hlo_proto/shape_proto.h"

namespace bp::import::hlo_proto {
namespace {

using ir::Opcode;

void write_program_shape(Writer &writer, std::span<const ir::Shape> parameters, const ir::Shape &result,
                         ir::Computation names) {
  using namespace program_shape_fields;
  for (const ir::Shape &parameter : parameters) {
    writer.message(program_shape_fields::parameters, [&](Writer &inner) { write_shape(inner, parameter); });
  }
  writer.message(program_shape_fields::result, [&](Writer &inner) { write_shape(inner, result); });
  for (std::size_t i = 0; i < names.parameter_count(); ++i) {
    writer.text(parameter_names, names.parameter(i).name());
  }
}

std::vector<ir::Shape> parameter_shapes(ir::Computation computation) {
  std::vector<ir::Shape> shapes;
  for (std::size_t i = 0; i < computation.parameter_count(); ++i) {
    shapes.push_back(computation.parameter(i).shape());
  }
  return shapes;
}

Status write_instruction(Writer &writer, ir::Instruction instruction, const Ids &ids) {
  using namespace instruction_fields;
  writer.text(name, instruction.name());
  writer.text(opcode, instruction.op().text);
  writer.message(shape, [&](Writer &inner) { write_shape(inner, instruction.shape()); });
  if (instruction.metadata() != nullptr) {
    writer.message(metadata, [&](Writer &inner) { write_metadata(inner, *instruction.metadata()); });
  }
  if (instruction.literal().is_valid()) {
    writer.message(literal, [&](Writer &inner) { write_literal(inner, instruction.literal()); });
  }
  BP_TRY(write_attributes(writer, instruction));
  writer.integer(id, ids.of(instruction.id()));
  auto numbers = [&](auto list) {
    std::vector<std::int64_t> result;
    std::ranges::transform(list, std::back_inserter(result), [&](auto i) { return ids.of(i); });
    return result;
  };
  writer.integers(operand_ids, numbers(instruction.operands()));
  writer.integers(control_predecessor_ids, numbers(instruction.control_predecessors()));
  auto callees = numbers(instruction.calls());
  if (instruction.opcode() == Opcode::While) {
    std::ranges::reverse(callees);  // in XLA the body precedes the condition
  }
  writer.integers(called_computation_ids, callees);
  return {};
}

Status write_computation(Writer &writer, ir::Computation computation, const Ids &ids, bool is_fusion_computation) {
  using namespace computation_fields;
  writer.text(name, computation.name());
  for (ir::Instruction instruction : computation.instructions()) {
    Writer inner;
    BP_TRY(write_instruction(inner, instruction, ids));
    writer.text(instructions, inner.bytes());
  }
  writer.message(program_shape, [&](Writer &inner) {
    write_program_shape(inner, parameter_shapes(computation), computation.root().shape(), computation);
  });
  writer.integer(id, ids.of(computation.id()));
  writer.integer(root_id, ids.of(computation.root().id()));
  if (is_fusion_computation) {
    writer.integer(is_fusion, 1);
  }
  if (!computation.execution_thread().empty()) {
    writer.text(execution_thread, computation.execution_thread());
  }
  return {};
}

void write_schedule(Writer &writer, const ir::Module &module, const Ids &ids,
                    const std::vector<bool> &is_fusion_computation) {
  using namespace schedule_fields;
  for (ir::Computation computation : module.computations()) {
    if (is_fusion_computation[index(computation.id())]) {
      continue;
    }
    std::vector<std::int64_t> order;
    for (ir::InstructionId id : computation.instruction_ids()) {
      order.push_back(ids.of(id));
    }
    writer.message(sequences, [&](Writer &entry) {
      entry.integer(key, ids.of(computation.id()));
      entry.message(value, [&](Writer &sequence) { sequence.integers(instruction_ids, order); });
    });
  }
}

void write_aliases(Writer &writer, const ir::ModuleHeader &header) {
  for (const ir::InputOutputAlias &alias : header.input_output_alias) {
    using namespace alias_fields;
    writer.message(entries, [&](Writer &entry) {
      entry.integers(output_index, alias.output_index);
      entry.integer(parameter, alias.parameter);
      entry.integers(parameter_index, alias.parameter_index);
      entry.integer(kind, alias.must ? must_alias : may_alias);
    });
  }
}

void write_donors(Writer &writer, const ir::ModuleHeader &header) {
  for (const ir::BufferDonor &donor : header.buffer_donor) {
    using namespace donor_fields;
    writer.message(entries, [&](Writer &entry) {
      entry.integer(parameter, donor.parameter);
      entry.integers(parameter_index, donor.parameter_index);
    });
  }
}

// Devices are numbered in order: partition p of replica r is device r * partitions + p.
Status write_device_assignment(Writer &writer, const ir::Module &module) {
  using namespace device_assignment_fields;
  std::int64_t replica_total = module.header().replica_count, partition_total = module.header().num_partitions;
  constexpr std::int64_t most = 1 << 20;
  if (replica_total < 1 || partition_total < 1 || replica_total > most || partition_total > most / replica_total) {
    return unsupported("{} replicas of {} partitions: a HLO proto lists the devices, and more than {} are not listed",
                       replica_total, partition_total, most);
  }
  writer.integer(replica_count, replica_total);
  writer.integer(partition_count, partition_total);
  for (std::int64_t partition = 0; partition < partition_total; ++partition) {
    std::vector<std::int64_t> devices;
    for (std::int64_t replica = 0; replica < replica_total; ++replica) {
      devices.push_back(replica * partition_total + partition);
    }
    writer.message(partitions, [&](Writer &inner) { inner.integers(replicas, devices); });
  }
  return {};
}

void write_stack_frames(Writer &writer, const ir::StackFrames &frames) {
  using namespace stack_frame_fields;
  for (const std::string &file : frames.file_names) {
    writer.text(file_names, file);
  }
  for (const std::string &function : frames.function_names) {
    writer.text(function_names, function);
  }
  auto write_entries = [&](Field field, const auto &entries, const auto &members) {
    for (const auto &entry : entries) {
      writer.message(field, [&](Writer &inner) {
        for (const auto &[member_field, member] : members) {
          inner.integer(member_field, entry.*member - offset_in_text(member));
        }
      });
    }
  };
  write_entries(file_locations, frames.file_locations, location);
  write_entries(stack_frame_fields::frames, frames.frames, frame);
}

Status write_header(Writer &writer, const ir::Module &module) {
  using namespace module_fields;
  const ir::ModuleHeader &header = module.header();
  ir::Computation entry = module.entry();
  writer.message(program_shape, [&](Writer &inner) {
    if (header.has_entry_layout) {
      write_program_shape(inner, header.entry_parameter_shapes, header.entry_result_shape, entry);
    } else {
      write_program_shape(inner, parameter_shapes(entry), entry.root().shape(), entry);
    }
  });
  if (!header.input_output_alias.empty()) {
    writer.message(aliases, [&](Writer &inner) { write_aliases(inner, header); });
  }
  if (!header.buffer_donor.empty()) {
    writer.message(donors, [&](Writer &inner) { write_donors(inner, header); });
  }
  if (header.replica_count != 1 || header.num_partitions != 1) {
    Writer inner;
    BP_TRY(write_device_assignment(inner, module));
    writer.text(device_assignment, inner.bytes());
  }
  if (!header.stack_frames.empty()) {
    writer.message(stack_frames, [&](Writer &inner) { write_stack_frames(inner, header.stack_frames); });
  }
  for (const auto &[name, text] : header.rest) {
    if (name == module_fields::frontend_attributes.name) {
      Writer inner;
      BP_TRY(write_frontend_attributes(inner, text));
      writer.text(module_fields::frontend_attributes, inner.bytes());
    }
  }
  return {};
}

}  // namespace

Ids::Ids(const ir::Module &module)
    : computations_(module.computation_id_limit(), -1), instructions_(module.instruction_id_limit(), -1) {
  std::int64_t number = 0;
  for (ir::Computation computation : module.computations()) {
    computations_[index(computation.id())] = number;
    std::int64_t id = number << 32;
    for (ir::InstructionId instruction : computation.instruction_ids()) {
      instructions_[index(instruction)] = id++;
    }
    ++number;
  }
}

Status write_module(Writer &writer, const ir::Module &module, const Ids &ids) {
  using namespace module_fields;
  std::vector<bool> is_fusion_computation(module.computation_id_limit());
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction instruction : computation.instructions()) {
      for (ir::ComputationId callee : instruction.calls()) {
        is_fusion_computation[index(callee)] =
            is_fusion_computation[index(callee)] || instruction.opcode() == Opcode::Fusion;
      }
    }
  }
  writer.text(name, module.name());
  writer.text(entry_name, module.entry().name());
  for (ir::Computation computation : module.computations()) {
    Writer inner;
    BP_TRY(write_computation(inner, computation, ids, is_fusion_computation[index(computation.id())]));
    writer.text(computations, inner.bytes());
  }
  writer.integer(entry_id, ids.of(module.entry().id()));
  if (module.header().is_scheduled) {
    writer.message(schedule, [&](Writer &inner) { write_schedule(inner, module, ids, is_fusion_computation); });
  }
  return write_header(writer, module);
}

Result<std::string> write_module(const ir::Module &module) {
  Writer writer;
  BP_TRY(write_module(writer, module, Ids(module)));
  return writer.take();
}

Result<std::string> write_snapshot(const Snapshot &snapshot) {
  using namespace snapshot_fields;
  Writer writer, hlo_writer;
  BP_ASSIGN(std::string bytes, write_module(snapshot.module));
  hlo_writer.text(snapshot_fields::module, bytes);
  writer.text(hlo, hlo_writer.bytes());
  for (const ir::Literal &argument : snapshot.arguments) {
    writer.message(arguments, [&](Writer &inner) { write_literal(inner, argument); });
  }
  if (snapshot.result.is_valid()) {
    writer.message(result, [&](Writer &inner) { write_literal(inner, snapshot.result); });
  }
  writer.text(platform, snapshot.platform);
  return writer.take();
}

}  // namespace bp::import::hlo_proto
