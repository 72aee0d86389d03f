// The position in both runs at which a part of a merge's output begins is found by bisection (merge path): members, and
// teams, thus make parts of the same length of one merge.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>

#include "plugins/llvm/generator/generator.h"
#include "plugins/llvm/kernel/sort_tiles.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {
namespace {

using llvm::Value;

constexpr std::int64_t usual_share = 8, largest_tile = 2048;
constexpr std::int64_t max_words = 64;  // words of 32 bits that a member keeps in registers

// Positions [begin, end) in a line, or in the tile; at most as many as fit into the team's memory.
struct Run {
  Value *begin, *end;
};

class TileSort {
 public:
  TileSort(Generator &generator, KernelBuilder &builder, const KernelSite &site, const SortTiles &tiles, Team &team)
      : generator_(generator),
        k_(builder),
        b_(builder.b),
        site_(site),
        sort_(site.instruction),
        shape_(sort_.operand_shape(0)),
        dimension_(static_cast<std::size_t>(sort_.number(BP_ATTR_DIMENSIONS))),
        count_(sort_.operand_count()),
        tiles_(tiles),
        team_(team) {}

  void emit(Value *width) {
    if (tiles_.bytes_of_team > 0) {
      Value *memory = team_.memory(b_, tiles_.bytes_of_team);
      std::int64_t offset = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        tile_.push_back(b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), memory, static_cast<std::uint64_t>(offset)));
        offset += bytes_in_tile(i);
      }
    }
    std::vector<LoopGroup> lines;
    for (const std::int64_t d : shape_.major_to_minor()) {
      if (static_cast<std::size_t>(d) != dimension_) {
        lines.push_back({{d}, shape_.dims[static_cast<std::size_t>(d)]});
      }
    }
    if (lines.empty()) {
      lines.emplace_back();
    }
    Value *line = b_.CreateUDiv(site_.begin, integer(tiles_.tiles_of_line()));
    Value *first = b_.CreateMul(b_.CreateURem(site_.begin, integer(tiles_.tiles_of_line())), integer(tiles_.tile()));
    generator_.at_item(lines, shape_, 1, Indices(shape_.rank(), k_.constant(0)), line, [&](std::span<const Index> at) {
      line_.assign(at.begin(), at.end());
      if (width == nullptr) {
        sort_tile(first);
      } else {
        merge_tile(first, width);
      }
    });
  }

  static std::int64_t bytes_of(const SortTiles &tiles, std::uint16_t dtype) {
    return (tiles.tile() * storage_bytes(dtype) + 63) / 64 * 64;
  }

 private:
  using Element = std::vector<Value *>;  // one value per operand

  Value *integer(std::int64_t value) const { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  Value *smaller(Value *x, Value *y) const { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }
  Value *larger(Value *x, Value *y) const { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y); }
  Value *size(const Run &run) const { return b_.CreateSub(run.end, run.begin); }
  std::uint16_t dtype(std::size_t i) const { return sort_.operand_shape(i).dtype; }
  std::int64_t bytes_in_tile(std::size_t i) const { return bytes_of(tiles_, dtype(i)); }

  // --- elements ---

  Index in_line(std::size_t i, Value *position) {
    line_[dimension_] = k_.of(position);
    return k_.linear(line_, shape_.dims, sort_.operand_shape(i).strides);
  }
  Element load_of_line(Value *position) {
    Element element;
    for (std::size_t i = 0; i < count_; ++i) {
      element.push_back(k_.load(site_.operands[i], in_line(i, position), dtype(i)));
    }
    return element;
  }
  Element load_of_tile(Value *position) {
    Element element;
    for (std::size_t i = 0; i < count_; ++i) {
      element.push_back(k_.load(tile_[i], k_.of(position), dtype(i)));
    }
    return element;
  }
  void store_in_tile(Value *position, const Element &element) {
    for (std::size_t i = 0; i < count_; ++i) {
      k_.store(tile_[i], k_.of(position), element[i], dtype(i));
    }
  }

  // i1: whether a must come before b, although it is after b now.
  Value *goes_before(const Element &a, const Element &b) {
    std::vector<Value *> arguments;
    for (std::size_t i = 0; i < count_; ++i) {
      arguments.push_back(a[i]);
      arguments.push_back(b[i]);
    }
    return generator_.call(sort_.called(0), arguments)[0];
  }

  // --- a tile ---

  Value *own(std::int64_t i) {  // position of a member's i-th element
    return b_.CreateAdd(b_.CreateMul(team_.member(), integer(tiles_.share)), integer(i));
  }
  // Position of the i-th element that a member copies: next to those of neighbouring members.
  Value *in_turn(std::int64_t i) { return b_.CreateAdd(team_.member(), integer(i * tiles_.members)); }

  void sort_tile(Value *first) {
    Value *count = smaller(integer(tiles_.tile()), b_.CreateSub(integer(tiles_.length), first));
    std::vector<Element> elements;
    for (std::int64_t i = 0; i < tiles_.share; ++i) {
      Value *position = b_.CreateAdd(first, own(i));
      elements.push_back(load_of_line(smaller(position, integer(tiles_.length - 1))));
    }
    sort_own(elements, count);
    if (tiles_.members == 1) {
      for (std::int64_t i = 0; i < tiles_.share; ++i) {
        store_in_line(first, integer(i), count, [&] { return elements[static_cast<std::size_t>(i)]; });
      }
      return;
    }
    show(elements);
    const int rounds = std::countr_zero(static_cast<std::uint64_t>(tiles_.members));
    k_.loop(0, rounds, 1, {integer(tiles_.share)}, [&](Value *, std::span<Value *const> carried) -> Element {
      Value *width = carried[0];
      Value *pair = b_.CreateAnd(own(0), b_.CreateNeg(b_.CreateShl(width, 1)));
      const Run left = {smaller(pair, count), smaller(b_.CreateAdd(pair, width), count)};
      const Run right = {left.end, smaller(b_.CreateAdd(left.end, width), count)};
      elements = merged(left, right, b_.CreateSub(smaller(own(0), count), left.begin), width);
      team_.wait(b_);  // until no member reads what is overwritten next
      show(elements);
      return {b_.CreateShl(width, 1)};
    });
    store_tile(first, count);
  }

  // The two runs of a pair are next to each other in the line; the tile is a part of their merged run.
  void merge_tile(Value *first, Value *width) {
    Value *length = integer(tiles_.length);
    Value *pair = b_.CreateAnd(first, b_.CreateNeg(b_.CreateShl(width, 1)));
    const Run left = {pair, smaller(b_.CreateAdd(pair, width), length)};
    const Run right = {left.end, smaller(b_.CreateAdd(left.end, width), length)};
    Value *begin = b_.CreateSub(first, pair);
    Value *count = smaller(integer(tiles_.tile()), b_.CreateSub(right.end, first));
    const auto of_line = [&](Value *position) { return load_of_line(position); };
    Value *left_begin = taken_of_left(left, right, begin, width, of_line);
    Value *left_end = taken_of_left(left, right, b_.CreateAdd(begin, count), width, of_line);
    // If the elements have no order, the result may be any number.
    left_end = smaller(larger(left_end, left_begin), b_.CreateAdd(left_begin, count));
    Value *left_count = b_.CreateSub(left_end, left_begin);
    Value *from_left = b_.CreateAdd(left.begin, left_begin);
    Value *from_right = b_.CreateSub(b_.CreateAdd(right.begin, b_.CreateSub(begin, left_begin)), left_count);
    for (std::int64_t i = 0; i < tiles_.share; ++i) {
      Value *from = b_.CreateSelect(b_.CreateICmpSLT(in_turn(i), left_count), from_left, from_right);
      Value *position = smaller(b_.CreateAdd(from, in_turn(i)), integer(tiles_.length - 1));
      store_in_tile(in_turn(i), load_of_line(position));
    }
    team_.wait(b_);
    const std::vector<Element> elements =
        merged({integer(0), left_count}, {left_count, count}, smaller(own(0), count), integer(tiles_.tile()));
    team_.wait(b_);
    show(elements);
    store_tile(first, count);
  }

  void show(const std::vector<Element> &elements) {
    for (std::int64_t i = 0; i < tiles_.share; ++i) {
      store_in_tile(own(i), elements[static_cast<std::size_t>(i)]);
    }
    team_.wait(b_);
  }

  void store_tile(Value *first, Value *count) {
    for (std::int64_t i = 0; i < tiles_.share; ++i) {
      store_in_line(first, in_turn(i), count, [&] { return load_of_tile(in_turn(i)); });
    }
  }

  // Stores an element if the position exists in the tile.
  void store_in_line(Value *first, Value *position, Value *count, const std::function<Element()> &element) {
    Value *exists = b_.CreateICmpSLT(position, count);
    if (team_.has_work() != nullptr) {
      exists = b_.CreateAnd(exists, team_.has_work());
    }
    k_.if_then(exists, [&] {
      const Element values = element();
      for (std::size_t i = 0; i < count_; ++i) {
        k_.store(site_.results[i], in_line(i, b_.CreateAdd(first, position)), values[i], dtype(i));
      }
    });
  }

  // Sorts a member's own elements by exchanging neighbours; those after the last existing one stay where they are.
  void sort_own(std::vector<Element> &elements, Value *count) {
    for (std::int64_t round = 0; round < tiles_.share; ++round) {
      for (std::int64_t i = round % 2; i + 1 < tiles_.share; i += 2) {
        Element &a = elements[static_cast<std::size_t>(i)], &b = elements[static_cast<std::size_t>(i + 1)];
        Value *swaps = b_.CreateAnd(b_.CreateICmpSLT(own(i + 1), count), goes_before(b, a));
        for (std::size_t n = 0; n < count_; ++n) {
          Value *low = emit_select(b_, swaps, b[n], a[n]);
          b[n] = emit_select(b_, swaps, a[n], b[n]);
          a[n] = low;
        }
      }
    }
  }

  // --- merges ---

  // Returns the number of elements of the left run among the first `outputs` elements of the merged runs. The left run
  // has at most `width` elements, a power of two; of equal elements, that of the left run comes first.
  Value *taken_of_left(const Run &left, const Run &right, Value *outputs, Value *width,
                       const std::function<Element(Value *)> &load) {
    Value *least = larger(integer(0), b_.CreateSub(outputs, size(right)));
    Value *most = smaller(outputs, size(left));
    Value *steps = b_.CreateAdd(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, width, b_.getTrue()), integer(1));
    return k_.dynamic_loop(integer(0), steps, integer(1), {least, width},
                           [&](Value *, std::span<Value *const> carried) -> Element {
                             Value *next = b_.CreateAdd(carried[0], carried[1]);
                             Value *is_taken = k_.branch(
                                 b_.CreateICmpSLE(next, most),
                                 [&]() -> Element {
                                   Value *last = b_.CreateAdd(left.begin, b_.CreateSub(next, integer(1)));
                                   Value *other = b_.CreateAdd(right.begin, b_.CreateSub(outputs, next));
                                   return {b_.CreateNot(goes_before(load(other), load(last)))};
                                 },
                                 [&]() -> Element { return {b_.getFalse()}; })[0];
                             return {b_.CreateSelect(is_taken, next, carried[0]), b_.CreateLShr(carried[1], 1)};
                           })[0];
  }

  // Returns a member's share of two merged runs in the tile, from element `outputs` on; elements after the end are
  // undefined.
  std::vector<Element> merged(const Run &left, const Run &right, Value *outputs, Value *width) {
    Value *taken = taken_of_left(left, right, outputs, width, [&](Value *position) { return load_of_tile(position); });
    Value *a = b_.CreateAdd(left.begin, taken);
    Value *b = b_.CreateAdd(right.begin, b_.CreateSub(outputs, taken));
    std::vector<Element> elements;
    for (std::int64_t i = 0; i < tiles_.share; ++i) {
      Value *has_left = b_.CreateICmpSLT(a, left.end);
      Value *takes_right = k_.branch(
          b_.CreateAnd(has_left, b_.CreateICmpSLT(b, right.end)),
          [&]() -> Element { return {goes_before(load_of_tile(b), load_of_tile(a))}; },
          [&]() -> Element { return {b_.CreateNot(has_left)}; })[0];
      Value *from = b_.CreateSelect(takes_right, b, a);
      elements.push_back(load_of_tile(smaller(from, integer(tiles_.tile() - 1))));
      Value *step = b_.CreateZExt(takes_right, b_.getInt64Ty());
      b = b_.CreateAdd(b, step);
      a = b_.CreateAdd(a, b_.CreateSub(integer(1), step));
    }
    return elements;
  }

  Generator &generator_;
  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const KernelSite &site_;
  const InstructionView sort_;
  const Shape &shape_;
  const std::size_t dimension_, count_;
  const SortTiles &tiles_;
  Team &team_;
  std::vector<Value *> tile_;  // by operand: address of its elements in the team's memory
  Indices line_;
};

}  // namespace

int SortTiles::passes() const {
  return std::bit_width(static_cast<std::uint64_t>(tiles_of_line() - 1));
}

SortTiles sort_tiles(InstructionView sort, std::int64_t max_members, std::int64_t memory_bytes) {
  const Shape &shape = sort.operand_shape(0);
  std::int64_t words = 0, bytes = 0;
  for (std::size_t i = 0; i < sort.operand_count(); ++i) {
    words += (storage_bytes(sort.operand_shape(i).dtype) + 3) / 4;
    bytes += storage_bytes(sort.operand_shape(i).dtype);
  }
  SortTiles tiles;
  tiles.length = shape.dims[static_cast<std::size_t>(sort.number(BP_ATTR_DIMENSIONS))];
  tiles.lines = shape.elements / tiles.length;
  std::int64_t tile = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tiles.length)));
  tile = std::min(tile, largest_tile);
  while (tile > 1 && tile * bytes > memory_bytes) {
    tile /= 2;
  }
  tiles.share = std::min(usual_share, tile);
  while (tiles.share > 1 && tiles.share * words > max_words) {
    tiles.share /= 2;
  }
  tiles.members = std::min(tile / tiles.share, max_members);
  if (tiles.members > 1) {
    for (std::size_t i = 0; i < sort.operand_count(); ++i) {
      tiles.bytes_of_team += TileSort::bytes_of(tiles, sort.operand_shape(i).dtype);
    }
  }
  return tiles;
}

void emit_sort_tile(KernelBuilder &builder, const KernelSite &site, const VectorTarget &target, const SortTiles &tiles,
                    Team &team, llvm::Value *width) {
  Generator generator(site.instruction.module(), builder, target);
  TileSort(generator, builder, site, tiles, team).emit(width);
}

}  // namespace bp::emit
