#include "core/debugging/pass_check.h"

#include <algorithm>

#include "core/analysis/call_graph.h"
#include "core/debugging/draws.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/nudge.h"
#include "core/interpreter/simulation.h"
#include "core/ir/device_count.h"
#include "core/text/printer.h"

namespace bp::debugging {
namespace {

using ir::Literal;

// Returns the outputs that depend on rng. If the root is not a tuple instruction but depends on it, all elements do.
Ignored random_outputs(const ir::Module &module) {
  std::vector<bool> draws(module.computation_id_limit());  // whether it contains rng
  std::vector<bool> depends(module.instruction_id_limit());
  const analysis::CallGraph graph(module);
  for (ir::ComputationId id : graph.callees_first()) {
    for (ir::Instruction i : module.computation(id).instructions()) {
      bool random = i.opcode() == ir::Opcode::Rng;
      for (ir::ComputationId callee : i.calls()) {
        random = random || draws[index(callee)];
      }
      draws[index(id)] = draws[index(id)] || random;
      for (ir::InstructionId operand : i.operands()) {
        random = random || depends[index(operand)];
      }
      depends[index(i.id())] = random;
    }
  }
  const ir::Instruction root = module.entry().root();
  if (root.opcode() != ir::Opcode::Tuple) {
    const std::size_t outputs = root.shape().is_tuple() ? root.shape().elements().size() : 1;
    return Ignored(outputs, depends[index(root.id())]);
  }
  Ignored ignored;
  for (ir::InstructionId operand : root.operands()) {
    ignored.push_back(depends[index(operand)]);
  }
  return ignored;
}

// The result of a program for several devices is a tuple of their results.
Ignored ignored_outputs(const ir::Module &module, const Ignored &random, const Literal &result) {
  return ir::check_one_device(module).ok()
             ? random
             : Ignored(result.tuple_elements().size(), std::ranges::count(random, true) > 0);
}

// Size of a value as a literal; floating-point, because the product of sizes may exceed int64.
double bytes_of(const ir::Shape &shape) {
  if (shape.is_tuple()) {
    double bytes = 0;
    for (const ir::Shape &element : shape.elements()) {
      bytes += bytes_of(element);
    }
    return bytes;
  }
  double bytes = shape.is_array() ? ir::byte_width(shape.element_type()) : 0;
  for (std::size_t d = 0; shape.is_array() && d < shape.rank(); ++d) {
    bytes *= static_cast<double>(shape.size(d));
  }
  return bytes;
}

// Returns the module with its floating-point constants moved by one unit in the last place.
Result<ir::Module> with_moved_constants(const ir::Module &module, std::uint64_t seed) {
  ir::Module moved = module;
  for (ir::Computation computation : module.computations()) {
    for (ir::Instruction i : computation.instructions()) {
      if (i.opcode() == ir::Opcode::Constant) {
        BP_ASSIGN(Literal literal, interpreter::nudge(i.literal(), seed + index(i.id())));
        moved.set_literal(i.id(), std::move(literal));
      }
    }
  }
  return moved;
}

}  // namespace

std::string to_string(const PassFailure &failure, const CheckOptions &options) {
  const std::string what = failure.difference ? fmt::format("changes results: {}", to_string(*failure.difference))
                                              : fmt::format("makes a module that does not run: {}", failure.error);
  return fmt::format("the pass {} {}\n  on draw {} ({}) of seed {}", failure.pass, what, failure.draw,
                     to_string(kind_of_draw(failure.draw)), options.seed);
}

passes::Compare PassCheck::compare() {
  return [this](const ir::Module &before, const ir::Module &after, const passes::Pass &pass) {
    return check(before, after, pass);
  };
}

Result<Literal> PassCheck::run(const ir::Module &module, std::span<const Literal> arguments) const {
  interpreter::Options options;
  options.max_seconds = options_.max_seconds;
  options.max_steps = options_.max_steps;
  options.max_value_bytes = options_.max_value_bytes;
  options.threads = 1;
  if (ir::check_one_device(module).ok()) {
    return interpreter::interpret(module, arguments, options);
  }
  BP_ASSIGN(std::vector<Literal> by_device, interpreter::simulate(module, arguments, options));
  return Literal::tuple(std::move(by_device));
}

// Makes inputs for the module and computes the results on them, unless both exist already.
Status PassCheck::prepare(const ir::Module &before) {
  std::vector<ir::Shape> parameters;
  for (std::size_t i = 0; i < before.entry().parameter_count(); ++i) {
    parameters.push_back(before.entry().parameter(i).shape());
  }
  auto same = [](const ir::Shape &x, const ir::Shape &y) { return ir::same(x, y, ir::CompareLayout::No); };
  if (arguments_.empty() || !std::ranges::equal(parameters, parameters_, same)) {
    arguments_.clear();
    double bytes = 0;
    for (const ir::Shape &shape : parameters) {
      bytes += bytes_of(shape);
    }
    if (bytes > static_cast<double>(options_.max_value_bytes)) {
      return make_error(ErrorCode::OutOfMemory, "the parameters take {:.0f} bytes, the limit is {}; slices are smaller",
                        bytes, options_.max_value_bytes);
    }
    for (int draw = 0; draw < options_.draws; ++draw) {
      BP_ASSIGN(Arguments arguments, draw_arguments(before, options_.seed, draw));
      arguments_.push_back(std::move(arguments));
    }
    parameters_ = std::move(parameters);
    text_.clear();
  }
  if (std::string text = text::print(before); text != text_) {
    text_ = std::move(text);
    expected_.clear();
    for (const Arguments &arguments : arguments_) {
      expected_.push_back(run(before, arguments));
    }
  }
  return {};
}

Result<std::optional<Difference>> PassCheck::difference(const ir::Module &before, const passes::Pass &pass,
                                                        const Arguments &arguments, const Literal &expected,
                                                        const Literal &result, const Ignored &ignored) const {
  auto exact = find_difference(expected, result, ignored);
  if (!exact || pass.rounding.units == 0) {
    return exact;
  }
  // Moves everything by one unit in three ways; in each, some elements go up and some down.
  std::vector<Literal> moved;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    BP_ASSIGN(ir::Module module, with_moved_constants(before, seed));
    Arguments moved_arguments;
    for (const Literal &argument : arguments) {
      BP_ASSIGN(Literal literal, interpreter::nudge(argument, seed * 1000 + moved_arguments.size()));
      moved_arguments.push_back(std::move(literal));
    }
    BP_ASSIGN(Literal answer, run(module, moved_arguments));
    moved.push_back(std::move(answer));
  }
  return find_difference_beyond(pass.rounding.units, expected, result, moved, ignored);
}

Status PassCheck::check(const ir::Module &before, const ir::Module &after, const passes::Pass &pass) {
  if (Status status = prepare(before); !status.ok()) {
    not_compared_.push_back(fmt::format("{}: {}", pass.name, status.error().message()));
    return {};
  }
  const Ignored random = random_outputs(before);
  auto fail = [&](int draw, std::optional<Difference> difference, std::string error) -> Status {
    failure_ = PassFailure{std::string(pass.name), draw, std::move(difference), std::move(error), before, after};
    return make_error(ErrorCode::Internal, "{}", to_string(*failure_, options_));
  };
  std::vector<Result<Literal>> results;
  std::string reason = "it rounds, and no draw has ordinary values";
  bool compared = false;
  for (int draw = 0; draw < options_.draws; ++draw) {
    const Arguments &arguments = arguments_[static_cast<std::size_t>(draw)];
    const Result<Literal> &expected = expected_[static_cast<std::size_t>(draw)];
    results.push_back(run(after, arguments));
    const Result<Literal> &result = results.back();
    if (pass.rounding.units != 0 && kind_of_draw(draw) != DrawKind::Ordinary) {
      continue;
    }
    if (!expected.ok()) {
      reason = expected.error().message();
      continue;
    }
    if (!result.ok()) {
      // A pass may add work (an expansion into a loop), but nothing that fails for other reasons.
      if (result.error().code() != ErrorCode::Unsupported && result.error().code() != ErrorCode::OutOfMemory) {
        return fail(draw, std::nullopt, result.error().to_string());
      }
      reason = fmt::format("after it, {}", result.error().message());
      continue;
    }
    BP_ASSIGN(auto found,
              difference(before, pass, arguments, *expected, *result, ignored_outputs(before, random, *expected)));
    if (found) {
      return fail(draw, std::move(found), {});
    }
    compared = true;
  }
  compared_ += compared ? 1 : 0;
  if (!compared) {
    not_compared_.push_back(fmt::format("{}: {}", pass.name, reason));
  }
  text_ = text::print(after);
  expected_ = std::move(results);
  return {};
}

}  // namespace bp::debugging
