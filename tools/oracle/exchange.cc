// Gives cases of the conformance suite to another implementation of HLO, and judges its results as those of a backend.
//
// Reads requests from standard input, and answers each on standard output. Numbers are decimal.
//
//   list STAGE      COUNT, and a line for each case
//   case ID         "program BYTES COUNT", the program as HLO text, and that many arrays; or "none REASON"
//   result COUNT    judges COUNT arrays, which follow, as the result of the last case: "STATUS SAME ULP MESSAGE", where
//                   SAME is 1 if every bit is the interpreter's, and ULP the largest distance or "-"
//
// An array is a line "TYPE SIZES BYTES", such as "f32 2,3 24" or "f32 - 4", and its bytes: dense, row-major, elements
// of less than a byte in one byte each. Tuples are given as their arrays, in order.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <boost/program_options.hpp>
#include <cmath>
#include <cstring>
#include <iostream>
#include <optional>

#include "conformance/suite/instruction_trial.h"
#include "conformance/suite/stage.h"
#include "core/interpreter/interpreter.h"
#include "core/text/printer.h"

namespace bp::conformance {
namespace {

std::string header_of(const ir::Shape &shape, std::size_t bytes) {
  return fmt::format("{} {} {}", ir::to_string(shape.element_type()),
                     shape.rank() == 0 ? "-" : fmt::format("{}", fmt::join(shape.sizes(), ",")), bytes);
}

void append_arrays(const ir::Literal &literal, std::vector<const ir::Literal *> &arrays) {
  if (literal.shape().is_tuple()) {
    for (const ir::Literal &element : literal.tuple_elements()) {
      append_arrays(element, arrays);
    }
  } else if (literal.shape().is_array()) {
    arrays.push_back(&literal);
  }
}

// XLA:CPU takes subnormal numbers for zeros, and returns zeros for them, in types that it computes in f32 or f64.
bool is_flushed(double x, ir::ElementType type) {
  using enum ir::ElementType;
  const double least = type == F64 || type == C128 ? 0x1p-1022 : 0x1p-126;
  return x != 0 && std::fabs(x) < least;
}

// Calls change(x, y) for each float or part of a complex number of two arrays of one shape.
template <class Change>
void change_floats(ir::Literal &array, const ir::Literal &other, Change &&change) {
  const auto x = array.mutable_bytes();
  const auto y = other.bytes();
  const auto each = [&]<class T>() {
    for (std::size_t i = 0; i < x.size() / sizeof(T); ++i) {
      T first, second;
      std::memcpy(&first, &x[i * sizeof(T)], sizeof(T));
      std::memcpy(&second, &y[i * sizeof(T)], sizeof(T));
      change(first, second);
      std::memcpy(&x[i * sizeof(T)], &first, sizeof(T));
    }
  };
  switch (array.shape().element_type()) {
    case ir::ElementType::BF16: return each.template operator()<ir::BF16>();
    case ir::ElementType::F32:
    case ir::ElementType::C64: return each.template operator()<float>();
    case ir::ElementType::F64:
    case ir::ElementType::C128: return each.template operator()<double>();
    default: return;
  }
}

// Replaces subnormal arguments by zeros.
ir::Literal without_subnormals(ir::Literal argument) {
  if (argument.shape().is_tuple()) {
    std::vector<ir::Literal> elements;
    for (const ir::Literal &element : argument.tuple_elements()) {
      elements.push_back(without_subnormals(element));
    }
    return ir::Literal::tuple(std::move(elements));
  }
  if (argument.shape().is_array()) {
    const ir::ElementType type = argument.shape().element_type();
    const ir::Literal original = argument;
    change_floats(argument, original,
                  [&]<class T>(T &x, T) { x = is_flushed(static_cast<double>(x), type) ? T(0.0f) : x; });
  }
  return argument;
}

// Replaces the zeros that stand for subnormal numbers.
void restore_subnormals(ir::Literal &found, const ir::Literal &expected) {
  const ir::ElementType type = found.shape().element_type();
  change_floats(found, expected, [&]<class T>(T &x, T y) {
    x = static_cast<double>(x) == 0 && is_flushed(static_cast<double>(y), type) ? y : x;
  });
}

std::string one_line(std::string text) {
  return boost::replace_all_copy(text, "\n", "\\n");
}

class Exchange {
 public:
  Exchange(Subject subject, std::istream &in, std::ostream &out) : subject_(std::move(subject)), in_(in), out_(out) {}

  // Serves until the end of the input. Fails if a request is none.
  Status serve() {
    for (std::string line; std::getline(in_, line);) {
      std::vector<std::string> words;
      boost::split(words, line, boost::is_any_of(" "));
      if (words.size() != 2) {
        return invalid_input("the request is '{}', expected a word and an argument", line);
      }
      BP_TRY(words[0] == "list"     ? list(words[1])
             : words[0] == "case"   ? give(words[1])
             : words[0] == "result" ? judge(words[1])
                                    : invalid_input("the request is '{}', expected list, case or result", line));
      out_.flush();
    }
    return {};
  }

 private:
  Status list(const std::string &name) {
    const Stage *stage = find_stage(name);
    if (stage == nullptr || stage->trial == nullptr) {
      return invalid_input("'{}' is no stage whose results are judged alone, such as ops, attributes or identities",
                           name);
    }
    const std::vector<std::string> ids = stage->list(subject_);
    out_ << ids.size() << "\n" << fmt::format("{}", fmt::join(ids, "\n")) << (ids.empty() ? "" : "\n");
    return {};
  }

  Status give(const std::string &id) {
    trial_.reset();
    const Stage *stage = stage_of_case(id);
    if (stage == nullptr || stage->trial == nullptr) {
      return invalid_input("there is no case '{}' whose result is judged alone", id);
    }
    auto trial = stage->trial(subject_, id);
    if (trial.ok()) {
      std::ranges::transform(trial->arguments, trial->arguments.begin(), without_subnormals);
    }
    auto expected = trial.ok() ? interpreter::interpret(trial->module, trial->arguments) : trial.error();
    if (!expected.ok()) {
      out_ << "none " << one_line(expected.error().to_string()) << "\n";
      return {};
    }
    if (!trial->module.entry().root().shape().is_static()) {
      out_ << "none the sizes of the result are known only at run time\n";
      return {};
    }
    trial_ = std::move(*trial);
    expected_ = std::move(*expected);
    std::vector<const ir::Literal *> arrays;
    for (const ir::Literal &argument : trial_->arguments) {
      append_arrays(argument, arrays);
    }
    const std::string text = text::print(trial_->module);
    out_ << "program " << text.size() << " " << arrays.size() << "\n" << text;
    for (const ir::Literal *array : arrays) {
      out_ << header_of(array->shape(), array->bytes().size()) << "\n";
      out_.write(reinterpret_cast<const char *>(array->bytes().data()),
                 static_cast<std::streamsize>(array->bytes().size()));
    }
    return {};
  }

  Status judge(const std::string &count) {
    if (!trial_) {
      return invalid_input("there is a result, but no case before it");
    }
    std::vector<const ir::Literal *> arrays;
    append_arrays(expected_, arrays);
    std::string wrong_shape =
        count == std::to_string(arrays.size()) ? "" : fmt::format("{} arrays, expected {}", count, arrays.size());
    std::vector<ir::Literal> found;
    for (std::size_t i = 0; i < std::stoull(count); ++i) {
      std::string header;
      std::getline(in_, header);
      std::string bytes(std::stoull(header.substr(header.rfind(' ') + 1)), '\0');
      in_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      const std::string wanted =
          i < arrays.size() ? header_of(arrays[i]->shape(), arrays[i]->bytes().size()) : std::string("no array");
      // StableHLO's random bits have no sign, and no fewer bits than a byte if they are to be compared here.
      const bool is_other_sign = header.starts_with('u') && wanted.starts_with('s') &&
                                 header.substr(1) == wanted.substr(1) &&
                                 ir::bit_width(arrays[i]->shape().element_type()) >= 8;
      if (header != wanted && !is_other_sign) {
        wrong_shape = fmt::format("array {} is {}, expected {}", i, header, wanted);
        continue;
      }
      BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(arrays[i]->shape()));
      std::ranges::copy(std::as_bytes(std::span(bytes)), literal.mutable_bytes().begin());
      restore_subnormals(literal, *arrays[i]);
      found.push_back(std::move(literal));
    }
    if (!wrong_shape.empty()) {
      out_ << "fail 0 - the result is another shape: " << wrong_shape << "\n";
      return {};
    }
    std::span<ir::Literal> rest = found;
    const ir::Literal result = with_arrays(expected_, rest);
    const Verdict verdict = judge_outcome(subject_, *trial_, result, expected_);
    out_ << to_string(verdict.status) << " " << (result.identical(expected_) ? 1 : 0) << " "
         << (verdict.max_ulp ? fmt::format("{:.4g}", *verdict.max_ulp) : "-") << " " << one_line(verdict.message)
         << "\n";
    return {};
  }

  // Returns a literal of the shape of `model` with these arrays, which it removes from `arrays`.
  static ir::Literal with_arrays(const ir::Literal &model, std::span<ir::Literal> &arrays) {
    if (!model.shape().is_tuple()) {
      if (!model.shape().is_array()) {
        return model;
      }
      ir::Literal first = std::move(arrays.front());
      arrays = arrays.subspan(1);
      return first;
    }
    std::vector<ir::Literal> elements;
    for (const ir::Literal &element : model.tuple_elements()) {
      elements.push_back(with_arrays(element, arrays));
    }
    return ir::Literal::tuple(std::move(elements));
  }

  Subject subject_;
  std::istream &in_;
  std::ostream &out_;
  std::optional<InstructionTrial> trial_;
  ir::Literal expected_;
};

int run(int argc, char **argv) {
  namespace po = boost::program_options;
  Choice choice{.name = "interpreter", .tier = "", .settings = {}};
  po::options_description options("oracle_exchange: cases for another implementation, and verdicts on its results");
  options.add_options()("seed", po::value(&choice.seed)->default_value(0), "as of backplane conform")(
      "full", "the cases of the full run")("help", "this text");
  po::variables_map given;
  try {
    po::store(po::parse_command_line(argc, argv, options), given);
    po::notify(given);
  } catch (const po::error &error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  if (given.count("help") != 0) {
    std::cout << options;
    return 0;
  }
  choice.mode = given.count("full") != 0 ? Mode::Full : Mode::Quick;
  auto subject = Subject::find(choice);
  const Status served = subject.ok() ? Exchange(std::move(*subject), std::cin, std::cout).serve() : subject.error();
  if (!served.ok()) {
    fmt::print(stderr, "{}\n", served.error().to_string());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace bp::conformance

int main(int argc, char **argv) {
  return bp::conformance::run(argc, argv);
}
