#include "core/passes/same_operation.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>

#include "core/passes/rewrite.h"

namespace bp::passes {
namespace {

using ir::AttributeKey;
using ir::Instruction;

std::size_t hash_of(const ir::Literal &literal) {
  auto bytes = literal.bytes();
  std::size_t seed = std::hash<std::string_view>()({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  for (const ir::Literal &element : literal.tuple_elements()) {
    boost::hash_combine(seed, hash_of(element));
  }
  return seed;
}

bool have_equal_attributes(const Instruction &a, const Instruction &b) {
  auto keys_of = [](const Instruction &instruction) {
    std::vector<AttributeKey> keys = instruction.attribute_keys();
    std::erase_if(keys, [](AttributeKey key) { return !is_part_of_value(key); });
    return keys;
  };
  std::vector<AttributeKey> keys = keys_of(a);
  return keys == keys_of(b) && std::ranges::all_of(keys, [&](AttributeKey key) {
           return is_text(key) ? a.text(key) == b.text(key) : std::ranges::equal(a.numbers(key), b.numbers(key));
         });
}

}  // namespace

bool is_same_operation(const Instruction &a, const Instruction &b) {
  return a.opcode() == b.opcode() && a.shape_id() == b.shape_id() && std::ranges::equal(a.calls(), b.calls()) &&
         have_equal_attributes(a, b) && a.literal().is_valid() == b.literal().is_valid() &&
         (!a.literal().is_valid() || a.literal().identical(b.literal()));
}

std::size_t hash_of_operation(const Instruction &instruction) {
  std::size_t seed = static_cast<std::size_t>(instruction.opcode());
  boost::hash_combine(seed, index(instruction.shape_id()));
  for (AttributeKey key : instruction.attribute_keys()) {
    if (!is_part_of_value(key)) {
      continue;
    }
    if (is_text(key)) {
      boost::hash_combine(seed, std::hash<std::string_view>()(instruction.text(key)));
      continue;
    }
    for (std::int64_t number : instruction.numbers(key)) {
      boost::hash_combine(seed, number);
    }
  }
  if (instruction.literal().is_valid()) {
    boost::hash_combine(seed, hash_of(instruction.literal()));
  }
  return seed;
}

}  // namespace bp::passes
