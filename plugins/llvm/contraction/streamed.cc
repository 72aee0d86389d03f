// The streamed strategy, for one row times a matrix that is larger than the caches and whose contracted elements are
// far apart. It reads the matrix in the order of memory, a long run of each contracted element, and keeps the sums of
// the run in scratch. With sums in registers, runs would be only a few vectors long, and each would be in a different
// page.
#include <algorithm>

#include "plugins/llvm/contraction/strategy.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

constexpr int64_t columns_per_item = 2048;
constexpr int64_t step = 8;  // contracted elements per load and store of a sum

class StreamedStrategy : public ContractionStrategy {
 public:
  explicit StreamedStrategy(const ContractionProblem &problem)
      : problem_(problem),
        columns_(total_size(problem.columns)),
        contracted_(total_size(problem.contracted)),
        blocks_((columns_ + columns_per_item - 1) / columns_per_item) {}
  int64_t items() const override { return total_size(problem_.batch) * blocks_; }
  int64_t scratch_bytes() const override {
    return columns_per_item * problem_.types.accumulate->getScalarSizeInBits() / 8;
  }
  void emit_item(const ContractionMemory &memory, llvm::Value *item, llvm::Value *scratch) const override;

 private:
  ContractionProblem problem_;
  int64_t columns_, contracted_, blocks_;
};

void StreamedStrategy::emit_item(const ContractionMemory &m, llvm::Value *item, llvm::Value *scratch) const {
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *first = b.CreateMul(b.CreateURem(item, m.integer(blocks_)), m.integer(columns_per_item));
  llvm::Value *last = m.minimum(b.CreateAdd(first, m.integer(columns_per_item)), columns_);
  llvm::Value *batch = b.CreateUDiv(item, m.integer(blocks_));
  auto base = [&](Operand operand) {
    return b.CreateAdd(m.locate(batch, problem_.batch, operand).offset, m.integer(problem_.offsets[operand]));
  };
  const Operand row_operand = problem_.row_operand, column_operand = problem_.column_operand;
  llvm::Value *row = base(row_operand), *column = base(column_operand), *out = base(out_operand);
  // Calls body(first column, mask, pointer to the sums) for each vector of columns.
  auto for_each_vector = [&](auto &&body) {
    emit_loop(b, first, last, m.width, [&](llvm::Value *lane) {
      llvm::Value *mask = nullptr;
      if (columns_ % m.width != 0) {
        mask = b.CreateICmpSLT(
            m.lane_indices(lane),
            llvm::ConstantInt::getSigned(llvm::VectorType::get(m.lane_index, m.width, false), columns_));
      }
      body(lane, mask, b.CreateGEP(m.sum_type, scratch, b.CreateSub(lane, first)));
    });
  };
  for_each_vector([&](llvm::Value *, llvm::Value *, llvm::Value *sums) {
    b.CreateAlignedStore(m.zero(), sums, m.sum_alignment());
  });
  auto add_products = [&](llvm::Value *k, int64_t count) {
    Values factors, runs;
    for (int64_t i = 0; i < count; ++i) {
      llvm::Value *index = b.CreateAdd(k, m.integer(i));
      auto offset_of = [&](Operand operand) { return m.locate(index, problem_.contracted, operand).offset; };
      factors.push_back(m.splat(m.load_scalar(row_operand, b.CreateAdd(row, offset_of(row_operand)), nullptr)));
      runs.push_back(b.CreateAdd(column, offset_of(column_operand)));
    }
    for_each_vector([&](llvm::Value *lane, llvm::Value *mask, llvm::Value *sums) {
      llvm::Value *products = m.zero();
      for (int64_t i = 0; i < count; ++i) {
        auto at = static_cast<size_t>(i);
        llvm::Value *run = m.load(column_operand, {Lanes::contiguous, lane, nullptr}, runs[at], mask);
        products = m.multiply_add(factors[at], run, products);
      }
      llvm::Value *before = b.CreateAlignedLoad(m.sum_vector, sums, m.sum_alignment());
      b.CreateAlignedStore(emit_additions(b, {before}, {products})[0], sums, m.sum_alignment());
    });
  };
  const int64_t whole_steps = contracted_ / step * step;
  emit_loop(b, m.integer(0), m.integer(whole_steps), step, [&](llvm::Value *k) { add_products(k, step); });
  emit_loop(b, m.integer(whole_steps), m.integer(contracted_), 1, [&](llvm::Value *k) { add_products(k, 1); });
  for_each_vector([&](llvm::Value *lane, llvm::Value *mask, llvm::Value *sums) {
    llvm::Value *total = b.CreateAlignedLoad(m.sum_vector, sums, m.sum_alignment());
    m.store(total, {Lanes::contiguous, lane, nullptr}, out, mask);
  });
}

}  // namespace

bool is_worth_streaming(const ContractionProblem &problem) {
  int64_t column_stride = 0, out_stride = 0;
  int64_t columns = total_size(problem.columns), contracted = total_size(problem.contracted);
  constexpr int64_t far = 512, larger_than_caches = int64_t{1} << 19;  // elements
  return total_size(problem.rows) == 1 && problem.windows.empty() && columns >= far && contracted >= step &&
         columns * contracted > larger_than_caches &&
         has_single_stride(problem.columns, problem.column_operand, &column_stride) && column_stride == 1 &&
         has_single_stride(problem.columns, out_operand, &out_stride) && out_stride == 1 &&
         std::abs(stride_of(problem.contracted.back(), problem.column_operand)) >= far;
}

std::unique_ptr<ContractionStrategy> make_streamed_strategy(const ContractionProblem &problem) {
  return std::make_unique<StreamedStrategy>(problem);
}

}  // namespace bp::emit
