// The last line of a signed report, a signature of all bytes before it:
//   {"signed_by": the public key, "signature": its signature}, both as hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/signature.h"

namespace bp::conformance {

// Returns the line without its newline.
std::string to_json(const Signature &signature);
// Reads the line that comes after the totals. InvalidInput, as the end of a sentence about this line: it is something
// else, was cut off, or does not sign what comes before it.
Result<Signature> signature_from_json(std::string_view line, std::string_view before);

}  // namespace bp::conformance
