#include "tools/bench/programs.h"

#include <fmt/format.h>

#include <iterator>

namespace bp::bench {
namespace {

// Appends lines of HLO and numbers their results: add("f32[2]{0} negate({})", x) returns the name of the new value.
class Writer {
 public:
  template <class... Args>
  std::string add(fmt::format_string<Args...> format, Args &&...args) {
    std::string name = fmt::format("v{}", ++count_);
    fmt::format_to(std::back_inserter(text_), "  {} = ", name);
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
    return name;
  }
  std::string parameter(std::string_view shape) { return add("{} parameter({})", shape, parameters_++); }
  const std::string &text() const { return text_; }

 private:
  std::string text_;
  int count_ = 0, parameters_ = 0;
};

constexpr const char *rows = "f32[64,128]{1,0}";
constexpr const char *column = "f32[64]{0}";

std::string over_columns(Writer &w, const std::string &x) {
  return w.add("{} broadcast({}), dimensions={{0}}", rows, x);
}

std::string layer_norm(Writer &w, const std::string &x, const std::string &zero, const std::string &inverse_width) {
  std::string sum = w.add("{} reduce({}, {}), dimensions={{1}}, to_apply=sum", column, x, zero);
  std::string scale = w.add("{} broadcast({}), dimensions={{}}", column, inverse_width);
  std::string mean = over_columns(w, w.add("{} multiply({}, {})", column, sum, scale));
  std::string centered = w.add("{} subtract({}, {})", rows, x, mean);
  std::string square = w.add("{} multiply({}, {})", rows, centered, centered);
  std::string squares = w.add("{} reduce({}, {}), dimensions={{1}}, to_apply=sum", column, square, zero);
  std::string variance = w.add("{} multiply({}, {})", column, squares, scale);
  std::string factor = over_columns(w, w.add("{} rsqrt({})", column, variance));
  std::string normed = w.add("{} multiply({}, {})", rows, centered, factor);
  std::string gain = w.add("{} broadcast({}), dimensions={{1}}", rows, w.parameter("f32[128]{0}"));
  std::string offset = w.add("{} broadcast({}), dimensions={{1}}", rows, w.parameter("f32[128]{0}"));
  return w.add("{} add({}, {})", rows, w.add("{} multiply({}, {})", rows, normed, gain), offset);
}

std::string times_weights(Writer &w, const std::string &x, const char *weights, const char *result) {
  return w.add("{} dot({}, {}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}", result, x,
               w.parameter(weights));
}

std::string block(Writer &w, const std::string &x, const std::string &zero, const std::string &lowest,
                  const std::string &inverse_width) {
  constexpr const char *square = "f32[128,128]{1,0}", *scores_shape = "f32[64,64]{1,0}", *wide = "f32[64,512]{1,0}";
  std::string normed = layer_norm(w, x, zero, inverse_width);
  std::string query = times_weights(w, normed, square, rows), key = times_weights(w, normed, square, rows);
  std::string value = times_weights(w, normed, square, rows);
  std::string scores =
      w.add("{} dot({}, {}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}", scores_shape, query, key);
  std::string largest = w.add("{} reduce({}, {}), dimensions={{1}}, to_apply=larger", column, scores, lowest);
  std::string shifted = w.add("{} subtract({}, {})", scores_shape, scores,
                              w.add("{} broadcast({}), dimensions={{0}}", scores_shape, largest));
  std::string weights = w.add("{} exponential({})", scores_shape, shifted);
  std::string total = w.add("{} reduce({}, {}), dimensions={{1}}, to_apply=sum", column, weights, zero);
  std::string attention = w.add("{} divide({}, {})", scores_shape, weights,
                                w.add("{} broadcast({}), dimensions={{0}}", scores_shape, total));
  std::string mixed =
      w.add("{} dot({}, {}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}", rows, attention, value);
  std::string first = w.add("{} add({}, {})", rows, x, times_weights(w, mixed, square, rows));
  std::string hidden = times_weights(w, layer_norm(w, first, zero, inverse_width), "f32[128,512]{1,0}", wide);
  std::string active = w.add("{} multiply({}, {})", wide, hidden, w.add("{} logistic({})", wide, hidden));
  return w.add("{} add({}, {})", rows, first, times_weights(w, active, "f32[512,128]{1,0}", rows));
}

}  // namespace

std::string transformer_stack(int layers) {
  Writer w;
  std::string x = w.parameter(rows);
  std::string zero = w.add("f32[] constant(0)"), lowest = w.add("f32[] constant(-inf)");
  std::string inverse_width = w.add("f32[] constant(0.0078125)");
  for (int i = 0; i < layers; ++i) {
    x = block(w, x, zero, lowest, inverse_width);
  }
  return fmt::format(
      "HloModule transformer_stack\n\n"
      "sum {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}}\n\n"
      "larger {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] maximum(a, b)\n}}\n\n"
      "ENTRY main {{\n{}}}\n",
      w.text());
}

}  // namespace bp::bench
