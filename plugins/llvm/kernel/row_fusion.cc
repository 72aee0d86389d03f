#include "plugins/llvm/kernel/row_fusion.h"

#include <algorithm>

#include "plugins/llvm/scalar/elementwise.h"

namespace bp::emit {
namespace {

using Part = RowFusion::Part;
using Member = RowFusion::Member;

class RowFinder {
 public:
  RowFinder(InstructionView instruction, bool are_columns) : module_(instruction.module()) {
    rows_.are_columns = are_columns;
    if (instruction.op() == BP_OP_FUSION) {
      const ComputationView computation = instruction.called(0);
      rows_.first_instruction = computation.first_instruction();
      count_ = computation.instruction_count();
      rows_.roots.assign(computation.roots().begin(), computation.roots().end());
    } else {
      rows_.first_instruction = instruction.id();
      count_ = 1;
      for (std::size_t i = 0; i < instruction.result_count(); ++i) {
        rows_.roots.push_back(instruction.result(i));
      }
    }
  }

  // Restricts the search to what is between two instructions.
  void stay_between(InstructionView source, InstructionView user, std::uint32_t value) {
    outside_ = {source.id(), user.id()};
    rows_.roots = {value};
  }

  std::optional<RowFusion> find(std::string &problem) {
    for (std::uint32_t n = 0; n < count_; ++n) {
      const InstructionView instruction = module_.instruction(rows_.first_instruction + n);
      std::string because = add(instruction);
      if (!because.empty()) {
        problem = "contains " + std::string(instruction.name()) + ", which " + because;
        return std::nullopt;
      }
    }
    if (rows_.inner.empty()) {
      problem = "reduces nothing";
      return std::nullopt;
    }
    for (const std::uint32_t root : rows_.roots) {
      const Shape &shape = module_.shape_of(root);
      if (shape.packed() || (member(root).part != Part::PerRow && shape.dims != row_shape().dims)) {
        problem = "has a result that is neither of rows nor one element for each";
        return std::nullopt;
      }
    }
    return std::move(rows_);
  }

 private:
  const Member &member(std::uint32_t value) const { return rows_.member(module_, value); }
  const Shape &row_shape() const { return module_.shape_of(rows_.rows_of); }

  // Appends the instruction's member; returns why it has none, or an empty string.
  std::string add(InstructionView instruction) {
    rows_.members.emplace_back();
    Member &own = rows_.members.back();
    if (instruction.op() == BP_OP_PARAMETER || std::ranges::find(outside_, instruction.id()) != outside_.end()) {
      return {};
    }
    if (instruction.op() == BP_OP_REDUCE) {
      return add_reduction(instruction, own);
    }
    Part part = Part::Outside;
    for (const std::uint32_t operand : instruction.operands()) {
      part = std::max(part, member(operand).part);
    }
    if (part == Part::Outside) {
      return {};
    }
    return part == Part::InRow ? add_in_row(instruction, own) : add_from_rows(instruction, own);
  }

  std::string add_reduction(InstructionView instruction, Member &own) {
    const Shape &shape = instruction.operand_shape(0);
    const auto reduced = instruction.numbers(BP_ATTR_DIMENSIONS);
    std::vector<std::int64_t> outer, inner;
    for (const std::int64_t d : shape.major_to_minor()) {
      const bool is_reduced = std::ranges::find(reduced, d) != reduced.end();
      (is_reduced ? inner : outer).push_back(d);
    }
    const bool is_column = inner.empty() || shape.minor_to_major[0] != inner.back();
    if (is_column != rows_.are_columns) {
      return is_column ? "does not reduce the innermost dimension" : "reduces the innermost dimension";
    }
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      if (member(instruction.operand(i)).part == Part::PerRow) {
        return "reduces what was reduced";
      }
    }
    if (rows_.inner.empty()) {
      rows_.rows_of = instruction.operand(0);
      rows_.outer = outer;
      rows_.inner = inner;
    } else if (shape.dims != row_shape().dims || outer != rows_.outer || inner != rows_.inner) {
      return "reduces other rows";
    }
    own.part = Part::PerRow;
    std::ranges::sort(outer);
    own.dimensions = outer;
    return {};
  }

  std::string add_in_row(InstructionView instruction, Member &own) {
    own.part = Part::InRow;
    return is_elementwise(instruction.op()) && instruction.shape().dims == row_shape().dims
               ? ""
               : "moves what was computed from reductions";
  }

  // Adds an instruction that computes one element per row from one element per row, or broadcasts it over the rows.
  std::string add_from_rows(InstructionView instruction, Member &own) {
    const Shape &shape = instruction.shape();
    if (is_elementwise(instruction.op())) {
      own.part = Part::PerRow;
      for (const std::uint32_t operand : instruction.operands()) {
        if (member(operand).part != Part::PerRow) {
          continue;
        }
        if (!own.dimensions.empty() && own.dimensions != member(operand).dimensions) {
          return "combines different rows";
        }
        own.dimensions = member(operand).dimensions;
      }
      return own.dimensions.size() == shape.rank() ? "" : "combines scalars with rows";
    }
    if (instruction.op() != BP_OP_RESHAPE && instruction.op() != BP_OP_BROADCAST) {
      return "moves what was reduced";
    }
    const plugin::IndexMap map = instruction.index_map(0);
    const std::vector<std::int64_t> &from = member(instruction.operand(0)).dimensions;
    if (instruction.op() == BP_OP_BROADCAST && shape.dims == row_shape().dims) {
      own.part = Part::InRow;
      for (std::size_t d = 0; d < from.size(); ++d) {
        if (map.dimensions[d].size > 1 && map.dimensions[d].dimension != from[d]) {
          return "repeats what was reduced at other rows";
        }
      }
      return {};
    }
    if (!map.is_known()) {
      return "reshapes what was reduced";
    }
    own.part = Part::PerRow;
    own.dimensions = map.to_result(from, shape.rank(), std::int64_t{-1});
    return shape.elements == instruction.operand_shape(0).elements ? "" : "repeats what was reduced at other rows";
  }

  const ModuleView &module_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> outside_;  // instructions that are taken for parameters
  RowFusion rows_;
};

}  // namespace

bool repeats_reductions(InstructionView fusion) {
  const ComputationView computation = fusion.called(0);
  const ModuleView &module = fusion.module();
  std::vector<bool> reduced(computation.instruction_count());
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    const InstructionView instruction = module.instruction(computation.first_instruction() + n);
    reduced[n] = instruction.op() == BP_OP_REDUCE || instruction.op() == BP_OP_REDUCE_WINDOW;
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      const std::uint32_t operand = instruction.operand(i);
      if (reduced[module.definition(operand).id() - computation.first_instruction()]) {
        reduced[n] = true;
        const plugin::IndexMap map = instruction.index_map(i);
        const bool is_update = instruction.op() == BP_OP_SCATTER && i == 2;
        if (map.is_known() ? map.repeats(instruction.shape().dims)
                           : !is_update && instruction.shape().elements > module.shape_of(operand).elements) {
          return true;
        }
      }
    }
  }
  return false;
}

std::optional<RowFusion> find_rows(InstructionView instruction, std::string &problem) {
  return RowFinder(instruction, false).find(problem);
}

std::optional<RowFusion> find_rows_between(InstructionView fusion, InstructionView source, InstructionView user,
                                           std::uint32_t value, std::string &problem) {
  RowFinder finder(fusion, false);
  finder.stay_between(source, user, value);
  return finder.find(problem);
}

std::optional<RowFusion> find_columns(InstructionView instruction) {
  std::string problem;
  return RowFinder(instruction, true).find(problem);
}

}  // namespace bp::emit
