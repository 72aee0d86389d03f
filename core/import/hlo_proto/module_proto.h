// Fields of HloModuleProto, HloComputationProto and HloInstructionProto that are not attributes, and the ids used by
// the writers of modules and of plans.
#pragma once

#include "core/import/protobuf/wire.h"
#include "core/ir/module.h"

namespace bp::import::hlo_proto {

using protobuf::Field, protobuf::Message, protobuf::Writer;

namespace module_fields {
inline constexpr Field name{1, "name"}, entry_name{2, "entry_computation_name"}, computations{3, "computations"},
    program_shape{4, "host_program_shape"}, id{5, "id"}, entry_id{6, "entry_computation_id"}, schedule{7, "schedule"},
    aliases{8, "input_output_alias"}, device_assignment{15, "device_assignment"}, stack_frames{17, "stack_frame_index"},
    donors{18, "buffer_donor"}, frontend_attributes{19, "frontend_attributes"}, payloads{22, "payloads"};
}
namespace computation_fields {
inline constexpr Field name{1, "name"}, instructions{2, "instructions"}, program_shape{4, "program_shape"}, id{5, "id"},
    root_id{6, "root_id"}, is_fusion{7, "is_fusion_computation"}, execution_thread{8, "execution_thread"};
}
namespace instruction_fields {
inline constexpr Field name{1, "name"}, opcode{2, "opcode"}, shape{3, "shape"}, metadata{7, "metadata"},
    literal{8, "literal"}, id{35, "id"}, operand_ids{36, "operand_ids"},
    control_predecessor_ids{37, "control_predecessor_ids"}, called_computation_ids{38, "called_computation_ids"},
    backend_config{43, "backend_config"}, sparsity_config{98, "sparsity_config"},
    backend_config_payload{99, "backend_config_payload"};
}
namespace program_shape_fields {
inline constexpr Field parameters{1, "parameters"}, result{2, "result"}, parameter_names{3, "parameter_names"};
}
namespace schedule_fields {
inline constexpr Field sequences{1, "sequences"}, key{1, "key"}, value{2, "value"},
    instruction_ids{1, "instruction_ids"};
}
namespace alias_fields {
inline constexpr Field entries{1, "entries"}, output_index{1, "output_shape_index"}, parameter{2, "parameter_number"},
    parameter_index{3, "parameter_shape_index"}, kind{4, "kind"};
constexpr std::int64_t may_alias = 1, must_alias = 2;
}  // namespace alias_fields
namespace donor_fields {
inline constexpr Field entries{1, "entries"}, parameter{1, "parameter_number"},
    parameter_index{2, "parameter_shape_index"};
}
namespace device_assignment_fields {
inline constexpr Field replica_count{1, "replica_count"}, partition_count{2, "computation_count"},
    partitions{3, "computation_devices"}, replicas{1, "replica_device_ids"};
}
namespace stack_frame_fields {
inline constexpr Field file_names{1, "file_names"}, function_names{2, "function_names"},
    file_locations{3, "file_locations"}, frames{4, "stack_frames"};

template <class T>
struct Member {
  Field field;
  std::int64_t T::*member;
};
using Location = ir::StackFrames::FileLocation;
inline constexpr Member<Location> location[] = {{{1, "file_name_id"}, &Location::file_name_id},
                                                {{2, "function_name_id"}, &Location::function_name_id},
                                                {{3, "line"}, &Location::line},
                                                {{4, "column"}, &Location::column},
                                                {{5, "end_line"}, &Location::end_line},
                                                {{6, "end_column"}, &Location::end_column}};
using Frame = ir::StackFrames::Frame;
inline constexpr Member<Frame> frame[] = {{{1, "file_location_id"}, &Frame::file_location_id},
                                          {{2, "parent_frame_id"}, &Frame::parent_frame_id}};
// In XLA's text, and therefore in ir::Module, parent_frame_id is greater by 1 than in the message, where 0 means no
// parent.
constexpr std::int64_t offset_in_text(std::int64_t Location::*) {
  return 0;
}
constexpr std::int64_t offset_in_text(std::int64_t Frame::*member) {
  return member == &Frame::parent_frame_id ? 1 : 0;
}
}  // namespace stack_frame_fields

namespace snapshot_fields {
inline constexpr Field module{1, "hlo_module"};  // field of HloProto
inline constexpr Field hlo{1, "hlo"}, arguments{2, "arguments"}, result{3, "result"}, platform{4, "execution_platform"};
}  // namespace snapshot_fields

// Ids as XLA assigns them: computations are numbered; the 64-bit id of an instruction combines the number of its
// computation and its own number in it.
class Ids {
 public:
  explicit Ids(const ir::Module &module);
  std::int64_t of(ir::ComputationId computation) const { return computations_[index(computation)]; }
  std::int64_t of(ir::InstructionId instruction) const { return instructions_[index(instruction)]; }

 private:
  std::vector<std::int64_t> computations_, instructions_;
};

// Appends the fields of a HloModuleProto.
Status write_module(Writer &writer, const ir::Module &module, const Ids &ids);

}  // namespace bp::import::hlo_proto
