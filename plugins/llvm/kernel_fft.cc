// Fft: lines of the last dimension, each in cache-resident scratch from its first pass to its last; then, in place,
// blocks of neighbouring columns of the dimensions before. A line too long for that is a matrix, whose columns are
// transformed, turned and transposed into memory that all threads share, and then its columns again (four steps). A
// line of an even number of reals is one of half as many complex numbers, from which its spectrum is untangled.
// Backwards is forwards with real and imaginary parts in each other's place.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "plugins/llvm/element_type.h"
#include "plugins/llvm/fft_passes.h"
#include "plugins/llvm/kernel.h"
#include "plugins/llvm/support.h"

namespace bp::emit {
namespace {

using llvm::Value;
using Kind = FftArray::Kind;

// Numbers of a line that is transformed by one thread, in scratch.
constexpr std::int64_t longest_line_in_cache = 8192;
// Of neighbouring columns, more in number.
constexpr std::int64_t longest_column = 16384;
// Bounds the tables of a convolution.
constexpr std::int64_t longest_convolved = std::int64_t{1} << 17;
constexpr std::int64_t longest_line = std::int64_t{1} << 29;
// Numbers that an item of a step over a line has.
constexpr std::int64_t chunk = 4096;

std::int64_t round_up(std::int64_t x, std::int64_t multiple) {
  return (x + multiple - 1) / multiple * multiple;
}

// What is to be done, and how.
struct FftShape {
  FftShape(InstructionView instruction, const VectorTarget &target) {
    const Shape &from = instruction.operand_shape(0), &to = instruction.shape();
    const auto lengths = instruction.numbers(BP_ATTR_FFT_LENGTH);
    type = instruction.number(BP_ATTR_FFT_TYPE);
    is_inverse = type == BP_FFT_TYPE_IFFT || type == BP_FFT_TYPE_IRFFT;
    is_real = type == BP_FFT_TYPE_RFFT || type == BP_FFT_TYPE_IRFFT;
    part = part_type(is_complex(from.dtype) ? from.dtype : to.dtype);
    length = lengths.back();
    in = from.dims.back();
    out = to.dims.back();
    lines = to.elements / out;
    // The dimensions before the last, the innermost first. A real spectrum is of the same sizes.
    const std::int64_t stored = type == BP_FFT_TYPE_IRFFT ? in : out;
    std::int64_t inner = stored;
    const std::size_t rank = to.rank();
    for (std::size_t i = 1; i < lengths.size(); ++i) {
      const std::int64_t n = to.dims[rank - 1 - i];
      columns.push_back({lines * stored / (n * inner), n, inner});
      inner *= n;
      scale *= is_inverse ? 1.0 / static_cast<double>(n) : 1;
    }
    scale *= is_inverse ? 1.0 / static_cast<double>(length) : 1;
    is_halved = is_real && length % 2 == 0;
    points = is_halved ? length / 2 : length;
    block = fft_block(target, part);
    is_convolved = !has_radices(points);
    rows = is_convolved ? Convolution1d(points, block).length() : points;
    is_long = rows > longest_line_in_cache;
    if (is_long) {
      matrix = near_square(rows, block);
    }
  }

  // Memory that all threads share, in reals: the columns of an inverse real transform; a long line, where it is not
  // only in operand and result; its matrix.
  std::int64_t line_begin() const {
    return type == BP_FFT_TYPE_IRFFT && !columns.empty() ? round_up(2 * lines * in, 16) : 0;
  }
  std::int64_t matrix_begin() const {
    return line_begin() + (is_long && (is_real || is_convolved) ? round_up(2 * rows, 16) : 0);
  }
  std::int64_t common_end() const {
    return matrix_begin() + (is_long ? 2 * round_up(matrix.first, block) * round_up(matrix.second, block) : 0);
  }

  struct Columns {
    std::int64_t outer, length, inner;
  };
  std::int64_t type;
  bool is_inverse, is_real;
  std::uint16_t part;
  std::int64_t length, in, out;  // of a line: whole; of the operand; of the result
  std::int64_t lines;
  std::vector<Columns> columns;
  bool is_halved;
  std::int64_t points;  // complex numbers that a line is transformed as
  double scale = 1;
  std::int64_t block;  // columns that are transformed together
  bool is_convolved, is_long;
  std::int64_t rows;                             // numbers of a line while it is transformed
  std::pair<std::int64_t, std::int64_t> matrix;  // rows and columns of a long line
};

class FftKernel {
 public:
  FftKernel(KernelBuilder &builder, InstructionView instruction, const VectorTarget &target)
      : k_(builder),
        b_(builder.b),
        shape_(instruction, target),
        passes_(builder, target, shape_.part),
        block_(shape_.block),
        rows_(shape_.rows),
        matrix_(shape_.matrix) {}

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
  // What an item does: of a line, or number.
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
  Value *place(Value *base, std::int64_t reals) const {
    return b_.CreateGEP(passes_.real_type(), base, integer(reals));
  }
  Value *place(Value *base, Value *reals) const { return b_.CreateGEP(passes_.real_type(), base, reals); }
  Value *smaller(Value *x, Value *y) const { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }

  FftArray common_line() const { return {.base = place(site_->common, shape_.line_begin()), .plane_stride = rows_}; }

  // --- lines ---

  // Of the operand, or of what columns made of it.
  FftArray source_line(Value *base, Value *line) const {
    const Kind kind = shape_.type == BP_FFT_TYPE_RFFT && !shape_.is_halved ? Kind::Reals : Kind::Pairs;
    const std::int64_t reals = shape_.type == BP_FFT_TYPE_RFFT ? shape_.in : 2 * shape_.in;
    const FftArray array{.kind = kind, .base = place(base, times(line, reals))};
    return shape_.type == BP_FFT_TYPE_IFFT ? array.swapped() : array;
  }
  FftArray result_line(Value *line) const {
    const Kind kind = shape_.type == BP_FFT_TYPE_IRFFT && !shape_.is_halved ? Kind::Reals : Kind::Pairs;
    const std::int64_t reals = shape_.type == BP_FFT_TYPE_IRFFT ? shape_.out : 2 * shape_.out;
    const FftArray array{.kind = kind, .base = place(site_->results[0], times(line, reals))};
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
        tangle(source, whole, integer(0), 1);
        source = whole.swapped();
      }
      const bool is_done = shape_.type != BP_FFT_TYPE_RFFT;
      const FftArray transformed =
          passes_.transform_any(source, is_done ? std::optional(result_line(line)) : std::nullopt, shape_.points, 1,
                                site_->scratch, shape_.scale);
      if (!is_done) {
        untangle(transformed, result_line(line), integer(0), 1);
      }
    };
    stages_.push_back({1, {{shape_.lines, emit_line}}});
  }

  // --- columns ---

  void add_columns(const FftShape::Columns &columns, Value *from, Value *to) {
    const auto width =
        std::min(block_, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(columns.inner))));
    const std::int64_t blocks = (columns.inner + width - 1) / width;
    scratch_bytes_ = std::max(scratch_bytes_, passes_.buffer_bytes(passes_.rows_for(columns.length), width));
    const auto emit_block = [=, this](Value *, Value *item) {
      Value *outer = b_.CreateUDiv(item, integer(blocks)), *first = times(b_.CreateURem(item, integer(blocks)), width);
      Value *begin = times(plus(times(outer, columns.length * columns.inner), first), 2);
      FftArray source{.kind = Kind::Pairs, .base = place(from, begin), .row_stride = columns.inner};
      if (columns.inner % width != 0) {
        source.columns = b_.CreateSub(integer(columns.inner), first);
      }
      source.is_swapped = shape_.is_inverse;
      FftArray sink = source;
      sink.base = place(to, begin);
      passes_.transform_any(source, sink, columns.length, width, site_->scratch);
    };
    stages_.push_back({1, {{columns.outer * blocks, emit_block}}});
  }

  // --- long lines ---

  std::vector<Step> long_line(Value *base) {
    std::vector<Step> steps;
    const std::int64_t chunks = (rows_ + chunk - 1) / chunk;
    const auto source = [this, base](Value *line) { return source_line(base, line); };
    const auto common = [this](Value *) { return common_line(); };
    const auto swapped = [this](Value *) { return common_line().swapped(); };
    const auto result = [this](Value *line) { return result_line(line); };
    const bool is_rfft = shape_.type == BP_FFT_TYPE_RFFT, is_irfft = shape_.type == BP_FFT_TYPE_IRFFT;
    const std::int64_t pairs = pair_items();
    if (is_irfft) {
      steps.push_back(
          {pairs, [=, this](Value *line, Value *item) { tangle(source(line), common_line(), item, pairs); }});
    }
    const Line from = is_irfft ? Line(swapped) : Line(source), to = is_rfft ? Line(common) : Line(result);
    if (!shape_.is_convolved) {
      add_matrix(steps, from, to, shape_.scale);
    } else {
      const Convolution1d convolution(shape_.points, block_);
      const FftArray chirp = passes_.table("chirp." + std::to_string(shape_.points), round_up(shape_.points, block_),
                                           [&](std::int64_t j) { return convolution.chirp(j); });
      const std::vector<std::complex<double>> factors = convolution.filter();
      const FftArray filter = passes_.table("filter." + std::to_string(shape_.points), rows_,
                                            [&](std::int64_t j) { return factors[static_cast<std::size_t>(j)]; });
      add_product(steps, chunks, from, common, shape_.points, chirp, 1);
      add_matrix(steps, common, common, 1);
      add_product(steps, chunks, common, common, rows_, filter, 1);
      add_matrix(steps, swapped, swapped, 1);
      add_product(steps, (shape_.points + chunk - 1) / chunk, common, to, shape_.points, chirp, shape_.scale);
    }
    if (is_rfft) {
      steps.push_back(
          {pairs, [=, this](Value *line, Value *item) { untangle(common_line(), result(line), item, pairs); }});
    }
    return steps;
  }

  using Line = std::function<FftArray(Value *line)>;

  // Numbers times factors; beyond `count`, which is what there is, zeros.
  void add_product(std::vector<Step> &steps, std::int64_t chunks, const Line &from, const Line &to, std::int64_t count,
                   const FftArray &factors, double scale) {
    steps.push_back({chunks, [=, this](Value *line, Value *item) {
                       FftArray source = from(line), sink = to(line);
                       if (count < rows_) {
                         source.columns = integer(count);
                         sink.columns = sink.kind == Kind::Planes ? nullptr : integer(count);
                       }
                       Value *begin = times(item, chunk),
                             *end = smaller(plus(begin, integer(chunk)), integer(round_up(rows_, passes_.lanes())));
                       k_.dynamic_loop(
                           begin, end, integer(passes_.lanes()), {}, [&](Value *i, std::span<Value *const>) {
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
    const auto [rows, columns] = matrix_;
    const std::int64_t blocks_of_columns = (columns + block_ - 1) / block_,
                       blocks_of_rows = (rows + block_ - 1) / block_;
    const std::int64_t buffers =
        std::max(passes_.buffer_bytes(round_up(rows, block_), block_), passes_.buffer_bytes(columns, block_));
    const std::int64_t turns = (turn_step() + turn_count()) * 2 * block_ * passes_.real_bytes();
    scratch_bytes_ = std::max(scratch_bytes_, buffers + turns);
    steps.push_back({blocks_of_columns, [=, this](Value *line, Value *item) { first_columns(from(line), item); }});
    steps.push_back({blocks_of_rows, [=, this](Value *line, Value *item) { second_columns(to(line), item, scale); }});
  }

  // Blocks of the matrix as it is handed on: columns that are transformed together lie together.
  Value *matrix_block(Value *item) const {
    const std::int64_t size = 2 * block_ * round_up(matrix_.second, block_);
    return place(place(site_->common, shape_.matrix_begin()), times(item, size));
  }

  void first_columns(const FftArray &line, Value *item) {
    const auto [rows, columns] = matrix_;
    Value *first = times(item, block_);
    FftArray source = line;
    source.base = place(line.base, times(first, line.kind == Kind::Pairs ? 2 : 1));
    source.row_stride = columns;
    if (columns % block_ != 0) {
      source.columns = b_.CreateSub(integer(columns), first);
    }
    const FftArray transformed = passes_.transform(source, std::nullopt, rows, block_, site_->scratch);
    const FftArray turns = emit_turns(first);
    const std::int64_t lanes = passes_.lanes();
    k_.loop(0, round_up(rows, lanes), lanes, [&](Value *row) {
      k_.loop(0, block_, lanes, [&](Value *column) {
        std::vector<Value *> planes[2];
        for (std::int64_t i = 0; i < lanes; ++i) {
          Value *at = plus(row, integer(i));
          const ComplexParts low = passes_.load(turns, b_.CreateURem(at, integer(turn_step())), column, lanes);
          Value *high_row = plus(b_.CreateUDiv(at, integer(turn_step())), integer(turn_step()));
          const ComplexParts turn = emit_product(b_, low, passes_.load(turns, high_row, column, lanes));
          const ComplexParts value = emit_product(b_, passes_.load(transformed, at, column, lanes), turn);
          planes[0].push_back(value.real);
          planes[1].push_back(value.imaginary);
        }
        planes[0] = emit_interleave(b_, planes[0], 1);
        planes[1] = emit_interleave(b_, planes[1], 1);
        const FftArray sink{.base = matrix_block(b_.CreateUDiv(row, integer(block_))),
                            .row_stride = 2 * block_,
                            .plane_stride = block_};
        for (std::int64_t i = 0; i < lanes; ++i) {
          const auto lane = static_cast<std::size_t>(i);
          passes_.store(sink, plus(plus(first, column), integer(i)), b_.CreateURem(row, integer(block_)),
                        {planes[0][lane], planes[1][lane]});
        }
      });
    });
  }

  void second_columns(const FftArray &line, Value *item, double scale) {
    const auto [rows, columns] = matrix_;
    const FftArray source{.base = matrix_block(item), .row_stride = 2 * block_, .plane_stride = block_};
    Value *first = times(item, block_);
    FftArray sink = line;
    sink.base = place(line.base, times(first, line.kind == Kind::Pairs ? 2 : 1));
    sink.row_stride = rows;
    if (rows % block_ != 0) {
      sink.columns = b_.CreateSub(integer(rows), first);
    }
    passes_.transform(source, sink, columns, block_, site_->scratch, scale);
  }

  // --- roots that are too many for a table ---

  // root(k / rows_) for a k known at run time, in f64.
  ComplexParts root_at(Value *k, std::int64_t n) {
    const std::int64_t low = std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(n)) / 2);
    const FftArray lows = passes_.table(
        "low." + std::to_string(n), low, [&](std::int64_t i) { return root_of_unity(i, n); }, BP_DTYPE_F64);
    const FftArray highs = passes_.table(
        "high." + std::to_string(n), n / low + 1, [&](std::int64_t i) { return root_of_unity(i * low, n); },
        BP_DTYPE_F64);
    return emit_product(b_, number_of(lows, b_.CreateURem(k, integer(low)), 1),
                        number_of(highs, b_.CreateUDiv(k, integer(low)), 1));
  }
  // Of a table of f64.
  ComplexParts number_of(const FftArray &table, Value *i, std::int64_t lanes) {
    llvm::Type *type =
        lanes == 1 ? b_.getDoubleTy() : llvm::FixedVectorType::get(b_.getDoubleTy(), static_cast<unsigned>(lanes));
    const auto read = [&](Value *at) -> Value * {
      return b_.CreateAlignedLoad(type, b_.CreateGEP(b_.getDoubleTy(), table.base, at), llvm::Align(8));
    };
    return {read(i), read(plus(i, integer(table.plane_stride)))};
  }
  ComplexParts narrowed(ComplexParts value) const {
    llvm::Type *type = with_lanes_of(passes_.real_type(), value.real);
    return type == value.real->getType()
               ? value
               : ComplexParts{b_.CreateFPTrunc(value.real, type), b_.CreateFPTrunc(value.imaginary, type)};
  }

  // For a block of columns from `first` on, and row k:
  // root(column k / n) = low(column, k % step) high(column, k / step).
  std::int64_t turn_step() const {
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(matrix_.first)))));
  }
  std::int64_t turn_count() const { return (round_up(matrix_.first, block_) - 1) / turn_step() + 1; }
  FftArray emit_turns(Value *first) {
    const std::int64_t step = turn_step(), count = step + turn_count();
    const auto row_of = [=](std::int64_t i) { return i < step ? i : (i - step) * step; };
    const FftArray near = passes_.table(
        "near." + std::to_string(rows_) + "." + std::to_string(step), count * block_,
        [&](std::int64_t i) { return root_of_unity(row_of(i / block_) * (i % block_), rows_); }, BP_DTYPE_F64);
    const FftArray turns{.base = place(site_->scratch, passes_.buffer_bytes(round_up(matrix_.first, block_), block_) /
                                                           passes_.real_bytes()),
                         .row_stride = 2 * block_,
                         .plane_stride = block_};
    const auto emit_some = [&](std::int64_t begin, std::int64_t end, std::int64_t factor) {
      k_.loop(begin, end, 1, [&](Value *i) {
        Value *row = times(b_.CreateSub(i, integer(begin)), factor);
        const ComplexParts far = root_at(b_.CreateURem(b_.CreateMul(first, row), integer(rows_)), rows_);
        k_.loop(0, block_, passes_.lanes(), [&](Value *column) {
          const ComplexParts here = number_of(near, plus(times(i, block_), column), passes_.lanes());
          const auto lanes = static_cast<unsigned>(passes_.lanes());
          const ComplexParts spread{b_.CreateVectorSplat(lanes, far.real), b_.CreateVectorSplat(lanes, far.imaginary)};
          passes_.store(turns, i, column, narrowed(emit_product(b_, here, spread)));
        });
      });
    };
    emit_some(0, step, 1);
    emit_some(step, count, step);
    return turns;
  }

  // --- real lines ---

  // Pairs of numbers k and points - k of a halved line, k > 0; or numbers of one that is not.
  std::int64_t pair_count() const { return shape_.is_halved ? shape_.points / 2 : shape_.length / 2 + 1; }
  std::int64_t pair_items() const { return std::max<std::int64_t>(pair_count() / chunk, 1); }

  // Calls body at the first of `lanes` neighbours, for all of the part `item` of [0, count), some of them twice.
  void over_part(Value *item, std::int64_t items, std::int64_t count,
                 const std::function<void(Value *, std::int64_t)> &body) {
    if (items == 1) {
      if (count > 0) {
        passes_.over(count, body);
      }
      return;
    }
    const auto bound = [&](Value *i) { return b_.CreateUDiv(times(i, count), integer(items)); };
    Value *end = bound(plus(item, integer(1)));
    k_.dynamic_loop(bound(item), end, integer(passes_.lanes()), {}, [&](Value *i, std::span<Value *const>) {
      body(smaller(i, b_.CreateSub(end, integer(passes_.lanes()))), passes_.lanes());
      return std::vector<Value *>();
    });
  }
  void at_first(Value *item, std::int64_t items, const std::function<void()> &body) {
    if (items == 1) {
      body();
    } else {
      k_.if_then(b_.CreateICmpEQ(item, integer(0)), body);
    }
  }

  ComplexParts backwards(ComplexParts value) const {
    return has_lanes(value.real)
               ? ComplexParts{b_.CreateVectorReverse(value.real), b_.CreateVectorReverse(value.imaginary)}
               : value;
  }
  ComplexParts sum_with_conjugate(ComplexParts x, ComplexParts y) const {
    return {b_.CreateFAdd(x.real, y.real), b_.CreateFSub(x.imaginary, y.imaginary)};
  }
  ComplexParts difference_with_conjugate(ComplexParts x, ComplexParts y) const {
    return {b_.CreateFSub(x.real, y.real), b_.CreateFAdd(x.imaginary, y.imaginary)};
  }

  // root(k / length) for lanes from k on.
  ComplexParts roots_from(Value *k, std::int64_t lanes) {
    const std::int64_t n = shape_.length;
    const auto root = [&](std::int64_t i) { return root_of_unity(i, n); };
    if (!shape_.is_long) {
      return passes_.load(passes_.table("line." + std::to_string(n), shape_.points / 2 + 1, root), k, integer(0),
                          lanes);
    }
    const FftArray near = passes_.table("lanes." + std::to_string(n), lanes, root, BP_DTYPE_F64);
    const ComplexParts far = root_at(k, n);
    const auto count = static_cast<unsigned>(lanes);
    return narrowed(emit_product(b_, number_of(near, integer(0), lanes),
                                 {b_.CreateVectorSplat(count, far.real), b_.CreateVectorSplat(count, far.imaginary)}));
  }

  // The spectrum of a line of reals from the transform z of its pairs. With e and o the transforms of its even and its
  // odd places, z = e + i o and x[k] = e[k] + root(k / length) o[k]. Of a line that is not halved, its first half.
  void untangle(const FftArray &z, const FftArray &to, Value *item, std::int64_t items) {
    const std::int64_t points = shape_.points;
    if (!shape_.is_halved) {
      over_part(item, items, pair_count(), [&](Value *k, std::int64_t lanes) {
        passes_.store(to, k, integer(0), passes_.load(z, k, integer(0), lanes));
      });
      return;
    }
    at_first(item, items, [&] {
      const ComplexParts first = passes_.load(z, integer(0), integer(0), 1);
      Value *zero = llvm::Constant::getNullValue(passes_.real_type());
      passes_.store(to, integer(0), integer(0), {b_.CreateFAdd(first.real, first.imaginary), zero});
      passes_.store(to, integer(points), integer(0), {b_.CreateFSub(first.real, first.imaginary), zero});
    });
    over_part(item, items, pair_count(), [&](Value *i, std::int64_t lanes) {
      Value *k = plus(i, integer(1)), *mirror = b_.CreateSub(integer(points - lanes + 1), k);
      const ComplexParts x = passes_.scaled(passes_.load(z, k, integer(0), lanes), 0.5);
      const ComplexParts y = passes_.scaled(backwards(passes_.load(z, mirror, integer(0), lanes)), 0.5);
      const ComplexParts even = sum_with_conjugate(x, y), odd = difference_with_conjugate(x, y);
      // o = odd / i
      const ComplexParts turned = emit_product(b_, {odd.imaginary, b_.CreateFNeg(odd.real)}, roots_from(k, lanes));
      const ComplexParts low{b_.CreateFAdd(even.real, turned.real), b_.CreateFAdd(even.imaginary, turned.imaginary)};
      const ComplexParts high{b_.CreateFSub(even.real, turned.real), b_.CreateFSub(turned.imaginary, even.imaginary)};
      passes_.store(to, k, integer(0), low);
      passes_.store(to, mirror, integer(0), backwards(high));
    });
  }

  // The other way, twice as large; or the whole spectrum from its first half. Imaginary parts that a real line does not
  // have are not looked at.
  void tangle(const FftArray &x, const FftArray &to, Value *item, std::int64_t items) {
    const std::int64_t points = shape_.points;
    Value *zero = integer(0);
    at_first(item, items, [&] {
      ComplexParts first = passes_.load(x, zero, zero, 1);
      first.imaginary = llvm::Constant::getNullValue(passes_.real_type());
      if (shape_.is_halved) {
        const ComplexParts last = passes_.load(x, integer(points), zero, 1);
        first = {b_.CreateFAdd(first.real, last.real), b_.CreateFSub(first.real, last.real)};
      }
      passes_.store(to, zero, zero, first);
    });
    over_part(item, items, shape_.is_halved ? pair_count() : pair_count() - 1, [&](Value *i, std::int64_t lanes) {
      Value *k = plus(i, integer(1)), *mirror = b_.CreateSub(integer(points - lanes + 1), k);
      const ComplexParts low = passes_.load(x, k, zero, lanes);
      if (!shape_.is_halved) {
        passes_.store(to, k, zero, low);
        passes_.store(to, mirror, zero, backwards({low.real, b_.CreateFNeg(low.imaginary)}));
        return;
      }
      const ComplexParts high = backwards(passes_.load(x, mirror, zero, lanes));
      const ComplexParts even = sum_with_conjugate(low, high), odd = difference_with_conjugate(low, high);
      ComplexParts root = roots_from(k, lanes);
      root.imaginary = b_.CreateFNeg(root.imaginary);
      const ComplexParts turned = emit_product(b_, odd, root);
      // z = even + i turned, of both.
      passes_.store(to, k, zero,
                    {b_.CreateFSub(even.real, turned.imaginary), b_.CreateFAdd(even.imaginary, turned.real)});
      passes_.store(
          to, mirror, zero,
          backwards({b_.CreateFAdd(even.real, turned.imaginary), b_.CreateFSub(turned.real, even.imaginary)}));
    });
  }

  // --- all of it ---

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
        // Of a stage of one step rounds are not told apart.
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
  const std::int64_t block_, rows_;
  const std::pair<std::int64_t, std::int64_t> matrix_;
  const KernelSite *site_ = nullptr;
  std::vector<Stage> stages_;
  std::int64_t scratch_bytes_ = 0;
};

}  // namespace

std::int64_t KernelSteps::items_of_round() const {
  return std::accumulate(items.begin(), items.end(), std::int64_t{0});
}

std::int64_t common_bytes(InstructionView instruction, const VectorTarget &target) {
  if (instruction.op() != BP_OP_FFT) {
    return 0;
  }
  const FftShape shape(instruction, target);
  return shape.common_end() * storage_bytes(shape.part);
}

KernelWork emit_fft(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target) {
  return FftKernel(builder, site.instruction, target).emit(site);
}

std::string fft_problem(InstructionView instruction) {
  const auto lengths = instruction.numbers(BP_ATTR_FFT_LENGTH);
  const std::int64_t type = instruction.number(BP_ATTR_FFT_TYPE, -1);
  if (instruction.operand_count() != 1 || type < BP_FFT_TYPE_FFT || type > BP_FFT_TYPE_IRFFT) {
    return "is no transform of an operand";
  }
  const Shape &from = instruction.operand_shape(0), &to = instruction.shape();
  const std::size_t rank = to.rank();
  if (lengths.empty() || lengths.size() > rank || from.rank() != rank) {
    return "has a wrong number of lengths";
  }
  const bool is_from_real = type == BP_FFT_TYPE_RFFT, is_to_real = type == BP_FFT_TYPE_IRFFT;
  const Shape &complex = is_from_real ? to : from;
  const auto is_part = [&](std::uint16_t dtype) { return dtype == part_type(complex.dtype); };
  if (!is_complex(complex.dtype) || (is_from_real ? !is_part(from.dtype)
                                     : is_to_real ? !is_part(to.dtype)
                                                  : to.dtype != from.dtype)) {
    return "has types that do not agree";
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t transformed = d + lengths.size();
    const std::int64_t whole = transformed < rank ? to.dims[d] : lengths[transformed - rank];
    const std::int64_t half = d + 1 == rank ? whole / 2 + 1 : whole;
    if (from.dims[d] != (is_to_real ? half : whole) || to.dims[d] != (is_from_real ? half : whole)) {
      return "has lengths that are not those of its dimensions";
    }
    const auto inner = static_cast<std::size_t>(rank - 1 - d);
    if (from.minor_to_major[inner] != static_cast<std::int64_t>(d) ||
        to.minor_to_major[inner] != static_cast<std::int64_t>(d)) {
      return "is not row-major, which is not compiled";
    }
  }
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const bool is_last = i + 1 == lengths.size();
    const std::int64_t length = lengths[i];
    if (length < 1) {
      return "has a length below 1";
    }
    const bool is_halved = is_last && (is_from_real || is_to_real) && length % 2 == 0;
    const std::int64_t points = is_halved ? length / 2 : length;
    const std::int64_t most = is_last ? longest_line : longest_column;
    if (points > (has_radices(points) ? most : std::min(most / 2, longest_convolved))) {
      return "has a length that is not compiled";
    }
  }
  return {};
}

}  // namespace bp::emit
