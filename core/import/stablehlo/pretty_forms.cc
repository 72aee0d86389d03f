// Readers of special pretty forms: loops, reductions, convolutions, slices, calls, constants.
// Each produces the same operation as the generic form: the same attribute names, and regions.
#include <unordered_map>

#include <charconv>

#include "core/import/stablehlo/operations.h"
#include "core/import/stablehlo/program_reader.h"

namespace bp::import::stablehlo {

std::optional<ProgramReader::Form> ProgramReader::find_form(std::string_view name) {
  static const std::unordered_map<std::string_view, Form> forms = {
      {"builtin.module", &ProgramReader::read_module},
      {"func.func", &ProgramReader::read_function},
      {"func.call", &ProgramReader::read_call},
      {"sdy.manual_computation", &ProgramReader::read_manual_computation},
      {"sdy.mesh", &ProgramReader::read_mesh},
      {"sdy.sharding_constraint", &ProgramReader::read_sharding_constraint},
      {"sdy.sharding_group", &ProgramReader::read_sharding_group},
      {"stablehlo.constant", &ProgramReader::read_constant},
      {"chlo.constant", &ProgramReader::read_constant},
      {"stablehlo.compare", &ProgramReader::read_compare},
      {"stablehlo.slice", &ProgramReader::read_slice},
      {"stablehlo.get_tuple_element", &ProgramReader::read_get_tuple_element},
      {"stablehlo.custom_call", &ProgramReader::read_custom_call},
      {"stablehlo.composite", &ProgramReader::read_composite},
      {"stablehlo.convolution", &ProgramReader::read_convolution},
      {"stablehlo.dynamic_conv", &ProgramReader::read_convolution},
      {"stablehlo.reduce", &ProgramReader::read_reduce},
      {"stablehlo.reduce_precision", &ProgramReader::read_reduce_precision},
      {"stablehlo.while", &ProgramReader::read_while},
      {"chlo.scan", &ProgramReader::read_scan},
      {"check.expect_eq_const", &ProgramReader::read_constant_check},
      {"check.expect_almost_eq_const", &ProgramReader::read_constant_check},
  };
  auto found = forms.find(name);
  return found == forms.end() ? std::nullopt : std::optional(found->second);
}

// Reads constant {attributes} dense<1> : tensor<4xi32>.
Status ProgramReader::read_constant(Operation &operation) {
  if (tokens_.is('(')) {  // an older form: constant() {value = ...} : () -> T
    return read_default(operation);
  }
  BP_TRY(read_optional_attributes(operation));
  BP_ASSIGN(Attribute value, read_attribute(TypeSuffix::Belongs));
  const auto *elements = value.get<Elements>();
  if (elements == nullptr) {
    return tokens_.error_at(value.position, "expected dense<...> as the value of a constant");
  }
  Type type = elements->type;
  add_attribute(operation, "value", std::move(value));
  return define_results(operation, {std::move(type)});
}

// Reads expect_eq_const %a, dense<1> : tensor<4xi32> {tolerance = 0.1 : f64}.
Status ProgramReader::read_constant_check(Operation &operation) {
  BP_TRY(read_operand(operation));
  BP_TRY(tokens_.expect(',', "after the operand"));
  BP_ASSIGN(Attribute value, read_attribute(TypeSuffix::Belongs));
  add_attribute(operation, "value", std::move(value));
  while (tokens_.accept(',')) {
    BP_TRY(read_item(operation));
  }
  BP_TRY(read_optional_attributes(operation));
  return define_results(operation, {});
}

// Reads compare LT, %a, %b, FLOAT : (T, T) -> tensor<i1>.
Status ProgramReader::read_compare(Operation &operation) {
  BP_ASSIGN(Attribute direction, read_attribute(TypeSuffix::Not));
  add_attribute(operation, "comparison_direction", std::move(direction));
  for (int i = 0; i < 2; ++i) {
    BP_TRY(tokens_.expect(',', "before an operand"));
    BP_TRY(read_operand(operation));
  }
  if (tokens_.accept(',')) {
    BP_ASSIGN(Attribute type, read_attribute(TypeSuffix::Not));
    add_attribute(operation, "compare_type", std::move(type));
  }
  BP_TRY(read_optional_attributes(operation));
  return read_optional_signature(operation);
}

// Reads slice %a [0:4:2, 1:3] : (T) -> T.
Status ProgramReader::read_slice(Operation &operation) {
  BP_TRY(read_operand(operation));
  std::size_t begin = tokens_.token().begin;
  std::vector<Attribute> starts, limits, strides;
  BP_TRY(tokens_.expect('[', "before the ranges of a slice"));
  BP_TRY(tokens_.read_list(']', "the ranges of a slice", [&]() -> Status {
    BP_ASSIGN(std::int64_t start, tokens_.read_integer("the start of a slice"));
    BP_TRY(tokens_.expect(':', "after the start of a slice"));
    BP_ASSIGN(std::int64_t limit, tokens_.read_integer("the limit of a slice"));
    std::int64_t stride = 1;
    if (tokens_.accept(':')) {
      BP_ASSIGN(stride, tokens_.read_integer("the stride of a slice"));
    }
    starts.push_back({start, begin});
    limits.push_back({limit, begin});
    strides.push_back({stride, begin});
    return {};
  }));
  add_attribute(operation, "start_indices", {std::move(starts), begin});
  add_attribute(operation, "limit_indices", {std::move(limits), begin});
  add_attribute(operation, "strides", {std::move(strides), begin});
  BP_TRY(read_optional_attributes(operation));
  return read_optional_signature(operation);
}

// Reads get_tuple_element %a[0] : (tuple<T>) -> T.
Status ProgramReader::read_get_tuple_element(Operation &operation) {
  BP_TRY(read_operand(operation));
  BP_TRY(tokens_.expect('[', "before the number of an element"));
  Attribute number{{}, tokens_.token().begin};
  BP_ASSIGN(number.value, tokens_.read_integer("the number of an element"));
  add_attribute(operation, "index", std::move(number));
  BP_TRY(tokens_.expect(']', "after the number of an element"));
  BP_TRY(read_optional_attributes(operation));
  return read_optional_signature(operation);
}

// Reads call @f(%a) : (T) -> T.
Status ProgramReader::read_call(Operation &operation) {
  return read_symbol_call(operation, "callee");
}

Status ProgramReader::read_custom_call(Operation &operation) {
  return read_symbol_call(operation, "call_target_name");
}

Status ProgramReader::read_symbol_call(Operation &operation, std::string_view attribute) {
  Attribute name{{}, tokens_.token().begin};
  BP_ASSIGN(std::string symbol, read_symbol("what is called, as in @name"));
  name.value = Symbol{std::move(symbol)};
  add_attribute(operation, attribute, std::move(name));
  BP_TRY(read_operands(operation));
  BP_TRY(read_optional_attributes(operation));
  return read_optional_signature(operation);
}

// Reads composite "name" %a {decomposition = @f} : (T) -> T.
Status ProgramReader::read_composite(Operation &operation) {
  Attribute name{{}, tokens_.token().begin};
  BP_ASSIGN(name.value, read_string("the name of a composite"));
  add_attribute(operation, "name", std::move(name));
  BP_TRY(read_items(operation));
  BP_TRY(read_optional_regions(operation));
  BP_TRY(read_optional_attributes(operation));
  return read_optional_signature(operation);
}

// Reads convolution(%a, %b) dim_numbers = ..., window = {...} {attributes} : (T, T) -> T.
Status ProgramReader::read_convolution(Operation &operation) {
  BP_TRY(read_operands(operation));
  BP_TRY(tokens_.expect_word("dim_numbers"));
  BP_TRY(tokens_.expect('='));
  Attribute dimensions{{}, tokens_.token().begin};
  BP_ASSIGN(dimensions.value, read_convolution_dimensions());
  add_attribute(operation, "dimension_numbers", std::move(dimensions));
  BP_TRY(tokens_.expect(',', "before the window"));
  BP_TRY(tokens_.expect_word("window"));
  BP_TRY(tokens_.expect('='));
  BP_TRY(read_window(operation));
  BP_TRY(read_optional_attributes(operation));
  return read_optional_signature(operation);
}

Status ProgramReader::read_window(Operation &operation) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {{"stride", "window_strides"},
                                                                     {"pad", "padding"},
                                                                     {"lhs_dilate", "lhs_dilation"},
                                                                     {"rhs_dilate", "rhs_dilation"},
                                                                     {"reverse", "window_reversal"}};
  BP_TRY(tokens_.expect('{', "before the window"));
  return tokens_.read_list('}', "the window", [&]() -> Status {
    for (const auto &[name, attribute] : names) {
      if (tokens_.accept_word(name)) {
        return read_value_of(operation, attribute);
      }
    }
    return tokens_.expected("stride, pad, lhs_dilate, rhs_dilate or reverse");
  });
}

// Reads reduce(%a init: %b), (%c init: %d) applies stablehlo.add across dimensions = [0] : (T, T) -> T
//  reducer(%e: T, %f: T) (%g: T, %h: T) { ... }.
Status ProgramReader::read_reduce(Operation &operation) {
  boost::container::small_vector<ValueId, 2> inits;
  do {
    BP_TRY(tokens_.expect('(', "before an operand and its initial value"));
    BP_TRY(read_operand(operation));
    BP_TRY(tokens_.expect_word("init"));
    BP_TRY(tokens_.expect(':', "after 'init'"));
    BP_ASSIGN(ValueId init, use());
    inits.push_back(init);
    BP_TRY(tokens_.expect(')', "after the initial value"));
  } while (tokens_.accept(','));
  operation.operands.insert(operation.operands.end(), inits.begin(), inits.end());
  bool has_name = tokens_.accept_word("applies");
  Token applied = tokens_.token();
  if (has_name) {
    BP_TRY(tokens_.read_identifier("the operation that is applied"));
  }
  BP_TRY(tokens_.expect_word("across"));
  BP_TRY(tokens_.expect_word("dimensions"));
  BP_TRY(read_value_of(operation, "dimensions"));
  BP_TRY(read_optional_attributes(operation));
  BP_TRY(read_optional_signature(operation));
  if (!has_name) {
    BP_TRY(read_optional_location());
    return read_reducer(operation);
  }
  // Builds the region that the name of the applied operation stands for.
  const Type type{ir::Shape::scalar(program_.type(inits[0]).shape.element_type()),
                  program_.type(inits[0]).quantization};
  Region &region = operation.regions.emplace_back();
  region.position = applied.begin;
  Operation apply = begin_operation(tokens_.text(applied), applied.begin);
  Operation finish = begin_operation("stablehlo.return", applied.begin);
  Operation arguments;
  BP_TRY(define_results(arguments, {type, type}));
  region.arguments = {arguments.result(0), arguments.result(1)};
  region.argument_names = {"lhs", "rhs"};
  apply.operands = {arguments.result(0), arguments.result(1)};
  if (find_row(apply.name) == nullptr) {
    return tokens_.error_at(applied.begin, "unknown operation {}{}", apply.name, did_you_mean(apply.name));
  }
  BP_TRY(define_results(apply, {type}));
  finish.operands = {apply.result(0)};
  region.operations.push_back(std::move(apply));
  region.operations.push_back(std::move(finish));
  return {};
}

Status ProgramReader::read_reducer(Operation &operation) {
  BP_TRY(tokens_.expect_word("reducer"));
  // The block takes all accumulators, then all elements.
  std::vector<Argument> left, right;
  while (tokens_.accept('(')) {
    BP_ASSIGN(Argument accumulator, read_argument());
    BP_TRY(read_optional_location());
    BP_TRY(tokens_.expect(',', "after the first argument of a reducer"));
    BP_ASSIGN(Argument element, read_argument());
    BP_TRY(read_optional_location());
    BP_TRY(tokens_.expect(')', "after the two arguments of a reducer"));
    left.push_back(std::move(accumulator));
    right.push_back(std::move(element));
  }
  left.insert(left.end(), right.begin(), right.end());
  BP_ASSIGN(Region region, read_region(left));
  operation.regions.push_back(std::move(region));
  return {};
}

// Reads while(%a = %b) : T attributes {...} cond { ... } do { ... }.
Status ProgramReader::read_while(Operation &operation) {
  std::vector<Argument> arguments;
  BP_TRY(tokens_.expect('(', "before the values of a loop"));
  BP_TRY(tokens_.read_list(')', "the values of a loop", [&]() -> Status {
    Argument argument{{}, tokens_.token().begin, {}};
    if (!tokens_.is(TokenKind::Name)) {
      return tokens_.expected("a value of the loop, as in %a = %b");
    }
    argument.name = tokens_.text(tokens_.take());
    BP_TRY(tokens_.expect('=', "after the name of a value of the loop"));
    BP_TRY(read_operand(operation));
    argument.type = program_.type(operation.operands.back());
    arguments.push_back(std::move(argument));
    return {};
  }));
  BP_TRY(read_optional_signature(operation));
  if (tokens_.accept_word("attributes")) {
    BP_TRY(read_optional_attributes(operation));
  }
  for (std::string_view word : {"cond", "do"}) {
    BP_TRY(tokens_.expect_word(word));
    BP_ASSIGN(Region region, read_region(arguments));
    operation.regions.push_back(std::move(region));
  }
  return {};
}

// Reads scan(%a) inits(%b) dimension=0 attributes {...} { ... } : (T, T) -> (T, T).
Status ProgramReader::read_scan(Operation &operation) {
  BP_TRY(read_operands(operation));
  BP_TRY(tokens_.expect_word("inits"));
  std::size_t inputs = operation.operands.size(), begin = tokens_.token().begin;
  BP_TRY(read_operands(operation));
  add_attribute(operation, "inits", {static_cast<std::int64_t>(operation.operands.size() - inputs), begin});
  BP_TRY(tokens_.expect_word("dimension"));
  BP_TRY(read_value_of(operation, "dimension"));
  if (tokens_.accept_word("attributes")) {
    BP_TRY(read_optional_attributes(operation));
  }
  BP_ASSIGN(Region region, read_region({}));
  operation.regions.push_back(std::move(region));
  return read_optional_signature(operation);
}

// Reads reduce_precision %a, format = e5m10 : T.
Status ProgramReader::read_reduce_precision(Operation &operation) {
  BP_TRY(read_items(operation));
  const auto format = std::ranges::find(operation.attributes, "format", &NamedAttribute::name);
  if (format != operation.attributes.end()) {
    const std::size_t begin = format->value.position;
    const auto *word = format->value.get<Keyword>();
    const std::string_view text = word == nullptr ? std::string_view() : word->text;
    std::int32_t exponent = 0, mantissa = 0;
    const char *end = text.data() + text.size();
    const auto first = std::from_chars(text.data() + (text.empty() ? 0 : 1), end, exponent);
    const bool has_both = text.starts_with('e') && first.ec == std::errc() && first.ptr != end && *first.ptr == 'm';
    const auto second = has_both ? std::from_chars(first.ptr + 1, end, mantissa) : first;
    const bool is_format = has_both && second.ec == std::errc() && second.ptr == end;
    if (!is_format) {
      return tokens_.error_at(begin, "expected a format as in e5m10, found {}", to_string(format->value));
    }
    operation.attributes.erase(format);
    add_attribute(operation, "exponent_bits", {std::int64_t{exponent}, begin, ir::ElementType::S32});
    add_attribute(operation, "mantissa_bits", {std::int64_t{mantissa}, begin, ir::ElementType::S32});
  }
  BP_TRY(read_optional_attributes(operation));
  return read_optional_signature(operation);
}

// Reads manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"}
//  (%b: T) { ... } : (T) -> T.
Status ProgramReader::read_manual_computation(Operation &operation) {
  BP_TRY(read_operands(operation));
  constexpr std::string_view attributes[][2] = {{"in_shardings", "#sdy.sharding_per_value<{}>"},
                                                {"out_shardings", "#sdy.sharding_per_value<{}>"},
                                                {"manual_axes", "#sdy<manual_axes{}>"}};
  for (const auto &[word, form] : attributes) {
    BP_TRY(tokens_.expect_word(word));
    BP_TRY(tokens_.expect('='));
    const std::size_t begin = tokens_.token().begin;
    BP_ASSIGN(const std::string inside, tokens_.read_balanced(word));
    add_attribute(operation, word, {OpaqueText{fmt::format(fmt::runtime(form), inside)}, begin});
  }
  std::vector<Argument> arguments;
  BP_TRY(tokens_.expect('(', "before the arguments of a region"));
  BP_TRY(tokens_.read_list(')', "the arguments of a region", [&]() -> Status {
    BP_ASSIGN(Argument argument, read_argument());
    arguments.push_back(std::move(argument));
    BP_TRY(read_optional_location());
    return {};
  }));
  BP_ASSIGN(Region region, read_region(arguments));
  operation.regions.push_back(std::move(region));
  return read_optional_signature(operation);
}

// Reads sharding_constraint %a <@mesh, [{}]> : T.
Status ProgramReader::read_sharding_constraint(Operation &operation) {
  BP_TRY(read_operand(operation));
  Attribute sharding{{}, tokens_.token().begin};
  BP_TRY(skip_angle_brackets("a sharding"));
  sharding.value = OpaqueText{"#sdy.sharding" + tokens_.canonical_since(sharding.position)};
  add_attribute(operation, "sharding", std::move(sharding));
  return read_optional_signature(operation);
}

// Reads sharding_group %a group_id=0 : T.
Status ProgramReader::read_sharding_group(Operation &operation) {
  BP_TRY(read_operand(operation));
  BP_TRY(tokens_.expect_word("group_id"));
  BP_TRY(tokens_.expect('=', "before the number of a group"));
  Attribute number{{}, tokens_.token().begin};
  BP_ASSIGN(number.value, tokens_.read_integer("the number of a group"));
  add_attribute(operation, "group_id", std::move(number));
  return read_optional_signature(operation);
}

}  // namespace bp::import::stablehlo
