// Module: an HLO program. All data is in flat arrays that grow at the end, and ids are indices into them, so that
// copying a module of 40,000 instructions takes a few allocations, and iterating over it accesses memory in order.
//
// Instruction and Computation are views of two words, passed by value, valid as long as the module exists and until
// compact(). All changes are made through Module. Adding instructions keeps ids and views valid, but not references or
// spans obtained from them.
// Threads: any number may read at the same time; a writer needs exclusive access.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/container/stable_vector.hpp>

#include "core/ir/literal.h"
#include "core/ir/op.h"
#include "core/ir/shape.h"

namespace bp::ir {

enum class InstructionId : std::uint32_t {};
enum class ComputationId : std::uint32_t {};
enum class ShapeId : std::uint32_t {};
inline constexpr InstructionId no_instruction{0xffffffff};
inline constexpr ComputationId no_computation{0xffffffff};

constexpr std::uint32_t index(InstructionId id) {
  return static_cast<std::uint32_t>(id);
}
constexpr std::uint32_t index(ComputationId id) {
  return static_cast<std::uint32_t>(id);
}
constexpr std::uint32_t index(ShapeId id) {
  return static_cast<std::uint32_t>(id);
}

// One dimension of an attribute of kind Window, as stored: seven int64.
struct WindowDimension {
  std::int64_t size = 1, stride = 1, pad_low = 0, pad_high = 0;
  std::int64_t lhs_dilate = 1;  // base dilation: gaps between elements of the operand
  std::int64_t rhs_dilate = 1;  // window dilation: gaps between elements of the window
  std::int64_t reversal = 0;    // 1: the window runs backwards

  bool operator==(const WindowDimension &) const = default;
};
// One dimension of an attribute of kind SliceRanges.
struct SliceRange {
  std::int64_t start = 0, limit = 0, stride = 1;
};
// One dimension of an attribute of kind Padding.
struct PaddingDimension {
  std::int64_t low = 0, high = 0, interior = 0;
};
// Decoded attribute of kind DimLabels.
struct ConvolutionDimensions {
  std::int64_t lhs_batch = 0, lhs_feature = 0;
  std::int64_t rhs_input_feature = 0, rhs_output_feature = 0;
  std::int64_t output_batch = 0, output_feature = 0;
  std::span<const std::int64_t> lhs_spatial, rhs_spatial, output_spatial;
};

// The origin of an instruction in the program of the framework.
struct Metadata {
  std::string op_type, op_name, source_file;
  std::int64_t source_line = 0, source_end_line = 0, source_column = 0, source_end_column = 0;
  std::int64_t stack_frame_id = 0;
  std::string rest;  // canonical text of the fields that are not parsed: profile_type={1} deduplicated_name="x"
  bool operator==(const Metadata &) const = default;
};

// One entry of input_output_alias: the output at output_index shares the buffer of the part parameter_index of the
// parameter.
struct InputOutputAlias {
  std::vector<std::int64_t> output_index;
  std::int64_t parameter = 0;
  std::vector<std::int64_t> parameter_index;
  bool must = false;  // must-alias; otherwise may-alias
};
// One entry of buffer_donor: the caller gives up the buffer of this part of a parameter.
struct BufferDonor {
  std::int64_t parameter = 0;
  std::vector<std::int64_t> parameter_index;
};

struct StackFrames {
  struct FileLocation {
    std::int64_t file_name_id = 0, function_name_id = 0, line = 0, end_line = 0, column = 0, end_column = 0;
  };
  struct Frame {
    std::int64_t file_location_id = 0, parent_frame_id = 0;
  };
  // Ids count from 1, in the order of these lists.
  std::vector<std::string> file_names, function_names;
  std::vector<FileLocation> file_locations;
  std::vector<Frame> frames;
  bool empty() const {
    return file_names.empty() && function_names.empty() && file_locations.empty() && frames.empty();
  }
};

// Contents of the module's header line.
struct ModuleHeader {
  bool is_scheduled = false;  // the order of instructions is the schedule
  std::int64_t replica_count = 1, num_partitions = 1;
  std::vector<InputOutputAlias> input_output_alias;
  std::vector<BufferDonor> buffer_donor;
  bool has_entry_layout = false;  // whether the two fields below are given
  std::vector<Shape> entry_parameter_shapes;
  Shape entry_result_shape;
  // Other header attributes: name and canonical text, in printing order.
  std::vector<std::pair<std::string, std::string>> rest;
  StackFrames stack_frames;
};

class Module;
class Computation;

class Instruction {
 public:
  Instruction(const Module *module, InstructionId id) : module_(module), id_(id) {}

  InstructionId id() const { return id_; }
  const Module &module() const { return *module_; }
  Opcode opcode() const;
  const OpInfo &op() const { return info(opcode()); }
  bool is(Trait trait) const { return op().has(trait); }
  std::string_view name() const;
  const Shape &shape() const;
  ShapeId shape_id() const;
  Computation parent() const;

  std::size_t operand_count() const { return operands().size(); }
  std::span<const InstructionId> operands() const;
  Instruction operand(std::size_t i) const { return {module_, operands()[i]}; }
  std::span<const ComputationId> calls() const;
  Computation called(std::size_t i) const;
  std::span<const InstructionId> control_predecessors() const;

  // Attributes. numbers() and text() are empty if the attribute is absent; attributes.def says what the numbers mean.
  bool has(AttributeKey key) const;
  std::span<const std::int64_t> numbers(AttributeKey key) const;
  std::int64_t number(AttributeKey key, std::int64_t if_absent = 0) const;
  double real(AttributeKey key, double if_absent = 0) const;
  std::string_view text(AttributeKey key) const;
  template <class E>  // E: an enum of op.h
  E enumerator(AttributeKey key, E if_absent) const {
    return static_cast<E>(number(key, static_cast<std::int64_t>(if_absent)));
  }
  std::span<const std::int64_t> dimensions() const { return numbers(AttributeKey::Dimensions); }
  std::int64_t parameter_number() const { return number(AttributeKey::ParameterNumber); }
  std::int64_t tuple_index() const { return number(AttributeKey::Index); }
  std::span<const WindowDimension> window() const;
  std::span<const SliceRange> slice_ranges() const;
  std::span<const PaddingDimension> padding() const;
  // Returns the lists of an attribute of kind I64Lists, without a last one that is incomplete.
  std::vector<std::span<const std::int64_t>> number_lists(AttributeKey key) const;
  ConvolutionDimensions convolution_dimensions() const;
  // Returns the keys of the attributes that are present, in ascending order.
  std::vector<AttributeKey> attribute_keys() const;

  // Returns the literal of a constant, of a custom call with a literal or of a shuffle with indices; an invalid literal
  // for other instructions.
  const Literal &literal() const;
  const Metadata *metadata() const;  // nullptr if there is none
  // Line and column in the text that the module was read from; 0 for instructions made by a pass.
  std::uint32_t source_line() const;
  std::uint32_t source_column() const;
  // Location for errors about this instruction: the module's source file with the line and column above.
  SourceLocation location() const;

  bool operator==(const Instruction &other) const { return module_ == other.module_ && id_ == other.id_; }

 private:
  const Module *module_;
  InstructionId id_;
};

class Computation {
 public:
  Computation(const Module *module, ComputationId id) : module_(module), id_(id) {}

  ComputationId id() const { return id_; }
  const Module &module() const { return *module_; }
  std::string_view name() const;
  std::string_view execution_thread() const;  // empty for the main thread

  // Returns the instructions with operands before their users; in the order of the schedule if the module is scheduled.
  std::span<const InstructionId> instruction_ids() const;
  auto instructions() const {
    return instruction_ids() |
           std::views::transform([module = module_](InstructionId id) { return Instruction(module, id); });
  }
  std::size_t instruction_count() const { return instruction_ids().size(); }
  Instruction root() const;
  bool has_root() const;
  // Returns the ids of the parameters, indexed by parameter number.
  std::span<const InstructionId> parameter_ids() const;
  std::size_t parameter_count() const { return parameter_ids().size(); }
  Instruction parameter(std::size_t number) const { return {module_, parameter_ids()[number]}; }

  bool operator==(const Computation &other) const { return module_ == other.module_ && id_ == other.id_; }

 private:
  const Module *module_;
  ComputationId id_;
};

class Module {
 public:
  explicit Module(std::string name = "module") : name_(std::move(name)) {}

  const std::string &name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  ModuleHeader &header() { return header_; }
  const ModuleHeader &header() const { return header_; }
  // The file that the module was read from, for messages; may be empty.
  const std::string &source_file() const { return source_file_; }
  void set_source_file(std::string file) { source_file_ = std::move(file); }

  // Returns the computations in definition order: callees before callers.
  std::span<const ComputationId> computation_ids() const { return computation_order_; }
  auto computations() const {
    return computation_ids() | std::views::transform([this](ComputationId id) { return Computation(this, id); });
  }
  Computation computation(ComputationId id) const { return {this, id}; }
  bool has_entry() const { return entry_ != no_computation; }
  Computation entry() const;
  Instruction instruction(InstructionId id) const { return {this, id}; }
  // Returns the largest instruction id ever used plus 1: the size of arrays that are indexed by id.
  std::size_t instruction_id_limit() const { return instructions_.size(); }
  std::size_t computation_id_limit() const { return computations_.size(); }
  std::size_t instruction_count() const;  // over all computations

  ShapeId intern(const Shape &shape);
  const Shape &shape(ShapeId id) const { return shapes_[index(id)]; }

  ComputationId add_computation(std::string_view name);
  void set_entry(ComputationId computation) { entry_ = computation; }
  void set_root(ComputationId computation, InstructionId root);
  void set_computation_name(ComputationId computation, std::string_view name);
  void set_execution_thread(ComputationId computation, std::string_view thread);
  // Replaces the order of computations: callees before callers. Computations that are left out are removed together
  // with their instructions; nothing may call them any more.
  void set_computation_order(std::vector<ComputationId> order);
  // Replaces the order of instructions. `order` must consist of instructions of the computation, operands before users.
  // Leaving an instruction out removes it from the computation; nothing may refer to it any more.
  void set_instruction_order(ComputationId computation, std::vector<InstructionId> order);

  // Appends an instruction. An empty name becomes "<opcode>.<id>". Names may repeat until unique_names() is called.
  InstructionId add_instruction(ComputationId computation, Opcode opcode, const Shape &shape,
                                std::span<const InstructionId> operands = {}, std::string_view name = {});
  InstructionId add_instruction(ComputationId computation, Opcode opcode, const Shape &shape,
                                std::initializer_list<InstructionId> operands, std::string_view name = {}) {
    return add_instruction(computation, opcode, shape, std::span(operands.begin(), operands.size()), name);
  }
  InstructionId add_parameter(ComputationId computation, std::int64_t number, const Shape &shape,
                              std::string_view name = {});
  InstructionId add_constant(ComputationId computation, Literal literal, std::string_view name = {});
  // Appends a copy of an instruction (of this module or another) with other operands and callees: copies opcode, shape,
  // attributes, literal, metadata and name. The callees must be of this module; control predecessors are not copied.
  InstructionId clone_instruction(ComputationId computation, Instruction from, std::span<const InstructionId> operands,
                                  std::span<const ComputationId> calls);

  void set_name(InstructionId id, std::string_view name);
  void set_shape(InstructionId id, const Shape &shape);
  void set_opcode(InstructionId id, Opcode opcode);  // the caller must make attributes, operands and shape fit
  void set_operand(InstructionId id, std::size_t i, InstructionId operand);
  void set_operands(InstructionId id, std::span<const InstructionId> operands);
  void set_calls(InstructionId id, std::span<const ComputationId> calls);
  void set_control_predecessors(InstructionId id, std::span<const InstructionId> predecessors);
  void set_numbers(InstructionId id, AttributeKey key, std::span<const std::int64_t> numbers);
  void set_numbers(InstructionId id, AttributeKey key, std::initializer_list<std::int64_t> numbers) {
    set_numbers(id, key, std::span(numbers.begin(), numbers.size()));
  }
  void set_number(InstructionId id, AttributeKey key, std::int64_t number) { set_numbers(id, key, {number}); }
  void set_real(InstructionId id, AttributeKey key, double real) {
    set_numbers(id, key, {std::bit_cast<std::int64_t>(real)});
  }
  void set_window(InstructionId id, std::span<const WindowDimension> window);
  void set_slice_ranges(InstructionId id, std::span<const SliceRange> ranges);
  void set_padding(InstructionId id, std::span<const PaddingDimension> padding);
  void set_text(InstructionId id, AttributeKey key, std::string_view text);
  void set_literal(InstructionId id, Literal literal);
  void set_metadata(InstructionId id, Metadata metadata);
  void set_source(InstructionId id, std::uint32_t line, std::uint32_t column);

  // Replaces each use of an instruction i (as operand, root or control predecessor) by replacements[i], unless that is
  // no_instruction. `replacements` is indexed by instruction id; chains of replacements are followed. Linear in the
  // module.
  void replace_uses(std::span<const InstructionId> replacements);
  // Makes the names of instructions, and those of computations, unique within the module by appending ".1", ".2", ...
  // where needed, so that a text of the module can be read.
  void unique_names();
  // Removes data that no computation refers to any more (instructions, attributes, literals, names) and renumbers in
  // the order of computations. Invalidates all ids and views.
  void compact();

 private:
  friend class Instruction;
  friend class Computation;

  struct Range {
    std::uint32_t begin = 0, count = 0;
  };
  struct Attribute {
    AttributeKey key;
    Range data;  // in texts_ for String and Text, otherwise in numbers_
  };
  struct InstructionData {
    Opcode opcode;
    ShapeId shape;
    ComputationId parent;
    Range name;  // in texts_
    Range operands, control_predecessors, calls, attributes;
    std::uint32_t literal = 0xffffffff, metadata = 0xffffffff;
    std::uint32_t source_line = 0, source_column = 0;
  };
  struct ComputationData {
    std::string name, execution_thread;
    std::vector<InstructionId> order, parameters;
    InstructionId root = no_instruction;
  };

  InstructionData &data(InstructionId id) { return instructions_[index(id)]; }
  const InstructionData &data(InstructionId id) const { return instructions_[index(id)]; }
  Range add_text(std::string_view text);
  std::string_view text(Range range) const { return std::string_view(texts_).substr(range.begin, range.count); }
  const Attribute *find(InstructionId id, AttributeKey key) const;
  void set_attribute(InstructionId id, AttributeKey key, Range data);

  std::string name_, source_file_;
  ModuleHeader header_;
  std::vector<ComputationId> computation_order_;
  ComputationId entry_ = no_computation;
  std::vector<ComputationData> computations_;
  std::vector<InstructionData> instructions_;
  std::vector<InstructionId> instruction_lists_;  // operands and control predecessors
  std::vector<ComputationId> computation_lists_;  // calls
  std::vector<Attribute> attributes_;
  std::vector<std::int64_t> numbers_;
  std::string texts_;
  std::vector<Literal> literals_;
  std::vector<Metadata> metadata_;
  boost::container::stable_vector<Shape> shapes_;  // references returned by shape() stay valid when shapes are added
  std::unordered_multimap<std::size_t, ShapeId> shape_index_;  // by hash
};

// Decodes the numbers of an attribute of kind DimLabels. The spans point into `numbers`.
ConvolutionDimensions decode_dim_labels(std::span<const std::int64_t> numbers);

}  // namespace bp::ir
