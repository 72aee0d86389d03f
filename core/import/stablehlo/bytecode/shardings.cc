#include "core/import/stablehlo/bytecode/shardings.h"

#include "core/import/stablehlo/bytecode/codes.h"
#include "core/import/stablehlo/mlir_text.h"
#include "core/text/lexer.h"

namespace bp::import::stablehlo::bytecode {
namespace {

// The inner text of each attribute: "x"=2, ["x"=2], <@mesh,[{"x"}]>; read_sharding() adds #sdy.name.
class ShardingReader {
 public:
  explicit ShardingReader(Encoding &encoding) : encoding_(encoding) {}

  Result<std::string> inner(Encoding::Item &item) {
    mlir::ByteReader &reader = item.reader;
    if (item.dialect == "builtin" && item.code == builtin_attribute::String) {
      BP_ASSIGN(const std::string_view text, encoding_.string(reader));
      return fmt::format("\"{}\"", text::escape(text));
    }
    if (item.dialect == "builtin" && item.code == builtin_attribute::FlatSymbol) {
      BP_ASSIGN(const std::string name, child(reader));
      const std::string bare = name.substr(1, name.size() - 2);
      return "@" + (mlir_name(bare) == bare ? bare : name);
    }
    if (item.dialect != "sdy") {
      return encoding_.unknown(item, "attribute");
    }
    switch (item.code) {
      case sdy_attribute::ManualAxes: return list(reader, '{', '}');
      case sdy_attribute::MeshAxis: return mesh_axis(reader);
      case sdy_attribute::Mesh: return mesh(reader);
      case sdy_attribute::SubAxisInfo: return sub_axis(reader);
      case sdy_attribute::AxisRef: return axis(reader);
      case sdy_attribute::DimensionSharding: return dimension(reader);
      case sdy_attribute::TensorSharding:
      case sdy_attribute::TensorShardingUnreduced:
      case sdy_attribute::TensorShardingReduction: return tensor(item);
      case sdy_attribute::TensorShardingPerValue:
      case sdy_attribute::TensorShardingPerValueUnreduced: return list(reader, '[', ']');
      case sdy_attribute::DimensionMapping: return factors(reader);
      case sdy_attribute::TensorMapping: return list(reader, '[', ']');
      case sdy_attribute::OperationRule: return rule(reader);
      case sdy_attribute::AxisRefList: return list(reader, '{', '}');
      case sdy_attribute::ListOfAxisRefLists: return list(reader, '[', ']');
      default: break;
    }
    return encoding_.unknown(item, "attribute");
  }

 private:
  // The inner text of the attribute whose index comes next.
  Result<std::string> child(mlir::ByteReader &reader) {
    BP_ASSIGN(const std::uint32_t index, encoding_.attribute_index(reader));
    BP_ASSIGN(Encoding::Item item, encoding_.attribute(index));
    return inner(item);
  }

  Result<std::string> list(mlir::ByteReader &reader, char open, char close) {
    std::string text;
    BP_TRY(Encoding::read_list(reader, [&]() -> Status {
      BP_ASSIGN(const std::string item, child(reader));
      text += (text.empty() ? "" : ",") + item;
      return {};
    }));
    return fmt::format("{}{}{}", open, text, close);
  }

  Result<std::string> mesh_axis(mlir::ByteReader &reader) {
    BP_ASSIGN(const std::string_view name, encoding_.string(reader));
    BP_ASSIGN(const std::int64_t size, reader.signed_number());
    return fmt::format("\"{}\"={}", text::escape(name), size);
  }

  Result<std::string> mesh(mlir::ByteReader &reader) {
    BP_ASSIGN(const std::string axes, list(reader, '[', ']'));
    BP_ASSIGN(const std::vector<std::int64_t> devices, Encoding::read_numbers(reader));
    return devices.empty() ? fmt::format("<{}>", axes)
                           : fmt::format("<{},device_ids=[{}]>", axes, fmt::join(devices, ","));
  }

  Result<std::string> sub_axis(mlir::ByteReader &reader) {
    BP_ASSIGN(const std::int64_t before, reader.signed_number());
    BP_ASSIGN(const std::int64_t size, reader.signed_number());
    return fmt::format(":({}){}", before, size);
  }

  Result<std::string> axis(mlir::ByteReader &reader) {
    BP_ASSIGN(const std::string_view name, encoding_.string(reader));
    BP_ASSIGN(const mlir::ByteReader::Flagged part, reader.flagged_number());
    std::string text = fmt::format("\"{}\"", text::escape(name));
    if (part.flag) {
      BP_ASSIGN(const std::string sub_axis, optional_child(reader, part));
      text += sub_axis;
    }
    return text;
  }

  Result<std::string> optional_child(mlir::ByteReader &reader, mlir::ByteReader::Flagged index) {
    if (index.value >= encoding_.file().attributes.size()) {
      return reader.error("attribute {} of {}", index.value, encoding_.file().attributes.size());
    }
    BP_ASSIGN(Encoding::Item item, encoding_.attribute(static_cast<std::uint32_t>(index.value)));
    return inner(item);
  }

  Result<std::string> dimension(mlir::ByteReader &reader) {
    BP_ASSIGN(std::string text, list(reader, '{', '}'));
    BP_ASSIGN(const std::uint8_t is_closed, reader.byte());
    BP_ASSIGN(const mlir::ByteReader::Flagged priority, reader.flagged_number());
    if (is_closed == 0) {
      text.insert(text.size() - 1, text == "{}" ? "?" : ",?");
    }
    return priority.flag ? fmt::format("{}p{}", text, priority.value) : text;
  }

  Result<std::string> tensor(Encoding::Item &item) {
    mlir::ByteReader &reader = item.reader;
    BP_ASSIGN(std::string text, child(reader));
    text = text.starts_with('<') ? "mesh" + text : text;
    BP_ASSIGN(const std::string dimensions, list(reader, '[', ']'));
    text += "," + dimensions;
    BP_ASSIGN(const std::string replicated, list(reader, '{', '}'));
    text += replicated == "{}" ? "" : ",replicated=" + replicated;
    if (item.code != sdy_attribute::TensorSharding) {
      BP_ASSIGN(const std::string unreduced, list(reader, '{', '}'));
      text += unreduced == "{}" ? "" : ",unreduced=" + unreduced;
    }
    if (item.code == sdy_attribute::TensorShardingReduction) {
      BP_ASSIGN(const std::int64_t reduction, reader.signed_number());
      if (reduction != 0) {
        return encoding_.unknown(item, fmt::format("reduction {} in attribute", reduction));
      }
    }
    return "<" + text + ">";
  }

  // Factors are letters: i, j, ..., z, z_1, z_2.
  static std::string factor(std::int64_t number) {
    constexpr std::int64_t letters = 'z' - 'i' + 1;
    return number < letters ? std::string(1, static_cast<char>('i' + number))
                            : fmt::format("z_{}", number - letters + 1);
  }

  Result<std::string> factors(mlir::ByteReader &reader) {
    std::string text;
    BP_ASSIGN(const std::vector<std::int64_t> numbers, Encoding::read_numbers(reader));
    for (const std::int64_t number : numbers) {
      text += factor(number);
    }
    return text;
  }

  // ([i,j],[j])->([i]) {i=2,j=4} reduction={j}
  Result<std::string> rule(mlir::ByteReader &reader) {
    BP_ASSIGN(const std::vector<std::int64_t> sizes, Encoding::read_numbers(reader));
    BP_ASSIGN(const std::string operands, list(reader, '(', ')'));
    BP_ASSIGN(const std::string results, list(reader, '(', ')'));
    std::string text;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      text += fmt::format("{}{}={}", i == 0 ? "" : ",", factor(static_cast<std::int64_t>(i)), sizes[i]);
    }
    text = fmt::format("<{}->{} {{{}}}", operands, results, text);
    for (const std::string_view kind : {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
      BP_ASSIGN(const std::vector<std::int64_t> numbers, Encoding::read_numbers(reader));
      std::string letters;
      for (const std::int64_t number : numbers) {
        letters += (letters.empty() ? "" : ",") + factor(number);
      }
      text += letters.empty() ? "" : fmt::format(" {}={{{}}}", kind, letters);
    }
    BP_ASSIGN(const std::uint8_t is_custom, reader.byte());
    return text + (is_custom != 0 ? ",custom>" : ">");
  }

  Encoding &encoding_;
};

}  // namespace

Result<std::string> read_sharding(Encoding &encoding, Encoding::Item &item) {
  BP_ASSIGN(const std::string inner, ShardingReader(encoding).inner(item));
  BP_TRY(item.reader.expect_end("an attribute"));
  switch (item.code) {
    case sdy_attribute::ManualAxes: return fmt::format("#sdy<manual_axes{}>", inner);
    case sdy_attribute::Mesh: return "#sdy.mesh" + inner;
    case sdy_attribute::OperationRule: return "#sdy.op_sharding_rule" + inner;
    case sdy_attribute::TensorSharding:
    case sdy_attribute::TensorShardingUnreduced:
    case sdy_attribute::TensorShardingReduction: return "#sdy.sharding" + inner;
    case sdy_attribute::TensorShardingPerValue:
    case sdy_attribute::TensorShardingPerValueUnreduced: return fmt::format("#sdy.sharding_per_value<{}>", inner);
    default: break;
  }
  return encoding.unknown(item, "attribute on its own:");
}

}  // namespace bp::import::stablehlo::bytecode
