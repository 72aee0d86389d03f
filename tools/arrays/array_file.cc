#include "tools/arrays/array_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>

#include "core/base/files.h"
#include "core/import/onnx/onnx.h"
#include "core/package/index.h"
#include "core/text/lexer.h"
#include "core/text/parser.h"
#include "tools/arrays/npy.h"
#include "tools/arrays/npz.h"

namespace bp::arrays {
namespace {

bool is_raw(const std::string &file) {
  return file.ends_with(".bin") || file.ends_with(".raw");
}

// Names of instructions have '_' in place of other characters, and names in StableHLO may begin with '%'.
std::string plain(std::string_view name) {
  std::string text(name.starts_with('%') ? name.substr(1) : name);
  std::ranges::replace_if(text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

// Returns the sizes of a literal of this rank, as its first elements have them: 2 and 3 for {{1, 2, 3}, {4, 5, 6}}.
std::vector<std::int64_t> sizes_of_text(std::string_view text, std::size_t rank) {
  std::vector<std::int64_t> sizes(rank, 0);
  std::vector<bool> is_counted(rank, false);  // the first group of braces of this depth has ended
  const text::Lexer lexer(text);
  std::size_t depth = 0;
  bool follows_element = false;
  const auto add_element = [&](std::size_t at) {
    if (at > 0 && at <= rank && !is_counted[at - 1]) {
      ++sizes[at - 1];
    }
  };
  for (text::Token token = lexer.at(0); token.kind != text::TokenKind::End && token.kind != text::TokenKind::Error;
       token = lexer.at(token.end)) {
    const std::string_view word = lexer.text(token);
    if (word == "{") {
      add_element(depth++);
      follows_element = false;
    } else if (word == "}" && depth > 0) {
      if (depth <= rank) {
        is_counted[depth - 1] = true;
      }
      --depth;
      follows_element = true;
    } else if (word == ",") {
      follows_element = false;
    } else if (!follows_element) {
      add_element(depth);
      follows_element = true;
    }
  }
  return sizes;
}

Result<ir::Literal> read_raw(const std::string &bytes, const ir::Shape &shape, const std::string &file) {
  BP_ASSIGN(ir::Literal array, ir::Literal::zeros(shape));
  if (bytes.size() != array.bytes().size()) {
    return invalid_input("{}: {} bytes, expected {} of {}", file, bytes.size(), array.bytes().size(),
                         ir::to_string(shape));
  }
  if (!bytes.empty()) {
    std::memcpy(array.mutable_bytes().data(), bytes.data(), bytes.size());
  }
  ir::extend(array);
  return array;
}

Result<ir::Literal> read_tensor_file(const std::string &bytes, const std::string &file) {
  Result<import::onnx::StoredValue> value = import::onnx::read_value(bytes, import::onnx::Form::Array);
  if (!value.ok()) {
    return std::move(value).error().at({file, 0, 0, {}});
  }
  return std::move(value->arrays[0]);
}

bool is_text_literal(const std::string &file, std::string_view bytes) {
  return !is_npy(bytes) && !is_raw(file) && !file.ends_with(".pb");
}

// Whether names are arr_0, arr_1, ..., which NumPy gives to arrays without one.
bool are_numbered(const std::vector<std::pair<std::string, std::string>> &entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].first != fmt::format("arr_{}", i)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<InputFiles> InputFiles::read(const std::vector<std::string> &inputs) {
  InputFiles files;
  for (const std::string &input : inputs) {
    const std::size_t equals = input.find('=');
    const bool has_name = equals != std::string::npos && equals > 0 && input.find('/') > equals;
    const std::string file = has_name ? input.substr(equals + 1) : input;
    BP_ASSIGN(std::string bytes, read_file(file));
    if (!is_npz(bytes)) {
      files.inputs_.push_back({has_name ? input.substr(0, equals) : "", file, std::move(bytes)});
      continue;
    }
    BP_ASSIGN(auto entries, read_npz(bytes, file));
    if (entries.empty()) {
      return invalid_input("{}: there are no arrays in it", file);
    }
    const bool is_by_order = are_numbered(entries);
    for (auto &[name, content] : entries) {
      files.inputs_.push_back({is_by_order ? "" : name, fmt::format("{}:{}", file, name), std::move(content)});
    }
  }
  std::map<std::string, const Input *> by_parameter;
  for (const Input &input : files.inputs_) {
    const auto [first, is_new] = by_parameter.emplace(plain(input.parameter), &input);
    if (!is_new && !input.parameter.empty()) {
      return invalid_input("{} and {} are both for {}, expected one array for each parameter", first->second->file,
                           input.file, input.parameter);
    }
  }
  return files;
}

std::optional<std::size_t> InputFiles::find(std::size_t parameter, const std::string &name) const {
  std::size_t unnamed = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::string &wanted = inputs_[i].parameter;
    if (wanted.empty() ? unnamed++ == parameter : wanted == std::to_string(parameter) || plain(wanted) == plain(name)) {
      return i;
    }
  }
  return {};
}

std::string InputFiles::find_surplus(const std::vector<std::string> &parameter_names) const {
  for (std::size_t i = 0, unnamed = 0; i < inputs_.size(); ++i) {
    bool is_known = inputs_[i].parameter.empty() && unnamed++ < parameter_names.size();
    for (std::size_t p = 0; p < parameter_names.size() && !is_known; ++p) {
      is_known = find(p, parameter_names[p]) == i;
    }
    if (!is_known && !inputs_[i].parameter.empty()) {
      return inputs_[i].parameter;
    }
  }
  return {};
}

Result<ir::Literal> InputFiles::value(std::size_t input, const ir::Shape &shape) const {
  const auto &[parameter, file, bytes] = inputs_[input];
  if (is_text_literal(file, bytes)) {
    return text::parse_literal(bytes, shape, file);
  }
  if (!shape.is_array()) {
    return invalid_input("{}: an array, expected {}, as text in HLO's notation", file, ir::to_string(shape));
  }
  if (is_raw(file)) {
    return read_raw(bytes, shape, file);
  }
  BP_ASSIGN(ir::Literal array,
            is_npy(bytes) ? read_npy(bytes, shape.element_type(), file) : read_tensor_file(bytes, file));
  if (!ir::same_sizes(array.shape(), shape) || array.shape().element_type() != shape.element_type()) {
    return invalid_input("{}: an array of {}, expected {}", file, ir::to_string(array.shape()), ir::to_string(shape));
  }
  return array;
}

Result<std::vector<std::int64_t>> InputFiles::sizes(std::size_t input, const ir::Shape &shape) const {
  const auto &[parameter, file, bytes] = inputs_[input];
  if (is_npy(bytes)) {
    BP_ASSIGN(const NpyHeader header, read_npy_header(bytes, file));
    return header.sizes;
  }
  if (file.ends_with(".pb")) {
    BP_ASSIGN(const ir::Literal array, read_tensor_file(bytes, file));
    return std::vector<std::int64_t>(array.shape().sizes().begin(), array.shape().sizes().end());
  }
  if (is_raw(file)) {
    return invalid_input("{}: bytes have no sizes, expected them by --shape", file);
  }
  return sizes_of_text(bytes, shape.is_array() ? shape.rank() : 0);
}

Status write_results(const std::string &file, const ir::Literal &result, const std::vector<std::string> &names) {
  std::vector<ir::Literal> values(result.tuple_elements().begin(), result.tuple_elements().end());
  if (!result.shape().is_tuple()) {
    values.push_back(result);
  }
  if (std::ranges::any_of(values, [](const ir::Literal &value) { return !value.shape().is_array(); })) {
    return unsupported("{}: a result is no array, expected arrays", file);
  }
  for (ir::Literal &value : values) {
    BP_ASSIGN(value, ir::cut_to_run_time_sizes(value));
  }
  if (file.ends_with(".npy")) {
    if (values.size() != 1) {
      return invalid_input("{}: there are {} results, expected one: a file .npz keeps several", file, values.size());
    }
    return write_file(file, write_npy(values[0]));
  }
  std::vector<std::pair<std::string, ir::Literal>> named;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string name = i < names.size() ? names[i] : std::string();
    const bool is_taken = std::ranges::any_of(named, [&](const auto &other) { return other.first == name; });
    named.emplace_back(name.empty() || is_taken ? fmt::format("arr_{}", i) : name, values[i]);
  }
  return write_npz(file, named);
}

}  // namespace bp::arrays
