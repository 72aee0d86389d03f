// Modules that are raised to StableHLO mean the same: the interpreter computes the same bits from the text, and from
// the bytecode.
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/import/stablehlo/raising/raising.h"
#include "core/import/stablehlo/stablehlo.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/text/parser.h"
#include "tools/testing/require.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"

namespace bp::import::stablehlo {
namespace {

using testing::error_of;

// Adds the arrays and tokens of a value.
void add_leaves(const ir::Literal &literal, std::vector<ir::Literal> &leaves) {
  if (!literal.shape().is_tuple()) {
    leaves.push_back(literal);
    return;
  }
  for (const ir::Literal &element : literal.tuple_elements()) {
    add_leaves(element, leaves);
  }
}

// Counts of the programs of a folder, by what became of them.
struct Outcome {
  std::size_t same = 0, not_run = 0;
  std::size_t not_read = 0;  // correct, but with sizes that the importer does not know
  std::size_t refused = 0;
};

interpreter::Options limits() {
  interpreter::Options options;
  options.max_steps = 20'000;
  options.max_seconds = 1;
  return options;
}

// Whether running it takes little time.
bool is_small(const ir::Module &module) {
  constexpr std::int64_t most_bytes = 1 << 18;
  std::size_t count = 0;
  for (const ir::Computation computation : module.computations()) {
    count += computation.instruction_count();
    for (const ir::Instruction instruction : computation.instructions()) {
      if (instruction.shape().byte_size() > most_bytes) {
        return false;
      }
    }
  }
  return count < 3'000;
}

// Compares the results of the module and of what was read from the StableHLO. Returns whether both were run.
bool compare_results(const ir::Module &module, const ir::Module &read) {
  const Result<std::vector<ir::Literal>> arguments =
      is_small(module) ? interpreter::random_arguments(module, 1)
                       : Result<std::vector<ir::Literal>>(Error(ErrorCode::OutOfMemory, "a large program"));
  if (!arguments.ok()) {
    return false;
  }
  const auto expected = interpreter::interpret(module, *arguments, limits());
  if (!expected.ok()) {
    return false;
  }
  std::vector<ir::Literal> parts, wanted, found;
  for (const ir::Literal &argument : *arguments) {
    add_leaves(argument, parts);
  }
  interpreter::Options options = limits();
  options.max_seconds *= 4;
  options.max_steps *= 4;
  const auto results = interpreter::interpret(read, parts, options);
  REQUIRE(error_of(results) == "");
  add_leaves(*expected, wanted);
  add_leaves(*results, found);
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].identical(wanted[i]));
  }
  return true;
}

// Whether epsilons are floats: bytecode has no other.
bool has_storable_numbers(const ir::Module &module) {
  for (const ir::Computation computation : module.computations()) {
    for (const ir::Instruction instruction : computation.instructions()) {
      const double epsilon = instruction.real(AttributeKey::Epsilon);
      if (static_cast<double>(static_cast<float>(epsilon)) != epsilon) {
        return false;
      }
    }
  }
  return true;
}

void check_module(const ir::Module &module, Outcome &outcome) {
  const auto raised = raise(module, RaisedForm::Text);
  if (!raised.ok()) {
    CHECK(raised.error().code() == ErrorCode::Unsupported);
    ++outcome.refused;
    return;
  }
  const auto text = to_text(module);
  REQUIRE(error_of(text) == "");
  const auto read = stablehlo::read(*text);
  if (!read.ok() && read.error().message().find("not known") != std::string::npos) {
    ++outcome.not_read;
    return;
  }
  REQUIRE(error_of(read) == "");
  ++(compare_results(module, *read) ? outcome.same : outcome.not_run);
  if (const auto bytes = to_bytecode(module, bytecode::newest_version); bytes.ok()) {
    const auto stored = stablehlo::read(*bytes);
    REQUIRE(error_of(stored) == "");
    if (has_storable_numbers(module)) {
      compare_results(module, *stored);
    }
  } else {
    CHECK(bytes.error().code() == ErrorCode::Unsupported);
  }
}

void check_folder(const std::filesystem::path &folder, Outcome &outcome) {
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") {
      continue;
    }
    const std::string file = entry.path().filename(), text = testing::read_file(entry.path());
    for (const text::TextPart &part : text::split_modules(text)) {
      INFO(file << ":" << part.first_line);
      const auto module = text::parse_module(part.text, {file, part.first_line});
      if (module.ok() && ir::verify(*module).ok()) {
        check_module(*module, outcome);
      }
    }
  }
}

// Prints the counts. `least`: of programs that must have been compared.
void check_counts(std::string_view folder, const Outcome &outcome, std::size_t least) {
  fmt::print("{}: {} the same, {} not run, {} not read, {} refused\n", folder, outcome.same, outcome.not_run,
             outcome.not_read, outcome.refused);
  CHECK(outcome.same >= least);
}

}  // namespace

TEST_CASE("every operation has a row") {
  for (const ir::OpInfo &op : ir::ops()) {
    INFO(op.text);
    const RaisingRow *row = find_raising_row(op.opcode);
    REQUIRE(row != nullptr);
    CHECK((row->raise != nullptr) == row->reason.empty());
  }
}

TEST_CASE("origins are locations in bytecode") {
  const ir::Module module = testing::parse(R"(HloModule m
FileNames
1 "a.py"
FunctionNames
1 "f"
FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=3 end_column=9}
StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] negate(x), metadata={op_name="jit(f)/neg" source_file="b.py" source_line=5}
  ROOT z = f32[2] abs(y), metadata={op_name="jit(f)/abs" stack_frame_id=1}
}
)");
  const auto bytes = to_bytecode(module, bytecode::default_target);
  REQUIRE(error_of(bytes) == "");
  const ir::Module read = testing::require_value(stablehlo::read(*bytes));
  const ir::Metadata *last = read.entry().root().metadata(), *first = read.entry().root().operand(0).metadata();
  REQUIRE(first != nullptr);
  CHECK((first->op_name == "jit(f)/neg" && first->source_file == "b.py" && first->source_line == 5));
  REQUIRE(last != nullptr);
  CHECK((last->op_name == "jit(f)/abs" && last->source_file == "a.py" && last->source_line == 7));
}

TEST_CASE("programs of this repository are the same in StableHLO") {
  Outcome outcome;
  for (const char *folder : {"core/interpreter/testdata", "core/ir/testdata", "core/passes/testdata",
                             "core/buffers/testdata", "samples/models"}) {
    check_folder(testing::find_in_source_tree(folder), outcome);
  }
  check_counts("this repository", outcome, 950);
}

TEST_CASE("the corpora are the same in StableHLO") {
  const std::filesystem::path corpus = testing::find_shared("corpus");
  if (corpus.empty()) {
    testing::skip("no corpus; set BACKPLANE_SHARED to the folder that has it");
    return;
  }
  Outcome outcome;
  check_folder(corpus, outcome);
  check_counts("the corpora", outcome, 150);
}

}  // namespace bp::import::stablehlo
