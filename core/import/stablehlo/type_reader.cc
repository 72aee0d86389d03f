// Reads types: tensor<2x?xf32, #stablehlo.bounds<?, 4>>, complex<f32>, tuple<...>, !stablehlo.token,
// !quant.uniform<...>.
#include <charconv>

#include "core/import/stablehlo/syntax_reader.h"

namespace bp::import::stablehlo {
namespace {

using ir::ElementType;

std::optional<ElementType> element_type_of(std::string_view name) {
  static const auto types = [] {
    std::unordered_map<std::string, ElementType> table;
    for (const ir::ElementTypeInfo &row : ir::element_types()) {
      bool is_simple = row.type_class != ir::TypeClass::Opaque && row.type_class != ir::TypeClass::Complex;
      if (is_simple && row.type != ElementType::S1) {
        table.emplace(element_type_name(row.type), row.type);
      }
    }
    for (int bits : {2, 4, 8, 16, 32, 64}) {  // some writers use si8 instead of i8
      table.emplace(fmt::format("si{}", bits), table.at(fmt::format("i{}", bits)));
    }
    table.emplace("index", ElementType::S64);
    return table;
  }();
  auto found = types.find(std::string(name));
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

Result<Type> SyntaxReader::read_type() {
  TokenReader::Nesting nesting(tokens_);
  BP_TRY(nesting.check());
  std::size_t begin = tokens_.token().begin;
  if (tokens_.accept('!')) {
    std::string_view name = tokens_.text();
    if (name == "quant.uniform") {
      return read_quantized_element();
    }
    if (name == "stablehlo.token" || name == "mhlo.token") {
      tokens_.advance();
      return Type{ir::Shape::token()};
    }
    if (name == "stablehlo.future") {  // a future of several values is a tuple
      BP_ASSIGN(std::vector<ir::Shape> values, read_elements());
      Type type{values.size() == 1 ? std::move(values[0]) : ir::Shape::tuple(std::move(values))};
      type.is_future = true;
      return type;
    }
    BP_ASSIGN(std::size_t end, enter_alias(begin));
    BP_ASSIGN(Type type, read_type());
    tokens_.go_to(end);
    return type;
  }
  if (tokens_.is_word("tensor")) {
    return read_tensor();
  }
  if (tokens_.is_word("memref")) {
    BP_ASSIGN(Type content, read_tensor());
    return Type{ir::Shape::buffer(std::move(content.shape))};
  }
  if (tokens_.is_word("tuple")) {
    BP_ASSIGN(std::vector<ir::Shape> elements, read_elements());
    return Type{ir::Shape::tuple(std::move(elements))};
  }
  if (tokens_.is_word("none")) {
    tokens_.advance();
    return Type{ir::Shape::tuple({})};
  }
  if (!tokens_.is(TokenKind::Identifier)) {
    return tokens_.expected("a type");
  }
  BP_ASSIGN(ElementType element, read_element_type());
  return Type{ir::Shape::scalar(element)};
}

Result<std::vector<Type>> SyntaxReader::read_type_list() {
  std::vector<Type> types;
  auto item = [&]() -> Status {
    BP_ASSIGN(Type type, read_type());
    types.push_back(std::move(type));
    return {};
  };
  if (tokens_.accept('(')) {
    BP_TRY(tokens_.read_list(')', "a list of types", item));
  } else {
    BP_TRY(item());
  }
  return types;
}

Result<Type> SyntaxReader::read_tensor() {
  std::size_t begin = tokens_.token().begin;
  tokens_.advance();
  BP_TRY(tokens_.expect('<', "after 'tensor'"));
  BP_ASSIGN(ir::Dimensions sizes, read_sizes());
  if (sizes.size() > ir::max_rank) {
    return tokens_.error_at(begin, "a tensor of {} dimensions, expected at most {}", sizes.size(), ir::max_rank);
  }
  Type type;
  if (tokens_.is('!')) {
    BP_ASSIGN(type, read_type());
  } else {
    BP_ASSIGN(ElementType element, read_element_type());
    type.shape = ir::Shape::scalar(element);
  }
  if (!type.shape.is_scalar()) {
    return tokens_.error_at(begin, "{} as the element type of a tensor", to_string(type));
  }
  type.shape = ir::Shape::array(type.shape.element_type(), std::span(sizes.data(), sizes.size()));
  if (tokens_.accept(',')) {
    BP_TRY(read_encoding(type.shape));
  }
  BP_TRY(tokens_.expect('>', "after a tensor type"));
  if (const std::string problem = scales_problem(type); !problem.empty()) {
    return tokens_.error_at(begin, "{}", problem);
  }
  return type;
}

// Sizes and the element type are not separated by blanks, as in 2x?xf32: reads them character by character.
Result<ir::Dimensions> SyntaxReader::read_sizes() {
  ir::Dimensions sizes;
  std::string_view source = tokens_.source();
  while (true) {
    std::size_t begin = tokens_.token().begin, end = begin;
    if (tokens_.is('?')) {
      sizes.push_back(ir::unbounded);
      ++end;
    } else if (tokens_.is(TokenKind::Number) && source[begin] != '-') {
      while (end < source.size() && source[end] >= '0' && source[end] <= '9') {
        ++end;
      }
      std::int64_t size = 0;
      if (std::from_chars(source.data() + begin, source.data() + end, size).ec != std::errc()) {
        return tokens_.error("the size {} does not fit into 64 bits", source.substr(begin, end - begin));
      }
      sizes.push_back(size);
    } else {
      return sizes;
    }
    tokens_.go_to(end);
    begin = tokens_.token().begin;
    if (begin >= source.size() || source[begin] != 'x') {
      return tokens_.expected("'x' after a size");
    }
    tokens_.go_to(begin + 1);
  }
}

Result<ElementType> SyntaxReader::read_element_type() {
  if (tokens_.accept_word("complex")) {
    BP_TRY(tokens_.expect('<', "after 'complex'"));
    std::size_t begin = tokens_.token().begin;
    BP_ASSIGN(std::string_view part, tokens_.read_identifier("f32 or f64"));
    BP_TRY(tokens_.expect('>', "after the type of the parts of a complex number"));
    if (part != "f32" && part != "f64") {
      return tokens_.error_at(begin, "complex numbers of {}, expected f32 or f64", part);
    }
    return part == "f32" ? ElementType::C64 : ElementType::C128;
  }
  if (!tokens_.is(TokenKind::Identifier)) {
    return tokens_.expected("an element type");
  }
  auto type = element_type_of(tokens_.text());
  if (!type) {
    return tokens_.error("unknown type {}", tokens_.found());
  }
  tokens_.advance();
  return *type;
}

// Reads #stablehlo.bounds<4, ?>, or the older #stablehlo.type_extensions<bounds = [4, ?]>.
Status SyntaxReader::read_encoding(ir::Shape &shape) {
  std::size_t begin = tokens_.token().begin;
  BP_TRY(tokens_.expect('#', "before the encoding of a tensor"));
  bool has_brackets = tokens_.is_word("stablehlo.type_extensions") || tokens_.is_word("mhlo.type_extensions");
  if (!has_brackets && !tokens_.is_word("stablehlo.bounds")) {
    return tokens_.error_at(begin, "unknown encoding {}, expected #stablehlo.bounds", tokens_.found());
  }
  tokens_.advance();
  BP_TRY(tokens_.expect('<', "before the bounds"));
  if (has_brackets) {
    BP_TRY(tokens_.expect_word("bounds"));
    BP_TRY(tokens_.expect('='));
    BP_TRY(tokens_.expect('['));
  }
  std::size_t count = 0;
  BP_TRY(tokens_.read_list(has_brackets ? ']' : '>', "the bounds", [&]() -> Status {
    std::size_t at = tokens_.token().begin;
    std::size_t dimension = count++;
    if (tokens_.accept('?')) {
      return {};
    }
    BP_ASSIGN(std::int64_t bound, tokens_.read_integer("a bound or '?'"));
    if (dimension >= shape.rank() || shape.size(dimension) != ir::unbounded || bound < 0) {
      return tokens_.error_at(at, "the bound {} of dimension {} of {}, expected one for each '?'", bound, dimension,
                              to_string(Type{shape}));
    }
    shape.set_size(dimension, bound);
    return {};
  }));
  if (has_brackets) {
    BP_TRY(tokens_.expect('>', "after the bounds"));
  }
  if (count != shape.rank()) {
    return tokens_.error_at(begin, "{} bounds for {} dimensions", count, shape.rank());
  }
  return {};
}

// Reads i8, or u8, which is the spelling of ui8 in quantized types.
Result<ElementType> SyntaxReader::read_storage_type() {
  const std::string_view word = tokens_.text();
  if (tokens_.is(TokenKind::Identifier) && word.starts_with('u')) {
    if (auto type = element_type_of(fmt::format("ui{}", word.substr(1)))) {
      tokens_.advance();
      return *type;
    }
  }
  if (word.starts_with("si")) {
    return tokens_.error("the storage type {}, expected i8, u8 and the like", word);
  }
  return read_element_type();
}

// Reads !quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5}>; the current token must be quant.uniform.
Result<Type> SyntaxReader::read_quantized_element() {
  tokens_.advance();
  BP_TRY(tokens_.expect('<', "after 'quant.uniform'"));
  std::size_t begin = tokens_.token().begin;
  BP_ASSIGN(ElementType storage, read_storage_type());
  if (!ir::is_integer(storage) || ir::bit_width(storage) > 32) {
    return tokens_.error_at(begin, "the storage type {}, expected integers of at most 32 bits",
                            element_type_name(storage));
  }
  auto quantization = std::make_shared<Quantization>();
  int bits = ir::bit_width(storage);
  quantization->storage_min = ir::is_signed(storage) ? -(std::int64_t{1} << (bits - 1)) : 0;
  quantization->storage_max = quantization->storage_min + (std::int64_t{1} << bits) - 1;
  if (tokens_.accept('<')) {
    const std::int64_t least = quantization->storage_min, greatest = quantization->storage_max;
    begin = tokens_.token().begin;
    BP_ASSIGN(quantization->storage_min, tokens_.read_integer("the least stored value"));
    BP_TRY(tokens_.expect(':', "after the least stored value"));
    BP_ASSIGN(quantization->storage_max, tokens_.read_integer("the greatest stored value"));
    BP_TRY(tokens_.expect('>', "after the range of stored values"));
    if (quantization->storage_min < least || quantization->storage_max > greatest ||
        quantization->storage_min >= quantization->storage_max) {
      return tokens_.error_at(begin, "the stored values {} to {}, expected a range in {} to {}",
                              quantization->storage_min, quantization->storage_max, least, greatest);
    }
  }
  BP_TRY(tokens_.expect(':', "after the storage type"));
  begin = tokens_.token().begin;
  BP_ASSIGN(quantization->expressed, read_element_type());
  if (!ir::is_floating(quantization->expressed)) {
    return tokens_.error_at(begin, "the expressed type {}, expected floats",
                            element_type_name(quantization->expressed));
  }
  if (tokens_.accept(':')) {
    BP_ASSIGN(quantization->dimension, tokens_.read_integer("the quantized dimension"));
    if (quantization->dimension < 0) {
      return tokens_.error("the quantized dimension is {}, expected at least 0", quantization->dimension);
    }
  }
  BP_TRY(tokens_.expect(',', "before the scale"));
  if (quantization->dimension < 0) {
    BP_TRY(read_scale(*quantization));
  } else {
    BP_TRY(tokens_.expect('{', "before the scales"));
    BP_TRY(tokens_.read_list('}', "the scales", [&] { return read_scale(*quantization); }));
  }
  BP_TRY(tokens_.expect('>', "after a quantized type"));
  return Type{ir::Shape::scalar(storage), std::move(quantization)};
}

Status SyntaxReader::read_scale(Quantization &quantization) {
  std::size_t begin = tokens_.token().begin;
  BP_ASSIGN(double scale, tokens_.read_real("a scale"));
  if (!(scale > 0) || !is_scale(quantization.expressed, scale)) {
    return tokens_.error_at(begin, "the scale {}, expected a positive {}", scale,
                            element_type_name(quantization.expressed));
  }
  std::int64_t zero_point = 0;
  if (tokens_.accept(':')) {
    begin = tokens_.token().begin;
    BP_ASSIGN(zero_point, tokens_.read_integer("a zero point"));
  }
  if (zero_point < quantization.storage_min || zero_point > quantization.storage_max) {
    return tokens_.error_at(begin, "the zero point {}, expected {} to {} as what is stored", zero_point,
                            quantization.storage_min, quantization.storage_max);
  }
  quantization.scales.push_back(scale);
  quantization.zero_points.push_back(zero_point);
  return {};
}

// Reads <T, T> after the name of a tuple or future.
Result<std::vector<ir::Shape>> SyntaxReader::read_elements() {
  std::string_view name = tokens_.text(tokens_.take());
  BP_TRY(tokens_.expect('<', fmt::format("after '{}'", name)));
  std::vector<ir::Shape> elements;
  BP_TRY(tokens_.read_list('>', fmt::format("the types of a {}", name), [&]() -> Status {
    std::size_t begin = tokens_.token().begin;
    BP_ASSIGN(Type element, read_type());
    if (element.quantization != nullptr) {
      return Error(ErrorCode::Unsupported, fmt::format("a {} of quantized tensors", name)).at(tokens_.location(begin));
    }
    elements.push_back(std::move(element.shape));
    return {};
  }));
  return elements;
}

}  // namespace bp::import::stablehlo
