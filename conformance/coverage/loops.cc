#include "conformance/coverage/loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <utility>
#include <vector>

#include "core/ir/verifier.h"
#include "core/text/parser.h"

namespace bp::coverage {
namespace {

using ir::ElementType;

// Numbers in braces depend on n, the number of iterations: see `terms`.
constexpr Counting counting_table[] = {
    {"up", "i=0", "l = #[] constant({n})  ROOT go = pred[] compare(i, l), direction=LT",
     "i.one = #[] constant(1)  i.next = #[] add(i, i.one)"},
    {"up-to", "i=1", "l = #[] constant({n})  ROOT go = pred[] compare(i, l), direction=LE",
     "i.one = #[] constant(1)  i.next = #[] add(i.one, i)"},
    {"up-to-equal", "i=0", "l = #[] constant({n})  ROOT go = pred[] compare(i, l), direction=NE",
     "i.one = #[] constant(1)  i.next = #[] add(i, i.one)"},
    {"up-while-greater", "i=0", "l = #[] constant({n})  ROOT go = pred[] compare(l, i), direction=GT",
     "i.one = #[] constant(1)  i.next = #[] add(i, i.one)"},
    {"up-from-below", "i=-5", "l = #[] constant({n-5})  ROOT go = pred[] compare(i, l), direction=LT",
     "i.one = #[] constant(1)  i.next = #[] add(i, i.one)"},
    {"up-by-three", "i=2", "l = #[] constant({3n})  ROOT go = pred[] compare(i, l), direction=LT",
     "i.three = #[] constant(3)  i.next = #[] add(i, i.three)"},
    {"down", "i={n}", "l = #[] constant(0)  ROOT go = pred[] compare(i, l), direction=GT",
     "i.one = #[] constant(1)  i.next = #[] subtract(i, i.one)"},
    {"down-to-zero", "i={n-1}", "l = #[] constant(0)  ROOT go = pred[] compare(i, l), direction=GE",
     "i.one = #[] constant(-1)  i.next = #[] add(i, i.one)"},
    {"down-by-two", "i={2n}", "l = #[] constant(1)  ROOT go = pred[] compare(l, i), direction=LE",
     "i.two = #[] constant(2)  i.next = #[] subtract(i, i.two)"},
    {"to-parameter", "i=0 l=?", "ROOT go = pred[] compare(i, l), direction=LT",
     "i.one = #[] constant(1)  i.next = #[] add(i, i.one)  l.next = #[] copy(l)"},
    {"from-parameter", "i=?", "l = #[] constant(0)  ROOT go = pred[] compare(i, l), direction=NE",
     "i.one = #[] constant(1)  i.next = #[] subtract(i, i.one)"},
    {"to-meet", "i=0 j={2n}", "ROOT go = pred[] compare(i, j), direction=LT",
     "i.one = #[] constant(1)  i.next = #[] add(i, i.one)  j.next = #[] subtract(j, i.one)"},
    {"limit-moves-on", "i=0 j={n}", "ROOT go = pred[] compare(i, j), direction=LT",
     "i.one = #[] constant(1)  i.two = #[] constant(2)  i.next = #[] add(i, i.two)  j.next = #[] add(j, i.one)"},
    {"limit-comes-nearer", "j={n} i=0", "ROOT go = pred[] compare(i, j), direction=LT",
     "i.one = #[] constant(1)  i.next = #[] copy(i)  j.next = #[] subtract(j, i.one)"},
    {"step-in-state", "i=0 s=1", "l = #[] constant({n})  ROOT go = pred[] compare(i, l), direction=LT",
     "i.next = #[] add(i, s)  s.next = #[] copy(s)"},
    {"doubling", "i=1", "l = #[] constant({2^n})  ROOT go = pred[] compare(i, l), direction=LT",
     "i.next = #[] add(i, i)", 30},
    {"halving", "i={2^n}", "l = #[] constant(1)  ROOT go = pred[] compare(i, l), direction=GT",
     "i.two = #[] constant(2)  i.next = #[] divide(i, i.two)", 30},
    {"triangular", "i=0 j=0", "l = #[] constant({n(n-1)/2})  ROOT go = pred[] compare(j, l), direction=LT",
     "i.one = #[] constant(1)  i.next = #[] add(i, i.one)  j.next = #[] add(j, i)"},
    {"to-the-smaller-limit", "i=0",
     "l = #[] constant({n})  m = #[] constant({2n})  a = pred[] compare(i, l), direction=LT  "
     "b = pred[] compare(i, m), direction=LT  ROOT go = pred[] and(a, b)",
     "i.one = #[] constant(1)  i.next = #[] add(i, i.one)"},
    {"until-either-limit", "i=0 j={2n}",
     "l = #[] constant({n})  a = pred[] compare(i, l), direction=GE  z = #[] constant(0)  "
     "b = pred[] compare(j, z), direction=EQ  c = pred[] or(a, b)  ROOT go = pred[] not(c)",
     "i.one = #[] constant(1)  i.next = #[] add(i, i.one)  j.next = #[] subtract(j, i.one)"},
};

constexpr LoopBody body_table[] = {
    {"sum", "a:$[]:b", "b = $[] add(a, number)"},
    {"fibonacci", "a:$[]:b b:$[]:c", "c = $[] add(a, number)"},
    {"rotation", "a:$[5]:b b:$[5]:c c:$[5]:e", "d = $[5] broadcast(number), dimensions={}  e = $[5] add(a, d)"},
    {"vector", "a:$[37]:e k:$[37]:k",
     "b = $[37] broadcast(number), dimensions={}  c = $[37] add(a, k)  e = $[37] maximum(c, b)"},
    {"unchanged", "a:$[]:a b:$[9]:b c:$[]:number", ""},
    {"constant-from-now-on", "a:$[]:k b:$[]:a", "k = $[] constant(7)"},
    {"lookup", "t:$[67]:t a:$[]:f",
     "c = $[1] dynamic-slice(t, at), dynamic_slice_sizes={1}  d = $[] reshape(c)  f = $[] add(a, d)"},
    {"history", "h:$[67]:d a:$[]:b",
     "b = $[] add(a, number)  c = $[1] reshape(b)  d = $[67] dynamic-update-slice(h, c, at)"},
    {"scan-by-rows", "x:$[41,5]:x y:$[41,5]:f a:$[5]:e",
     "z = s32[] constant(0)  c = $[1,5] dynamic-slice(x, at, z), dynamic_slice_sizes={1,5}  d = $[5] reshape(c)  "
     "e = $[5] maximum(a, d)  g = $[1,5] reshape(e)  f = $[41,5] dynamic-update-slice(y, g, at, z)"},
    {"queue", "q:$[9]:d",
     "b = $[8] slice(q), slice={[1:9]}  c = $[1] reshape(number)  d = $[9] concatenate(b, c), dimensions={0}"},
    {"product", "a:$[3,3]:b k:$[3,3]:k", "b = $[3,3] dot(a, k), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "",
     1 << 13, true},
    {"polynomial", "a:$[]:c x:$[]:x", "b = $[] multiply(a, x)  c = $[] add(b, number)", "", 1 << 13, true},
    {"turned-over", "a:$[5,7]:e b:$[7,5]:d",
     "c = $[5,7] reverse(a), dimensions={1}  d = $[7,5] transpose(c), dimensions={1,0}  "
     "f = $[5,7] transpose(b), dimensions={1,0}  g = $[5,7] broadcast(number), dimensions={}  e = $[5,7] maximum(f, "
     "g)"},
    {"sorted", "a:$[7]:d",
     "b = $[7] broadcast(number), dimensions={}  c = $[7] reverse(a), dimensions={0}  "
     "e = $[7] minimum(c, b)  d = $[7] sort(e), dimensions={0}, to_apply=less",
     "less { x = $[] parameter(0)  y = $[] parameter(1)  ROOT r = pred[] compare(x, y), direction=LT }\n"},
    {"row-sums", "a:$[5,7]:f",
     "z = $[] constant(0)  b = $[5] reduce(a, z), dimensions={1}, to_apply=most  "
     "c = $[5,7] broadcast(b), dimensions={0}  d = $[5,7] subtract(a, c)  "
     "e = $[5,7] broadcast(number), dimensions={}  f = $[5,7] add(d, e)",
     "most { x = $[] parameter(0)  y = $[] parameter(1)  ROOT r = $[] maximum(x, y) }\n"},
    {"choice", "a:$[]:d",
     "b = s32[] constant(1)  c = s32[] and(at, b)  d = $[] conditional(c, number, a, a), "
     "branch_computations={same, twice, same}",
     "same { ROOT x = $[] parameter(0) }\ntwice { y = $[] parameter(0)  ROOT z = $[] add(y, y) }\n"},
    {"inner-loop", "a:$[]:d",
     "z = s32[] constant(0)  b = (s32[], $[]) tuple(z, a)  "
     "c = (s32[], $[]) while(b), condition=below_many, body=add_each  d = $[] get-tuple-element(c), index=1",
     "below_many { t = (s32[], $[]) parameter(0)  k = s32[] get-tuple-element(t), index=0  m = s32[] constant(150)  "
     "ROOT r = pred[] compare(k, m), direction=LT }\n"
     "add_each { t = (s32[], $[]) parameter(0)  k = s32[] get-tuple-element(t), index=0  "
     "a = $[] get-tuple-element(t), index=1  o = s32[] constant(1)  n = s32[] add(k, o)  x = $[] convert(k)  "
     "b = $[] maximum(a, x)  p = $[] constant(1)  c = $[] add(b, p)  ROOT r = (s32[], $[]) tuple(n, c) }\n",
     33},
    {"inner-loop-to-counter", "a:$[]:d",
     "z = s32[] constant(0)  b = (s32[], s32[], $[]) tuple(z, at, a)  "
     "c = (s32[], s32[], $[]) while(b), condition=below_outer, body=add_one  d = $[] get-tuple-element(c), index=2",
     "below_outer { t = (s32[], s32[], $[]) parameter(0)  k = s32[] get-tuple-element(t), index=0  "
     "m = s32[] get-tuple-element(t), index=1  ROOT r = pred[] compare(k, m), direction=LT }\n"
     "add_one { t = (s32[], s32[], $[]) parameter(0)  k = s32[] get-tuple-element(t), index=0  "
     "m = s32[] get-tuple-element(t), index=1  a = $[] get-tuple-element(t), index=2  o = s32[] constant(1)  "
     "n = s32[] add(k, o)  p = $[] constant(1)  b = $[] add(a, p)  ROOT r = (s32[], s32[], $[]) tuple(n, m, b) }\n",
     33},
};

// The terms of countings with n iterations.
std::vector<std::pair<std::string, std::int64_t>> terms(std::int64_t n) {
  const std::int64_t power = std::int64_t{1} << std::min<std::int64_t>(n, 40);
  return {{"{n}", n},      {"{n-1}", n - 1}, {"{n-5}", n - 5},
          {"{2n}", 2 * n}, {"{3n}", 3 * n},  {"{n(n-1)/2}", n * (n - 1) / 2},
          {"{2^n}", power}};
}

std::string with_terms(std::string_view text, std::int64_t n) {
  std::string result(text);
  for (const auto &[term, number] : terms(n)) {
    boost::replace_all(result, term, fmt::format("{}", number));
  }
  return result;
}

std::vector<std::string> words(std::string_view text, const char *separators) {
  std::vector<std::string> all;
  boost::split(all, text, boost::is_any_of(separators));
  return all;
}

// One element of the state: "i", "s32[]", its start value or `parameter`, and the name of its next value.
struct Element {
  std::string name, shape, first, next;
};
constexpr std::string_view parameter = "?";

std::vector<Element> counters_of(const Loop &loop) {
  std::vector<Element> elements;
  for (const std::string &word : words(with_terms(loop.counting->state, loop.iterations), " ")) {
    const std::vector<std::string> parts = words(word, "=");
    elements.push_back({parts[0], "#[]", parts[1], parts[0] + ".next"});
  }
  return elements;
}

std::vector<Element> values_of(const Loop &loop) {
  std::vector<Element> elements;
  for (const std::string &word : words(loop.body->state, " ")) {
    const std::vector<std::string> parts = words(word, ":");
    elements.push_back({parts[0], parts[1], std::string(parameter), parts[2]});
  }
  return elements;
}

// The counters are among the first elements, or the last ones.
std::vector<Element> state_of(const Loop &loop) {
  std::vector<Element> state = counters_of(loop), values = values_of(loop);
  state.insert(loop.counts_last ? state.begin() : state.end(), values.begin(), values.end());
  return state;
}

std::string list(const std::vector<Element> &state, std::string Element::*member) {
  std::vector<std::string> all;
  for (const Element &element : state) {
    all.push_back(element.*member);
  }
  return boost::join(all, ", ");
}

// Returns the instructions that take some elements out of the state.
std::string unpack(const std::vector<Element> &state, const std::vector<Element> &wanted) {
  std::string text = fmt::format("state = ({}) parameter(0)\n", list(state, &Element::shape));
  for (const Element &element : wanted) {
    const auto place = std::ranges::find(state, element.name, &Element::name) - state.begin();
    text += fmt::format("{} = {} get-tuple-element(state), index={}\n", element.name, element.shape, place);
  }
  return text;
}

}  // namespace

std::span<const Counting> countings() {
  return counting_table;
}

std::span<const LoopBody> loop_bodies() {
  return body_table;
}

std::span<const std::int64_t> iteration_counts() {
  static constexpr std::int64_t counts[] = {0,  1,  2,  3,   4,   5,   8,   9,   15,  16,  17,  31,  32,   33,   63,
                                            64, 65, 99, 127, 128, 129, 255, 256, 257, 512, 513, 999, 1024, 1025, 2048};
  return counts;
}

bool is_valid(const Loop &loop) {
  const auto mentions = [&](std::string_view text) {
    return boost::contains(loop.counting->state, text) || boost::contains(loop.counting->condition, text);
  };
  const int bits = ir::bit_width(loop.counter) - (ir::is_signed(loop.counter) ? 1 : 0);
  constexpr std::int64_t last_step = 3;  // from the last number of which there is an iteration
  const bool fits = std::ranges::all_of(terms(loop.iterations), [&](const auto &term) {
    const bool is_used = mentions(term.first) || (term.first == "{n}" && mentions("=?"));
    return !is_used || bits > 32 || term.second + last_step < std::int64_t{1} << bits;
  });
  const bool has_negative_numbers = mentions("=-") || mentions("-5") || mentions("{n-1}");
  return fits && (!has_negative_numbers || ir::is_signed(loop.counter)) &&
         loop.iterations <= loop.counting->max_iterations && loop.iterations <= loop.body->max_iterations &&
         (!loop.body->multiplies || ir::is_integer(loop.element));
}

std::optional<std::size_t> limit_parameter(const Loop &loop) {
  std::size_t number = 0;
  for (const Element &element : state_of(loop)) {
    const bool is_counter = element.next == element.name + ".next";
    if (element.first == parameter && is_counter) {
      return number;
    }
    number += element.first == parameter ? 1 : 0;
  }
  return std::nullopt;
}

Result<ir::Module> program_of(const Loop &loop) {
  const std::vector<Element> state = state_of(loop), counters = counters_of(loop);
  const std::string tuple = fmt::format("({})", list(state, &Element::shape));
  std::string entry;
  std::size_t parameters = 0;
  for (const Element &element : state) {
    entry += fmt::format("{} = {} ", element.name, element.shape);
    entry += element.first == parameter ? fmt::format("parameter({})\n", parameters++)
                                        : fmt::format("constant({})\n", element.first);
  }
  std::string text = fmt::format(
      "{}goes_on {{\n{}{}\n}}\nnext {{\n{}at = s32[] convert({})\nnumber = $[] convert({})\n{}\n{}\n"
      "ROOT next_state = {} tuple({})\n}}\nENTRY main {{\n{}first = {} tuple({})\n"
      "ROOT last = {} while(first), condition=goes_on, body=next\n}}\n",
      loop.body->functions, unpack(state, counters), with_terms(loop.counting->condition, loop.iterations),
      unpack(state, state), counters[0].name, counters[0].name, loop.counting->body, loop.body->text, tuple,
      list(state, &Element::next), entry, tuple, list(state, &Element::name), tuple);
  boost::replace_all(text, "$", ir::to_string(loop.element));
  boost::replace_all(text, "#", ir::to_string(loop.counter));
  BP_ASSIGN(ir::Module module, text::parse_module(text));
  BP_TRY(ir::verify(module));
  return module;
}

}  // namespace bp::coverage
