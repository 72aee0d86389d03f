#include "core/import/stablehlo/bytecode/sharding_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "core/import/mlir/byte_writer.h"
#include "core/import/stablehlo/bytecode/codes.h"
#include "core/text/lexer.h"

namespace bp::import::stablehlo::bytecode {
namespace {

using Index = std::uint32_t;
using Indices = std::vector<Index>;

// Each function writes the attribute that comes next in the text, and returns its index.
class ShardingWriter {
 public:
  ShardingWriter(mlir::FileBuilder &file, std::string_view text) : file_(file), text_(text), rest_(text) {}

  Result<Index> attribute() {
    for (const auto &[prefix, write] : forms) {
      if (accept(prefix)) {
        BP_ASSIGN(const Index index, (this->*write)());
        return is_end() ? Result<Index>(index) : error("the end");
      }
    }
    return error("an attribute of Shardy, such as #sdy.sharding<...>");
  }

 private:
  using Form = Result<Index> (ShardingWriter::*)();
  static const std::array<std::pair<std::string_view, Form>, 5> forms;

  // --- The text ---

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  bool is(std::string_view next) {
    skip_blanks();
    return rest_.starts_with(next);
  }
  bool is_end() {
    skip_blanks();
    return rest_.empty();
  }
  bool accept(std::string_view next) {
    const bool is_next = is(next);
    rest_.remove_prefix(is_next ? next.size() : 0);
    return is_next;
  }
  Error error(std::string_view expected) const {
    return unsupported("{} cannot be stored: '{}' in place of {}", text_, rest_, expected);
  }
  Status expect(std::string_view next) { return accept(next) ? Status() : error(next); }

  Result<std::int64_t> number() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc()) {
      return error("a number");
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  Result<std::string> string() {
    BP_TRY(expect("\""));
    std::size_t end = 0;
    while (end < rest_.size() && rest_[end] != '"') {
      end += rest_[end] == '\\' ? 2 : 1;
    }
    if (end >= rest_.size()) {
      return error("a string");
    }
    std::string value = text::unescape(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return value;
  }

  // Reads items separated by commas, between brackets. `item` returns a Status.
  template <class F>
  Status list(std::string_view open, std::string_view close, const F &item) {
    BP_TRY(expect(open));
    while (!accept(close)) {
      BP_TRY(item());
      if (!is(close)) {
        BP_TRY(expect(","));
      }
    }
    return {};
  }

  Result<Indices> items(std::string_view open, std::string_view close, Form item) {
    Indices result;
    BP_TRY(list(open, close, [&]() -> Status {
      BP_ASSIGN(const Index index, (this->*item)());
      result.push_back(index);
      return {};
    }));
    return result;
  }

  // Factors are letters: i, j, ..., z, z_1, z_2.
  Result<std::int64_t> factor() {
    skip_blanks();
    if (rest_.empty() || rest_[0] < 'i' || rest_[0] > 'z') {
      return error("a factor");
    }
    const std::int64_t letter = rest_[0] - 'i';
    rest_.remove_prefix(1);
    if (rest_.starts_with('_')) {
      rest_.remove_prefix(1);
      BP_ASSIGN(const std::int64_t more, number());
      return letter + more;
    }
    return letter;
  }

  // --- Attributes ---

  Index add(mlir::ByteWriter &writer) { return file_.attribute("sdy", writer.take()); }
  static void put(mlir::ByteWriter &writer, const Indices &list) {
    writer.number(list.size());
    std::ranges::for_each(list, [&](Index index) { writer.number(index); });
  }

  Index builtin_string(std::string_view text) {
    mlir::ByteWriter writer(builtin_attribute::String);
    writer.number(file_.string(text));
    return file_.attribute("builtin", writer.take());
  }

  Result<Index> axis_name() {
    BP_ASSIGN(const std::string name, string());
    return builtin_string(name);
  }

  Result<Index> manual_axes() {
    BP_ASSIGN(const Indices axes, items("{", "}", &ShardingWriter::axis_name));
    BP_TRY(expect(">"));
    mlir::ByteWriter writer(sdy_attribute::ManualAxes);
    put(writer, axes);
    return add(writer);
  }

  Result<Index> mesh_axis() {  // "x"=2
    BP_ASSIGN(const std::string name, string());
    BP_TRY(expect("="));
    BP_ASSIGN(const std::int64_t size, number());
    mlir::ByteWriter writer(sdy_attribute::MeshAxis);
    writer.number(file_.string(name));
    writer.signed_number(size);
    return add(writer);
  }

  Result<Index> mesh() {  // <["x"=2],device_ids=[1,0]>
    BP_TRY(expect("<"));
    BP_ASSIGN(const Indices axes, items("[", "]", &ShardingWriter::mesh_axis));
    std::vector<std::int64_t> devices;
    if (accept(",")) {
      BP_TRY(expect("device_ids"));
      BP_TRY(expect("="));
      BP_TRY(list("[", "]", [&]() -> Status {
        BP_ASSIGN(const std::int64_t device, number());
        devices.push_back(device);
        return {};
      }));
    }
    BP_TRY(expect(">"));
    mlir::ByteWriter writer(sdy_attribute::Mesh);
    put(writer, axes);
    writer.signed_numbers(devices);
    return add(writer);
  }

  Result<Index> axis() {  // "x" or "x":(1)2
    BP_ASSIGN(const std::string name, string());
    Index part = 0;
    const bool has_part = accept(":");
    if (has_part) {
      BP_TRY(expect("("));
      BP_ASSIGN(const std::int64_t before, number());
      BP_TRY(expect(")"));
      BP_ASSIGN(const std::int64_t size, number());
      mlir::ByteWriter writer(sdy_attribute::SubAxisInfo);
      writer.signed_number(before);
      writer.signed_number(size);
      part = add(writer);
    }
    mlir::ByteWriter writer(sdy_attribute::AxisRef);
    writer.number(file_.string(name));
    writer.flagged_number(part, has_part);
    return add(writer);
  }

  Result<Index> dimension() {  // {"x",?}p1
    Indices axes;
    bool is_open = false;
    BP_TRY(list("{", "}", [&]() -> Status {
      if (accept("?")) {
        is_open = true;
        return {};
      }
      BP_ASSIGN(const Index index, axis());
      axes.push_back(index);
      return {};
    }));
    std::int64_t priority = 0;
    const bool has_priority = accept("p");
    if (has_priority) {
      BP_ASSIGN(priority, number());
    }
    mlir::ByteWriter writer(sdy_attribute::DimensionSharding);
    put(writer, axes);
    writer.byte(is_open ? 0 : 1);
    writer.flagged_number(static_cast<std::uint64_t>(priority), has_priority);
    return add(writer);
  }

  Result<Index> mesh_or_name() {  // @mesh or mesh<["x"=2]>
    if (accept("mesh")) {
      return mesh();
    }
    BP_TRY(expect("@"));
    std::string name;
    if (is("\"")) {
      BP_ASSIGN(name, string());
    } else {
      name = rest_.substr(0, rest_.find_first_of(",> "));
      rest_.remove_prefix(name.size());
    }
    mlir::ByteWriter writer(builtin_attribute::FlatSymbol);
    writer.number(builtin_string(name));
    return file_.attribute("builtin", writer.take());
  }

  Result<Index> tensor() {  // <@mesh,[{"x"},{}],replicated={"y"},unreduced={"z"}>
    BP_TRY(expect("<"));
    BP_ASSIGN(const Index on, mesh_or_name());
    BP_TRY(expect(","));
    BP_ASSIGN(const Indices dimensions, items("[", "]", &ShardingWriter::dimension));
    Indices replicated, unreduced;
    while (accept(",")) {
      const bool is_replicated = accept("replicated");
      if (!is_replicated) {
        BP_TRY(expect("unreduced"));
      }
      BP_TRY(expect("="));
      BP_ASSIGN((is_replicated ? replicated : unreduced), items("{", "}", &ShardingWriter::axis));
    }
    BP_TRY(expect(">"));
    mlir::ByteWriter writer(unreduced.empty() ? sdy_attribute::TensorSharding : sdy_attribute::TensorShardingUnreduced);
    writer.number(on);
    put(writer, dimensions);
    put(writer, replicated);
    if (!unreduced.empty()) {
      put(writer, unreduced);
    }
    return add(writer);
  }

  Result<Index> per_value() {  // [<@mesh,[{"x"}]>,<@mesh,[{}]>]>
    BP_ASSIGN(const Indices tensors, items("[", "]", &ShardingWriter::tensor));
    BP_TRY(expect(">"));
    mlir::ByteWriter writer(sdy_attribute::TensorShardingPerValue);
    put(writer, tensors);
    return add(writer);
  }

  Result<Index> dimension_mapping() {  // ij
    std::vector<std::int64_t> factors;
    while (!is(",") && !is("]")) {
      BP_ASSIGN(const std::int64_t next, factor());
      factors.push_back(next);
    }
    mlir::ByteWriter writer(sdy_attribute::DimensionMapping);
    writer.signed_numbers(factors);
    return add(writer);
  }

  Result<Index> tensor_mapping() {  // [i,j]
    BP_ASSIGN(const Indices dimensions, items("[", "]", &ShardingWriter::dimension_mapping));
    mlir::ByteWriter writer(sdy_attribute::TensorMapping);
    put(writer, dimensions);
    return add(writer);
  }

  Result<Index> rule() {  // <([i,j],[j])->([i]) {i=2,j=4} reduction={j},custom>
    BP_TRY(expect("<"));
    BP_ASSIGN(const Indices operands, items("(", ")", &ShardingWriter::tensor_mapping));
    BP_TRY(expect("->"));
    BP_ASSIGN(const Indices results, items("(", ")", &ShardingWriter::tensor_mapping));
    std::vector<std::int64_t> sizes;
    BP_TRY(list("{", "}", [&]() -> Status {
      BP_TRY(factor());
      BP_TRY(expect("="));
      BP_ASSIGN(const std::int64_t size, number());
      sizes.push_back(size);
      return {};
    }));
    mlir::ByteWriter writer(sdy_attribute::OperationRule);
    writer.signed_numbers(sizes);
    put(writer, operands);
    put(writer, results);
    for (const std::string_view kind : {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
      std::vector<std::int64_t> factors;
      if (accept(kind)) {
        BP_TRY(expect("="));
        BP_TRY(list("{", "}", [&]() -> Status {
          BP_ASSIGN(const std::int64_t next, factor());
          factors.push_back(next);
          return {};
        }));
      }
      writer.signed_numbers(factors);
    }
    const bool is_custom = accept(",");
    if (is_custom) {
      BP_TRY(expect("custom"));
    }
    writer.byte(is_custom ? 1 : 0);
    BP_TRY(expect(">"));
    return add(writer);
  }

  mlir::FileBuilder &file_;
  std::string_view text_, rest_;
};

const std::array<std::pair<std::string_view, ShardingWriter::Form>, 5> ShardingWriter::forms = {{
    {"#sdy.sharding_per_value<", &ShardingWriter::per_value},
    {"#sdy.sharding", &ShardingWriter::tensor},
    {"#sdy<manual_axes", &ShardingWriter::manual_axes},
    {"#sdy.mesh", &ShardingWriter::mesh},
    {"#sdy.op_sharding_rule", &ShardingWriter::rule},
}};

}  // namespace

Result<std::uint32_t> write_sharding(mlir::FileBuilder &file, std::string_view text) {
  return ShardingWriter(file, text).attribute();
}

}  // namespace bp::import::stablehlo::bytecode
