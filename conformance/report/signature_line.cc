#include "conformance/report/signature_line.h"

#include <algorithm>
#include <boost/algorithm/hex.hpp>
#include <boost/json.hpp>

namespace bp::conformance {
namespace {

namespace json = boost::json;

// Reads a field with two hexadecimal digits for each byte.
template <std::size_t size>
Status read_hex(const json::object &object, std::string_view name, std::array<std::uint8_t, size> &bytes) {
  const json::value *field = object.if_contains(name);
  const std::string digits(field != nullptr && field->is_string() ? field->get_string() : "");
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  if (digits.size() != 2 * size || digits.find_first_not_of(hexadecimal) != std::string::npos) {
    return invalid_input("has {} characters as '{}', expected {} hexadecimal digits", digits.size(), name, 2 * size);
  }
  boost::algorithm::unhex(digits, bytes.begin());
  return {};
}

}  // namespace

std::string to_json(const Signature &signature) {
  return json::serialize(json::object{{"signed_by", fmt::format("{:02x}", fmt::join(signature.key.bytes, ""))},
                                      {"signature", fmt::format("{:02x}", fmt::join(signature.bytes, ""))}});
}

Result<Signature> signature_from_json(std::string_view line, std::string_view before) {
  json::error_code problem;
  const json::value value = json::parse(line, problem);
  const json::object *object = value.if_object();
  if (problem || object == nullptr || !object->contains("signature")) {
    return invalid_input("comes after the totals, expected nothing, or a whole signature");
  }
  Signature signature;
  BP_TRY(read_hex(*object, "signed_by", signature.key.bytes));
  BP_TRY(read_hex(*object, "signature", signature.bytes));
  if (!is_signed(before, signature)) {
    return invalid_input("is no signature of {} for the lines before: they, or it, were changed", signature.key.id());
  }
  return signature;
}

}  // namespace bp::conformance
