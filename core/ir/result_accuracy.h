// Accuracy that an instruction asks for by HLO's attribute result_accuracy.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/ir/accuracy.h"
#include "core/ir/module.h"

namespace bp::ir {

// The attribute: {mode=highest} or {tolerance={atol=0,rtol=0,ulps=2}}.
struct ResultAccuracy {
  enum class Mode : std::uint8_t { Default, Highest, Tolerance };
  Mode mode = Mode::Default;
  double atol = 0, rtol = 0;
  std::int64_t ulps = 0;
};

// Returns nullopt if the text is something else. Spaces do not matter.
std::optional<ResultAccuracy> parse_result_accuracy(std::string_view text);

// Returns how many units in the last place (of the larger part of a complex number) a result may be away from the exact
// one: 1 if the highest accuracy is asked for; 0 if nothing is, so that the op table decides. A tolerance is read
// strictly: the smaller of `ulps` and the units that `rtol` is at least, if both are given, and never less than 1. If
// only `atol` is given, it stands for 1; otherwise it is ignored.
std::uint32_t required_ulps(const Instruction &instruction);

// Returns the bound of the op table, or that of the instruction if it asks for one.
Accuracy accuracy_of(const Instruction &instruction);

}  // namespace bp::ir
