#include "core/import/find_front_end.h"

#include <fmt/ranges.h>

#include "core/import/foreign_formats.h"
#include "core/import/front_ends.h"
#include "core/import/library/library_front_ends.h"

namespace bp::import {
namespace {

// Returns "HLO text, StableHLO or an ONNX model".
std::string names_of_formats() {
  std::string names;
  for (const FrontEnd *front_end : front_ends()) {
    const bool is_last = front_end == front_ends().back();
    names += fmt::format("{}{}", names.empty() ? "" : is_last ? " or " : ", ", front_end->description);
  }
  return names;
}

// Whether the name of the file ends with one of the front end's endings, which have spaces between them.
bool has_ending_of(const FrontEnd &front_end, std::string_view file) {
  for (std::string_view rest = front_end.endings; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (file.ends_with(rest.substr(0, end))) {
      return true;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// The front ends of the core live as long as the process.
std::shared_ptr<const FrontEnd> borrow(const FrontEnd *front_end) {
  return {std::shared_ptr<const FrontEnd>(), front_end};
}

Error no_front_end(std::string_view bytes, const std::string &file) {
  const auto binary = find_binary_byte(bytes);
  return invalid_input("{}: {}, expected {}", file,
                       !binary ? std::string("no program")
                               : fmt::format("a binary file (there is a byte {} at offset {})",
                                             static_cast<unsigned char>(bytes[*binary]), *binary),
                       names_of_formats());
}

}  // namespace

Result<std::shared_ptr<const FrontEnd>> find_front_end(std::string_view bytes, const std::string &file) {
  const ForeignFormat *foreign = find_foreign_format(bytes);
  const FrontEnd *own = foreign == nullptr ? recognize(bytes) : nullptr;
  if (own != nullptr && has_ending_of(*own, file)) {
    return borrow(own);
  }
  BP_ASSIGN(std::shared_ptr<const FrontEnd> found, library::find_front_end(bytes, file));
  if (found != nullptr) {
    return found;
  }
  if (own != nullptr) {
    return borrow(own);
  }
  const auto named = std::ranges::find_if(front_ends(), [&](const FrontEnd *one) { return has_ending_of(*one, file); });
  if (foreign == nullptr && named != front_ends().end()) {
    return borrow(*named);
  }
  Error error = foreign == nullptr ? no_front_end(bytes, file)
                                   : invalid_input("{}: {}, expected {}", file, foreign->name, names_of_formats())
                                         .note(std::string(foreign->road));
  for (std::string &refusal : library::refusals_for(bytes, file)) {
    error = std::move(error).note(std::move(refusal));
  }
  return error;
}

Result<std::shared_ptr<const FrontEnd>> find_front_end_by_name(std::string_view name) {
  std::vector<std::string> names;
  for (const FrontEnd *front_end : front_ends()) {
    if (front_end->name == name) {
      return borrow(front_end);
    }
    names.emplace_back(front_end->name);
  }
  for (const library::LibraryFormat &format : library::formats()) {
    if (format.manifest.name == name) {
      return format.refusal.empty() ? library::load(format) : invalid_input("{}", format.refusal);
    }
    names.push_back(format.manifest.name);
  }
  return invalid_input("there is no format '{}', expected one of {}", name, fmt::join(names, ", "));
}

}  // namespace bp::import
