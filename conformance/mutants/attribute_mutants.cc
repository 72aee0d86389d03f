// Faults of compilers that overlook an attribute, added to the plugin `cpu`: it compiles the program as if it had
// another attribute. The shape of the result fits both.
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "backplane/op_ids.h"
#include "conformance/mutants/fault.h"
#include "conformance/mutants/mutant.h"

namespace bp::conformance {
namespace {

// A copy of a module's image to which numbers can be added.
class ChangedModule {
 public:
  explicit ChangedModule(const bp_module_t *module) : words_((module->size + 7) / 8) {
    std::memcpy(words_.data(), module, module->size);
  }

  const bp_module_t *module() const { return reinterpret_cast<const bp_module_t *>(words_.data()); }

  // Replaces the numbers of an attribute of all instructions of an op by what `change` makes of them.
  template <class Change>
  void change(std::uint16_t op, std::uint16_t key, Change change) {
    for (std::uint32_t i = 0; i < module()->instrs.count; ++i) {
      const bp_instr_t instruction = *BP_AT(module(), instrs, bp_instr_t, i);
      for (std::uint32_t k = 0; instruction.op == op && k < instruction.attr_count; ++k) {
        const bp_attr_t attribute = *BP_AT(module(), attrs, bp_attr_t, instruction.attrs + k);
        if (attribute.key == key && attribute.type == BP_ATTR_I64) {
          const std::int64_t *first = BP_AT(module(), i64s, std::int64_t, attribute.data);
          std::vector<std::int64_t> numbers(first, first + attribute.count);
          change(numbers);
          set(instruction.attrs + k, numbers);
        }
      }
    }
  }

 private:
  // Attributes share numbers with others: those of a changed one go to the end, after a copy of all.
  void set(std::uint32_t attribute, std::span<const std::int64_t> numbers) {
    const std::uint32_t count = module()->i64s.count;
    const std::size_t begin = words_.size();
    words_.resize(begin + count + numbers.size());
    std::memcpy(&words_[begin], BP_AT(module(), i64s, std::int64_t, 0), count * sizeof(std::int64_t));
    std::ranges::copy(numbers, words_.begin() + static_cast<std::ptrdiff_t>(begin + count));
    auto &header = *reinterpret_cast<bp_module_t *>(words_.data());
    header.i64s.offset = static_cast<std::uint32_t>(begin * sizeof(std::uint64_t));
    header.i64s.count = count + static_cast<std::uint32_t>(numbers.size());
    header.size = words_.size() * sizeof(std::uint64_t);
    auto *changed = const_cast<bp_attr_t *>(BP_AT(module(), attrs, bp_attr_t, attribute));
    changed->data = count;
    changed->count = static_cast<std::uint32_t>(numbers.size());
  }

  std::vector<std::uint64_t> words_;
};

template <class Change>
Fault with_attribute(std::uint16_t op, std::uint16_t key, Change change) {
  return {.compiler_compile = [=](const auto &next, auto &, const bp_module_t *module, const bp_ostream_t *artifact,
                                  const bp_diag_t *diag) {
    ChangedModule changed(module);
    changed.change(op, key, change);
    return next(changed.module(), artifact, diag);
  }};
}

Fault with_number(std::uint16_t op, std::uint16_t key, std::int64_t from, std::int64_t to) {
  return with_attribute(op, key, [=](std::vector<std::int64_t> &numbers) { std::ranges::replace(numbers, from, to); });
}

using Numbers = std::vector<std::int64_t>;

// Swaps two numbers of each group of `size`.
template <std::size_t size, std::size_t a, std::size_t b>
void swap_in_groups(Numbers &numbers) {
  for (std::size_t i = 0; i + size <= numbers.size(); i += size) {
    std::swap(numbers[i + a], numbers[i + b]);
  }
}

void swap_window_padding(Numbers &window) {
  swap_in_groups<7, 2, 3>(window);
}

constexpr Mutant attribute_table[] = {
    {"convolution-not-reversed", "numerics", "the window of a convolution is never reversed", "cpu",
     "attributes/convolution/*",
     [] {
       return with_attribute(BP_OP_CONVOLUTION, BP_ATTR_WINDOW, [](Numbers &window) {
         for (std::size_t i = 6; i < window.size(); i += 7) {
           window[i] = 0;
         }
       });
     }},
    {"convolution-padding-swapped", "numerics", "a convolution pads at the end what belongs to the beginning", "cpu",
     "attributes/convolution/*", [] { return with_attribute(BP_OP_CONVOLUTION, BP_ATTR_WINDOW, swap_window_padding); }},
    {"window-padding-swapped", "numerics", "reduce-window pads at the end what belongs to the beginning", "cpu",
     "attributes/reduce-window/*",
     [] { return with_attribute(BP_OP_REDUCE_WINDOW, BP_ATTR_WINDOW, swap_window_padding); }},
    {"padding-swapped", "numerics", "pad adds at the end what belongs to the beginning", "cpu", "attributes/pad/*",
     [] { return with_attribute(BP_OP_PAD, BP_ATTR_PADDING, swap_in_groups<3, 0, 1>); }},
    {"reverse-one-dimension", "numerics", "reverse of several dimensions overlooks the last one", "cpu",
     "attributes/reverse/*",
     [] {
       return with_attribute(BP_OP_REVERSE, BP_ATTR_DIMENSIONS, [](Numbers &dimensions) {
         if (dimensions.size() > 1) {
           dimensions.pop_back();
         }
       });
     }},
    {"gather-map-sorted", "numerics", "gather applies indices to dimensions in ascending order", "cpu",
     "attributes/gather/*",
     [] {
       return with_attribute(BP_OP_GATHER, BP_ATTR_START_INDEX_MAP, [](Numbers &map) { std::ranges::sort(map); });
     }},
    {"scatter-map-sorted", "numerics", "scatter applies indices to dimensions in ascending order", "cpu",
     "attributes/scatter/*",
     [] {
       return with_attribute(BP_OP_SCATTER, BP_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS,
                             [](Numbers &map) { std::ranges::sort(map); });
     }},
    {"iota-first-dimension", "numerics", "iota always counts along the first dimension", "cpu", "attributes/iota/*",
     [] {
       return with_attribute(BP_OP_IOTA, BP_ATTR_IOTA_DIMENSION, [](Numbers &dimension) { dimension.assign(1, 0); });
     }},
    {"compare-ge-is-gt", "numerics", "compare >= is >", "cpu", "attributes/compare/*",
     [] {
       return with_number(BP_OP_COMPARE, BP_ATTR_DIRECTION, BP_COMPARISON_DIRECTION_GE, BP_COMPARISON_DIRECTION_GT);
     }},
    {"smallest-is-largest", "numerics", "topk always returns the largest elements", "cpu", "attributes/topk/*",
     [] { return with_number(BP_OP_TOP_K, BP_ATTR_LARGEST, 0, 1); }},
    {"precision-wide-exponent", "numerics", "reduce-precision keeps the exponent of the type", "cpu",
     "attributes/reduce-precision/f32/*",
     [] {
       return with_attribute(BP_OP_REDUCE_PRECISION, BP_ATTR_EXPONENT_BITS, [](Numbers &bits) { bits.assign(1, 8); });
     }},
};

}  // namespace

const std::span<const Mutant> attribute_mutants = attribute_table;

}  // namespace bp::conformance
