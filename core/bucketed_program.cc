#include "core/bucketed_program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "core/ir/builder.h"
#include "core/ir/run_time_sizes.h"
#include "core/ir/verifier.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp {
namespace {

using ir::AttributeKey;
using ir::ComputationId;
using ir::Instruction;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

// Returns `padded` with those dimensions dynamic that have another size in `exact`; nothing if they differ in more.
std::optional<Shape> with_marks(const Shape &exact, const Shape &padded) {
  if (exact.is_tuple() != padded.is_tuple() || exact.is_array() != padded.is_array()) {
    return std::nullopt;
  }
  if (padded.is_tuple()) {
    if (exact.elements().size() != padded.elements().size()) {
      return std::nullopt;
    }
    std::vector<Shape> elements;
    for (std::size_t i = 0; i < padded.elements().size(); ++i) {
      auto element = with_marks(exact.elements()[i], padded.elements()[i]);
      if (!element) {
        return std::nullopt;
      }
      elements.push_back(*std::move(element));
    }
    return Shape::tuple(std::move(elements));
  }
  if (!padded.is_array()) {
    return padded;
  }
  if (exact.element_type() != padded.element_type() || exact.rank() != padded.rank() || !exact.is_static() ||
      !padded.is_static()) {
    return std::nullopt;
  }
  Shape marked = padded;
  for (std::size_t d = 0; d < static_cast<std::size_t>(padded.rank()); ++d) {
    if (exact.size(d) > padded.size(d)) {
      return std::nullopt;
    }
    marked.set_dynamic(d, exact.size(d) != padded.size(d));
  }
  return marked;
}

std::vector<Shape> arrays_of(const Shape &shape) {
  return shape.is_tuple() ? std::vector<Shape>(shape.elements().begin(), shape.elements().end())
                          : std::vector<Shape>{shape};
}

// Attributes whose numbers are sizes of the operands or the result.
bool states_sizes(AttributeKey key) {
  return key == AttributeKey::Slice || key == AttributeKey::SliceSizes || key == AttributeKey::DynamicSliceSizes;
}

bool have_equal_attributes(Instruction a, Instruction b) {
  const std::vector<AttributeKey> keys = a.attribute_keys();
  return keys == b.attribute_keys() && std::ranges::all_of(keys, [&](AttributeKey key) {
           return states_sizes(key) || (passes::is_text(key) ? a.text(key) == b.text(key)
                                                             : std::ranges::equal(a.numbers(key), b.numbers(key)));
         });
}

// Whether two slices begin at the same elements and differ only in where they end.
bool begin_equally(Instruction a, Instruction b) {
  return std::ranges::equal(a.slice_ranges(), b.slice_ranges(), [](const ir::SliceRange &x, const ir::SliceRange &y) {
    return x.start == y.start && x.stride == y.stride;
  });
}

// An instruction and its counterpart.
struct Pair {
  Instruction exact, padded;

  bool is_equal(std::size_t operand, std::size_t dimension) const {
    return exact.operand(operand).shape().size(dimension) == padded.operand(operand).shape().size(dimension);
  }
  // Whether windows of these sizes are as large as a dimension of operand 0, so that they begin at element 0.
  bool is_whole(std::size_t dimension, std::int64_t exact_size, std::int64_t padded_size) const {
    return exact_size == exact.operand(0).shape().size(dimension) &&
           padded_size == padded.operand(0).shape().size(dimension);
  }
  // Whether indices begin at the same elements: they are clamped by the sizes of the array and of the window.
  bool clamp_equally(std::span<const std::int64_t> exact_sizes, std::span<const std::int64_t> padded_sizes) const {
    for (std::size_t d = 0; d < exact_sizes.size(); ++d) {
      if (!(is_equal(0, d) && exact_sizes[d] == padded_sizes[d]) && !is_whole(d, exact_sizes[d], padded_sizes[d])) {
        return false;
      }
    }
    return true;
  }
};

// Whether the rules for run-time sizes hold for the instruction, if arrays of its operands or its result are dynamic.
bool keeps_to_sizes(const Pair &pair) {
  switch (pair.padded.opcode()) {
    case Opcode::Copy:
    case Opcode::AddDependency:
    case Opcode::Tuple:
    case Opcode::GetTupleElement:
    case Opcode::While:
    case Opcode::Conditional:
    case Opcode::OptimizationBarrier: return true;
    case Opcode::Rng: return false;  // another number of random values
    case Opcode::Slice: return true;
    case Opcode::DynamicSlice:
      return pair.clamp_equally(pair.exact.numbers(AttributeKey::DynamicSliceSizes),
                                pair.padded.numbers(AttributeKey::DynamicSliceSizes));
    case Opcode::DynamicUpdateSlice:
      return pair.clamp_equally(pair.exact.operand(1).shape().sizes(), pair.padded.operand(1).shape().sizes());
    case Opcode::Gather:
      return pair.clamp_equally(pair.exact.numbers(AttributeKey::SliceSizes),
                                pair.padded.numbers(AttributeKey::SliceSizes));
    case Opcode::Scatter: {
      const auto dimensions = std::views::iota(std::size_t{0}, pair.padded.operand(0).shape().sizes().size());
      return std::ranges::all_of(dimensions, [&](std::size_t d) { return pair.is_equal(0, d); });
    }
    default:
      return ir::size_rule(pair.padded.opcode()) == ir::SizeRule::Bounded ||
             ir::size_rule(pair.padded.opcode()) == ir::SizeRule::CutToSizes;
  }
}

// Whether elements within any sizes are those of a smaller array, whatever the operands' sizes say of the result's.
bool may_be_cut(Opcode opcode) {
  return opcode == Opcode::Broadcast || opcode == Opcode::Iota || opcode == Opcode::Slice;
}

class Bucketing {
 public:
  Bucketing(const ir::Module &exact, const ir::Module &padded) : exact_(exact), padded_(padded) {
    made_.module = ir::Module(padded.name());
    made_.module.set_source_file(padded.source_file());
  }

  Result<BucketedProgram> make() {
    if (exact_.computation_ids().size() != padded_.computation_ids().size()) {
      return unsupported("the program has other computations for other sizes");
    }
    for (std::size_t c = 0; c < padded_.computation_ids().size(); ++c) {
      const ir::Computation from = padded_.computation(padded_.computation_ids()[c]);
      BP_TRY(add_computation(exact_.computation(exact_.computation_ids()[c]), from));
    }
    made_.module.unique_names();
    BP_TRY(ir::verify(made_.module));
    return std::move(made_);
  }

 private:
  static Status refusal(Instruction instruction, std::string_view reason) {
    return unsupported("{} ({}) {}", instruction.name(), to_string(instruction.opcode()), reason)
        .at(instruction.location());
  }

  Status add_computation(ir::Computation exact, ir::Computation padded) {
    const bool is_entry = padded == padded_.entry();
    if (exact.instruction_count() != padded.instruction_count() || is_entry != (exact == exact_.entry())) {
      return unsupported("{} has other instructions for other sizes", padded.name());
    }
    computation_ = made_.module.add_computation(padded.name());
    made_.module.set_execution_thread(computation_, padded.execution_thread());
    computations_.emplace(index(padded.id()), computation_);
    exact_numbers_.emplace(index(exact.id()), computation_);
    by_exact_.clear();
    known_sizes_.clear();
    if (is_entry) {
      BP_TRY(add_arguments(exact, padded));
    }
    for (std::size_t n = 0; n < padded.instruction_count(); ++n) {
      const Pair pair{exact_.instruction(exact.instruction_ids()[n]), padded_.instruction(padded.instruction_ids()[n])};
      if (!is_entry || pair.padded.opcode() != Opcode::Parameter) {
        BP_TRY(add(pair));
      }
    }
    InstructionId root = values_.at(index(padded.root().id()));
    if (by_exact_.at(index(exact.root().id())) != root) {
      return refusal(padded.root(), "is the result only for some sizes");
    }
    if (is_entry) {
      BP_ASSIGN(root, padded_result(padded.root(), root));
      made_.module.set_entry(computation_);
    }
    made_.module.set_root(computation_, root);
    return {};
  }

  // Adds the parameters of the entry, and after them the sizes.
  Status add_arguments(ir::Computation exact, ir::Computation padded) {
    std::vector<InstructionId> arrays;
    for (std::size_t p = 0; p < padded.parameter_count(); ++p) {
      const Instruction from = padded.parameter(p);
      if (from.parameter_number() != exact.parameter(p).parameter_number() || !from.shape().is_array()) {
        return refusal(from, "is no array");
      }
      arrays.push_back(
          made_.module.add_parameter(computation_, static_cast<std::int64_t>(p), from.shape(), from.name()));
    }
    std::map<std::pair<std::int64_t, std::int64_t>, InstructionId> sizes;  // by exact and padded size
    const Shape s32 = Shape::scalar(ir::ElementType::S32);
    for (std::size_t p = 0; p < arrays.size(); ++p) {
      const Shape from = exact.parameter(p).shape(), to = padded.parameter(p).shape();
      const auto marked = with_marks(from, to);
      if (!marked) {
        return refusal(padded.parameter(p), "has another type for other sizes");
      }
      InstructionId array = arrays[p];
      if (!marked->is_static()) {
        ir::Builder b(made_.module, computation_);
        std::vector<InstructionId> operands{array};
        for (std::size_t d = 0; d < static_cast<std::size_t>(to.rank()); ++d) {
          if (!marked->is_dynamic(d)) {
            operands.push_back(b.constant(ir::ElementType::S32, static_cast<double>(to.size(d))));
            continue;
          }
          auto [found, is_new] = sizes.try_emplace({from.size(d), to.size(d)}, ir::no_instruction);
          if (is_new) {
            const auto number = static_cast<std::int64_t>(arrays.size() + made_.sizes.size());
            found->second = made_.module.add_parameter(computation_, number, s32);
            made_.sizes.push_back({p, d});
          }
          operands.push_back(found->second);
        }
        array = size_call("SliceToDynamic", operands, *marked);
      }
      note({exact.parameter(p), padded.parameter(p)}, array);
    }
    return {};
  }

  InstructionId size_call(std::string_view target, std::span<const InstructionId> operands, const Shape &shape) {
    const InstructionId call = made_.module.add_instruction(computation_, Opcode::CustomCall, shape, operands);
    made_.module.set_text(call, AttributeKey::CustomCallTarget, target);
    return call;
  }

  // Returns the result as arrays of the padded sizes.
  Result<InstructionId> padded_result(Instruction padded, InstructionId root) {
    ir::Builder b(made_.module, computation_);
    const auto to_static = [&](InstructionId array) {
      const Shape shape = b.shape(array);
      if (shape.is_static()) {
        return array;
      }
      std::vector<Shape> parts{shape};
      for (std::size_t d = 0; d < static_cast<std::size_t>(shape.rank()); ++d) {
        parts[0].set_dynamic(d, false);
        parts.push_back(Shape::scalar(ir::ElementType::S32));
      }
      return b.get_tuple_element(size_call("PadToStatic", std::array{array}, Shape::tuple(std::move(parts))), 0);
    };
    const Shape shape = b.shape(root);
    if (!shape.is_tuple()) {
      return to_static(root);
    }
    std::vector<InstructionId> elements;
    for (std::size_t i = 0; i < shape.elements().size(); ++i) {
      if (!shape.elements()[i].is_array()) {
        return refusal(padded, "has results that are no arrays").error();
      }
      elements.push_back(to_static(b.get_tuple_element(root, static_cast<std::int64_t>(i))));
    }
    return b.tuple(elements);
  }

  Status add(const Pair &pair) {
    const auto &[exact, padded] = pair;
    const auto marked = with_marks(exact.shape(), padded.shape());
    if (exact.opcode() != padded.opcode() || !marked || !have_equal_attributes(exact, padded) ||
        !begin_equally(exact, padded) || exact.literal().is_valid() != padded.literal().is_valid() ||
        (exact.literal().is_valid() && !exact.literal().identical(padded.literal())) ||
        !std::ranges::equal(
            exact.calls(), padded.calls(), {}, [&](ComputationId id) { return exact_numbers_.at(index(id)); },
            [&](ComputationId id) { return computations_.at(index(id)); })) {
      return refusal(padded, "does something else for other sizes");
    }
    std::vector<InstructionId> operands;
    bool is_static = marked->is_static();
    for (std::size_t i = 0; i < padded.operand_count(); ++i) {
      operands.push_back(values_.at(index(padded.operands()[i])));
      is_static = is_static && made_.module.instruction(operands[i]).shape().is_static();
      if (i >= exact.operand_count() || by_exact_.at(index(exact.operands()[i])) != operands[i]) {
        return refusal(padded, "has other operands for other sizes");
      }
    }
    std::vector<ComputationId> calls;
    for (const ComputationId callee : padded.calls()) {
      calls.push_back(computations_.at(index(callee)));
    }
    InstructionId id = made_.module.clone_instruction(computation_, padded, operands, calls);
    if (!is_static && padded.opcode() != Opcode::Parameter) {
      if (!keeps_to_sizes(pair)) {
        return refusal(padded, "may depend on elements beyond the sizes");
      }
      BP_ASSIGN(id, with_sizes(pair, id, *marked));
    } else {
      made_.module.set_shape(id, *marked);
    }
    note(pair, id);
    return {};
  }

  // Gives a new instruction its dynamic dimensions, and cuts its result to the exact sizes where the operands' sizes do
  // not say them.
  Result<InstructionId> with_sizes(const Pair &pair, InstructionId id, const Shape &marked) {
    const bool passes_on = ir::size_rule(pair.padded.opcode()) == ir::SizeRule::PassThrough;
    Shape own = marked;
    if (may_be_cut(pair.padded.opcode())) {
      for (std::size_t d = 0; d < static_cast<std::size_t>(own.rank()); ++d) {
        own.set_dynamic(d, gets_size(pair.padded, id, d));
      }
    }
    made_.module.set_shape(id, own);
    const Instruction made = made_.module.instruction(id);
    if (passes_on) {
      return id;
    }
    if (const Status status = ir::check_dynamic_dimensions(made); !status.ok()) {
      return refusal(pair.padded, status.error().message()).error();
    }
    const std::vector<Shape> exact = arrays_of(pair.exact.shape());
    const std::vector<ir::SizeFormulas> formulas = ir::result_sizes(made);
    for (std::size_t a = 0; a < formulas.size(); ++a) {
      for (std::size_t d = 0; d < formulas[a].size(); ++d) {
        if (size_of(formulas[a][d], pair.exact) == exact[a].size(d)) {
          continue;
        }
        if (!may_be_cut(pair.padded.opcode())) {
          return refusal(pair.padded, "has sizes that do not follow from those of its operands").error();
        }
        BP_ASSIGN(id, cut(pair.padded, id, d, exact[a].size(d)));
      }
    }
    return id;
  }

  // Whether a dimension of a broadcast, iota or slice has the size of a dynamic dimension of its operand.
  bool gets_size(Instruction padded, InstructionId id, std::size_t dimension) const {
    const Instruction made = made_.module.instruction(id);
    if (padded.opcode() == Opcode::Iota) {
      return false;
    }
    const Shape &operand = made.operand(0).shape();
    if (padded.opcode() == Opcode::Slice) {
      const ir::SliceRange &range = padded.slice_ranges()[dimension];
      return operand.is_dynamic(dimension) && range.start == 0 && range.stride == 1 &&
             range.limit == operand.size(dimension);
    }
    const auto found = std::ranges::find(padded.dimensions(), static_cast<std::int64_t>(dimension));
    return found != padded.dimensions().end() &&
           operand.is_dynamic(static_cast<std::size_t>(found - padded.dimensions().begin()));
  }

  static std::int64_t size_of(const ir::SizeFormula &formula, Instruction exact) {
    const auto leaf = [&](const ir::SizeFormula &f) {
      return f.opcode == Opcode::GetDimensionSize
                 ? exact.operand(static_cast<std::size_t>(f.number)).shape().size(f.dimension)
             : f.opcode == Opcode::Constant ? f.number
                                            : std::int64_t{-1};  // the value of an operand: no op here has one
    };
    return ir::evaluate(formula, leaf, [](Opcode opcode, std::int64_t a, std::int64_t b) -> std::int64_t {
      switch (opcode) {
        case Opcode::Add: return a + b;
        case Opcode::Multiply: return a * b;
        case Opcode::Divide: return b == 0 ? 0 : a / b;
        case Opcode::Minimum: return std::min(a, b);
        case Opcode::Broadcast: return std::min(a, b) == 1 ? std::max(a, b) : std::min(a, b);
        default: return std::max(a, b);
      }
    });
  }

  Result<InstructionId> cut(Instruction padded, InstructionId id, std::size_t dimension, std::int64_t exact_size) {
    Shape shape = made_.module.instruction(id).shape();
    const auto known = known_sizes_.find({exact_size, shape.size(dimension)});
    if (known == known_sizes_.end()) {
      return refusal(padded, "has sizes that no argument here has").error();
    }
    const auto &[array, of] = known->second;
    const InstructionId size = made_.module.add_instruction(computation_, Opcode::GetDimensionSize,
                                                            Shape::scalar(ir::ElementType::S32), {array});
    made_.module.set_number(size, AttributeKey::Dimensions, static_cast<std::int64_t>(of));
    shape.set_dynamic(dimension, true);
    const InstructionId result =
        made_.module.add_instruction(computation_, Opcode::SetDimensionSize, shape, {id, size});
    made_.module.set_number(result, AttributeKey::Dimensions, static_cast<std::int64_t>(dimension));
    return result;
  }

  void note(const Pair &pair, InstructionId id) {
    values_.insert_or_assign(index(pair.padded.id()), id);
    by_exact_.insert_or_assign(index(pair.exact.id()), id);
    const Shape &shape = made_.module.instruction(id).shape();
    for (std::size_t d = 0; shape.is_array() && d < static_cast<std::size_t>(shape.rank()); ++d) {
      if (shape.is_dynamic(d)) {
        known_sizes_.try_emplace({pair.exact.shape().size(d), shape.size(d)}, std::pair(id, d));
      }
    }
  }

  const ir::Module &exact_, &padded_;
  BucketedProgram made_;
  ComputationId computation_ = ir::no_computation;                  // that is being made
  std::unordered_map<std::uint32_t, ComputationId> computations_;   // by computation of the padded module
  std::unordered_map<std::uint32_t, ComputationId> exact_numbers_;  // by computation of the exact one
  std::unordered_map<std::uint32_t, InstructionId> values_;         // by instruction of the padded module
  std::unordered_map<std::uint32_t, InstructionId> by_exact_;       // by instruction of the exact one
  // By exact and padded size: an array of this computation, and its dimension of these sizes.
  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<InstructionId, std::size_t>> known_sizes_;
};

}  // namespace

Result<BucketedProgram> make_bucketed(ir::Module exact, ir::Module padded) {
  for (ir::Module *module : {&exact, &padded}) {  // what computed sizes is left over, and functions are called
    BP_TRY(passes::call_inlining(*module, {}));
    BP_TRY(passes::tuple_simplification(*module, {}));
    BP_TRY(passes::dead_code_elimination(*module, {}));
  }
  return Bucketing(exact, padded).make();
}

}  // namespace bp
