#include "core/text/printer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/lexer.h"
#include "core/text/literal_printer.h"

namespace bp::text {
namespace {

using ir::AttributeKey;
using ir::AttributeKind;
using ir::Opcode;

// Formats {1,2,3}.
std::string braces(std::span<const std::int64_t> numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ","));
}

std::string in_quotes(std::string_view text) {
  return '"' + escape(text) + '"';
}

class Printer {
 public:
  explicit Printer(const PrintOptions &options) : options_(options) {}

  std::string take() { return std::move(out_); }
  void module(const ir::Module &module);
  void instruction(ir::Instruction instruction);

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void shape(const ir::Shape &shape) { out_ += to_string(shape, options_.layouts); }
  void header(const ir::Module &module);
  void entry_layout(const ir::ModuleHeader &header);
  void stack_frames(const ir::StackFrames &frames);
  void computation(ir::Computation computation, bool is_entry);
  void attributes(ir::Instruction instruction);
  void attribute(ir::Instruction instruction, const ir::AttributeInfo &info);
  void called_computations(ir::Instruction instruction, const ir::AttributeInfo &info, std::size_t &next);
  void metadata(const ir::Metadata &metadata);
  void string(std::string_view text, AttributeKey key);
  void slice_ranges(std::span<const ir::SliceRange> ranges);
  void padding(std::span<const ir::PaddingDimension> dimensions);
  void pairs(std::span<const std::int64_t> numbers);
  void window(std::span<const ir::WindowDimension> window);
  void dim_labels(const ir::ConvolutionDimensions &dimensions);
  void aliasing(std::span<const std::int64_t> numbers);

  const PrintOptions &options_;
  std::string out_;
};

// --- Module ---

void Printer::module(const ir::Module &module) {
  header(module);
  if (options_.metadata) {
    stack_frames(module.header().stack_frames);
  }
  for (ir::Computation c : module.computations()) {
    out_ += '\n';
    computation(c, module.has_entry() && c == module.entry());
  }
}

void Printer::header(const ir::Module &module) {
  const ir::ModuleHeader &header = module.header();
  add("HloModule {}", module.name());
  if (header.is_scheduled) {
    add(", is_scheduled=true");
  }
  if (!header.input_output_alias.empty()) {
    add(", input_output_alias={{ ");
    std::string_view separator;
    for (const auto &alias : header.input_output_alias) {
      add("{}{}: ({}, {}, {})", std::exchange(separator, ", "), braces(alias.output_index), alias.parameter,
          braces(alias.parameter_index), alias.must ? "must-alias" : "may-alias");
    }
    add(" }}");
  }
  if (!header.buffer_donor.empty()) {
    add(", buffer_donor={{ ");
    std::string_view separator;
    for (const auto &donor : header.buffer_donor) {
      add("{}({}, {})", std::exchange(separator, ", "), donor.parameter, braces(donor.parameter_index));
    }
    add(" }}");
  }
  if (header.has_entry_layout) {
    entry_layout(header);
  }
  if (header.replica_count != 1) {
    add(", replica_count={}", header.replica_count);
  }
  if (header.num_partitions != 1) {
    add(", num_partitions={}", header.num_partitions);
  }
  for (const auto &[name, text] : header.rest) {
    if (options_.backend_config || name != "frontend_attributes") {
      add(", {}={}", name, text);
    }
  }
  out_ += '\n';
}

void Printer::entry_layout(const ir::ModuleHeader &header) {
  add(", entry_computation_layout={{(");
  for (std::size_t i = 0; i < header.entry_parameter_shapes.size(); ++i) {
    out_ += i == 0 ? "" : ", ";
    if (i != 0 && i % 5 == 0) {
      add("/*index={}*/", i);
    }
    shape(header.entry_parameter_shapes[i]);
  }
  add(")->");
  shape(header.entry_result_shape);
  add("}}");
}

void Printer::stack_frames(const ir::StackFrames &frames) {
  if (frames.empty()) {
    return;
  }
  auto table = [&](std::string_view name, const auto &entries, auto &&entry) {
    add("\n{}\n", name);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      add("{} ", i + 1);
      entry(entries[i]);
      out_ += '\n';
    }
  };
  auto string = [&](const std::string &text) { out_ += in_quotes(text); };
  table("FileNames", frames.file_names, string);
  table("FunctionNames", frames.function_names, string);
  table("FileLocations", frames.file_locations, [&](const ir::StackFrames::FileLocation &l) {
    add("{{file_name_id={} function_name_id={} line={} end_line={} column={} end_column={}}}", l.file_name_id,
        l.function_name_id, l.line, l.end_line, l.column, l.end_column);
  });
  table("StackFrames", frames.frames, [&](const ir::StackFrames::Frame &f) {
    add("{{file_location_id={} parent_frame_id={}}}", f.file_location_id, f.parent_frame_id);
  });
}

void Printer::computation(ir::Computation computation, bool is_entry) {
  add("{}%{} (", is_entry ? "ENTRY " : "", computation.name());
  for (std::size_t i = 0; i < computation.parameter_count(); ++i) {
    ir::Instruction parameter = computation.parameter(i);
    add("{}{}: ", i == 0 ? "" : ", ", parameter.name());
    out_ += to_string(parameter.shape(), ir::PrintLayout::Never);
  }
  add(") -> {} {{\n", to_string(computation.root().shape(), ir::PrintLayout::Never));
  for (ir::Instruction i : computation.instructions()) {
    out_ += i == computation.root() ? "  ROOT " : "  ";
    instruction(i);
    out_ += '\n';
  }
  out_ += '}';
  if (!computation.execution_thread().empty()) {
    add(", execution_thread={}", in_quotes(computation.execution_thread()));
  }
  out_ += '\n';
}

// --- Instructions ---

void Printer::instruction(ir::Instruction instruction) {
  add("%{} = ", instruction.name());
  shape(instruction.shape());
  add(" {}(", instruction.op().text);
  if (instruction.opcode() == Opcode::Parameter) {
    add("{}", instruction.parameter_number());
  } else if (instruction.opcode() == Opcode::Constant) {
    append_literal(out_, instruction.literal(), options_.max_literal_elements, options_.elided);
  } else {
    for (std::size_t i = 0; i < instruction.operand_count(); ++i) {
      add("{}", i == 0 ? "" : ", ");
      if (i != 0 && i % 5 == 0) {
        add("/*index={}*/", i);
      }
      add("%{}", instruction.operand(i).name());
    }
  }
  out_ += ')';
  attributes(instruction);
}

void Printer::attributes(ir::Instruction instruction) {
  std::size_t next_call = 0;
  for (const ir::AttributeUse &use : instruction.op().attributes) {
    const ir::AttributeInfo &info = ir::info(use.key);
    if (info.kind == AttributeKind::Computation || info.kind == AttributeKind::Computations) {
      called_computations(instruction, info, next_call);
    } else if (info.kind == AttributeKind::Literal) {
      if (instruction.literal().is_valid()) {
        // Always with its layout, for which the braces of the elements would otherwise be taken.
        add(", {}={} ", info.text, to_string(instruction.literal().shape(), ir::PrintLayout::Always));
        append_literal(out_, instruction.literal(), options_.max_literal_elements, options_.elided);
      }
    } else if (use.key != AttributeKey::ParameterNumber && instruction.has(use.key)) {
      attribute(instruction, info);
    }
  }
  auto hint = [&](AttributeKey key) {
    if (instruction.has(key)) {
      attribute(instruction, ir::info(key));
    }
  };
  hint(AttributeKey::ParameterReplication);
  hint(AttributeKey::Sharding);
  if (options_.backend_config) {
    hint(AttributeKey::FrontendAttributes);
  }
  if (!instruction.control_predecessors().empty()) {
    add(", control-predecessors={{");
    std::string_view separator;
    for (ir::InstructionId predecessor : instruction.control_predecessors()) {
      add("{}%{}", std::exchange(separator, ", "), instruction.module().instruction(predecessor).name());
    }
    out_ += '}';
  }
  hint(AttributeKey::Statistics);
  hint(AttributeKey::Origin);
  if (options_.metadata && instruction.metadata() != nullptr) {
    metadata(*instruction.metadata());
  }
  if (options_.backend_config) {
    hint(AttributeKey::BackendConfig);
  }
}

void Printer::called_computations(ir::Instruction instruction, const ir::AttributeInfo &info, std::size_t &next) {
  auto calls = instruction.calls();
  auto name = [&](std::size_t i) { return instruction.called(i).name(); };
  if (instruction.opcode() == Opcode::Conditional) {
    // A pred selects between true and false, a number selects one of the branches.
    bool by_pred = instruction.operand(0).shape().element_type() == ir::ElementType::Pred && calls.size() == 2;
    if (by_pred != (info.kind == AttributeKind::Computation)) {
      return;
    }
  } else if (instruction.opcode() == Opcode::CustomCall && info.kind == AttributeKind::Computation) {
    return;  // to_apply is accepted by the parser, but printed as called_computations
  }
  if (next >= calls.size()) {
    return;
  }
  if (info.kind == AttributeKind::Computation) {
    add(", {}=%{}", info.text, name(next++));
    return;
  }
  add(", {}={{", info.text);
  std::string_view separator;
  for (; next < calls.size(); ++next) {
    add("{}%{}", std::exchange(separator, ", "), name(next));
  }
  out_ += '}';
}

void Printer::attribute(ir::Instruction instruction, const ir::AttributeInfo &info) {
  bool is_text = info.kind == AttributeKind::String || info.kind == AttributeKind::Text;
  auto numbers = is_text ? std::span<const std::int64_t>() : instruction.numbers(info.key);
  add(", {}=", info.text);
  switch (info.kind) {
    case AttributeKind::Bool: add("{}", numbers[0] != 0); return;
    case AttributeKind::I64: add("{}", numbers[0]); return;
    case AttributeKind::I64List: out_ += braces(numbers); return;
    case AttributeKind::I64Lists: {
      std::string_view separator;
      out_ += '{';
      for (std::span<const std::int64_t> list : instruction.number_lists(info.key)) {
        add("{}{}", std::exchange(separator, ","), braces(list));
      }
      out_ += '}';
      return;
    }
    case AttributeKind::F64: add("{}", instruction.real(info.key)); return;
    case AttributeKind::Enum: out_ += ir::enumerator_text(info.enumeration, numbers[0]); return;
    case AttributeKind::EnumList: {
      std::string_view separator;
      out_ += '{';
      for (std::int64_t number : numbers) {
        add("{}{}", std::exchange(separator, ","), ir::enumerator_text(info.enumeration, number));
      }
      out_ += '}';
      return;
    }
    case AttributeKind::String: string(instruction.text(info.key), info.key); return;
    case AttributeKind::Text: out_ += instruction.text(info.key); return;
    case AttributeKind::SliceRanges: slice_ranges(instruction.slice_ranges()); return;
    case AttributeKind::Padding: padding(instruction.padding()); return;
    case AttributeKind::Window: window(instruction.window()); return;
    case AttributeKind::DimLabels: dim_labels(instruction.convolution_dimensions()); return;
    case AttributeKind::Pairs: pairs(numbers); return;
    case AttributeKind::Aliasing: aliasing(numbers); return;
    case AttributeKind::Computation:
    case AttributeKind::Computations:
    case AttributeKind::Literal: return;
  }
}

void Printer::string(std::string_view text, AttributeKey key) {
  // JSON is written verbatim.
  bool is_raw =
      key == AttributeKey::BackendConfig && text.starts_with('{') && Lexer(text).end_of_braces(0) == text.size();
  out_ += is_raw ? std::string(text) : in_quotes(text);
}

void Printer::slice_ranges(std::span<const ir::SliceRange> ranges) {
  std::string_view separator;
  out_ += '{';
  for (const ir::SliceRange &range : ranges) {
    add("{}[{}:{}", std::exchange(separator, ", "), range.start, range.limit);
    if (range.stride != 1) {
      add(":{}", range.stride);
    }
    out_ += ']';
  }
  out_ += '}';
}

void Printer::padding(std::span<const ir::PaddingDimension> dimensions) {
  std::string_view separator;
  for (const ir::PaddingDimension &padding : dimensions) {
    add("{}{}_{}", std::exchange(separator, "x"), padding.low, padding.high);
    if (padding.interior != 0) {
      add("_{}", padding.interior);
    }
  }
}

void Printer::pairs(std::span<const std::int64_t> numbers) {
  std::string_view separator;
  out_ += '{';
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    add("{}{}", std::exchange(separator, ","), braces(numbers.subspan(i, 2)));
  }
  out_ += '}';
}

void Printer::metadata(const ir::Metadata &m) {
  std::string_view separator;
  auto text = [&](std::string_view name, const std::string &value) {
    if (!value.empty()) {
      add("{}{}={}", std::exchange(separator, " "), name, in_quotes(value));
    }
  };
  auto number = [&](std::string_view name, std::int64_t value) {
    if (value != 0) {
      add("{}{}={}", std::exchange(separator, " "), name, value);
    }
  };
  add(", metadata={{");
  text("op_type", m.op_type);
  text("op_name", m.op_name);
  text("source_file", m.source_file);
  number("source_line", m.source_line);
  number("source_end_line", m.source_end_line);
  number("source_column", m.source_column);
  number("source_end_column", m.source_end_column);
  number("stack_frame_id", m.stack_frame_id);
  if (!m.rest.empty()) {
    add("{}{}", separator, m.rest);
  }
  out_ += '}';
}

void Printer::window(std::span<const ir::WindowDimension> window) {
  std::string_view separator;
  // Prints a field if it is required or if a dimension has a value other than the default.
  auto field = [&](std::string_view name, std::int64_t ir::WindowDimension::*member, std::int64_t usual, bool always) {
    bool wanted = always;
    for (const ir::WindowDimension &dimension : window) {
      wanted = wanted || dimension.*member != usual;
    }
    if (!wanted) {
      return;
    }
    add("{}{}=", std::exchange(separator, " "), name);
    for (std::size_t i = 0; i < window.size(); ++i) {
      add("{}{}", i == 0 ? "" : "x", window[i].*member);
    }
  };
  out_ += '{';
  field("size", &ir::WindowDimension::size, 1, !window.empty());
  field("stride", &ir::WindowDimension::stride, 1, false);
  bool is_padded = false;
  for (const ir::WindowDimension &dimension : window) {
    is_padded = is_padded || dimension.pad_low != 0 || dimension.pad_high != 0;
  }
  if (is_padded) {
    add("{}pad=", std::exchange(separator, " "));
    for (std::size_t i = 0; i < window.size(); ++i) {
      add("{}{}_{}", i == 0 ? "" : "x", window[i].pad_low, window[i].pad_high);
    }
  }
  field("lhs_dilate", &ir::WindowDimension::lhs_dilate, 1, false);
  field("rhs_dilate", &ir::WindowDimension::rhs_dilate, 1, false);
  field("rhs_reversal", &ir::WindowDimension::reversal, 0, false);
  out_ += '}';
}

// Dimensions without a label are '?'; those after the last labelled one are omitted, equally in all three parts.
void Printer::dim_labels(const ir::ConvolutionDimensions &d) {
  std::int64_t last = std::max(
      {d.lhs_batch, d.lhs_feature, d.rhs_input_feature, d.rhs_output_feature, d.output_batch, d.output_feature});
  for (std::span<const std::int64_t> spatial : {d.lhs_spatial, d.rhs_spatial, d.output_spatial}) {
    last = spatial.empty() ? last : std::max(last, std::ranges::max(spatial));
  }
  auto side = [&](std::int64_t first, char first_label, std::int64_t second, char second_label,
                  std::span<const std::int64_t> spatial) {
    std::string labels(static_cast<std::size_t>(last) + 1, '?');
    labels[static_cast<std::size_t>(first)] = first_label;
    labels[static_cast<std::size_t>(second)] = second_label;
    for (std::size_t i = 0; i < spatial.size(); ++i) {
      labels[static_cast<std::size_t>(spatial[i])] = static_cast<char>('0' + i);
    }
    return labels;
  };
  add("{}_{}->{}", side(d.lhs_batch, 'b', d.lhs_feature, 'f', d.lhs_spatial),
      side(d.rhs_input_feature, 'i', d.rhs_output_feature, 'o', d.rhs_spatial),
      side(d.output_batch, 'b', d.output_feature, 'f', d.output_spatial));
}

void Printer::aliasing(std::span<const std::int64_t> numbers) {
  std::size_t next = 0;
  auto index = [&] {
    auto count = static_cast<std::size_t>(numbers[next]);
    auto values = numbers.subspan(next + 1, count);
    next += 1 + count;
    return braces(values);
  };
  std::string_view separator;
  out_ += '{';
  while (next < numbers.size()) {
    std::string output_index = index();
    std::int64_t operand = numbers[next++];
    add("{}{}: ({}, {})", std::exchange(separator, ", "), output_index, operand, index());
  }
  out_ += '}';
}

}  // namespace

std::string print(const ir::Module &module, const PrintOptions &options) {
  Printer printer(options);
  printer.module(module);
  return printer.take();
}

std::string print(ir::Instruction instruction, const PrintOptions &options) {
  Printer printer(options);
  printer.instruction(instruction);
  return printer.take();
}

std::string print(const ir::Literal &literal, const PrintOptions &options) {
  std::string out;
  append_literal(out, literal, options.max_literal_elements, options.elided, PrintSizes::Yes);
  return out;
}

}  // namespace bp::text
