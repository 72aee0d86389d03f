#include "conformance/suite/nests.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>

#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

// A kind of control flow. Branches of a conditional differ.
struct Kind {
  std::string_view name;
  int branches;  // of a conditional; otherwise 0
};
constexpr Kind kinds[] = {{"while", 0}, {"call", 0}, {"two", 2}, {"three", 3}, {"five", 5}};
constexpr int max_depth = 3;

// Writes computations of (s32[5] values, s32[3] choices) -> s32[5]. Those of a level choose by one number: a branch,
// where numbers out of range mean the last one, or up to three iterations.
class Writer {
 public:
  explicit Writer(std::vector<const Kind *> levels) : levels_(std::move(levels)) {}

  // Appends the computations of a level and those below it. Returns the name of the topmost one.
  std::string write(std::size_t level) {
    const std::string name = fmt::format("c{}", count_++);
    if (level == levels_.size()) {
      text_ += fmt::format(
          "{0} {{ p = (s32[5], s32[3]) parameter(0)  x = s32[5] get-tuple-element(p), index=0\n"
          "  k = s32[] constant({1})  f = s32[5] broadcast(k), dimensions={{}}  y = s32[5] multiply(x, f)\n"
          "  ROOT r = s32[5] subtract(f, y) }}\n",
          name, 2 * count_ + 1);
      return name;
    }
    const Kind &kind = *levels_[level];
    const std::string choice = fmt::format(
        "x = s32[5] get-tuple-element(p), index=0  s = s32[3] get-tuple-element(p), index=1\n"
        "  e = s32[1] slice(s), slice={{[{}:{}]}}  n = s32[] reshape(e)  ",
        level, level + 1);
    if (kind.branches > 0) {
      std::string operands, branches;
      for (int branch = 0; branch < kind.branches; ++branch) {
        operands += ", p";
        branches += (branch == 0 ? "" : ", ") + write(level + 1);
      }
      text_ += fmt::format(
          "{} {{ p = (s32[5], s32[3]) parameter(0)  {}c = s32[5] conditional(n{}), branch_computations={{{}}}\n"
          "  ROOT r = s32[5] subtract(c, x) }}\n",
          name, choice, operands, branches);
      return name;
    }
    const std::string inside = write(level + 1);
    if (kind.name == "call") {
      text_ += fmt::format(
          "{} {{ p = (s32[5], s32[3]) parameter(0)  {}c = s32[5] call(p), to_apply={}\n"
          "  f = s32[5] broadcast(n), dimensions={{}}  ROOT r = s32[5] subtract(c, f) }}\n",
          name, choice, inside);
      return name;
    }
    text_ += fmt::format(R"({0}_body {{
  q = (s32[5], s32[3], s32[], s32[]) parameter(0)  x = s32[5] get-tuple-element(q), index=0
  s = s32[3] get-tuple-element(q), index=1  i = s32[] get-tuple-element(q), index=2
  n = s32[] get-tuple-element(q), index=3  t = (s32[5], s32[3]) tuple(x, s)
  c = s32[5] call(t), to_apply={1}  one = s32[] constant(1)  next = s32[] add(i, one)
  ROOT r = (s32[5], s32[3], s32[], s32[]) tuple(c, s, next, n)
}}
{0}_goes_on {{
  q = (s32[5], s32[3], s32[], s32[]) parameter(0)  i = s32[] get-tuple-element(q), index=2
  n = s32[] get-tuple-element(q), index=3  ROOT r = pred[] compare(i, n), direction=LT
}}
{0} {{
  p = (s32[5], s32[3]) parameter(0)  {2}zero = s32[] constant(0)  three = s32[] constant(3)
  m = s32[] clamp(zero, n, three)  q = (s32[5], s32[3], s32[], s32[]) tuple(x, s, zero, m)
  w = (s32[5], s32[3], s32[], s32[]) while(q), condition={0}_goes_on, body={0}_body
  v = s32[5] get-tuple-element(w), index=0  ROOT r = s32[5] subtract(v, x)
}}
)",
                         name, inside, choice);
    return name;
  }

  const std::string &text() const { return text_; }

 private:
  std::vector<const Kind *> levels_;
  std::string text_;
  int count_ = 0;
};

// Runs the nest several times, on what the time before has made, with choices from -1 to 6.
std::string entry_of(const std::string &nest) {
  constexpr int times = 5;
  std::string text = fmt::format(R"(ENTRY main {{
  v0 = s32[5] parameter(0)  given = s32[{0},3] parameter(1)
  seven = s32[] constant(7)  sevens = s32[{0},3] broadcast(seven), dimensions={{}}
  one = s32[] constant(1)  ones = s32[{0},3] broadcast(one), dimensions={{}}
  bits = s32[{0},3] and(given, sevens)  choices = s32[{0},3] subtract(bits, ones)
)",
                                 times);
  for (int i = 0; i < times; ++i) {
    text += fmt::format(
        "  row{0} = s32[1,3] slice(choices), slice={{[{0}:{1}], [0:3]}}  s{0} = s32[3] reshape(row{0})\n"
        "  t{0} = (s32[5], s32[3]) tuple(v{0}, s{0})  v{1} = s32[5] call(t{0}), to_apply={2}\n",
        i, i + 1, nest);
  }
  return text + fmt::format("  ROOT r = s32[5] add(v{}, v{})\n}}\n", times, times - 1);
}

}  // namespace

std::vector<std::string> nest_names(int depth) {
  std::vector<std::string> names{""};
  for (int level = 0; level < depth; ++level) {
    std::vector<std::string> longer;
    for (const std::string &name : names) {
      for (const Kind &kind : kinds) {
        longer.push_back(fmt::format("{}{}{}", name, name.empty() ? "" : "-", kind.name));
      }
    }
    names = std::move(longer);
  }
  return names;
}

Result<ir::Module> nest_of(std::string_view name) {
  std::vector<std::string> parts;
  boost::split(parts, name, boost::is_any_of("-"));
  std::vector<const Kind *> levels;
  for (const std::string &part : parts) {
    const auto *kind = std::ranges::find(kinds, part, &Kind::name);
    if (kind == std::end(kinds) || levels.size() == max_depth) {
      return invalid_input("there is no nest {}", name);
    }
    levels.push_back(kind);
  }
  Writer writer(std::move(levels));
  const std::string nest = writer.write(0);
  BP_ASSIGN(ir::Module module, text::parse_module("HloModule nest\n" + writer.text() + entry_of(nest)));
  BP_TRY(ir::verify(module));
  return module;
}

}  // namespace bp::conformance
