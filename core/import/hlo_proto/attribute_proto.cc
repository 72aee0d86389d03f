#include "core/import/hlo_proto/attribute_proto.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace bp::import::hlo_proto {
namespace {

using ir::AttributeKey;
using ir::AttributeKind;
using ir::Opcode;

enum class Encoding { Plain, Name, List, Flat, Real32, TriState, Inside, Stated };

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

struct Row {
  Opcode opcode;  // Invalid: any opcode
  AttributeKey key;
  Encoding encoding;
  std::int64_t usual;
  std::string_view names;                // separated by dots, one for each number
  std::array<std::uint32_t, 3> numbers;  // unused last entries are 0

  std::size_t depth() const { return numbers[1] == 0 ? 1 : numbers[2] == 0 ? 2 : 3; }
  Field field(std::size_t level) const {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < level; ++i) {
      begin = names.find('.', begin) + 1;
    }
    return {numbers[level], names.substr(begin, names.find('.', begin) - begin)};
  }
  Field last() const { return field(depth() - 1); }
};

constexpr Row rows[] = {
#define BP_PROTO_ATTRIBUTE(opcode, key, encoding, usual, names, ...) \
  {Opcode::opcode, AttributeKey::key, Encoding::encoding, usual, names, {__VA_ARGS__}},
#include "core/import/hlo_proto/attributes.def"
};

const Row *find_row(Opcode opcode, AttributeKey key) {
  for (const Row &row : rows) {
    if (row.key == key && (row.opcode == opcode || row.opcode == Opcode::Invalid)) {
      return &row;
    }
  }
  return nullptr;
}

// An attribute that an opcode takes, with the row that describes its field; nullptr: its value is text, or has no
// field.
struct Use {
  AttributeKey key;
  bool required;
  const Row *row;
};

// Returns the attributes with values of an opcode, followed by the hints. The table for all opcodes is built once.
const std::vector<Use> &uses_of(Opcode opcode) {
  static const std::vector<std::vector<Use>> by_opcode = [] {
    std::vector<std::vector<Use>> table;
    for (const ir::OpInfo &op : ir::ops()) {
      table.resize(std::max(table.size(), static_cast<std::size_t>(op.opcode) + 1));
      std::vector<Use> &uses = table[static_cast<std::size_t>(op.opcode)];
      for (const ir::AttributeUse &use : op.attributes) {
        AttributeKind kind = ir::info(use.key).kind;
        if (kind != AttributeKind::Computation && kind != AttributeKind::Computations &&
            kind != AttributeKind::Literal) {
          uses.push_back({use.key, use.required, find_row(op.opcode, use.key)});
        }
      }
      for (const ir::AttributeInfo &info : ir::attributes()) {
        if (ir::is_hint(info.key)) {
          uses.push_back({info.key, false, find_row(op.opcode, info.key)});
        }
      }
    }
    return table;
  }();
  return by_opcode[static_cast<std::size_t>(opcode)];
}

// --- Repeated messages of numbers ---

// One number of a record, in the order of attributes.def of core/ir: its field and its smallest valid value.
struct RecordNumber {
  Field field;
  std::int64_t least;
};
constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::min();
constexpr RecordNumber window_numbers[] = {
    {{1, "size"}, 0},
    {{2, "stride"}, 1},
    {{3, "padding_low"}, any_number},
    {{4, "padding_high"}, any_number},
    {{6, "base_dilation"}, 1},
    {{5, "window_dilation"}, 1},
    {{7, "window_reversal"}, 0},
};
constexpr RecordNumber slice_numbers[] = {
    {{1, "start"}, any_number}, {{2, "limit"}, any_number}, {{3, "stride"}, any_number}};
constexpr RecordNumber padding_numbers[] = {{{1, "edge_padding_low"}, any_number},
                                            {{2, "edge_padding_high"}, any_number},
                                            {{3, "interior_padding"}, any_number}};
constexpr RecordNumber pair_numbers[] = {{{1, "source"}, any_number}, {{2, "target"}, any_number}};

std::span<const RecordNumber> record_of(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::Window: return window_numbers;
    case AttributeKind::SliceRanges: return slice_numbers;
    case AttributeKind::Padding: return padding_numbers;
    case AttributeKind::Pairs: return pair_numbers;
    default: return {};
  }
}

Result<std::vector<std::int64_t>> read_records(const Message &message, Field field,
                                               std::span<const RecordNumber> record) {
  std::vector<std::int64_t> numbers;
  BP_TRY(message.for_each(field, [&](const Message &part) -> Status {
    for (const RecordNumber &number : record) {
      BP_ASSIGN(std::int64_t value, part.integer(number.field));
      if (value < number.least) {
        return part.error_in(number.field, "found {}, expected at least {}", value, number.least);
      }
      numbers.push_back(value);
    }
    return {};
  }));
  if (record.data() == window_numbers && numbers.size() > std::size(window_numbers) * ir::max_rank) {
    return message.error_in(field, "{} dimensions, expected at most {}", message.count(field), ir::max_rank);
  }
  return numbers;
}

void write_records(Writer &writer, Field field, std::span<const RecordNumber> record,
                   std::span<const std::int64_t> numbers) {
  for (; !numbers.empty(); numbers = numbers.subspan(record.size())) {
    writer.message(field, [&](Writer &part) {
      for (std::size_t i = 0; i < record.size(); ++i) {
        part.integer(record[i].field, numbers[i]);
      }
    });
  }
}

// --- Attributes with a message type of their own ---

namespace aliasing_fields {
constexpr Field output_index{1, "output_shape_index"}, operand{2, "operand_index"},
    operand_index{3, "operand_shape_index"};
}

Result<std::vector<std::int64_t>> read_aliasing(const Message &message, Field field) {
  using namespace aliasing_fields;
  std::vector<std::int64_t> numbers;
  BP_TRY(message.for_each(field, [&](const Message &part) -> Status {
    BP_ASSIGN(auto output, part.integers(output_index));
    BP_ASSIGN(std::int64_t number, part.integer(operand));
    BP_ASSIGN(auto index, part.integers(operand_index));
    for (std::int64_t i : output) {
      if (i < 0) {
        return part.error_in(output_index, "found {}, expected at least 0", i);
      }
    }
    numbers.push_back(static_cast<std::int64_t>(output.size()));
    numbers.insert(numbers.end(), output.begin(), output.end());
    numbers.push_back(number);
    numbers.push_back(static_cast<std::int64_t>(index.size()));
    numbers.insert(numbers.end(), index.begin(), index.end());
    return {};
  }));
  return numbers;
}

void write_aliasing(Writer &writer, Field field, std::span<const std::int64_t> numbers) {
  using namespace aliasing_fields;
  auto take = [&](std::size_t count) {
    auto taken = numbers.first(count);
    numbers = numbers.subspan(count);
    return taken;
  };
  auto take_list = [&] { return take(static_cast<std::size_t>(take(1)[0])); };
  while (!numbers.empty()) {
    writer.message(field, [&](Writer &part) {
      part.integers(output_index, take_list());
      part.integer(operand, take(1)[0]);
      part.integers(operand_index, take_list());
    });
  }
}

// Fields of ConvolutionDimensionNumbers, in the order of kind DimLabels.
constexpr Field labeled_dimensions[] = {{7, "input_batch_dimension"},          {8, "input_feature_dimension"},
                                        {3, "kernel_input_feature_dimension"}, {4, "kernel_output_feature_dimension"},
                                        {9, "output_batch_dimension"},         {10, "output_feature_dimension"}};
constexpr Field spatial_dimensions[] = {
    {11, "input_spatial_dimensions"}, {6, "kernel_spatial_dimensions"}, {12, "output_spatial_dimensions"}};

Result<std::vector<std::int64_t>> read_dim_labels(const Message &message) {
  std::array<std::uint64_t, 3> seen{};  // one set per side
  auto check = [&](Field field, std::size_t side, std::int64_t dimension) -> Status {
    if (dimension < 0 || dimension >= static_cast<std::int64_t>(ir::max_rank)) {
      return message.error_in(field, "found {}, expected 0 to {}", dimension, ir::max_rank - 1);
    }
    if ((seen[side] >> dimension & 1) != 0) {
      return message.error_in(field, "dimension {} has two meanings", dimension);
    }
    seen[side] |= std::uint64_t{1} << dimension;
    return {};
  };
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < std::size(labeled_dimensions); ++i) {
    BP_ASSIGN(std::int64_t dimension, message.integer(labeled_dimensions[i]));
    BP_TRY(check(labeled_dimensions[i], i / 2, dimension));
    numbers.push_back(dimension);
  }
  std::size_t spatial = 0;
  for (std::size_t side = 0; side < std::size(spatial_dimensions); ++side) {
    Field field = spatial_dimensions[side];
    BP_ASSIGN(auto dimensions, message.integers(field));
    spatial = side == 0 ? dimensions.size() : spatial;
    constexpr std::size_t most = 10;  // text labels the dimensions 0 to 9
    if (dimensions.size() != spatial || spatial > most) {
      return message.error_in(field, "{} spatial dimensions, expected {}", dimensions.size(), std::min(spatial, most));
    }
    for (std::int64_t dimension : dimensions) {
      BP_TRY(check(field, side, dimension));
      numbers.push_back(dimension);
    }
  }
  return numbers;
}

void write_dim_labels(Writer &writer, std::span<const std::int64_t> numbers) {
  for (std::size_t i = 0; i < std::size(labeled_dimensions); ++i) {
    writer.integer(labeled_dimensions[i], numbers[i]);
  }
  std::size_t spatial = (numbers.size() - std::size(labeled_dimensions)) / 3;
  for (std::size_t side = 0; side < std::size(spatial_dimensions); ++side) {
    writer.integers(spatial_dimensions[side], numbers.subspan(std::size(labeled_dimensions) + side * spatial, spatial));
  }
}

// --- One value ---

// Returns the double with the fewest digits that round to this float: 0.001 stays 0.001.
double widened(float value) {
  char digits[32];
  auto written = std::to_chars(digits, digits + sizeof digits, value);
  double wide = value;
  std::from_chars(digits, written.ptr, wide);
  return wide;
}

// Returns the type of a comparison that does not state one; XLA writes it even then.
ir::ComparisonType usual_comparison(ir::Instruction instruction) {
  ir::ElementType type = instruction.operand(0).shape().element_type();
  if (ir::is_signed(type)) {
    return ir::ComparisonType::Signed;
  }
  bool is_float = ir::is_floating(type) || ir::is_complex(type);
  return is_float ? ir::ComparisonType::Float : ir::ComparisonType::Unsigned;
}

std::int64_t usual_value(const Row &row, ir::Instruction instruction) {
  return row.key == AttributeKey::ComparisonType ? static_cast<std::int64_t>(usual_comparison(instruction)) : row.usual;
}

// Splits the numbers into lists of `rank` numbers; returns each list preceded by its length.
Result<std::vector<std::int64_t>> cut(const Message &message, Field field, std::span<const std::int64_t> flat,
                                      std::size_t rank) {
  if (rank == 0 || flat.size() % rank != 0) {
    return message.error_in(field, "{} numbers, expected a multiple of the {} dimensions of operand 0", flat.size(),
                            rank);
  }
  std::vector<std::int64_t> lists;
  for (; !flat.empty(); flat = flat.subspan(rank)) {
    lists.push_back(static_cast<std::int64_t>(rank));
    lists.insert(lists.end(), flat.begin(), flat.begin() + static_cast<std::ptrdiff_t>(rank));
  }
  return lists;
}

// Returns the rank of the arrays that a collective-permute slices.
std::size_t sliced_rank(ir::Instruction instruction) {
  const ir::Shape *shape = &instruction.operand(0).shape();
  while (shape->is_tuple() && !shape->elements().empty()) {
    shape = &shape->elements()[0];
  }
  return shape->rank();
}

Result<std::int64_t> check_enumerator(const Message &message, Field field, ir::Enumeration enumeration,
                                      std::int64_t number) {
  if (ir::enumerator_text(enumeration, number).empty()) {
    return message.error_in(field, "{} is not a value of {}", number, field.name);
  }
  return number;
}

// Reads the field of a row from the message that contains it; returns the value as the module stores it. Not for kind
// String.
Result<std::vector<std::int64_t>> read_numbers(const Message &message, const Row &row, ir::Instruction instruction) {
  const ir::AttributeInfo &info = ir::info(row.key);
  Field field = row.last();
  if (auto record = record_of(info.kind); !record.empty()) {
    return read_records(message, field, record);
  }
  switch (row.encoding) {
    case Encoding::Name: {
      BP_ASSIGN(std::string_view text, message.text(field));
      if (auto number = ir::enumerator_number(info.enumeration, text)) {
        return std::vector{*number};
      }
      return message.error_in(field, "'{}' is not a value of '{}'", text, info.text);
    }
    case Encoding::Real32: {
      BP_ASSIGN(double value, message.real(field));
      return std::vector{std::bit_cast<std::int64_t>(widened(static_cast<float>(value)))};
    }
    case Encoding::TriState: {
      BP_ASSIGN(std::int64_t value, message.integer(field));
      return std::vector<std::int64_t>{value == 1 ? 1 : 0};
    }
    case Encoding::Flat: {
      BP_ASSIGN(auto flat, message.integers(field));
      return cut(message, field, flat, sliced_rank(instruction));
    }
    case Encoding::List: {
      BP_ASSIGN(auto list, message.integers(field));
      if (list.size() != 1) {
        return message.error_in(field, "{} numbers, expected 1", list.size());
      }
      return list;
    }
    case Encoding::Plain:
    case Encoding::Inside:
    case Encoding::Stated: break;
  }
  switch (info.kind) {
    case AttributeKind::Aliasing: return read_aliasing(message, field);
    case AttributeKind::DimLabels: {
      BP_ASSIGN(Message labels, message.child(field));
      return read_dim_labels(labels);
    }
    case AttributeKind::I64List: return message.integers(field);
    case AttributeKind::EnumList: {
      BP_ASSIGN(auto list, message.integers(field));
      for (std::int64_t number : list) {
        BP_TRY(check_enumerator(message, field, info.enumeration, number));
      }
      return list;
    }
    default: break;
  }
  BP_ASSIGN(std::int64_t value, message.integer(field));
  if (info.kind == AttributeKind::Enum) {
    BP_TRY(check_enumerator(message, field, info.enumeration, value));
  }
  return std::vector{info.kind == AttributeKind::Bool ? std::int64_t{value != 0} : value};
}

Status read_attribute(const Message &message, const Use &use, ir::Module &module, ir::InstructionId id) {
  const Row &row = *use.row;
  // The message that contains the field: this one or a nested one, which is empty if it is absent.
  std::array<std::optional<Message>, 2> inside;
  const Message *holder = &message;
  for (std::size_t level = 0; level + 1 < row.depth(); ++level) {
    BP_ASSIGN(inside[level], holder->child(row.field(level)));
    holder = &*inside[level];
  }
  bool is_there = holder->has(row.last());
  if (!is_there && !use.required && row.encoding != Encoding::Stated) {
    return {};
  }
  AttributeKind kind = ir::info(use.key).kind;
  if (kind == AttributeKind::String) {
    BP_ASSIGN(std::string_view text, holder->text(row.last()));
    module.set_text(id, use.key, text);
    return {};
  }
  BP_ASSIGN(auto numbers, read_numbers(*holder, row, module.instruction(id)));
  std::int64_t usual = usual_value(row, module.instruction(id));
  bool is_usual = usual != none && std::ranges::all_of(numbers, [&](std::int64_t n) { return n == usual; });
  bool is_nothing = kind == AttributeKind::Window && numbers.empty();
  if (!is_usual && !is_nothing) {
    module.set_numbers(id, use.key, numbers);
  }
  return {};
}

// --- Writing ---

// A field of an instruction, possibly in nested messages: pieces with a common path are written into one message.
struct Piece {
  const Row *row;
  std::string bytes;  // the last field of the row, including its tag
};

void write_pieces(Writer &writer, std::span<const Piece> pieces, std::size_t level) {
  while (!pieces.empty()) {
    const Row &first = *pieces[0].row;
    if (first.depth() == level + 1) {
      writer.append(pieces[0].bytes);
      pieces = pieces.subspan(1);
      continue;
    }
    std::size_t count = 1;
    while (count < pieces.size() && pieces[count].row->numbers[level] == first.numbers[level]) {
      ++count;
    }
    writer.message(first.field(level), [&](Writer &inner) { write_pieces(inner, pieces.first(count), level + 1); });
    pieces = pieces.subspan(count);
  }
}

// Writes a list even if it is empty, because the module distinguishes an empty list from an absent one.
void write_list(Writer &writer, Field field, std::span<const std::int64_t> numbers) {
  if (numbers.empty()) {
    writer.text(field, {});
  }
  writer.integers(field, numbers);
}

void write_numbers(Writer &writer, const Row &row, std::span<const std::int64_t> numbers, ir::Instruction instruction) {
  const ir::AttributeInfo &info = ir::info(row.key);
  Field field = row.last();
  if (auto record = record_of(info.kind); !record.empty()) {
    write_records(writer, field, record, numbers);
    return;
  }
  switch (row.encoding) {
    case Encoding::Name: writer.text(field, ir::enumerator_text(info.enumeration, numbers[0])); return;
    case Encoding::Real32: writer.real32(field, static_cast<float>(std::bit_cast<double>(numbers[0]))); return;
    case Encoding::TriState: writer.integer(field, numbers[0] != 0 ? 1 : 2); return;
    case Encoding::Flat: {
      std::vector<std::int64_t> flat;
      for (auto list : instruction.number_lists(row.key)) {
        flat.insert(flat.end(), list.begin(), list.end());
      }
      write_list(writer, field, flat);
      return;
    }
    case Encoding::List: writer.integers(field, numbers); return;
    case Encoding::Plain:
    case Encoding::Inside:
    case Encoding::Stated: break;
  }
  switch (info.kind) {
    case AttributeKind::Aliasing: write_aliasing(writer, field, numbers); return;
    case AttributeKind::DimLabels:
      writer.message(field, [&](Writer &labels) { write_dim_labels(labels, numbers); });
      return;
    case AttributeKind::I64List:
    case AttributeKind::EnumList: write_list(writer, field, numbers); return;
    default: writer.integer(field, numbers[0]); return;
  }
}

// Returns the value to be written for an instruction without the attribute; none: nothing is written.
std::int64_t value_if_absent(const Row &row, ir::Instruction instruction) {
  AttributeKind kind = ir::info(row.key).kind;
  if (row.encoding == Encoding::Stated) {
    return kind == AttributeKind::Bool ? 1 : none;
  }
  return kind == AttributeKind::EnumList ? none : usual_value(row, instruction);
}

}  // namespace

Status read_attributes(const Message &message, ir::Module &module, ir::InstructionId id) {
  for (const Use &use : uses_of(module.instruction(id).opcode())) {
    if (has_text_form(use.key)) {
      BP_ASSIGN(auto text, read_text_attribute(message, use.key));
      if (text) {
        module.set_text(id, use.key, *text);
      }
    } else if (use.row != nullptr) {
      BP_TRY(read_attribute(message, use, module, id));
    } else if (use.required) {
      return message.error("{} needs the attribute '{}', which this format does not have",
                           module.instruction(id).op().text, ir::to_string(use.key));
    }
  }
  return {};
}

Status write_attributes(Writer &writer, ir::Instruction instruction) {
  std::vector<Piece> pieces;
  for (const Use &use : uses_of(instruction.opcode())) {
    bool is_there = instruction.has(use.key);
    if (has_text_form(use.key)) {
      if (is_there) {
        if (auto status = write_text_attribute(writer, use.key, instruction.text(use.key)); !status.ok()) {
          return unsupported("{}: the attribute '{}': {}", instruction.name(), ir::to_string(use.key),
                             status.error().message())
              .at(instruction.location());
        }
      }
      continue;
    }
    if (use.row == nullptr) {
      if (is_there) {
        return unsupported("{}: HLO protos have no field for the attribute '{}'", instruction.name(),
                           ir::to_string(use.key))
            .at(instruction.location());
      }
      continue;
    }
    Writer field;
    if (!is_there) {
      if (std::int64_t value = value_if_absent(*use.row, instruction); value != none) {
        write_numbers(field, *use.row, std::span(&value, 1), instruction);
      }
    } else if (ir::info(use.key).kind == AttributeKind::String) {
      field.text(use.row->last(), instruction.text(use.key));
    } else {
      write_numbers(field, *use.row, instruction.numbers(use.key), instruction);
    }
    if (is_there || !field.bytes().empty() || use.row->encoding == Encoding::Inside) {
      pieces.push_back({use.row, field.take()});
    }
  }
  std::ranges::stable_sort(pieces, {}, [](const Piece &piece) { return piece.row->numbers; });
  write_pieces(writer, pieces, 0);
  return {};
}

}  // namespace bp::import::hlo_proto
