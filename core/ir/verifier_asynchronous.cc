// Ops that start an operation and ops that finish it. The first returns a tuple of its inputs, the future results and
// private state; the second takes that tuple.
#include "core/ir/shape_inference.h"
#include "core/ir/shape_inference_rules.h"
#include "core/ir/verifier_checks.h"

namespace bp::ir {
namespace {

Status expect(const Shape &found, const Shape &expected, std::string_view what) {
  if (!agree(found, expected)) {
    return invalid_input("{} is {}, expected {}", what, to_string(found, PrintLayout::Never),
                         to_string(expected, PrintLayout::Never));
  }
  return {};
}

// Checks that the tuple passed between start and done has at least `parts` parts.
Status expect_tuple(const Shape &shape, std::size_t parts, std::string_view what) {
  if (!shape.is_tuple() || shape.elements().size() < parts) {
    return invalid_input("{} is {}, expected a tuple of at least {} parts", what, to_string(shape, PrintLayout::Never),
                         parts);
  }
  return {};
}

Status expect_token(const Instruction &instruction, std::size_t operand) {
  return expect(instruction.operand(operand).shape(), Shape::token(), fmt::format("operand {}", operand));
}

// Checks that the result is element `element` of the operand.
Status check_done(const Instruction &instruction, std::size_t element) {
  const Shape &operand = instruction.operand(0).shape();
  BP_TRY(expect_tuple(operand, element + 1, "operand 0"));
  return expect(instruction.shape(), operand.elements()[element], "the shape");
}

bool is_placeholder(const Shape &shape) {
  return shape.is_tuple() && shape.elements().empty();
}

std::string_view thread_name(std::string_view thread) {
  return thread.empty() ? "main" : thread;
}

// Operands may be bound later, by an async-update; until then the corresponding parts of the tuple are ().
Status check_async_start(const Instruction &instruction) {
  BP_TRY(expect_tuple(instruction.shape(), 2, "the shape"));
  auto parts = instruction.shape().elements();
  Computation callee = instruction.called(0);
  std::string_view thread = instruction.text(AttributeKey::AsyncExecutionThread);
  if (!thread.empty() && thread_name(thread) != thread_name(callee.execution_thread())) {
    return invalid_input("async_execution_thread is \"{}\", expected \"{}\" as of {}", thread,
                         thread_name(callee.execution_thread()), callee.name());
  }
  if (!is_placeholder(parts[1])) {
    BP_TRY(expect(parts[1], callee.root().shape(), "the output in the shape"));
  }
  if (instruction.operand_count() != callee.parameter_count()) {
    return {};
  }
  for (std::size_t i = 0; i < callee.parameter_count(); ++i) {
    BP_TRY(expect(instruction.operand(i).shape(), callee.parameter(i).shape(), fmt::format("operand {}", i)));
  }
  if (!parts[0].is_tuple() || parts[0].elements().size() != callee.parameter_count()) {
    return invalid_input("the shape begins with {}, expected a tuple of the {} operands",
                         to_string(parts[0], PrintLayout::Never), callee.parameter_count());
  }
  return {};
}

Status check_async_done(const Instruction &instruction) {
  const Shape &operand = instruction.operand(0).shape();
  BP_TRY(expect_tuple(operand, 2, "operand 0"));
  if (is_placeholder(operand.elements()[1])) {
    return {};
  }
  return check_done(instruction, 1);
}

// Checks a tuple (value, token) or (value, u32[], token).
Status check_channel_tuple(const Instruction &instruction, std::size_t parts) {
  const Shape &shape = instruction.shape();
  if (!shape.is_tuple() || shape.elements().size() != parts || !shape.elements().back().is_token()) {
    return invalid_input("the shape is {}, expected a tuple of {} parts, the last one a token",
                         to_string(shape, PrintLayout::Never), parts);
  }
  if (parts == 3) {
    return expect(shape.elements()[1], Shape::scalar(ElementType::U32), "the state in the shape");
  }
  return {};
}

}  // namespace

Status verify_asynchronous(const Instruction &instruction) {
  const Shape &shape = instruction.shape();
  switch (instruction.opcode()) {
    case Opcode::AllGatherStart: return shape_rules::check_all_gather_start(instruction);
    case Opcode::AsyncStart: return check_async_start(instruction);
    case Opcode::AsyncUpdate: return expect_tuple(instruction.operand(0).shape(), 2, "operand 0");
    case Opcode::AsyncDone: return check_async_done(instruction);
    case Opcode::AllGatherDone:
    case Opcode::CollectivePermuteDone: return check_done(instruction, 1);
    case Opcode::CopyStart:
      BP_TRY(expect_tuple(shape, 3, "the shape"));
      BP_TRY(expect(shape.elements()[0], instruction.operand(0).shape(), "the destination in the shape"));
      return expect(shape.elements()[1], instruction.operand(0).shape(), "the source in the shape");
    case Opcode::CopyDone: return check_done(instruction, 0);
    case Opcode::Send:
      BP_TRY(expect_token(instruction, 1));
      BP_TRY(check_channel_tuple(instruction, 3));
      return expect(shape.elements()[0], instruction.operand(0).shape(), "the value in the shape");
    case Opcode::SendDone: return expect(shape, Shape::token(), "the shape");
    case Opcode::Recv: BP_TRY(expect_token(instruction, 0)); return check_channel_tuple(instruction, 3);
    case Opcode::RecvDone:
      BP_TRY(expect_tuple(instruction.operand(0).shape(), 1, "operand 0"));
      BP_TRY(check_channel_tuple(instruction, 2));
      return expect(shape.elements()[0], instruction.operand(0).shape().elements()[0], "the value in the shape");
    case Opcode::Infeed: BP_TRY(expect_token(instruction, 0)); return check_channel_tuple(instruction, 2);
    case Opcode::Outfeed: BP_TRY(expect_token(instruction, 1)); return expect(shape, Shape::token(), "the shape");
    default: return {};
  }
}

}  // namespace bp::ir
