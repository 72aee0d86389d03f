// reduce-window  ->  scans, so that elements common to many large windows are combined once. Scans are reduce-windows,
// too, whose window is as long as the dimension and contains all elements up to one, or all elements from it; backends
// have kernels of linear time for these. Dimensions are handled one after the other, the last one first, so that
// elements keep their order.
//
// A large window of w elements is the end of one block of w - 1 elements and the beginning of the next (van Herk, Gil
// and Werman): a backward scan and a forward scan of all blocks give both, for any associative function. For a window
// with strides, results that are not needed are dropped; a window with gaps has blocks of rows whose length is the gap.
//
// A long scan of few lines is cut into blocks: these are scanned at the same time, then the results of whole blocks are
// scanned, and combined with all elements of the next block. Other reduce-windows are not changed, nor are those
// without start values for parts (partial_reduction()).
#include <algorithm>
#include <bit>
#include <numeric>

#include "core/ir/window.h"
#include "core/passes/array_builder.h"
#include "core/passes/fusion/partial_reduction.h"
#include "core/passes/pass.h"
#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Shape;
using ir::WindowDimension;
using Id = ir::InstructionId;
using Ids = std::vector<Id>;
using Numbers = std::vector<std::int64_t>;

// Minimum number of elements combined per element read or written; with fewer, scans are not faster.
constexpr double min_work = 32;
// Minimum length of a line that is scanned in blocks.
constexpr std::int64_t min_cut = 16 * 1024;

enum class Direction : std::uint8_t { Forward, Backward };

// One dimension of a reduce-window.
struct Side {
  WindowDimension window;
  std::int64_t input, output;

  bool is_plain() const {
    return window.stride == 1 && window.lhs_dilate == 1 && window.rhs_dilate == 1 && window.reversal == 0;
  }
  bool is_moved() const { return !is_plain() || window.size != 1 || window.pad_low != 0 || window.pad_high != 0; }
  double work() const {
    return static_cast<double>(window.size) * static_cast<double>(output) / static_cast<double>(input + output);
  }
  // Whether scans pay in this dimension. They do not if blocks consist mostly of padding.
  bool is_large() const {
    const double read = static_cast<double>(input) * static_cast<double>(window.lhs_dilate) +
                        static_cast<double>(output) * static_cast<double>(window.stride);
    const double reach = static_cast<double>(window.size) * static_cast<double>(window.rhs_dilate);
    return work() >= min_work && reach <= 4 * read;
  }
  bool is_scan(Direction direction) const {
    const bool is_forward = direction == Direction::Forward;
    return is_plain() && window.size == input && (is_forward ? window.pad_low : window.pad_high) == input - 1 &&
           (is_forward ? window.pad_high : window.pad_low) == 0;
  }
};

class WindowSplitter {
 public:
  WindowSplitter(ir::Module &module, const FusionLimits &limits, Instruction reduce)
      : limits_(limits), reduce_(reduce), b_(module, reduce) {
    const Shape &from = reduce.operand(0).shape(),
                &to = reduce.shape().is_tuple() ? reduce.shape().elements()[0] : reduce.shape();
    for (std::size_t d = 0; d < reduce.window().size(); ++d) {
      sides_.push_back({ir::clipped(reduce.window()[d], from.size(d), to.size(d)), from.size(d), to.size(d)});
    }
    elements_ = from.element_count();
  }

  bool is_worth_it() const {
    double work = 1;
    bool has_reversal = false;
    for (const Side &side : sides_) {
      work *= std::max(side.work(), 1.0);
      has_reversal = has_reversal || side.window.reversal != 0;
    }
    return work >= min_work && !has_reversal && applies_to_arrays(reduce_.called(0)) && !is_scanned_at_once();
  }

  Id run() {
    const auto found = partial_reduction(b_, reduce_);
    if (!found) {
      return reduce_.id();
    }
    of_ = *found;
    const auto first = static_cast<std::size_t>(std::ranges::find_if(sides_, &Side::is_moved) - sides_.begin());
    Ids values = of_.operands;
    for (std::size_t d = sides_.size(); d-- > first;) {
      if (sides_[d].is_moved()) {
        values = windowed(std::move(values), d, d == first ? of_.initial : of_.starts);
      }
    }
    return reduce_.shape().is_tuple() ? b_.tuple(values) : b_.cast(values[0], reduce_.shape().element_type());
  }

 private:
  // Whether it is a scan that one kernel of a backend does.
  bool is_scanned_at_once() const {
    if (std::ranges::count_if(sides_, &Side::is_moved) != 1) {
      return false;
    }
    const auto side = std::ranges::find_if(sides_, &Side::is_moved);
    const WindowDimension &given = reduce_.window()[static_cast<std::size_t>(side - sides_.begin())];
    return (side->is_scan(Direction::Forward) || side->is_scan(Direction::Backward)) && !is_cut(side->input) &&
           given.size == side->window.size;
  }

  // Windows dimension d; each result is combined with one of the start values.
  Ids windowed(Ids values, std::size_t d, const Ids &starts) {
    const Side &side = sides_[d];
    if (!side.is_large()) {
      return reduce_window(values, d, side.window, starts);
    }
    for (const Direction direction : {Direction::Forward, Direction::Backward}) {
      if (side.is_scan(direction)) {
        return scan(std::move(values), d, direction, starts);
      }
    }
    return by_blocks(std::move(values), d, starts);
  }

  // Reshapes the array to [..., blocks, elements of a block, gap, ...].
  Ids by_blocks(Ids values, std::size_t d, const Ids &starts) {
    const auto &[window, input, output] = sides_[d];
    const std::int64_t gap = window.rhs_dilate, length = window.size - 1;
    const std::int64_t wanted = (output - 1) * window.stride + 1;
    const std::int64_t blocks = ((wanted + gap - 1) / gap + length - 1) / length + 1;
    const std::int64_t high = blocks * length * gap - window.pad_low - ((input - 1) * window.lhs_dilate + 1);
    const ir::PaddingDimension padding{window.pad_low, high, window.lhs_dilate - 1};
    values = with_split_dimension(padded(std::move(values), d, padding), d, {blocks, length, gap});
    const Ids ends = slice(scan(values, d + 1, Direction::Backward, starts), d, 0, blocks - 1);
    const Ids beginnings = slice(scan(values, d + 1, Direction::Forward, of_.starts), d, 1, blocks);
    return slice(with_merged_dimensions(combined(ends, beginnings), d, 3), d, 0, wanted, window.stride);
  }

  Ids scan(Ids values, std::size_t d, Direction direction, const Ids &starts) {
    const std::int64_t size = b_.shape(values[0]).size(d);
    if (!is_cut(size)) {
      return scan_at_once(values, d, direction, starts);
    }
    const bool is_forward = direction == Direction::Forward;
    const std::int64_t blocks = blocks_of(size), length = (size + blocks - 1) / blocks;
    values = with_split_dimension(padded(std::move(values), d, {0, blocks * length - size, 0}), d, {blocks, length});
    values = scan_at_once(values, d + 1, direction, of_.starts);
    const std::int64_t last = is_forward ? length - 1 : 0;
    const auto moved_on = is_forward ? ir::PaddingDimension{1, -1, 0} : ir::PaddingDimension{-1, 1, 0};
    Ids before = with_merged_dimensions(padded(slice(values, d + 1, last, last + 1), d, moved_on), d, 2);
    before = stretched(scan_at_once(before, d, direction, starts), d + 1, values[0]);
    values = is_forward ? combined(before, values) : combined(values, before);
    return slice(with_merged_dimensions(values, d, 2), d, 0, size);
  }

  Ids scan_at_once(const Ids &values, std::size_t d, Direction direction, const Ids &starts) {
    WindowDimension window{.size = b_.shape(values[0]).size(d)};
    (direction == Direction::Forward ? window.pad_low : window.pad_high) = window.size - 1;
    return reduce_window(values, d, window, starts);
  }

  // Whether lines of this length are scanned in blocks.
  bool is_cut(std::int64_t length) const {
    const std::int64_t wanted = limits_.min_results_in_order / (limits_.rows ? FusionLimits::results_per_row : 1);
    return length >= min_cut && elements_ / length < wanted;
  }

  // Returns the number of blocks: about the number of elements in a block, and if possible a divisor of the size.
  static std::int64_t blocks_of(std::int64_t size) {
    const std::int64_t root = std::int64_t{1} << std::bit_width(static_cast<std::uint64_t>(size)) / 2;
    for (std::int64_t near = 0; near < root / 2; ++near) {
      for (const std::int64_t blocks : {root + near, root - near}) {
        if (size % blocks == 0) {
          return blocks;
        }
      }
    }
    return root;
  }

  Ids reduce_window(const Ids &values, std::size_t d, const WindowDimension &one, const Ids &starts) {
    std::vector<WindowDimension> window(b_.shape(values[0]).rank());
    window[d] = one;
    return arrays_of(b_, add_partial(b_, Opcode::ReduceWindow, of_, values, starts,
                                     [&](ir::Module &m, Id id) { m.set_window(id, window); }));
  }

  Ids combined(const Ids &left, const Ids &right) {
    Ids arguments = left;
    arguments.insert(arguments.end(), right.begin(), right.end());
    const Shape shape = b_.shape(left[0]);
    return b_.apply_to_arrays(b_.module().computation(of_.function), arguments, shape.sizes());
  }

  Ids padded(Ids values, std::size_t d, const ir::PaddingDimension &one) {
    std::vector<ir::PaddingDimension> padding(b_.shape(values[0]).rank());
    padding[d] = one;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (one.low != 0 || one.high != 0 || one.interior != 0) {
        values[i] = b_.pad(values[i], of_.starts[i], padding);
      }
    }
    return values;
  }

  Ids slice(Ids values, std::size_t d, std::int64_t begin, std::int64_t end, std::int64_t stride = 1) {
    for (Id &value : values) {
      if (begin != 0 || end != b_.shape(value).size(d) || stride != 1) {
        value = b_.slice(value, d, begin, end, stride);
      }
    }
    return values;
  }

  // Split dimension d into parts, and join `count` dimensions from d on.
  Ids with_split_dimension(Ids values, std::size_t d, const Numbers &parts) {
    return with_split_dimensions(std::move(values), d, 1, parts);
  }
  Ids with_merged_dimensions(Ids values, std::size_t d, std::size_t count) {
    const Shape shape = b_.shape(values[0]);
    return with_split_dimensions(std::move(values), d, count, {ir::product(shape.sizes().subspan(d, count))});
  }
  Ids with_split_dimensions(Ids values, std::size_t d, std::size_t count, const Numbers &parts) {
    const Shape shape = b_.shape(values[0]);
    Numbers sizes(shape.sizes().begin(), shape.sizes().end());
    const auto first = sizes.begin() + static_cast<std::ptrdiff_t>(d);
    sizes.insert(sizes.erase(first, first + static_cast<std::ptrdiff_t>(count)), parts.begin(), parts.end());
    for (Id &value : values) {
      value = b_.bitcast_to(value, Shape::array(b_.type(value), sizes));
    }
    return values;
  }

  // Returns the values repeated along a new dimension d.
  Ids stretched(Ids values, std::size_t d, Id like) {
    const Shape shape = b_.shape(like);
    Numbers dimensions(shape.rank() - 1);
    std::iota(dimensions.begin(), dimensions.end(), 0);
    std::for_each(dimensions.begin() + static_cast<std::ptrdiff_t>(d), dimensions.end(), [](auto &n) { ++n; });
    for (Id &value : values) {
      value = b_.broadcast(value, Shape::array(b_.type(value), shape.sizes()), dimensions);
    }
    return values;
  }

  const FusionLimits &limits_;
  Instruction reduce_;
  ArrayBuilder b_;
  std::vector<Side> sides_;
  std::int64_t elements_ = 0;
  PartialReduction of_;
};

}  // namespace

Result<bool> reduce_window_splitting(ir::Module &module, const PassContext &context) {
  const std::vector<bool> embedded = embedded_computations(module);
  return rewrite_outside_fusions(module, [&](Instruction i) -> Result<Id> {
    const auto parent = index(i.parent().id());
    if (i.opcode() != Opcode::ReduceWindow || parent >= embedded.size() || embedded[parent]) {
      return i.id();
    }
    const Shape &result = i.shape().is_tuple() ? i.shape().elements()[0] : i.shape();
    if (!is_plain(i.operand(0).shape()) || i.operand(0).shape().element_count() == 0 || result.element_count() == 0) {
      return i.id();
    }
    WindowSplitter splitter(module, context.fusion, i);
    return splitter.is_worth_it() ? splitter.run() : i.id();
  });
}

}  // namespace bp::passes
