#include "core/debugging/reduce.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <set>

#include "core/debugging/simplifications.h"
#include "core/interpreter/wide.h"
#include "core/ir/builder.h"
#include "core/ir/verifier.h"
#include "core/passes/pipeline.h"
#include "core/passes/rewrite.h"

namespace bp::debugging {
namespace {

using ir::Instruction;
using ir::InstructionId;
using ir::Module;
using ir::Opcode;
using ir::Shape;

// Removes the header's information on parameters and results, which is invalid after these change.
void drop_signature(Module &module) {
  module.header().input_output_alias.clear();
  module.header().buffer_donor.clear();
  module.header().has_entry_layout = false;
  module.header().entry_parameter_shapes.clear();
  module.header().entry_result_shape = Shape();
}

void drop_unused_parameters(Module &module) {
  const ir::Computation entry = module.entry();
  std::vector<bool> used(module.instruction_id_limit());
  used[index(entry.root().id())] = true;
  for (Instruction i : entry.instructions()) {
    for (InstructionId operand : i.operands()) {
      used[index(operand)] = true;
    }
  }
  // Parameter numbers are made consecutive and stay ascending; parameters may be in any order in the computation.
  std::vector<std::int64_t> numbers;
  for (InstructionId id : entry.parameter_ids()) {
    numbers.push_back(used[index(id)] ? static_cast<std::int64_t>(
                                            std::ranges::count_if(numbers, [](std::int64_t n) { return n >= 0; }))
                                      : -1);
  }
  std::vector<InstructionId> order;
  for (InstructionId id : std::vector(entry.instruction_ids().begin(), entry.instruction_ids().end())) {
    const Instruction i = module.instruction(id);
    if (i.opcode() == Opcode::Parameter) {
      const std::int64_t number = numbers[static_cast<std::size_t>(i.parameter_number())];
      if (number < 0) {
        continue;
      }
      module.set_number(id, ir::AttributeKey::ParameterNumber, number);
    }
    order.push_back(id);
  }
  module.set_instruction_order(entry.id(), std::move(order));
}

// Returns the module with one size changed wherever it occurs in a shape or in an attribute with sizes or limits of
// slices.
Module resized(const Module &original, std::int64_t from, std::int64_t to) {
  Module module = original;
  const std::function<Shape(const Shape &)> change = [&](const Shape &shape) {
    if (shape.is_tuple()) {
      std::vector<Shape> elements;
      std::ranges::transform(shape.elements(), std::back_inserter(elements), change);
      return Shape::tuple(std::move(elements));
    }
    Shape result = shape;
    for (std::size_t d = 0; shape.is_array() && d < shape.rank(); ++d) {
      if (shape.size(d) == from) {
        result.set_size(d, to);
      }
    }
    return result;
  };
  for (ir::Computation computation : original.computations()) {
    for (Instruction i : computation.instructions()) {
      const Shape shape = change(i.shape());
      if (i.opcode() == Opcode::Constant && i.shape().is_array() && shape != i.shape()) {
        auto literal = ir::Literal::zeros(shape);
        if (!literal.ok()) {
          return original;
        }
        const auto bytes = literal->mutable_bytes();
        std::ranges::copy(i.literal().bytes().first(std::min(bytes.size(), i.literal().bytes().size())), bytes.begin());
        module.set_literal(i.id(), std::move(literal).value());
      }
      module.set_shape(i.id(), shape);
      for (ir::AttributeKey key : {ir::AttributeKey::DynamicSliceSizes, ir::AttributeKey::SliceSizes}) {
        if (i.has(key)) {
          std::vector<std::int64_t> numbers(i.numbers(key).begin(), i.numbers(key).end());
          std::ranges::replace(numbers, from, to);
          module.set_numbers(i.id(), key, numbers);
        }
      }
      if (i.opcode() == Opcode::Slice) {
        std::vector<ir::SliceRange> ranges(i.slice_ranges().begin(), i.slice_ranges().end());
        for (ir::SliceRange &range : ranges) {
          range.limit = range.limit == from ? to : range.limit;
        }
        module.set_slice_ranges(i.id(), ranges);
      }
    }
  }
  return module;
}

bool is_zero_or_one(const ir::Literal &literal) {
  if (!literal.shape().is_array()) {
    return true;
  }
  return std::ranges::all_of(literal.bytes(), [](std::byte b) { return b == std::byte{0}; }) ||
         (literal.shape().rank() == 0 && ir::visit_element_type(literal.shape().element_type(), [&]<class T>() {
            return interpreter::widen<interpreter::SumType<T>>(literal.elements<T>()[0]) == interpreter::SumType<T>(1);
          }));
}

// Measures how hard an instruction is to understand. Every change that is kept reduces the sum, so the reduction
// terminates.
std::int64_t effort(Instruction i) {
  const std::int64_t size =
      i.shape().is_array() ? std::bit_width(static_cast<std::uint64_t>(i.shape().element_count())) : 0;
  switch (i.opcode()) {
    case Opcode::Constant: return size + (is_zero_or_one(i.literal()) ? 10 : 30);
    case Opcode::Parameter:
    case Opcode::Broadcast:
    case Opcode::Tuple:
    case Opcode::GetTupleElement: return size + 20;
    case Opcode::While:
    case Opcode::Conditional:
    case Opcode::Fusion: return size + 100;
    case Opcode::Call: return size + 90;
    default: return size + 80;
  }
}
std::int64_t effort(const Module &module) {
  auto sum = static_cast<std::int64_t>(10 * module.computation_ids().size());
  for (ir::Computation computation : module.computations()) {
    for (Instruction i : computation.instructions()) {
      sum += effort(i);
    }
  }
  return sum;
}

class Reducer {
 public:
  Reducer(Module module, const Interesting &interesting, const ReduceOptions &options)
      : best_(std::move(module)), effort_(effort(best_)), interesting_(interesting), options_(options) {}

  Reduced run() {
    Module plain = best_;
    drop_signature(plain);
    clean_up(plain);
    attempt(std::move(plain));
    for (bool changed = true; changed && !is_over();) {
      changed = cut_end();
      changed = cut_outputs() || changed;
      for (const Simplification &rule : simplifications()) {
        changed = simplify(rule) || changed;
      }
      changed = run_cleaning_passes() || changed;
      changed = shrink_sizes() || changed;
    }
    best_.unique_names();
    return {std::move(best_), trials_, !is_over()};
  }

 private:
  bool is_over() const {
    return trials_ >= options_.max_trials ||
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() > options_.max_seconds;
  }

  // Keeps the module if it is simpler, valid and interesting.
  bool attempt(Module module) {
    const std::int64_t less = effort(module);
    if (is_over() || less >= effort_ || !ir::verify(module).ok()) {
      return false;
    }
    ++trials_;
    const bool keep = interesting_(module);
    if (keep) {
      best_ = std::move(module);
      effort_ = less;
    }
    if (options_.progress) {
      options_.progress(trials_, best_.instruction_count());
    }
    return keep;
  }

  // Delta debugging: make(chosen) returns `base` with all chosen items simplified. Tries halves first, then quarters;
  // chunks that were kept stay chosen.
  template <class Make>
  bool choose(std::size_t count, Make &&make) {
    std::vector<bool> chosen(count);
    bool changed = false;
    for (std::size_t chunk = std::max<std::size_t>(count, 1); chunk > 0 && !is_over(); chunk /= 2) {
      // From the end, because the last instructions need the most others.
      for (std::size_t end = count; end > 0; end -= std::min(end, chunk)) {
        const std::size_t begin = end - std::min(end, chunk);
        std::vector<bool> more = chosen;
        std::fill(more.begin() + static_cast<std::ptrdiff_t>(begin), more.begin() + static_cast<std::ptrdiff_t>(end),
                  true);
        if (more != chosen && attempt(make(more))) {
          chosen = std::move(more);
          changed = true;
        }
      }
    }
    return changed;
  }

  // Makes one or several earlier instructions the result and removes everything after them. By bisection.
  bool cut_end() {
    bool changed = false;
    for (std::size_t drop = best_.entry().instruction_count() / 2; drop > 0 && !is_over();) {
      const Module base = best_;
      const auto order = base.entry().instruction_ids();
      if (drop < order.size() && attempt(without_end(base, order.size() - drop))) {
        changed = true;
        drop = std::min(drop, best_.entry().instruction_count() / 2);
      } else {
        drop /= 2;
      }
    }
    return changed;
  }

  // Returns the module with only the first `count` instructions; results are those that the removed ones used or that
  // are unused.
  static Module without_end(const Module &base, std::size_t count) {
    Module module = base;
    const auto order = base.entry().instruction_ids();
    std::vector<bool> used(base.instruction_id_limit()), wanted(base.instruction_id_limit());
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (InstructionId operand : base.instruction(order[i]).operands()) {
        used[index(operand)] = true;
        wanted[index(operand)] = wanted[index(operand)] || i >= count;
      }
    }
    std::vector<InstructionId> kept, results;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Instruction instruction = base.instruction(order[i]);
      if (i < count || instruction.opcode() == Opcode::Parameter) {
        kept.push_back(order[i]);
        if (instruction.opcode() != Opcode::Parameter && (wanted[index(order[i])] || !used[index(order[i])])) {
          results.push_back(order[i]);
        }
      }
    }
    if (results.empty()) {
      return base;
    }
    const ir::ComputationId entry = base.entry().id();
    module.set_instruction_order(entry, kept);
    set_results(module, results);
    clean_up(module);
    return module;
  }

  static void set_results(Module &module, std::span<const InstructionId> results) {
    const ir::ComputationId entry = module.entry().id();
    module.set_root(entry, results.size() == 1 ? results[0] : ir::Builder(module, entry).tuple(results));
  }

  bool cut_outputs() {
    const Module base = best_;
    const Instruction root = base.entry().root();
    if (root.opcode() != Opcode::Tuple || root.operand_count() == 0) {
      return false;
    }
    return choose(root.operand_count(), [&](const std::vector<bool> &dropped) {
      std::vector<InstructionId> kept;
      for (std::size_t i = 0; i < dropped.size(); ++i) {
        if (!dropped[i]) {
          kept.push_back(root.operands()[i]);
        }
      }
      Module module = base;
      if (!kept.empty()) {
        set_results(module, kept);
        clean_up(module);
      }
      return module;
    });
  }

  bool simplify(const Simplification &rule) {
    const Module base = best_;
    // The instructions to which the rule applies.
    std::vector<InstructionId> items;
    for (ir::Computation computation : base.computations()) {
      for (Instruction i : computation.instructions()) {
        items.push_back(i.id());
      }
    }
    std::vector<std::size_t> position(base.instruction_id_limit(), items.size());
    Module scratch = base;
    std::erase_if(items, [&](InstructionId id) { return rule.apply(scratch, scratch.instruction(id)) == id; });
    for (std::size_t i = 0; i < items.size(); ++i) {
      position[index(items[i])] = i;
    }
    return choose(items.size(), [&](const std::vector<bool> &chosen) {
      Module module = base;
      auto changed = passes::rewrite_all(module, [&](Instruction i) -> Result<InstructionId> {
        const bool is_chosen = index(i.id()) < position.size() && position[index(i.id())] < chosen.size() &&
                               chosen[position[index(i.id())]];
        return is_chosen ? rule.apply(module, i) : i.id();
      });
      if (changed.ok()) {
        clean_up(module);
      }
      return module;
    });
  }

  // Keeps the result of each of these passes if the problem persists.
  bool run_cleaning_passes() {
    bool changed = false;
    for (passes::PassFunction pass : {passes::call_inlining, passes::tuple_simplification, passes::barrier_removal,
                                      passes::dead_code_elimination}) {
      Module module = best_;
      if (passes::run_passes(module, {pass}).ok()) {
        clean_up(module);
        changed = attempt(std::move(module)) || changed;
      }
    }
    return changed;
  }

  bool shrink_sizes() {
    std::set<std::int64_t, std::greater<>> sizes;
    for (ir::Computation computation : best_.computations()) {
      for (Instruction i : computation.instructions()) {
        if (i.shape().is_array()) {
          sizes.insert(i.shape().sizes().begin(), i.shape().sizes().end());
        }
      }
    }
    bool changed = false;
    for (std::int64_t size : sizes) {
      for (std::int64_t smaller : {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, size / 2}) {
        if (smaller > 0 && smaller < size && attempt(resized(best_, size, smaller))) {
          changed = true;
          break;
        }
      }
    }
    return changed;
  }

  Module best_;
  std::int64_t effort_;  // of best_
  const Interesting &interesting_;
  const ReduceOptions &options_;
  int trials_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void clean_up(Module &module) {
  if (passes::run_passes(module, {passes::dead_code_elimination}).ok() && !module.header().has_entry_layout) {
    drop_unused_parameters(module);
    module.compact();
  }
}

Reduced reduce(Module module, const Interesting &interesting, const ReduceOptions &options) {
  return Reducer(std::move(module), interesting, options).run();
}

Result<Module> extract_slice(const Module &module, std::string_view instruction, int depth) {
  InstructionId found = ir::no_instruction;
  for (ir::Computation computation : module.computations()) {
    for (Instruction i : computation.instructions()) {
      if (i.name() == instruction) {
        found = i.id();
      }
    }
  }
  if (found == ir::no_instruction) {
    return make_error(ErrorCode::NotFound, "there is no instruction '{}' in module {}", instruction, module.name());
  }
  Module slice = module;
  const ir::Computation parent = module.instruction(found).parent();
  slice.set_entry(parent.id());
  slice.set_root(parent.id(), found);
  drop_signature(slice);
  // Minimum distance of each instruction from the one found.
  std::vector<int> distance(module.instruction_id_limit(), depth + 1);
  distance[index(found)] = 0;
  const auto order = parent.instruction_ids();
  for (std::size_t i = order.size(); i-- > 0;) {
    for (InstructionId operand : module.instruction(order[i]).operands()) {
      distance[index(operand)] = std::min(distance[index(operand)], distance[index(order[i])] + 1);
    }
  }
  std::vector<InstructionId> kept, parameters;
  std::vector<InstructionId> replacements(module.instruction_id_limit(), ir::no_instruction);
  for (InstructionId id : std::vector(order.begin(), order.end())) {
    const Instruction i = module.instruction(id);
    const int far = distance[index(id)];
    if (i.opcode() == Opcode::Constant || i.opcode() == Opcode::Parameter || far <= depth) {
      kept.push_back(id);
    } else {
      const auto number = static_cast<std::int64_t>(parent.parameter_count() + parameters.size());
      parameters.push_back(slice.add_parameter(parent.id(), number, i.shape(), i.name()));
      replacements[index(id)] = parameters.back();
    }
  }
  parameters.insert(parameters.end(), kept.begin(), kept.end());
  for (InstructionId id : kept) {  // their order was that of a larger program
    slice.set_control_predecessors(id, {});
  }
  slice.replace_uses(replacements);
  slice.set_instruction_order(parent.id(), std::move(parameters));
  clean_up(slice);
  slice.unique_names();
  BP_TRY(ir::verify(slice));
  return slice;
}

}  // namespace bp::debugging
