// The threaded strategy, for GPUs: an item is one element of the output, and one thread computes it.
#include "plugins/llvm/contraction/strategy.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

class ThreadedStrategy : public ContractionStrategy {
 public:
  explicit ThreadedStrategy(const ContractionProblem &problem)
      : problem_(problem), rows_(total_size(problem.rows)), columns_(total_size(problem.columns)) {}
  int64_t items() const override { return total_size(problem_.batch) * rows_ * columns_; }
  void emit_item(const ContractionMemory &memory, llvm::Value *item, llvm::Value *scratch) const override;

 private:
  ContractionProblem problem_;
  int64_t rows_, columns_;
};

void ThreadedStrategy::emit_item(const ContractionMemory &m, llvm::Value *item, llvm::Value *) const {
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *column = b.CreateURem(item, m.integer(columns_));
  llvm::Value *rest = b.CreateUDiv(item, m.integer(columns_));
  llvm::Value *row = b.CreateURem(rest, m.integer(rows_));
  llvm::Value *batch = b.CreateUDiv(rest, m.integer(rows_));
  const auto offset_of = [&](Operand operand) {
    ElementOffset element =
        m.sum(m.locate(batch, problem_.batch, operand),
              m.sum(m.locate(row, problem_.rows, operand), m.locate(column, problem_.columns, operand)));
    element.offset = b.CreateAdd(element.offset, m.integer(problem_.offsets[operand]));
    return element;
  };
  const ElementOffset lhs = offset_of(lhs_operand), rhs = offset_of(rhs_operand), out = offset_of(out_operand);
  llvm::Value *zero = llvm::Constant::getNullValue(m.sum_type);
  const bool is_compensated = is_worth_compensating(problem_);
  const Values sums = emit_sum(
      b, total_size(problem_.contracted), 1, Values(is_compensated ? 2 : 1, zero),
      [&](llvm::Value *k, const Values &so_far) -> Values {
        const ElementOffset lhs_step = m.locate(k, problem_.contracted, lhs_operand);
        const ElementOffset rhs_step = m.locate(k, problem_.contracted, rhs_operand);
        llvm::Value *inside = m.mask_of(std::initializer_list<const ElementOffset *>{&lhs, &lhs_step}).condition;
        llvm::Value *x = m.load_scalar(lhs_operand, b.CreateAdd(lhs.offset, lhs_step.offset), inside);
        llvm::Value *y = m.load_scalar(rhs_operand, b.CreateAdd(rhs.offset, rhs_step.offset), nullptr);
        if (!is_compensated) {
          return {m.multiply_add(x, y, so_far[0])};
        }
        Values next = so_far;
        m.add_compensated(x, y, next[0], next[1]);
        return next;
      });
  m.store_scalar(is_compensated ? m.compensated(sums[0], sums[1]) : sums[0], out.offset);
}

}  // namespace

std::unique_ptr<ContractionStrategy> make_threaded_strategy(const ContractionProblem &problem) {
  return std::make_unique<ThreadedStrategy>(problem);
}

}  // namespace bp::emit
