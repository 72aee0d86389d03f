// Fft: lines of the last dimension, each in cache-resident scratch from its first pass to its last; then, in place,
// blocks of neighbouring columns of the dimensions before it. A line too long for that is treated as a matrix
// (fft/matrix.h). A line of reals is converted to one of complex numbers (fft/real.h). A backward transform is a
// forward one with real and imaginary parts exchanged.
#include <algorithm>
#include <bit>

#include "plugins/llvm/fft/matrix.h"
#include "plugins/llvm/fft/passes.h"
#include "plugins/llvm/fft/real.h"
#include "plugins/llvm/fft/shape.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/kernel/kinds.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {
namespace {

using llvm::Value;

class FftKernel {
 public:
  FftKernel(KernelBuilder &builder, InstructionView instruction, const VectorTarget &target)
      : k_(builder),
        b_(builder.b),
        shape_(instruction, target),
        passes_(builder, target, shape_.part),
        real_(passes_, shape_),
        block_(shape_.block),
        rows_(shape_.rows) {}

  KernelWork emit(const KernelSite &site) {
    site_ = &site;
    const bool is_irfft = shape_.type == BP_FFT_TYPE_IRFFT;
    if (!is_irfft) {
      add_lines(site.operands[0]);
    }
    for (std::size_t i = 0; i < shape_.columns.size(); ++i) {
      Value *whole = is_irfft ? site.common : site.results[0];
      add_columns(shape_.columns[i], is_irfft && i == 0 ? site.operands[0] : whole, whole);
    }
    if (is_irfft) {
      add_lines(shape_.columns.empty() ? site.operands[0] : site.common);
    }
    return emit_stages();
  }

 private:
  // A step; emit() emits item number `item` for line number `line`.
  struct Step {
    std::int64_t items;
    std::function<void(Value *line, Value *item)> emit;
  };
  struct Stage {
    std::int64_t rounds;
    std::vector<Step> steps;
  };

  Value *integer(std::int64_t value) const { return passes_.integer(value); }
  Value *times(Value *x, std::int64_t factor) const { return passes_.times(x, factor); }
  Value *plus(Value *x, Value *y) const { return passes_.plus(x, y); }
  Value *smaller(Value *x, Value *y) const { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }

  FftArray common_line() const {
    return {.base = passes_.behind(site_->common, shape_.line_begin()), .plane_stride = rows_};
  }

  // --- lines ---

  // Returns a line of the operand, or of the memory that the column transforms have written.
  FftArray source_line(Value *base, Value *line) const {
    const FftArray::Kind kind =
        shape_.type == BP_FFT_TYPE_RFFT && !shape_.is_halved ? FftArray::Kind::Reals : FftArray::Kind::Pairs;
    const std::int64_t reals = shape_.type == BP_FFT_TYPE_RFFT ? shape_.in : 2 * shape_.in;
    const FftArray array{.kind = kind, .base = passes_.behind(base, times(line, reals))};
    return shape_.type == BP_FFT_TYPE_IFFT ? array.swapped() : array;
  }
  FftArray result_line(Value *line) const {
    const FftArray::Kind kind =
        shape_.type == BP_FFT_TYPE_IRFFT && !shape_.is_halved ? FftArray::Kind::Reals : FftArray::Kind::Pairs;
    const std::int64_t reals = shape_.type == BP_FFT_TYPE_IRFFT ? shape_.out : 2 * shape_.out;
    const FftArray array{.kind = kind, .base = passes_.behind(site_->results[0], times(line, reals))};
    return shape_.is_inverse ? array.swapped() : array;
  }

  void add_lines(Value *base) {
    if (shape_.is_long) {
      stages_.push_back({shape_.lines, long_line(base)});
      return;
    }
    scratch_bytes_ = std::max(scratch_bytes_, passes_.buffer_bytes(rows_, 1));
    const auto emit_line = [this, base](Value *, Value *line) {
      FftArray source = source_line(base, line);
      if (shape_.type == BP_FFT_TYPE_IRFFT) {
        const FftArray whole = passes_.buffer(site_->scratch, 0, rows_, 1);
        real_.tangle(source, whole, integer(0), 1);
        source = whole.swapped();
      }
      const bool is_done = shape_.type != BP_FFT_TYPE_RFFT;
      const FftArray transformed =
          passes_.transform_any(source, is_done ? std::optional(result_line(line)) : std::nullopt, shape_.points, 1,
                                site_->scratch, shape_.scale);
      if (!is_done) {
        real_.untangle(transformed, result_line(line), integer(0), 1);
      }
    };
    stages_.push_back({1, {{shape_.lines, emit_line}}});
  }

  // --- columns ---

  void add_columns(const FftShape::Columns &columns, Value *from, Value *to) {
    const auto width =
        std::min(block_, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(columns.inner))));
    const std::int64_t blocks = (columns.inner + width - 1) / width;
    scratch_bytes_ = std::max(scratch_bytes_, passes_.buffer_bytes(passes_.rows_for(columns.length, width), width));
    const auto emit_block = [=, this](Value *, Value *item) {
      Value *outer = b_.CreateUDiv(item, integer(blocks)), *first = times(b_.CreateURem(item, integer(blocks)), width);
      Value *begin = times(plus(times(outer, columns.length * columns.inner), first), 2);
      FftArray source{.kind = FftArray::Kind::Pairs, .base = passes_.behind(from, begin), .row_stride = columns.inner};
      if (columns.inner % width != 0) {
        source.columns = b_.CreateSub(integer(columns.inner), first);
      }
      source.is_swapped = shape_.is_inverse;
      FftArray sink = source;
      sink.base = passes_.behind(to, begin);
      passes_.transform_any(source, sink, columns.length, width, site_->scratch);
    };
    stages_.push_back({1, {{columns.outer * blocks, emit_block}}});
  }

  // --- long lines ---

  std::vector<Step> long_line(Value *base) {
    std::vector<Step> steps;
    const std::int64_t chunks = (rows_ + fft_chunk - 1) / fft_chunk;
    const auto source = [this, base](Value *line) { return source_line(base, line); };
    const auto common = [this](Value *) { return common_line(); };
    const auto swapped = [this](Value *) { return common_line().swapped(); };
    const auto result = [this](Value *line) { return result_line(line); };
    const bool is_rfft = shape_.type == BP_FFT_TYPE_RFFT, is_irfft = shape_.type == BP_FFT_TYPE_IRFFT;
    const std::int64_t pairs = real_.items();
    if (is_irfft) {
      steps.push_back(
          {pairs, [=, this](Value *line, Value *item) { real_.tangle(source(line), common_line(), item, pairs); }});
    }
    const Line from = is_irfft ? Line(swapped) : Line(source), to = is_rfft ? Line(common) : Line(result);
    if (!shape_.is_convolved) {
      add_matrix(steps, from, to, shape_.scale);
    } else {
      const Convolution1d convolution(shape_.points, block_);
      const FftArray chirp = passes_.table("chirp." + std::to_string(shape_.points), rounded_up(shape_.points, block_),
                                           [&](std::int64_t j) { return convolution.chirp(j); });
      const std::vector<std::complex<double>> factors = convolution.filter();
      const FftArray filter = passes_.table("filter." + std::to_string(shape_.points), rows_,
                                            [&](std::int64_t j) { return factors[static_cast<std::size_t>(j)]; });
      add_product(steps, chunks, from, common, shape_.points, chirp, 1);
      add_matrix(steps, common, common, 1);
      add_product(steps, chunks, common, common, rows_, filter, 1);
      add_matrix(steps, swapped, swapped, 1);
      add_product(steps, (shape_.points + fft_chunk - 1) / fft_chunk, common, to, shape_.points, chirp, shape_.scale);
    }
    if (is_rfft) {
      steps.push_back(
          {pairs, [=, this](Value *line, Value *item) { real_.untangle(common_line(), result(line), item, pairs); }});
    }
    return steps;
  }

  using Line = std::function<FftArray(Value *line)>;

  // Adds a step that multiplies numbers by factors; beyond `count`, the number of existing ones, it writes zeros.
  void add_product(std::vector<Step> &steps, std::int64_t chunks, const Line &from, const Line &to, std::int64_t count,
                   const FftArray &factors, double scale) {
    steps.push_back(
        {chunks, [=, this](Value *line, Value *item) {
           FftArray source = from(line), sink = to(line);
           if (count < rows_) {
             source.columns = integer(count);
             sink.columns = sink.kind == FftArray::Kind::Planes ? nullptr : integer(count);
           }
           Value *begin = times(item, fft_chunk),
                 *end = smaller(plus(begin, integer(fft_chunk)), integer(rounded_up(rows_, passes_.lanes())));
           k_.dynamic_loop(begin, end, integer(passes_.lanes()), {}, [&](Value *i, std::span<Value *const>) {
             FftArray factor = factors;
             factor.columns = source.columns;
             const ComplexParts x = passes_.load(source, integer(0), i, passes_.lanes());
             const ComplexParts y = passes_.load(factor, integer(0), i, passes_.lanes());
             passes_.store(sink, integer(0), i, passes_.scaled(emit_product(b_, x, y), scale));
             return std::vector<Value *>();
           });
         }});
  }

  void add_matrix(std::vector<Step> &steps, const Line &from, const Line &to, double scale) {
    const auto [rows, columns] = shape_.matrix;
    const std::int64_t blocks_of_columns = (columns + block_ - 1) / block_,
                       blocks_of_rows = (rows + block_ - 1) / block_;
    scratch_bytes_ = std::max(scratch_bytes_, FftMatrix(passes_, shape_, nullptr, nullptr).scratch_bytes());
    const auto matrix = [this] {
      return FftMatrix(passes_, shape_, site_->scratch, passes_.behind(site_->common, shape_.matrix_begin()));
    };
    steps.push_back({blocks_of_columns, [=](Value *line, Value *item) { matrix().columns_first(from(line), item); }});
    steps.push_back({blocks_of_rows, [=](Value *line, Value *item) { matrix().columns_again(to(line), item, scale); }});
  }

  // --- all stages ---

  KernelWork emit_stages() {
    KernelWork work{.scratch_bytes = scratch_bytes_, .items = 0};
    for (const Stage &stage : stages_) {
      KernelSteps steps{.rounds = stage.rounds, .items = {}};
      for (const Step &step : stage.steps) {
        steps.items.push_back(step.items);
      }
      const std::int64_t of_round = steps.items_of_round();
      Value *begin = b_.CreateSub(site_->begin, integer(work.items)),
            *end = b_.CreateSub(site_->end, integer(work.items));
      Value *is_here = b_.CreateICmpULT(begin, integer(of_round * stage.rounds));
      const auto emit_stage = [&] {
        // In a stage of one step, rounds are not distinguished.
        Value *line = stage.rounds == 1 ? integer(0) : b_.CreateUDiv(begin, integer(of_round));
        Value *first = b_.CreateSub(begin, times(line, of_round)), *last = b_.CreateSub(end, times(line, of_round));
        std::int64_t offset = 0;
        for (const Step &step : stage.steps) {
          const auto emit_step = [&] {
            Value *from = b_.CreateSub(first, integer(offset)), *to = b_.CreateSub(last, integer(offset));
            k_.dynamic_loop(from, to, integer(1), {}, [&](Value *item, std::span<Value *const>) {
              step.emit(line, item);
              return std::vector<Value *>();
            });
          };
          if (stage.steps.size() == 1) {
            emit_step();
          } else {
            k_.if_then(b_.CreateICmpULT(b_.CreateSub(first, integer(offset)), integer(step.items)), emit_step);
          }
          offset += step.items;
        }
      };
      if (stages_.size() == 1) {
        emit_stage();
      } else {
        k_.if_then(is_here, emit_stage);
      }
      work.items += of_round * stage.rounds;
      work.steps.push_back(std::move(steps));
    }
    if (work.steps.size() == 1 && work.steps[0].items.size() == 1 && work.steps[0].rounds == 1) {
      work.steps.clear();
    }
    return work;
  }

  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const FftShape shape_;
  FftPasses passes_;
  FftReal real_;
  const std::int64_t block_, rows_;
  const KernelSite *site_ = nullptr;
  std::vector<Stage> stages_;
  std::int64_t scratch_bytes_ = 0;
};

}  // namespace

std::int64_t fft_common_bytes(InstructionView fft, const VectorTarget &target) {
  const FftShape shape(fft, target);
  return shape.common_end() * storage_bytes(shape.part);
}

KernelWork emit_fft(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target) {
  return FftKernel(builder, site.instruction, target).emit(site);
}

}  // namespace bp::emit
