// Appends literals as HLO text, with the fewest digits that read back as the same value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/literal.h"

namespace bp::text {

// Whether "size 3: " or "sizes 3x4: " precedes the elements of an array with dynamic dimensions.
enum class PrintSizes { No, Yes };
// Arrays with more than `max_elements` elements are written {...} and, if `elided` is set, appended to it.
void append_literal(std::string &out, const ir::Literal &literal, std::int64_t max_elements,
                    std::vector<ir::Literal> *elided = nullptr, PrintSizes sizes = PrintSizes::No);

}  // namespace bp::text
