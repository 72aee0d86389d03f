#include "conformance/coverage/attribute_classes.h"

#include <algorithm>

#include "core/ir/result_accuracy.h"

namespace bp::coverage {
namespace {

using Key = ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using I = ir::Instruction;

template <class Range, class Matches>
bool some(const Range &range, Matches matches) {
  return std::ranges::any_of(range, matches);
}
template <class Matches>
bool some_window(const I &i, Matches matches) {
  return some(i.window(), matches);
}
template <class Matches>
bool some_padding(const I &i, Matches matches) {
  return some(i.padding(), matches);
}
template <class Matches>
bool some_range(const I &i, Matches matches) {
  return some(i.slice_ranges(), matches);
}

std::size_t count(const I &i, Key key) {
  return i.numbers(key).size();
}
bool contains(const I &i, Key key, std::size_t number) {
  return some(i.numbers(key), [&](std::int64_t one) { return one == static_cast<std::int64_t>(number); });
}
std::size_t rank(const I &i, std::size_t operand = 0) {
  return i.operand(operand).shape().rank();
}
ElementType type(const I &i, std::size_t operand) {
  return i.operand(operand).shape().element_type();
}
template <class Enumerator>
bool is(const I &i, Key key, Enumerator value) {
  return i.number(key) == static_cast<std::int64_t>(value);
}
bool is_of_byte(const I &i, std::size_t operand) {
  return type(i, operand) == ElementType::U8;
}
std::int64_t largest_size(const Shape &shape) {
  return shape.rank() == 0 ? 1 : std::ranges::max(shape.sizes());
}
// Whether a function of the instruction contains the op.
bool calls(const I &i, Opcode opcode, std::size_t function = 0) {
  return some(i.called(function).instructions(), [&](const I &one) { return one.opcode() == opcode; });
}
bool compares(const I &i, ir::ComparisonDirection direction) {
  return some(i.called(0).instructions(),
              [&](const I &one) { return one.opcode() == Opcode::Compare && is(one, Key::Direction, direction); });
}
int more_bits(const I &i) {
  return ir::bit_width(i.shape().element_type()) - ir::bit_width(type(i, 0));
}
bool makes(const I &i, ir::TypeClass type_class) {
  return ir::info(i.shape().element_type()).type_class == type_class;
}
// Number of dimensions of a dot's operand that are neither batch nor contracting ones.
std::size_t free_dimensions(const I &i, std::size_t operand) {
  return rank(i, operand) - count(i, operand == 0 ? Key::LhsBatchDims : Key::RhsBatchDims) -
         count(i, operand == 0 ? Key::LhsContractingDims : Key::RhsContractingDims);
}
// Whether dimensions are the last ones, in order.
bool are_last(std::span<const std::int64_t> dimensions, std::size_t rank) {
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d] != static_cast<std::int64_t>(rank - dimensions.size() + d)) {
      return false;
    }
  }
  return true;
}
// Number of dimensions of the array whose size is not 1.
std::size_t wide_dimensions(const Shape &shape) {
  return static_cast<std::size_t>(std::ranges::count_if(shape.sizes(), [](std::int64_t size) { return size != 1; }));
}
bool is_array_of_several(const Shape &shape) {
  return shape.is_array() && shape.rank() > 1;
}

// Whether two dimensions trade places over one of size 1.
bool trade_places_over_one(const I &transpose) {
  const auto sizes = transpose.operand(0).shape().sizes(), from = transpose.dimensions();
  const auto place = [&](std::size_t d) {
    return std::ranges::find(from, static_cast<std::int64_t>(d)) - from.begin();
  };
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    for (std::size_t b = a + 2; b < sizes.size(); ++b) {
      const auto between = sizes.subspan(a + 1, b - a - 1);
      if (sizes[a] != 1 && sizes[b] != 1 && place(a) > place(b) && std::ranges::find(between, 1) != between.end()) {
        return true;
      }
    }
  }
  return false;
}
bool is_multiple_of_8(const Shape &shape) {
  return std::ranges::all_of(shape.sizes(), [](std::int64_t size) { return size % 8 == 0; });
}
// Whether a slice of packed elements begins within a byte.
bool begins_within_byte(const I &slice) {
  const Shape &from = slice.operand(0).shape();
  if (from.layout().element_bits == 0 || from.rank() == 0) {
    return false;
  }
  const auto minor = static_cast<std::size_t>(from.layout().minor_to_major[0]);
  return slice.slice_ranges()[minor].start * from.layout().element_bits % 8 != 0;
}

bool is_pred(ElementType type) {
  return type == ElementType::Pred;
}
bool is_number(ElementType type) {
  return type != ElementType::Pred;
}
bool is_real(ElementType type) {
  return ir::is_integer(type) || ir::is_floating(type);
}
bool is_ordered(ElementType type) {
  return !ir::is_complex(type);
}
// Whether products of the type are often added in a wider one.
bool is_narrow(ElementType type) {
  using enum ElementType;
  return type == S8 || type == U8 || type == BF16 || type == F16;
}
bool is_packable(ElementType type) {
  return ir::bit_width(type) < 8 && type != ElementType::Pred && 8 % ir::bit_width(type) == 0;
}

std::vector<Opcode> ops_that_take(Key key) {
  std::vector<Opcode> found;
  for (const ir::OpInfo &op : ir::ops()) {
    if (op.takes(key)) {
      found.push_back(op.opcode);
    }
  }
  return found;
}

const std::vector<AttributeClass> &classes() {
  using enum Opcode;
  using enum ir::ComparisonDirection;
  static const std::vector<AttributeClass> all = {
      {{Compare}, "direction", "EQ", [](const I &i) { return is(i, Key::Direction, Eq); }},
      {{Compare}, "direction", "NE", [](const I &i) { return is(i, Key::Direction, Ne); }},
      {{Compare}, "direction", "GE", [](const I &i) { return is(i, Key::Direction, Ge); }, is_ordered},
      {{Compare}, "direction", "GT", [](const I &i) { return is(i, Key::Direction, Gt); }, is_ordered},
      {{Compare}, "direction", "LE", [](const I &i) { return is(i, Key::Direction, Le); }, is_ordered},
      {{Compare}, "direction", "LT", [](const I &i) { return is(i, Key::Direction, Lt); }, is_ordered},
      {{Compare}, "type", "total order",
       [](const I &i) { return is(i, Key::ComparisonType, ir::ComparisonType::TotalOrder); }, ir::is_floating},
      {ops_that_take(Key::ResultAccuracy), "accuracy", "the highest",
       [](const I &i) { return ir::required_ulps(i) == 1; }},
      {ops_that_take(Key::ResultAccuracy), "accuracy", "a tolerance",
       [](const I &i) { return ir::required_ulps(i) > 1; }},
      {{Convert}, "result", "pred", [](const I &i) { return makes(i, ir::TypeClass::Pred); }},
      {{Convert}, "result", "signed", [](const I &i) { return makes(i, ir::TypeClass::Signed); }},
      {{Convert}, "result", "unsigned", [](const I &i) { return makes(i, ir::TypeClass::Unsigned); }},
      {{Convert}, "result", "float", [](const I &i) { return makes(i, ir::TypeClass::Float); }},
      {{Convert}, "result", "complex", [](const I &i) { return makes(i, ir::TypeClass::Complex); }},
      {{BitcastConvert}, "result", "as wide", [](const I &i) { return more_bits(i) == 0; }},
      {{BitcastConvert}, "result", "narrower", [](const I &i) { return more_bits(i) < 0; },
       [](ElementType type) { return ir::bit_width(type) > 4 && !ir::is_complex(type); }},
      {{BitcastConvert}, "result", "wider", [](const I &i) { return more_bits(i) > 0; },
       [](ElementType type) { return ir::bit_width(type) < 64; }},
      {{Select}, "predicate", "scalar", [](const I &i) { return rank(i) == 0 && rank(i, 1) > 0; }},
      {{Clamp}, "bounds", "scalar", [](const I &i) { return rank(i) == 0 && rank(i, 1) > 0; }},

      {{Broadcast}, "new dimension", "first", [](const I &i) { return !contains(i, Key::Dimensions, 0); }},
      {{Broadcast}, "new dimension", "last",
       [](const I &i) { return !contains(i, Key::Dimensions, i.shape().rank() - 1); }},
      {{Broadcast}, "new dimension", "between",
       [](const I &i) {
         const auto to = i.dimensions();
         return !to.empty() && to.back() - to.front() + 1 > static_cast<std::int64_t>(to.size());
       }},
      {{Reshape}, "result", "more dimensions", [](const I &i) { return i.shape().rank() > rank(i); }},
      {{Reshape}, "result", "fewer dimensions", [](const I &i) { return i.shape().rank() < rank(i); }},
      {{Transpose}, "dimensions", "the last one stays",
       [](const I &i) { return i.dimensions().back() + 1 == static_cast<std::int64_t>(rank(i)); }},
      {{Transpose}, "dimensions", "the last one moves",
       [](const I &i) { return i.dimensions().back() + 1 != static_cast<std::int64_t>(rank(i)); }},
      {{Transpose}, "dimensions", "three or more that are not 1",
       [](const I &i) { return wide_dimensions(i.shape()) > 2; }},
      {{Transpose}, "dimensions", "two trade places over one of size 1", trade_places_over_one},
      {{Transpose}, "dimensions", "two of more than a tile trade places",
       [](const I &i) {
         const Shape &from = i.operand(0).shape();
         const auto last = static_cast<std::size_t>(i.dimensions().back());
         const std::int64_t moved = from.size(last), stays = from.sizes().back();
         return last + 1 != rank(i) && moved > 32 && moved % 32 != 0 && stays > 32 && stays % 32 != 0;
       }},
      {{Reverse}, "dimensions", "the last", [](const I &i) { return contains(i, Key::Dimensions, rank(i) - 1); }},
      {{Reverse}, "dimensions", "not the last",
       [](const I &i) { return !i.dimensions().empty() && !contains(i, Key::Dimensions, rank(i) - 1); }},
      {{Reverse}, "dimensions", "several", [](const I &i) { return i.dimensions().size() > 1; }},
      {{Slice}, "start", "not 0", [](const I &i) { return some_range(i, [](const auto &r) { return r.start > 0; }); }},
      {{Slice}, "stride", "not 1",
       [](const I &i) { return some_range(i, [](const auto &r) { return r.stride > 1; }); }},
      {{Slice}, "stride", "not 1 in the last dimension",
       [](const I &i) { return i.slice_ranges().back().stride > 1; }},
      {{Slice}, "stride", "does not divide the length",
       [](const I &i) { return some_range(i, [](const auto &r) { return (r.limit - r.start) % r.stride != 0; }); }},
      {{Slice}, "dimensions", "several are cut",
       [](const I &i) {
         std::size_t cut = 0;
         for (std::size_t d = 0; d < rank(i); ++d) {
           cut += i.shape().size(d) != i.operand(0).shape().size(d) ? 1 : 0;
         }
         return cut > 1;
       }},
      {{Slice}, "start", "within a byte of packed elements", begins_within_byte, is_packable},
      {{Pad}, "low", "positive", [](const I &i) { return some_padding(i, [](const auto &p) { return p.low > 0; }); }},
      {{Pad}, "low", "negative", [](const I &i) { return some_padding(i, [](const auto &p) { return p.low < 0; }); }},
      {{Pad}, "high", "positive", [](const I &i) { return some_padding(i, [](const auto &p) { return p.high > 0; }); }},
      {{Pad}, "high", "negative", [](const I &i) { return some_padding(i, [](const auto &p) { return p.high < 0; }); }},
      {{Pad}, "interior", "not 0",
       [](const I &i) { return some_padding(i, [](const auto &p) { return p.interior > 0; }); }},
      {{Pad}, "interior", "with negative edges",
       [](const I &i) {
         return some_padding(i, [](const auto &p) { return p.interior > 0 && (p.low < 0 || p.high < 0); });
       }},
      {{Concatenate}, "dimension", "the first of several",
       [](const I &i) { return rank(i) > 1 && contains(i, Key::Dimensions, 0); }},
      {{Concatenate}, "dimension", "the last", [](const I &i) { return contains(i, Key::Dimensions, rank(i) - 1); }},
      {{Concatenate}, "operands", "columns to rows",
       [](const I &i) {
         return contains(i, Key::Dimensions, rank(i) - 1) && i.operand(0).shape().sizes().back() == 1;
       }},
      {{Concatenate}, "operands", "one", [](const I &i) { return i.operand_count() == 1; }},
      {{Concatenate}, "operands", "more than eight", [](const I &i) { return i.operand_count() > 8; }},
      {{Concatenate}, "operands", "three or more", [](const I &i) { return i.operand_count() > 2; }},
      {{Iota}, "dimension", "the first of several",
       [](const I &i) { return i.shape().rank() > 1 && is(i, Key::IotaDimension, 0); }},
      {{Iota}, "dimension", "the last",
       [](const I &i) { return contains(i, Key::IotaDimension, i.shape().rank() - 1); }},

      {{DynamicSlice, DynamicUpdateSlice}, "start", "s32",
       [](const I &i) { return type(i, i.operand_count() - 1) == ElementType::S32; }},
      {{DynamicSlice, DynamicUpdateSlice}, "start", "of 64 bits",
       [](const I &i) { return ir::bit_width(type(i, i.operand_count() - 1)) == 64; }},
      {{DynamicSlice, DynamicUpdateSlice}, "start", "of 8 or 16 bits",
       [](const I &i) { return ir::bit_width(type(i, i.operand_count() - 1)) < 32; }},
      {{DynamicSlice, DynamicUpdateSlice}, "start", "unsigned",
       [](const I &i) { return ir::is_unsigned(type(i, i.operand_count() - 1)); }},
      {{DynamicSlice}, "sizes", "some of the last dimension",
       [](const I &i) { return i.shape().sizes().back() < i.operand(0).shape().sizes().back(); }},
      {{DynamicSlice}, "sizes", "all of the last dimension, not of others",
       [](const I &i) {
         return i.shape().sizes().back() == i.operand(0).shape().sizes().back() &&
                i.shape().element_count() < i.operand(0).shape().element_count();
       }},
      {{DynamicUpdateSlice}, "sizes", "some of the last dimension",
       [](const I &i) { return i.operand(1).shape().sizes().back() < i.shape().sizes().back(); }},
      {{DynamicUpdateSlice}, "sizes", "all of the last dimension, not of others",
       [](const I &i) {
         return i.operand(1).shape().sizes().back() == i.shape().sizes().back() &&
                i.operand(1).shape().element_count() < i.shape().element_count();
       }},

      {{Gather}, "batching dimensions", "some", [](const I &i) { return count(i, Key::OperandBatchingDims) > 0; }},
      {{Gather}, "batching dimensions", "several", [](const I &i) { return count(i, Key::OperandBatchingDims) > 1; }},
      {{Gather}, "collapsed dimensions", "none", [](const I &i) { return count(i, Key::CollapsedSliceDims) == 0; }},
      {{Gather}, "collapsed dimensions", "some", [](const I &i) { return count(i, Key::CollapsedSliceDims) > 0; }},
      {{Gather}, "offset dimensions", "not the last ones",
       [](const I &i) { return !are_last(i.numbers(Key::OffsetDims), i.shape().rank()); }},
      {{Gather}, "index map", "not ascending",
       [](const I &i) { return !std::ranges::is_sorted(i.numbers(Key::StartIndexMap)); }},
      {{Gather}, "index map", "several dimensions", [](const I &i) { return count(i, Key::StartIndexMap) > 1; }},
      {{Gather}, "index vector", "not the last dimension",
       [](const I &i) { return i.number(Key::IndexVectorDim) + 1 < static_cast<std::int64_t>(rank(i, 1)); }},
      {{Gather}, "index vector", "a number each",
       [](const I &i) { return i.number(Key::IndexVectorDim) == static_cast<std::int64_t>(rank(i, 1)); }},
      {{Gather}, "indices", "unsigned", [](const I &i) { return ir::is_unsigned(type(i, 1)); }},
      {{Gather}, "indices", "of 64 bits", [](const I &i) { return ir::bit_width(type(i, 1)) == 64; }},
      {{Scatter}, "batching dimensions", "some", [](const I &i) { return count(i, Key::InputBatchingDims) > 0; }},
      {{Scatter}, "batching dimensions", "several", [](const I &i) { return count(i, Key::InputBatchingDims) > 1; }},
      {{Scatter}, "inserted dimensions", "none", [](const I &i) { return count(i, Key::InsertedWindowDims) == 0; }},
      {{Scatter}, "inserted dimensions", "some", [](const I &i) { return count(i, Key::InsertedWindowDims) > 0; }},
      {{Scatter}, "window dimensions", "not the last ones",
       [](const I &i) { return !are_last(i.numbers(Key::UpdateWindowDims), rank(i, 2)); }},
      {{Scatter}, "index map", "not ascending",
       [](const I &i) { return !std::ranges::is_sorted(i.numbers(Key::ScatterDimsToOperandDims)); }},
      {{Scatter}, "index map", "several dimensions",
       [](const I &i) { return count(i, Key::ScatterDimsToOperandDims) > 1; }},
      {{Scatter}, "index vector", "not the last dimension",
       [](const I &i) { return i.number(Key::IndexVectorDim) + 1 < static_cast<std::int64_t>(rank(i, 1)); }},
      {{Scatter}, "index vector", "a number each",
       [](const I &i) { return i.number(Key::IndexVectorDim) == static_cast<std::int64_t>(rank(i, 1)); }},
      {{Scatter}, "indices", "unsigned", [](const I &i) { return ir::is_unsigned(type(i, 1)); }},
      {{Gather, Scatter}, "indices", "of 8 bits, for more positions than they have with a sign",
       [](const I &i) { return is_of_byte(i, 1) && largest_size(i.operand(0).shape()) > 128; }},
      {{DynamicSlice, DynamicUpdateSlice}, "start", "of 8 bits, for more positions than it has with a sign",
       [](const I &i) { return is_of_byte(i, i.operand_count() - 1) && largest_size(i.operand(0).shape()) > 128; }},
      {{Scatter}, "indices", "of 64 bits", [](const I &i) { return ir::bit_width(type(i, 1)) == 64; }},

      {{Reduce, ReduceWindow, Scatter, Map, Scan}, "function", "add",
       [](const I &i) { return calls(i, Add); }, is_number},
      {{Reduce, ReduceWindow, Scatter, Map, Scan}, "function", "multiply",
       [](const I &i) { return calls(i, Multiply); }, is_number},
      {{Reduce, ReduceWindow, Scatter, Map, Scan}, "function", "maximum", [](const I &i) { return calls(i, Maximum); },
       is_real},
      {{Reduce, ReduceWindow, Scatter, Map, Scan}, "function", "minimum", [](const I &i) { return calls(i, Minimum); },
       is_real},
      {{Reduce, ReduceWindow, Scatter, Map, Scan}, "function", "and",
       [](const I &i) { return calls(i, And); }, is_pred},
      {{Reduce, ReduceWindow, Scatter, Map, Scan}, "function", "or", [](const I &i) { return calls(i, Or); }, is_pred},
      {{Reduce, ReduceWindow, Scatter, Map, Scan}, "function", "xor",
       [](const I &i) { return calls(i, Xor); }, is_pred},
      {{Reduce}, "dimensions", "the last", [](const I &i) { return contains(i, Key::Dimensions, rank(i) - 1); }},
      {{Reduce}, "dimensions", "not the last",
       [](const I &i) { return !i.dimensions().empty() && !contains(i, Key::Dimensions, rank(i) - 1); }},
      {{Reduce}, "dimensions", "several, not all",
       [](const I &i) { return i.dimensions().size() > 1 && i.dimensions().size() < rank(i); }},
      {{Reduce}, "dimensions", "all", [](const I &i) { return i.dimensions().size() == rank(i); }},
      {{Reduce, ReduceWindow}, "function", "one in which the order counts",
       [](const I &i) { return i.operand_count() == 4 && calls(i, Multiply) && calls(i, Add) && !calls(i, Select); },
       ir::is_integer},
      {{Reduce, ReduceWindow}, "inputs", "two", [](const I &i) { return i.operand_count() == 4; }},
      {{Sort}, "dimension", "the last", [](const I &i) { return contains(i, Key::Dimensions, rank(i) - 1); }},
      {{Sort}, "dimension", "not the last", [](const I &i) { return !contains(i, Key::Dimensions, rank(i) - 1); }},
      {{Sort}, "order", "ascending", [](const I &i) { return compares(i, Lt); }},
      {{Sort}, "order", "descending", [](const I &i) { return compares(i, Gt); }},
      {{Sort}, "operands", "two", [](const I &i) { return i.operand_count() == 2; }},
      {{Scan}, "dimension", "the last", [](const I &i) { return contains(i, Key::Dimensions, rank(i) - 1); }},
      {{Scan}, "dimension", "not the last", [](const I &i) { return !contains(i, Key::Dimensions, rank(i) - 1); }},
      {{Scan}, "direction", "forward", [](const I &i) { return is(i, Key::IsReverse, 0); }},
      {{Scan}, "direction", "backward", [](const I &i) { return is(i, Key::IsReverse, 1); }},
      {{TopK}, "largest", "yes", [](const I &i) { return i.number(Key::Largest, 1) == 1; }},
      {{TopK}, "largest", "no", [](const I &i) { return i.number(Key::Largest, 1) == 0; }},
      {{TopK}, "k", "some",
       [](const I &i) {
         return i.number(Key::K) > 0 && i.number(Key::K) < i.operand(0).shape().sizes().back();
       }},

      {{ReduceWindow, SelectAndScatter, Convolution}, "stride", "not 1",
       [](const I &i) { return some_window(i, [](const auto &w) { return w.stride > 1; }); }},
      {{ReduceWindow, SelectAndScatter, Convolution}, "low padding", "positive",
       [](const I &i) { return some_window(i, [](const auto &w) { return w.pad_low > 0; }); }},
      {{ReduceWindow, SelectAndScatter, Convolution}, "low padding", "negative",
       [](const I &i) { return some_window(i, [](const auto &w) { return w.pad_low < 0; }); }},
      {{ReduceWindow, SelectAndScatter, Convolution}, "high padding", "positive",
       [](const I &i) { return some_window(i, [](const auto &w) { return w.pad_high > 0; }); }},
      {{ReduceWindow, SelectAndScatter, Convolution}, "high padding", "negative",
       [](const I &i) { return some_window(i, [](const auto &w) { return w.pad_high < 0; }); }},
      {{ReduceWindow, SelectAndScatter, Convolution}, "windows", "overlap",
       [](const I &i) { return some_window(i, [](const auto &w) { return w.size > w.stride; }); }},
      {{ReduceWindow, SelectAndScatter, Convolution}, "windows", "leave elements out",
       [](const I &i) { return some_window(i, [](const auto &w) { return w.size < w.stride; }); }},
      {{ReduceWindow, SelectAndScatter, Convolution}, "windows", "of two or more dimensions",
       [](const I &i) { return std::ranges::count_if(i.window(), [](const auto &w) { return w.size > 1; }) > 1; }},
      {{ReduceWindow, Convolution}, "base dilation", "not 1",
       [](const I &i) { return some_window(i, [](const auto &w) { return w.lhs_dilate > 1; }); }},
      {{ReduceWindow, Convolution}, "window dilation", "not 1",
       [](const I &i) { return some_window(i, [](const auto &w) { return w.rhs_dilate > 1; }); }},
      {{ReduceWindow}, "initial value", "a parameter, with padding",
       [](const I &i) {
         return i.operand(i.operand_count() / 2).opcode() == Parameter &&
                some_window(i, [](const auto &w) { return w.pad_low > 0 || w.pad_high > 0; });
       }},
      {{SelectAndScatter}, "selection", "GE", [](const I &i) { return compares(i, Ge); }},
      {{SelectAndScatter}, "selection", "GT", [](const I &i) { return compares(i, Gt); }},
      {{SelectAndScatter}, "selection", "LE", [](const I &i) { return compares(i, Le); }},

      {{Dot}, "batch dimensions", "one", [](const I &i) { return count(i, Key::LhsBatchDims) == 1; }},
      {{Dot}, "batch dimensions", "several", [](const I &i) { return count(i, Key::LhsBatchDims) > 1; }},
      {{Dot}, "batch dimensions", "not the first ones",
       [](const I &i) {
         const auto batch = i.numbers(Key::LhsBatchDims);
         return some(batch, [&](std::int64_t d) { return d >= std::ssize(batch); });
       }},
      {{Dot}, "contracting dimensions", "none", [](const I &i) { return count(i, Key::LhsContractingDims) == 0; }},
      {{Dot}, "contracting dimensions", "one", [](const I &i) { return count(i, Key::LhsContractingDims) == 1; }},
      {{Dot}, "contracting dimensions", "several", [](const I &i) { return count(i, Key::LhsContractingDims) > 1; }},
      {{Dot}, "contracting dimensions", "the last of lhs",
       [](const I &i) { return contains(i, Key::LhsContractingDims, rank(i) - 1); }},
      {{Dot}, "contracting dimensions", "the last of rhs",
       [](const I &i) { return contains(i, Key::RhsContractingDims, rank(i, 1) - 1); }},
      {{Dot}, "free dimensions of lhs", "none", [](const I &i) { return free_dimensions(i, 0) == 0; }},
      {{Dot}, "free dimensions of lhs", "several", [](const I &i) { return free_dimensions(i, 0) > 1; }},
      {{Dot}, "free dimensions of rhs", "none", [](const I &i) { return free_dimensions(i, 1) == 0; }},
      {{Dot}, "free dimensions of rhs", "several", [](const I &i) { return free_dimensions(i, 1) > 1; }},
      {{Dot}, "sizes", "multiples of 8",
       [](const I &i) {
         return is_multiple_of_8(i.operand(0).shape()) && is_multiple_of_8(i.operand(1).shape());
       }},
      {{Dot, Convolution}, "result", "wider than the operands", [](const I &i) { return more_bits(i) > 0; }, is_narrow},
      {{Convolution}, "spatial dimensions", "none", [](const I &i) { return i.window().empty(); }},
      {{Convolution}, "spatial dimensions", "one", [](const I &i) { return i.window().size() == 1; }},
      {{Convolution}, "spatial dimensions", "two", [](const I &i) { return i.window().size() == 2; }},
      {{Convolution}, "spatial dimensions", "three", [](const I &i) { return i.window().size() == 3; }},
      {{Convolution}, "window", "reversed",
       [](const I &i) { return some_window(i, [](const auto &w) { return w.reversal != 0; }); }},
      {{Convolution}, "feature groups", "several", [](const I &i) { return i.number(Key::FeatureGroupCount, 1) > 1; }},
      {{Convolution}, "feature groups", "one for each feature, with a dilated window",
       [](const I &i) {
         const auto feature = static_cast<std::size_t>(i.convolution_dimensions().lhs_feature);
         const std::int64_t features = i.operand(0).shape().size(feature);
         return features > 1 && i.number(Key::FeatureGroupCount, 1) == features &&
                some_window(i, [](const auto &w) { return w.rhs_dilate > 1 && w.size > 1; });
       }},
      {{Convolution}, "features", "more than 16, on a narrow image, with a stride",
       [](const I &i) {
         const Shape &data = i.operand(0).shape();
         const ir::ConvolutionDimensions dimensions = i.convolution_dimensions();
         return data.size(static_cast<std::size_t>(dimensions.lhs_feature)) > 16 && !dimensions.lhs_spatial.empty() &&
                data.size(static_cast<std::size_t>(dimensions.lhs_spatial.back())) < 17 && i.window().back().stride > 1;
       }},
      {{Convolution}, "batch groups", "several", [](const I &i) { return i.number(Key::BatchGroupCount, 1) > 1; }},
      {{Convolution}, "dimensions of data", "batch not first",
       [](const I &i) { return i.convolution_dimensions().lhs_batch != 0; }},
      {{Convolution}, "dimensions of data", "feature last",
       [](const I &i) { return i.convolution_dimensions().lhs_feature + 1 == static_cast<std::int64_t>(rank(i)); }},
      {{Convolution}, "dimensions of filter", "output feature not first",
       [](const I &i) { return i.convolution_dimensions().rhs_output_feature != 0; }},
      {{Convolution}, "dimensions of result", "batch not first",
       [](const I &i) { return i.convolution_dimensions().output_batch != 0; }},

      {{Fft}, "kind", "FFT", [](const I &i) { return is(i, Key::FftType, ir::FftType::Fft); }, ir::is_complex},
      {{Fft}, "kind", "IFFT", [](const I &i) { return is(i, Key::FftType, ir::FftType::Ifft); }, ir::is_complex},
      {{Fft}, "kind", "RFFT", [](const I &i) { return is(i, Key::FftType, ir::FftType::Rfft); }, ir::is_floating},
      {{Fft}, "kind", "IRFFT", [](const I &i) { return is(i, Key::FftType, ir::FftType::Irfft); }, ir::is_complex},
      {{Fft}, "length", "several dimensions", [](const I &i) { return count(i, Key::FftLength) > 1; }},
      {{Fft}, "length", "odd",
       [](const I &i) { return some(i.numbers(Key::FftLength), [](std::int64_t n) { return n % 2 == 1 && n > 1; }); }},
      {{Fft}, "length", "odd, of an inverse transform",
       [](const I &i) {
         const bool is_inverse = is(i, Key::FftType, ir::FftType::Ifft) || is(i, Key::FftType, ir::FftType::Irfft);
         return is_inverse && i.numbers(Key::FftLength).back() % 2 == 1 && i.numbers(Key::FftLength).back() > 1;
       },
       ir::is_complex},
      {{Cholesky, TriangularSolve}, "triangle", "lower", [](const I &i) { return is(i, Key::Lower, 1); }},
      {{Cholesky, TriangularSolve}, "triangle", "upper", [](const I &i) { return is(i, Key::Lower, 0); }},
      {{Cholesky, TriangularSolve}, "batch dimensions", "some", [](const I &i) { return rank(i) > 2; }},
      {{TriangularSolve}, "side", "left", [](const I &i) { return is(i, Key::LeftSide, 1); }},
      {{TriangularSolve}, "side", "right", [](const I &i) { return is(i, Key::LeftSide, 0); }},
      {{TriangularSolve}, "diagonal", "of ones", [](const I &i) { return is(i, Key::UnitDiagonal, 1); }},
      {{TriangularSolve}, "transpose", "no",
       [](const I &i) { return is(i, Key::TransposeA, ir::Transpose::NoTranspose); }},
      {{TriangularSolve}, "transpose", "yes",
       [](const I &i) { return is(i, Key::TransposeA, ir::Transpose::Transpose); }},
      {{TriangularSolve}, "transpose", "adjoint",
       [](const I &i) { return is(i, Key::TransposeA, ir::Transpose::Adjoint); }},
      {{BatchNormTraining, BatchNormInference, BatchNormGrad}, "feature dimension", "the last",
       [](const I &i) { return i.number(Key::FeatureIndex) + 1 == static_cast<std::int64_t>(rank(i)); }},
      {{BatchNormTraining, BatchNormInference, BatchNormGrad}, "feature dimension", "not the last",
       [](const I &i) { return i.number(Key::FeatureIndex) + 1 < static_cast<std::int64_t>(rank(i)); }},

      {{}, "layout", "an operand is not row-major",
       [](const I &i) {
         for (std::size_t k = 0; k < i.operand_count(); ++k) {
           const Shape &shape = i.operand(k).shape();
           if (is_array_of_several(shape) && !shape.layout().is_descending()) {
             return true;
           }
         }
         return false;
       }},
      {{}, "elements", "packed",
       [](const I &i) {
         for (std::size_t k = 0; k < i.operand_count(); ++k) {
           if (i.operand(k).shape().is_array() && i.operand(k).shape().layout().element_bits > 0) {
             return true;
           }
         }
         return false;
       },
       is_packable},
      {{Add, Compare, Convert, Copy, Select, Broadcast, Reshape, Transpose, Reverse, Slice, Pad, Concatenate,
        DynamicSlice, DynamicUpdateSlice, Gather, Scatter, Reduce, Dot},
       "operand", "more than six dimensions", [](const I &i) { return rank(i, i.opcode() == Select ? 1 : 0) > 6; }},
      {{}, "operand", "three or more dimensions that are not 1",
       [](const I &i) { return i.operand_count() > 0 && wide_dimensions(i.operand(0).shape()) > 2; }},
  };
  return all;
}

}  // namespace

std::string_view to_string(SizeRange range) {
  switch (range) {
    case SizeRange::One: return "1";
    case SizeRange::Small: return "to 64";
    case SizeRange::Medium: return "to 4,096";
    case SizeRange::Large: return "more";
  }
  return "";
}

SizeRange size_range_of(const I &i) {
  std::int64_t elements = i.shape().is_array() ? i.shape().element_count() : 0;
  for (std::size_t k = 0; k < i.operand_count(); ++k) {
    elements = std::max(elements, i.operand(k).shape().is_array() ? i.operand(k).shape().element_count() : 0);
  }
  return elements <= 1      ? SizeRange::One
         : elements <= 64   ? SizeRange::Small
         : elements <= 4096 ? SizeRange::Medium
                            : SizeRange::Large;
}

std::vector<InstructionKind> instruction_kinds(Opcode opcode, ElementType type) {
  std::vector<InstructionKind> kinds;
  constexpr SizeRange of_several[] = {SizeRange::Small, SizeRange::Medium, SizeRange::Large};
  for (const AttributeClass &one : classes()) {
    const bool is_of_op =
        one.ops.empty() ? ir::info(opcode).min_operands > 0 : std::ranges::find(one.ops, opcode) != one.ops.end();
    for (const SizeRange size : of_several) {
      if (is_of_op && (one.has == nullptr || one.has(type))) {
        kinds.push_back({&one, size});
      }
    }
  }
  for (const SizeRange size : {SizeRange::One, SizeRange::Small, SizeRange::Medium, SizeRange::Large}) {
    kinds.push_back({nullptr, size});
  }
  return kinds;
}

}  // namespace bp::coverage
