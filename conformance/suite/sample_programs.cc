#include "conformance/suite/sample_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "conformance/coverage/programs.h"
#include "conformance/suite/accuracy.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

struct Sample {
  std::string_view name, text;
};
constexpr Sample samples[] = {
    // Values with several lifetimes and sizes.
    {"chain", R"(
       sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
       ENTRY main {
         x = f32[37,19] parameter(0)  y = f32[19,23] parameter(1)  b = f32[23] parameter(2)
         d = f32[37,23] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
         s = f32[37,23] broadcast(b), dimensions={1}
         e = f32[37,23] add(d, s)
         z = f32[] constant(0)
         m = f32[37] reduce(e, z), dimensions={1}, to_apply=sum
         w = f32[37,23] broadcast(m), dimensions={0}
         t = f32[23,37] transpose(e), dimensions={1,0}
         u = f32[37,23] subtract(e, w)
         ROOT r = (f32[37,23], f32[23,37], f32[37]) tuple(u, t, m)
       })"},
    {"loop", R"(
       less { t = (s32[], f32[67]) parameter(0)  i = s32[] get-tuple-element(t), index=0  n = s32[] constant(5)
         ROOT r = pred[] compare(i, n), direction=LT }
       step { t = (s32[], f32[67]) parameter(0)  i = s32[] get-tuple-element(t), index=0
         x = f32[67] get-tuple-element(t), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
         y = f32[67] multiply(x, x)  z = f32[67] subtract(y, x)  ROOT r = (s32[], f32[67]) tuple(j, z) }
       ENTRY main {
         x = f32[67] parameter(0)  n = s32[] constant(0)  t = (s32[], f32[67]) tuple(n, x)
         w = (s32[], f32[67]) while(t), condition=less, body=step
         ROOT r = f32[67] get-tuple-element(w), index=1
       })"},
    // The result uses the memory of the first parameter.
    {"donation", R"(
       HloModule donation, input_output_alias={ {0}: (0, {}, may-alias) }
       ENTRY main {
         x = f32[259] parameter(0)  y = f32[259] parameter(1)
         a = f32[259] add(x, y)  b = f32[259] multiply(x, y)
         ROOT r = (f32[259], f32[259]) tuple(a, b)
       })"},
    // One buffer is sufficient for all values.
    {"in_place", R"(
       ENTRY main {
         x = s32[1031] parameter(0)  a = s32[1031] negate(x)  b = s32[1031] add(a, a)  c = s32[1031] multiply(b, x)
         ROOT r = s32[1031] subtract(c, b)
       })"},
    {"in_place_f32", R"(
       ENTRY main {
         x = f32[1031] parameter(0)  a = f32[1031] negate(x)  b = f32[1031] add(a, a)  c = f32[1031] multiply(b, x)
         ROOT r = f32[1031] subtract(c, b)
       })"},
    // Constants that are too large to be part of the program.
    {"constants", R"(
       ENTRY main {
         x = f32[8,4] parameter(0)
         w = f32[8,4] constant({{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16},{1,2,3,4},{5,6,7,8},{9,1,1,2},{3,4,5,6}})
         ROOT r = f32[8,4] multiply(x, w)
       })"},
    // They differ only in the last element.
    {"similar_constants", R"(
       ENTRY main {
         x = f32[36] parameter(0)
         v = f32[36] constant({1,2,3,4,5,6,7,1,2,3,4,5,6,7,1,2,3,4,5,6,7,1,2,3,4,5,6,7,1,2,3,4,5,6,7,1})
         w = f32[36] constant({1,2,3,4,5,6,7,1,2,3,4,5,6,7,1,2,3,4,5,6,7,1,2,3,4,5,6,7,1,2,3,4,5,6,7,5})
         a = f32[36] multiply(x, v)
         ROOT r = f32[36] subtract(a, w)
       })"},
    // The first result takes the memory of x, which the others read too.
    {"donation_that_others_read", R"(
       HloModule donation, input_output_alias={ {0}: (0, {}, may-alias) }
       ENTRY main {
         x = f32[19,19] parameter(0)  y = f32[19,19] parameter(1)
         a = f32[19,19] add(x, y)  d = f32[19,19] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
         t = f32[19,19] transpose(x), dimensions={1,0}
         ROOT r = (f32[19,19], f32[19,19], f32[19,19]) tuple(a, d, t)
       })"},
    // Sums without terms: a device that only adds to what is there adds nothing.
    {"dot_without_terms", R"(
       ENTRY main {
         x = f32[5,0] parameter(0)  y = f32[0,7] parameter(1)
         ROOT d = f32[5,7] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
       })"},
    {"sum_without_terms", R"(
       sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
       ENTRY main {
         x = f32[5,0] parameter(0)  z = f32[] parameter(1)
         ROOT r = f32[5] reduce(x, z), dimensions={1}, to_apply=sum
       })"},
    {"several_results", R"(
       ENTRY main {
         x = f32[129] parameter(0)  a = f32[129] negate(x)  b = f32[129] maximum(a, x)  c = pred[129] compare(a, x), direction=LT
         ROOT r = (f32[129], f32[129], pred[129], f32[129]) tuple(a, b, c, a)
       })"},
};

// Large enough that runs overlap, and that most devices need scratch memory for them.
constexpr Sample large_samples[] = {
    {"large_sort", R"(
       less { a = f32[] parameter(0)  b = f32[] parameter(1)  p = s32[] parameter(2)  q = s32[] parameter(3)
         ROOT r = pred[] compare(a, b), direction=LT }
       ENTRY main {
         x = f32[6007] parameter(0)  y = s32[6007] parameter(1)
         ROOT r = (f32[6007], s32[6007]) sort(x, y), dimensions={0}, is_stable=true, to_apply=less
       })"},
    {"large_dot", R"(
       ENTRY main {
         x = f32[101,150] parameter(0)  y = f32[150,128] parameter(1)  z = f32[128,33] parameter(2)
         d = f32[101,128] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
         ROOT r = f32[101,33] dot(d, z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
       })"},
};

Result<ir::Module> read(std::string_view text) {
  BP_ASSIGN(ir::Module module, text::parse_module(text));
  BP_TRY(ir::verify(module));
  return module;
}

constexpr coverage::Size default_size = {67, 1};

Result<ir::Module> program_of(ir::Opcode opcode, const coverage::Size &size = default_size) {
  Result<ir::Module> module = invalid_input("{} has no program", ir::to_string(opcode));
  for (const ir::ElementType type : {ir::ElementType::F32, ir::ElementType::S32, ir::ElementType::C64}) {
    const auto programs = coverage::programs(opcode, type, size);
    module = programs.empty() ? std::move(module) : read(programs.front().text);
    if (module.ok()) {
      break;
    }
  }
  return module;
}

bool takes_arrays(const ir::Module &module) {
  return std::ranges::all_of(module.entry().parameter_ids(),
                             [&](ir::InstructionId id) { return module.instruction(id).shape().is_array(); });
}

}  // namespace

const std::vector<std::string> &sample_program_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Sample &sample : samples) {
      all.emplace_back(sample.name);
    }
    for (const ir::OpInfo &op : ir::ops()) {
      const auto module = program_of(op.opcode);
      if (op.accuracy.closeness != Closeness::Unknown && module.ok() && takes_arrays(*module)) {
        all.emplace_back(op.text);
      }
    }
    return all;
  }();
  return names;
}

const std::vector<std::string> &large_sample_names() {
  static const std::vector<std::string> names = {std::string(large_samples[0].name),
                                                 std::string(large_samples[1].name)};
  return names;
}

Result<ir::Module> sample_program(const std::string &name) {
  for (const std::span<const Sample> table :
       {std::span<const Sample>(samples), std::span<const Sample>(large_samples)}) {
    if (const auto found = std::ranges::find(table, name, &Sample::name); found != table.end()) {
      return read(found->text);
    }
  }
  const auto opcode = ir::opcode_from_string(name);
  return opcode ? program_of(*opcode) : Result<ir::Module>(invalid_input("there is no program {}", name));
}

std::vector<ir::Module> contractions() {
  std::vector<ir::Module> modules;
  for (const auto &[type, sum] : {std::pair{"bf16", "f32"}, {"s8", "s32"}, {"f16", "f32"}, {"f32", "f32"}}) {
    for (const std::string_view columns : {"7", ""}) {
      // A vector has no dimension of columns.
      const std::string vector = columns.empty() ? "33" : fmt::format("33,{}", columns);
      const std::string result = columns.empty() ? "17" : fmt::format("17,{}", columns);
      auto module = read(fmt::format(R"(
        ENTRY main {{
          x = {0}[17,33] parameter(0)  y = {0}[33,19] parameter(1)  z = {0}[{2}] parameter(2)
          a = {1}[17,19] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
          b = {1}[{3}] dot(x, z), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
          ROOT r = ({1}[17,19], {1}[{3}]) tuple(a, b)
        }})",
                                     type, sum, vector, result));
      if (module.ok()) {
        modules.push_back(std::move(module).value());
      }
    }
  }
  return modules;
}

std::optional<ir::Module> sample_program_of_size(const std::string &name, std::int64_t size) {
  const auto opcode = ir::opcode_from_string(name);
  const auto programs = opcode ? coverage::programs(*opcode, ir::ElementType::F32) : std::vector<coverage::Program>();
  if (programs.empty() || !programs.front().has_size) {
    return std::nullopt;
  }
  auto module = program_of(*opcode, {size, 1});
  return module.ok() ? std::optional(std::move(module).value()) : std::nullopt;
}

namespace {

// The shapes of parameters and result as text.
std::string signature_of(const ir::Module &module) {
  std::string text;
  for (const ir::InstructionId id : module.entry().parameter_ids()) {
    text += ir::to_string(module.instruction(id).shape()) + " ";
  }
  return text + ir::to_string(module.entry().root().shape());
}

}  // namespace

std::optional<ir::Module> successor_of_sample(const std::string &name) {
  static const std::map<std::string, std::string> successors = [] {
    std::map<std::string, std::vector<std::string>> names;  // by signature
    for (const std::string &one : sample_program_names()) {
      names[signature_of(sample_program(one).value())].push_back(one);
    }
    std::map<std::string, std::string> all;
    for (const auto &[signature, same] : names) {
      for (std::size_t i = 0; same.size() > 1 && i < same.size(); ++i) {
        all.emplace(same[i], same[(i + 1) % same.size()]);
      }
    }
    return all;
  }();
  const auto found = successors.find(name);
  return found == successors.end() ? std::nullopt : std::optional(sample_program(found->second).value());
}

Result<ir::Module> first_supported_sample(Subject &subject) {
  Result<ir::Module> unsupported = make_error(ErrorCode::Unsupported, "the device runs none of the sample programs");
  for (const std::string &name : sample_program_names()) {
    BP_ASSIGN(ir::Module module, sample_program(name));
    const auto compiled = subject.compile("sample/" + name, module);
    if (compiled.ok() && subject.is_on_device(**compiled)) {
      return module;
    }
    if (!compiled.ok() && compiled.error().code() != ErrorCode::Unsupported) {
      return compiled.error();
    }
  }
  return unsupported;
}

}  // namespace bp::conformance
