// The parser of one module. Internal to core/text: parser.h is the interface.
//
// A recursive descent parser with one pass. An instruction is added to the module as soon as its operands are read; its
// attributes are stored as they are read, and a missing shape is inferred after them. Each computation has a hash map
// of names.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"
#include "core/text/literal_reader.h"
#include "core/text/parse_options.h"
#include "core/text/token_reader.h"

namespace bp::text {

class ModuleParser {
 public:
  ModuleParser(std::string_view text, const ParseOptions &options);
  Result<ir::Module> parse();

 private:
  // State of the computation that is being parsed.
  struct Scope {
    ir::ComputationId computation;
    bool adds_parameters = false;  // undefined operands become parameters: the text is a single instruction
    boost::unordered_flat_map<std::string_view, ir::InstructionId> names;
    std::vector<std::pair<ir::InstructionId, std::size_t>> parameters;  // with their offsets in the text
    std::vector<ir::InstructionId> unnamed;  // nested operands, named once all names of the text are known
    ir::InstructionId root = ir::no_instruction;
  };
  // An opcode as written: `reduce-scatter-start` is async-start that wraps reduce-scatter.
  struct SpelledOpcode {
    ir::Opcode opcode = ir::Opcode::Invalid;
    ir::Opcode wrapped = ir::Opcode::Invalid;
    std::size_t begin = 0;  // offset in the text
  };
  // An instruction whose attributes are being read.
  struct PendingInstruction {
    ir::InstructionId id;
    ir::Opcode opcode;
    // Called computations. Sorted, they become Instruction::calls.
    struct Call {
      std::size_t attribute;  // index in the op's row
      std::size_t order;      // order in the text
      ir::ComputationId callee;
    };
    std::vector<Call> calls;
    std::vector<ir::AttributeKey> seen;
  };

  // module_parser.cc
  Status parse_header();
  Status parse_header_attribute(std::string_view name, std::size_t begin);
  Status parse_input_output_alias();
  Status parse_buffer_donor();
  Status parse_entry_layout();
  Status parse_stack_frames();
  Status parse_computation();
  Status parse_single_instruction();
  Status parse_body(Scope &scope);
  Status finish_computation(Scope &scope);
  Status finish_parameters(const Scope &scope);
  void name_the_unnamed(const Scope &scope);
  void finish_module();

  // instruction_parser.cc
  Status parse_instruction(Scope &scope);
  Result<ir::InstructionId> parse_right_hand_side(Scope &scope, std::string_view name, std::size_t begin,
                                                  bool has_attributes);
  Result<SpelledOpcode> parse_opcode();
  Result<std::vector<ir::InstructionId>> parse_operands(Scope &scope);
  Result<ir::InstructionId> parse_operand(Scope &scope);
  Result<ir::InstructionId> find_operand(Scope &scope, const std::optional<ir::Shape> &shape);
  Status check_operand_count(const SpelledOpcode &spelled, std::size_t count);
  Status parse_attributes(Scope &scope, PendingInstruction &outer, PendingInstruction *wrapped);
  Status parse_attribute_value(PendingInstruction &pending, ir::AttributeUse use);
  Status parse_control_predecessors(Scope &scope, ir::InstructionId id);
  Result<ir::ComputationId> parse_called_computation();
  Status finish_instruction(PendingInstruction &pending, std::size_t begin);
  Result<ir::Shape> infer_missing_shape(ir::InstructionId id, std::size_t begin);

  // async_parser.cc
  Result<ir::InstructionId> wrap_async_start(Scope &scope, const SpelledOpcode &spelled,
                                             const std::optional<ir::Shape> &shape,
                                             std::span<const ir::InstructionId> operands, std::string_view name);
  void bind_late(ir::InstructionId id, ir::ComputationId wrapper);
  Status join_async_chain(ir::InstructionId id, const SpelledOpcode &spelled);

  TokenReader reader_;
  ParseOptions options_;
  LiteralContext literals_;
  // Number of parts that inferred shapes may still have: nested tuples can double in size with each line.
  std::int64_t inferred_parts_left_ = 0;
  ir::Module module_;
  boost::unordered_flat_map<std::string_view, ir::ComputationId> computations_;
  std::vector<ir::ComputationId> finished_;  // callees before callers
  std::vector<ir::ComputationId> unnamed_;   // wrappers of async operations and bodies written in place
};

// Returns the opcode that X-start, X-update or X-done wraps; Invalid if the text is none of these or X has an async
// form of its own. Sets `opcode` to async-start, async-update or async-done.
ir::Opcode wrapped_opcode(std::string_view text, ir::Opcode &opcode);

}  // namespace bp::text
