// The split strategy, for few rows or few columns with long sums ("the few" and, on the other side, "the many"). Most
// of the work is to read the operand of the many, which is done once, in vectors. A team computes all sums of the few
// with some neighbours of the many; its members share the contracted axes, and their partial sums are added at the end.
// Vectors run along the contracted axes or, if these are not contiguous in memory, along the many; then neighbouring
// members have different parts of the many.
#include <algorithm>

#include "plugins/llvm/contraction/split.h"
#include "plugins/llvm/contraction/strategy.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

class SplitStrategy final : public ContractionStrategy {
 public:
  SplitStrategy(const ContractionProblem &problem, Team &team)
      : split_(problem),
        team_(team),
        groups_(team.size() / team.exchange_width()),
        sum_bytes_(problem.types.accumulate->getScalarSizeInBits() / 8) {}

  int64_t items() const override { return split_.batch * split_.items_along(); }
  int64_t scratch_bytes() const override { return groups_ * results() * sum_bytes_; }
  void emit_item(const ContractionMemory &m, llvm::Value *item, llvm::Value *scratch) const override;

 private:
  int64_t results() const { return split_.few * split_.of_item(); }  // per item
  Values add_up(const ContractionMemory &m, llvm::Value *first, const ElementOffset &few,
                const ElementOffset &many) const;
  Values few_elements(const ContractionMemory &m, const ElementOffset &few, llvm::Value *k, llvm::Value *is_left) const;

  const Split split_;
  Team &team_;
  const int64_t groups_;  // number of groups of members that exchange values
  const int64_t sum_bytes_;
};

// Returns the elements of one of the few at as many neighbours along the contracted axes as a member reads at once.
Values SplitStrategy::few_elements(const ContractionMemory &m, const ElementOffset &few, llvm::Value *k,
                                   llvm::Value *is_left) const {
  const Operand from = split_.few_operand;
  const auto offset = [&](int64_t lane) {
    llvm::Value *at = m.locate(m.b.CreateAdd(k, m.integer(lane)), m.problem.contracted, from).offset;
    return m.b.CreateAdd(few.offset, at);
  };
  if (has_vectors(m.problem.contracted, from, split_.deep)) {
    return m.as_sums(from, m.load_vector(from, m.problem.contracted, offset(0), split_.deep, is_left));
  }
  Values elements;
  for (int64_t lane = 0; lane < split_.deep; ++lane) {
    elements.push_back(m.load_scalar(from, offset(lane), is_left));
  }
  return elements;
}

// Returns a member's sums: for each of the few, those with its neighbours of the many, the first of which is `first`.
Values SplitStrategy::add_up(const ContractionMemory &m, llvm::Value *first, const ElementOffset &few,
                             const ElementOffset &many) const {
  llvm::IRBuilder<> &b = m.b;
  struct Reading {
    ElementOffset element;
    llvm::Value *is_there;
  };
  std::vector<Reading> of_few, of_many;
  for (int64_t i = 0; i < split_.few; ++i) {
    const ElementOffset at = m.locate(m.integer(i), split_.few_axes(m.problem), split_.few_operand);
    of_few.push_back({m.sum(few, at), nullptr});
  }
  for (int64_t i = 0; i < (split_.is_along_contracted ? split_.each : 1); ++i) {
    llvm::Value *index = b.CreateAdd(first, m.integer(i));
    const ElementOffset at = m.locate(index, split_.many_axes(m.problem), split_.many_operand);
    of_many.push_back({m.sum(many, at), m.is_below(index, split_.many, split_.of_item())});
  }
  const std::vector<Axis> &along = split_.is_along_contracted ? m.problem.contracted : split_.many_axes(m.problem);
  llvm::Value *part = b.CreateUDiv(team_.member(), m.integer(split_.across));
  const int64_t step = team_.size() / split_.across * split_.deep;
  const Values zeros(static_cast<size_t>(split_.few * split_.each), llvm::Constant::getNullValue(m.sum_type));
  return emit_sum(b, split_.contracted, step, zeros, [&](llvm::Value *before, Values sums) {
    llvm::Value *k = b.CreateAdd(before, b.CreateMul(part, m.integer(split_.deep)));
    llvm::Value *is_left = m.is_below(k, split_.contracted, step);
    // For each of the many, a vector along the contracted axes; or for each contracted index, a vector along the many.
    std::vector<Values> vectors;
    for (const Reading &one : of_many) {
      for (int64_t i = 0; i < (split_.is_along_contracted ? 1 : split_.deep); ++i) {
        const ElementOffset step_of = m.locate(b.CreateAdd(k, m.integer(i)), m.problem.contracted, split_.many_operand);
        llvm::Value *vector = m.load_vector(split_.many_operand, along, b.CreateAdd(one.element.offset, step_of.offset),
                                            split_.lanes, m.mask_and(is_left, one.is_there));
        vectors.push_back(m.as_sums(split_.many_operand, vector));
      }
    }
    for (size_t i = 0; i < of_few.size(); ++i) {
      const Values elements = few_elements(m, of_few[i].element, k, is_left);
      for (size_t j = 0; j < static_cast<size_t>(split_.each); ++j) {
        llvm::Value *&sum = sums[i * static_cast<size_t>(split_.each) + j];
        for (size_t d = 0; d < elements.size(); ++d) {
          sum = m.multiply_add(elements[d], split_.is_along_contracted ? vectors[j][d] : vectors[d][j], sum);
        }
      }
    }
    return sums;
  });
}

void SplitStrategy::emit_item(const ContractionMemory &m, llvm::Value *item, llvm::Value *scratch) const {
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *number = b.CreateURem(item, m.integer(split_.items_along()));
  llvm::Value *batch = b.CreateUDiv(item, m.integer(split_.items_along()));
  const auto start = [&](Operand of) {
    ElementOffset element = m.locate(batch, m.problem.batch, of);
    element.offset = b.CreateAdd(element.offset, m.integer(m.problem.offsets[of]));
    return element;
  };
  llvm::Value *first_of_item = b.CreateMul(number, m.integer(split_.of_item()));
  llvm::Value *in_item = b.CreateMul(b.CreateURem(team_.member(), m.integer(split_.across)), m.integer(split_.each));
  Values sums = add_up(m, b.CreateAdd(first_of_item, in_item), start(split_.few_operand), start(split_.many_operand));
  for (int64_t mask = split_.across; mask < team_.exchange_width(); mask *= 2) {
    Values others;
    for (llvm::Value *sum : sums) {
      others.push_back(team_.shuffle_xor(b, sum, static_cast<uint32_t>(mask)));
    }
    sums = emit_additions(b, sums, others);
  }
  const auto in_scratch = [&](llvm::Value *group, llvm::Value *result) {
    llvm::Value *at = b.CreateAdd(b.CreateMul(group, m.integer(results())), result);
    return b.CreateInBoundsGEP(m.sum_type, scratch, at);
  };
  llvm::Value *group = b.CreateUDiv(team_.member(), m.integer(team_.exchange_width()));
  llvm::Value *lane = b.CreateURem(team_.member(), m.integer(team_.exchange_width()));
  emit_when(b, b.CreateICmpULT(lane, m.integer(split_.across)), [&] {
    for (size_t i = 0; i < sums.size(); ++i) {
      const auto of_few = static_cast<int64_t>(i) / split_.each, of_each = static_cast<int64_t>(i) % split_.each;
      b.CreateStore(sums[i], in_scratch(group, b.CreateAdd(in_item, m.integer(of_few * split_.of_item() + of_each))));
    }
  });
  team_.wait(b);
  const ElementOffset out = start(out_operand);
  emit_loop(b, team_.member(), m.integer(results()), team_.size(), [&](llvm::Value *result) {
    llvm::Value *of_few = b.CreateUDiv(result, m.integer(split_.of_item()));
    llvm::Value *of_many = b.CreateAdd(first_of_item, b.CreateURem(result, m.integer(split_.of_item())));
    llvm::Value *is_there = m.mask_and(m.is_below(of_many, split_.many, split_.of_item()), team_.has_work());
    emit_when(b, is_there, [&] {
      const Values sum = emit_sum(b, groups_, 1, {llvm::Constant::getNullValue(m.sum_type)},
                                  [&](llvm::Value *g, const Values &so_far) {
                                    return emit_additions(b, so_far, {b.CreateLoad(m.sum_type, in_scratch(g, result))});
                                  });
      const ElementOffset at = m.sum(m.locate(of_few, split_.few_axes(m.problem), out_operand),
                                     m.locate(of_many, split_.many_axes(m.problem), out_operand));
      m.store_scalar(sum[0], b.CreateAdd(out.offset, at.offset));
    });
  });
}

}  // namespace

std::unique_ptr<ContractionStrategy> make_split_strategy(const ContractionProblem &problem, Team &team) {
  return std::make_unique<SplitStrategy>(problem, team);
}

}  // namespace bp::emit
