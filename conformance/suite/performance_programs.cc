#include "conformance/suite/performance_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "conformance/coverage/programs.h"
#include "core/ir/op.h"

namespace bp::conformance {
namespace {

using ir::ElementType;

constexpr std::int64_t elements = 1 << 20;  // number of elements in an elementwise program

// Programs of ops that are not elementwise. `$` is the element type. Arrays have about a million elements, or fewer
// where each takes much work.
struct TimedRow {
  std::string_view name, body;
  double operations_per_result = 0;
  bool reads_a_part = false;  // reads only as many bytes of its first operand as the result has
};
constexpr TimedRow timed_rows[] = {
    {"broadcast", "x = $[1024] parameter(0)  ROOT r = $[1024,1024] broadcast(x), dimensions={1}"},
    {"iota", "ROOT r = $[1024,1024] iota(), iota_dimension=1"},
    {"transpose", "x = $[1024,1024] parameter(0)  ROOT r = $[1024,1024] transpose(x), dimensions={1,0}"},
    {"reverse", "x = $[1024,1024] parameter(0)  ROOT r = $[1024,1024] reverse(x), dimensions={1}"},
    {"slice", "x = $[1024,2048] parameter(0)  ROOT r = $[1024,1024] slice(x), slice={[0:1024], [512:1536]}", 0, true},
    {"slice.strided", "x = $[1024,2048] parameter(0)  ROOT r = $[1024,1024] slice(x), slice={[0:1024], [0:2048:2]}", 0,
     true},
    {"concatenate",
     "x = $[1024,512] parameter(0)  y = $[1024,512] parameter(1)  ROOT r = $[1024,1024] concatenate(x, y), "
     "dimensions={1}"},
    {"pad", "x = $[1022,1022] parameter(0)  z = $[] parameter(1)  ROOT r = $[1024,1024] pad(x, z), padding=1_1x1_1"},
    {"dynamic-slice",
     "x = $[2048,1024] parameter(0)  i = s32[] parameter(1)  z = s32[] constant(0)  ROOT r = $[1024,1024] "
     "dynamic-slice(x, i, z), dynamic_slice_sizes={1024,1024}",
     0, true},
    {"dynamic-update-slice",
     "x = $[1024,1024] parameter(0)  y = $[512,1024] parameter(1)  i = s32[] parameter(2)  z = s32[] constant(0)  "
     "ROOT r = $[1024,1024] dynamic-update-slice(x, y, i, z)"},
    {"gather",
     "x = $[4096,256] parameter(0)  i = s32[4096] parameter(1)  ROOT r = $[4096,256] gather(x, i), offset_dims={1}, "
     "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,256}"},
    {"scatter",
     "x = $[4096,256] parameter(0)  i = s32[4096] parameter(1)  u = $[4096,256] parameter(2)  ROOT r = $[4096,256] "
     "scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     1},
    {"reduce.rows",
     "x = $[1024,1024] parameter(0)  z = $[] parameter(1)  ROOT r = $[1024] reduce(x, z), dimensions={1}, to_apply=sum",
     1024},
    {"reduce.columns",
     "x = $[1024,1024] parameter(0)  z = $[] parameter(1)  ROOT r = $[1024] reduce(x, z), dimensions={0}, to_apply=sum",
     1024},
    {"reduce-window",
     "x = $[512,1026] parameter(0)  z = $[] parameter(1)  ROOT r = $[512,1024] reduce-window(x, z), "
     "window={size=1x3}, to_apply=sum",
     3},
    {"batch-norm-inference",
     "x = $[4096,256] parameter(0)  s = $[256] parameter(1)  o = $[256] parameter(2)  m = $[256] parameter(3)  "
     "v = $[256] parameter(4)  ROOT r = $[4096,256] batch-norm-inference(x, s, o, m, v), epsilon=0.25, feature_index=1",
     5},
    {"sort", "x = $[256,256] parameter(0)  ROOT r = $[256,256] sort(x), dimensions={1}, to_apply=less", 8},
    {"dot",
     "x = $[256,256] parameter(0)  y = $[256,256] parameter(1)  ROOT r = $[256,256] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     512},
    {"dot.vector",
     "x = $[1,1024] parameter(0)  y = $[1024,1024] parameter(1)  ROOT r = $[1,1024] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     2048},
    {"convolution",
     "x = $[1,28,28,64] parameter(0)  w = $[3,3,64,64] parameter(1)  ROOT r = $[1,28,28,64] convolution(x, w), "
     "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
     2 * 9 * 64},
    {"fft", "x = c64[64,1024] parameter(0)  ROOT r = c64[64,1024] fft(x), fft_type=FFT, fft_length={1024}", 5 * 10},
};
constexpr std::string_view computations = R"(
sum { a = $[] parameter(0)  b = $[] parameter(1)  ROOT r = $[] add(a, b) }
less { a = $[] parameter(0)  b = $[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
)";

std::string entry_of(std::string_view body, ElementType type) {
  const bool calls = body.find("to_apply=") != std::string_view::npos;
  std::string text = fmt::format("{}ENTRY main {{ {} }}\n", calls ? computations : "", body);
  boost::replace_all(text, "$", ir::to_string(type));
  return text;
}

bool is_timed(const ir::OpInfo &op) {
  return op.has(ir::Trait::Elementwise) && !coverage::programs(op.opcode, ElementType::F32, {elements, 1}).empty();
}

// Returns the variant of the op's program: conversions go to half the width if there is a choice.
std::string_view variant_of(ir::Opcode opcode, ElementType type) {
  if (opcode == ir::Opcode::Convert) {
    return type == ElementType::F32 ? "bf16" : "f32";
  }
  return opcode == ir::Opcode::BitcastConvert ? ir::to_string(type) : "";
}

PerformanceProgram unary_or_binary(std::string_view op, ElementType type, std::int64_t size, bool is_binary) {
  const std::string body =
      is_binary ? fmt::format("x = $[{0}] parameter(0)  y = $[{0}] parameter(1)  ROOT r = $[{0}] {1}(x, y)", size, op)
                : fmt::format("x = $[{0}] parameter(0)  ROOT r = $[{0}] {1}(x)", size, op);
  return {fmt::format("{} {}[{}]", op, ir::to_string(type), size), entry_of(body, type), op == "copy" ? 0.0 : 1.0};
}

}  // namespace

std::vector<std::string> timed_op_names() {
  std::vector<std::string> names;
  for (const ir::OpInfo &op : ir::ops()) {
    if (is_timed(op)) {
      names.emplace_back(op.text);
    }
  }
  for (const TimedRow &row : timed_rows) {
    names.emplace_back(row.name);
  }
  return names;
}

Result<PerformanceProgram> op_program(std::string_view name, ElementType type) {
  const auto row = std::ranges::find(timed_rows, name, &TimedRow::name);
  if (row != std::end(timed_rows)) {
    return PerformanceProgram{std::string(name), entry_of(row->body, type), row->operations_per_result,
                              row->reads_a_part};
  }
  const auto opcode = ir::opcode_from_string(name);
  if (opcode && is_timed(ir::info(*opcode))) {
    for (const coverage::Program &program : coverage::programs(*opcode, type, {elements, 1})) {
      if (program.variant == variant_of(*opcode, type)) {
        return PerformanceProgram{std::string(name), program.text, *opcode == ir::Opcode::Copy ? 0.0 : 1.0};
      }
    }
  }
  return invalid_input("there is no program to time for {}", name);
}

PerformanceProgram dot_program(ElementType type, std::int64_t size) {
  const std::string_view sums = ir::is_integer(type) ? "s32" : ir::to_string(type);
  const std::string body = fmt::format(
      "x = $[{0},{0}] parameter(0)  y = $[{0},{0}] parameter(1)  ROOT r = {1}[{0},{0}] dot(x, y), "
      "lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}",
      size, sums);
  return {fmt::format("dot {0}[{1},{1}]", ir::to_string(type), size), entry_of(body, type),
          2 * static_cast<double>(size)};
}

PerformanceProgram chain_program(ElementType type, std::int64_t size, std::int64_t length) {
  std::string body = fmt::format("x = $[{0}] parameter(0)  y = $[{0}] parameter(1)  v0 = $[{0}] add(x, y)", size);
  for (std::int64_t i = 1; i < length; ++i) {
    body += fmt::format("  {}v{} = $[{}] {}(v{}, y)", i + 1 == length ? "ROOT " : "", i, size,
                        i % 2 == 0 ? "add" : "multiply", i - 1);
  }
  if (length == 1) {
    boost::replace_first(body, "v0", "ROOT v0");
  }
  return {fmt::format("{} instructions on {}[{}]", length, ir::to_string(type), size), entry_of(body, type),
          static_cast<double>(length)};
}

std::vector<PerformanceProgram> simple_programs(ElementType type, std::int64_t size) {
  return {unary_or_binary("add", type, size, true), unary_or_binary("multiply", type, size, true),
          unary_or_binary("negate", type, size, false), unary_or_binary("copy", type, size, false)};
}

std::vector<PerformanceProgram> memory_programs(ElementType type, std::int64_t size) {
  return {unary_or_binary("copy", type, size, false), unary_or_binary("negate", type, size, false),
          unary_or_binary("add", type, size, true)};
}

Work work_of(const ir::Module &module, const PerformanceProgram &program) {
  Work work;
  const ir::Shape &result = module.entry().root().shape();
  const std::int64_t most = program.reads_a_part ? result.byte_size() : INT64_MAX;
  for (const ir::InstructionId id : module.entry().parameter_ids()) {
    work.bytes += static_cast<double>(std::min(module.instruction(id).shape().byte_size(), most));
  }
  work.bytes += static_cast<double>(result.byte_size());
  work.operations = program.operations_per_result * static_cast<double>(result.element_count());
  return work;
}

}  // namespace bp::conformance
