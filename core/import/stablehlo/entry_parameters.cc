// The entry's parameters as the caller gives them: their sizes, and the elements on which sizes depend. Also the
// explanations of errors that follow from them.
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "core/import/stablehlo/lowering.h"

namespace bp::import::stablehlo {
namespace {

constexpr std::size_t max_named_parameters = 4;  // in one note

std::string_view without_sigil(std::string_view name) {
  return name.starts_with('%') ? name.substr(1) : name;
}

// Whether the caller means parameter `i`.
bool means(const ParameterIntegers &given, const Operation &entry, std::size_t i) {
  return given.parameter == std::to_string(i) ||
         without_sigil(given.parameter) == without_sigil(entry.regions[0].argument_names[i]);
}

const ParameterIntegers *find(const std::vector<ParameterIntegers> &given, const Operation &entry, std::size_t i) {
  const auto found = std::ranges::find_if(given, [&](const auto &one) { return means(one, entry, i); });
  return found == given.end() ? nullptr : &*found;
}

Status check_names(const Lowering &lowering, const Operation &entry, const std::vector<ParameterIntegers> &given,
                   std::string_view what) {
  const auto &names = entry.regions[0].argument_names;
  std::vector<const ParameterIntegers *> by_parameter(names.size());
  for (const ParameterIntegers &one : given) {
    std::size_t i = 0;
    while (i < names.size() && !means(one, entry, i)) {
      ++i;
    }
    if (i == names.size()) {
      return lowering.error(
          entry, names.empty()
                     ? fmt::format("{} of parameter {} are given, but there are no parameters", what, one.parameter)
                     : fmt::format("{} of parameter {} are given, expected a number from 0 to {}, or one of the names "
                                   "{}",
                                   what, one.parameter, names.size() - 1, fmt::join(names, ", ")));
    }
    if (by_parameter[i] != nullptr && by_parameter[i]->integers != one.integers) {
      return lowering.error(entry,
                            fmt::format("{} of parameter {} are given twice, as {} and as {}", what, i,
                                        fmt::join(by_parameter[i]->integers, ","), fmt::join(one.integers, ",")));
    }
    by_parameter[i] = &one;
  }
  return {};
}

}  // namespace

// Checks that the caller speaks of parameters that there are.
Status Lowering::check_given(const Operation &entry) const {
  if (entry.regions.size() != 1) {
    return {};  // reported when the function is lowered
  }
  const std::size_t given = options_.reading.parameter_shapes.size(), count = entry.regions[0].arguments.size();
  if (given != 0 && given != count) {
    return error(entry, fmt::format("{} shapes are given, but @{} has {} parameters", given,
                                    *entry.find("sym_name")->get<std::string>(), count));
  }
  BP_TRY(check_names(*this, entry, options_.reading.parameter_sizes, "sizes"));
  BP_TRY(check_names(*this, entry, options_.reading.parameter_values, "values"));
  for (std::size_t i = 0; i < count; ++i) {
    const Type &type = program_.type(entry.regions[0].arguments[i]);
    BP_TRY(entry_parameter_shape(entry, i));
    const ir::ElementType element = type.shape.element_type();
    if (!ir::is_integer(element) && element != ir::ElementType::Pred &&
        find(options_.reading.parameter_values, entry, i) != nullptr) {
      return error(
          entry, fmt::format("a value is given for parameter {}, but its type is {}, expected integers or truth values",
                             i, to_string(type)));
    }
  }
  return {};
}

Result<Shape> Lowering::entry_parameter_shape(const Operation &entry, std::size_t i) const {
  const Type &written = program_.type(entry.regions[0].arguments[i]);
  if (!options_.reading.parameter_shapes.empty()) {
    const Shape &wanted = options_.reading.parameter_shapes[i];
    if (wanted.is_array() != written.shape.is_array() || wanted.element_type() != written.shape.element_type() ||
        !wanted.is_static()) {
      return error(entry, fmt::format("the shape given for parameter {} is {}, but its type is {}", i,
                                      ir::to_string(wanted), to_string(written)));
    }
    return with_sizes(entry, i, wanted.sizes());
  }
  const ParameterIntegers *sizes = find(options_.reading.parameter_sizes, entry, i);
  return sizes == nullptr ? Result<Shape>(written.shape) : with_sizes(entry, i, sizes->integers);
}

// An unknown size becomes that of the caller. So does a bounded one, up to its bound.
Result<Shape> Lowering::with_sizes(const Operation &entry, std::size_t i, std::span<const std::int64_t> sizes) const {
  const Type &written = program_.type(entry.regions[0].arguments[i]);
  const std::string given =
      fmt::format("the shape given for parameter {} is {}[{}], but its type is {}", i,
                  ir::to_string(written.shape.element_type()), fmt::join(sizes, ","), to_string(written));
  if (sizes.size() != written.shape.rank()) {
    return error(entry, given);
  }
  Shape shape = written.shape;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t size = written.shape.size(d);
    if (sizes[d] < 0) {
      return error(entry, fmt::format("{}: a size is at least 0", given));
    }
    const bool is_open = size == ir::unbounded, is_bounded = written.shape.is_dynamic(d) && !is_open;
    if (is_bounded && sizes[d] > size) {
      return error(entry, fmt::format("{}: dimension {} is at most {}", given, d, size));
    }
    if (!is_open && !is_bounded && sizes[d] != size) {
      return error(entry, given);
    }
    shape.set_size(d, sizes[d]);
    shape.set_dynamic(d, false);
  }
  return shape;
}

Result<InstructionId> Lowering::entry_value(const Operation &entry, std::size_t i, InstructionId parameter) {
  const auto found = elements_.find(i);
  if (found == elements_.end()) {
    return parameter;
  }
  const Shape type = shape(parameter);
  if (static_cast<std::int64_t>(found->second.size()) != type.element_count()) {
    return error(entry, fmt::format("{} values are given for parameter {}, but its type is {}", found->second.size(), i,
                                    to_string(Type{type})));
  }
  BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(type));
  const bool fits = ir::visit_element_type(type.element_type(), [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>) {
      std::ranges::transform(found->second, literal.mutable_elements<bool>().begin(),
                             [](std::int64_t x) { return x != 0; });
      return std::ranges::all_of(found->second, [](std::int64_t x) { return x == 0 || x == 1; });
    } else if constexpr (std::is_integral_v<T>) {
      std::ranges::transform(found->second, literal.mutable_elements<T>().begin(),
                             [](std::int64_t x) { return static_cast<T>(x); });
      return std::ranges::all_of(found->second, [](std::int64_t x) { return std::in_range<T>(x); });
    } else {
      return false;
    }
  });
  if (!fits) {
    return error(entry, fmt::format("the value given for parameter {} is {}, but its type is {}", i,
                                    fmt::join(found->second, ","), to_string(Type{type})));
  }
  BP_ASSIGN(const InstructionId replacement, constant(entry, std::move(literal)));
  origins_.emplace(replacement, parameter);
  return replacement;
}

const Integers *Lowering::given_elements(std::size_t parameter) const {
  const ParameterIntegers *given = find(options_.reading.parameter_values, *entry_, parameter);
  return given == nullptr ? nullptr : &given->integers;
}

std::set<std::int64_t> Lowering::given_sizes() const {
  std::set<std::int64_t> sizes;
  for (std::size_t i = 0; i < entry_parameters_.size(); ++i) {
    const Shape &written = program_.type(entry_->regions[0].arguments[i]).shape;
    for (std::size_t d = 0; d < written.rank(); ++d) {
      if (const Shape &given = shape(entry_parameters_[i]); given.size(d) != written.size(d)) {
        sizes.insert(given.size(d));
      }
    }
  }
  return sizes;
}

Result<std::vector<Parameter>> Lowering::list_parameters() {
  BP_TRY(find_functions());
  BP_ASSIGN(const Operation *entry, choose_entry());
  BP_TRY(expect_regions(*entry, 1, 1));
  std::vector<Parameter> all;
  for (std::size_t i = 0; i < entry->regions[0].arguments.size(); ++i) {
    all.push_back({std::string(without_sigil(entry->regions[0].argument_names[i])),
                   program_.type(entry->regions[0].arguments[i]).shape});
  }
  return all;
}

// --- Explanations ---

// Names the parameters whose sizes are not given.
std::string Lowering::note_of_open_parameters() const {
  std::vector<std::string> names, options;
  for (std::size_t i = 0; i < entry_parameters_.size() && names.size() < max_named_parameters; ++i) {
    const Shape &found = shape(entry_parameters_[i]);
    if (!has_unbounded(found)) {
      continue;
    }
    std::vector<std::string> sizes;
    for (const std::int64_t size : found.sizes()) {
      sizes.push_back(size == ir::unbounded ? "8" : std::to_string(size));
    }
    names.push_back(fmt::format("{}, {}", describe_parameter(i), to_string(Type{found})));
    options.push_back(fmt::format("{}={}", i, fmt::join(sizes, "x")));
  }
  return fmt::format("sizes of {}, are not known: give them, as in --shape {}", fmt::join(names, "; "),
                     fmt::join(options, " "));
}

InstructionId Lowering::first_unknown(InstructionId id) const {
  for (;;) {
    const ir::Instruction instruction = module_.instruction(id);
    const auto operands = instruction.operands();
    const auto unknown = std::ranges::find_if(operands, [&](InstructionId x) { return !known_integers(x); });
    if (unknown == operands.end()) {
      return id;
    }
    id = *unknown;
  }
}

Error Lowering::not_known(const Operation &operation, std::string message, InstructionId integers) const {
  Error problem = unsupported(operation, std::move(message));
  is_explained_ = true;
  if (has_open_parameters_) {
    return std::move(problem).note(note_of_open_parameters());
  }
  if (integers == ir::no_instruction) {
    return problem;
  }
  const ir::Instruction cause = module_.instruction(first_unknown(integers));
  const auto parameter = std::ranges::find(entry_parameters_, cause.id());
  if (parameter != entry_parameters_.end() && ir::is_integer(cause.shape().element_type())) {
    missing_parameter_ = static_cast<std::size_t>(parameter - entry_parameters_.begin());
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(cause.shape().element_count(), 3));
    return std::move(problem).note(fmt::format("sizes depend on the value of {}: give it, as in --value {}={}",
                                               describe_parameter(*missing_parameter_), *missing_parameter_,
                                               fmt::join(std::vector(count, 8), ",")));
  }
  const bool is_evaluated = !cause.operands().empty() && ir::is_integer(cause.shape().element_type());
  const std::string file = program_.file.empty() ? "" : program_.file + ":";
  return std::move(problem).note(fmt::format("{}{}:{}: sizes depend on {}, a {} {}", file, cause.source_line(),
                                             cause.source_column(), cause.name(), cause.op().text,
                                             is_evaluated
                                                 ? "that overflows, or is not evaluated while a program is read"
                                                 : "whose elements only a run knows"));
}

std::string Lowering::describe_parameter(std::size_t number) const {
  return fmt::format("parameter {} ({})", number, module_.instruction(entry_parameters_[number]).name());
}

bool Lowering::is_open(const Shape &shape) const {
  return has_unbounded(shape) || (has_given_bounds_ && !shape.is_static());
}

// Remembers operands that the instruction, which the operation added, does not have.
void Lowering::keep_origins(const Operation &operation, InstructionId id) {
  const ir::Instruction instruction = module_.instruction(id);
  if (instruction.source_line() != operation.start.line || instruction.source_column() != operation.start.column) {
    return;
  }
  for (const ValueId value : operation.operands) {
    const InstructionId operand = values_[index(value)];
    if (operand != id && std::ranges::find(instruction.operands(), operand) == instruction.operands().end()) {
      origins_.emplace(id, operand);
    }
  }
}

std::string Lowering::note_of_origins(std::span<const InstructionId> operands) const {
  std::vector<InstructionId> stack(operands.begin(), operands.end());
  std::unordered_set<std::uint32_t> seen;
  while (!stack.empty()) {
    const InstructionId id = stack.back();
    stack.pop_back();
    if (id == ir::no_instruction || !seen.insert(ir::index(id)).second) {
      continue;
    }
    for (auto [origin, end] = origins_.equal_range(id); origin != end; ++origin) {
      stack.push_back(origin->second);
    }
    const auto operands_of = module_.instruction(id).operands();
    stack.insert(stack.end(), operands_of.begin(), operands_of.end());
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entry_parameters_.size(); ++i) {
    const InstructionId id = entry_parameters_[i];
    const auto elements = elements_.find(i);
    if (!seen.contains(ir::index(id)) || (elements == elements_.end() && !has_given_sizes_[i])) {
      continue;
    }
    names.push_back(
        elements == elements_.end()
            ? fmt::format("{}, given as {}", describe_parameter(i), ir::to_string(shape(id)))
            : fmt::format("{}, whose value is {}", describe_parameter(i), fmt::join(elements->second, ",")));
  }
  const std::size_t more = names.size() - std::min(names.size(), max_named_parameters);
  names.resize(names.size() - more);
  return names.empty() ? ""
                       : fmt::format("sizes come from {}{}", fmt::join(names, "; "),
                                     more == 0 ? "" : fmt::format("; and {} more", more));
}

// Sets the note of the failure from the instruction at this place of the text.
void Lowering::note_instruction_at(const SourceLocation &location) {
  if (!is_specialized() || location.line == 0) {
    return;
  }
  for (const ir::Computation computation : module_.computations()) {
    for (const ir::Instruction instruction : computation.instructions()) {
      if (instruction.source_line() == location.line && instruction.source_column() == location.column) {
        const InstructionId id = instruction.id();
        failure_note_ = note_of_origins({&id, 1});
        return;
      }
    }
  }
}

}  // namespace bp::import::stablehlo
