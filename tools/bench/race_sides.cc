#include "tools/bench/race_sides.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <boost/align/aligned_allocator.hpp>
#include <boost/process.hpp>
#include <cmath>
#include <filesystem>

#include "core/base/files.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/storage.h"
#include "core/text/parser.h"
#include "tools/command/terminal.h"

namespace bp::bench {
namespace {

namespace filesystem = std::filesystem;
namespace json = boost::json;

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

std::vector<Literal> arrays_of(const Literal &value) {
  if (value.shape().is_array()) {
    return {value};
  }
  return {value.tuple_elements().begin(), value.tuple_elements().end()};
}

// Returns the norm of theirs - ours divided by the norm of theirs, of arrays of f32.
Result<double> difference_of(const Literal &theirs, const Literal &ours) {
  if (theirs.shape().element_type() != ir::ElementType::F32 || ours.shape().byte_size() != theirs.shape().byte_size()) {
    return make_error(ErrorCode::Unsupported, "the result is a {}, expected f32", ir::to_string(theirs.shape()));
  }
  const std::span<const std::byte> bytes = theirs.bytes(), other = ours.bytes();
  double distance = 0, norm = 0;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    float x, y;
    std::memcpy(&x, bytes.data() + at, sizeof(float));
    std::memcpy(&y, other.data() + at, sizeof(float));
    if (std::isnan(x) && std::isnan(y)) {
      continue;  // random inputs may give NaN on both sides
    }
    const double apart = static_cast<double>(x) - static_cast<double>(y);
    distance += apart * apart;
    norm += static_cast<double>(x) * static_cast<double>(x);
  }
  return std::sqrt(distance) / std::max(std::sqrt(norm), 1e-300);
}

// The program on the same backend, without fusion.
class Unfused final : public Side {
 public:
  static Result<std::unique_ptr<Side>> make(const std::string &file, const Ours &ours, Setting setting) {
    setting.options.fuse = false;
    BP_ASSIGN(std::unique_ptr<Ours> runner, Ours::make(file, setting));
    BP_ASSIGN(const std::vector<Literal> theirs, runner->results());
    BP_ASSIGN(const std::vector<Literal> expected, ours.results());
    double difference = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      // Other types are equal or not.
      const Result<double> found = difference_of(theirs[i], expected[i]);
      const bool is_equal = std::ranges::equal(theirs[i].bytes(), expected[i].bytes());
      difference = std::max(difference, found.ok() ? *found : is_equal ? 0.0 : NAN);
    }
    return std::unique_ptr<Side>(new Unfused(std::move(runner), difference));
  }

  Status add_runs(int count, std::vector<double> &seconds) override { return runner_->add_runs(count, seconds); }
  json::object about() const override {
    json::object fields = runner_->about();
    fields["difference"] = difference_;
    return fields;
  }

 private:
  Unfused(std::unique_ptr<Ours> runner, double difference) : runner_(std::move(runner)), difference_(difference) {}

  std::unique_ptr<Ours> runner_;
  double difference_;
};

// A function in C that is called with a part of the rows on each thread: the first argument and the result have
// `columns` elements in a row, and the other arguments are the same for all rows.
class InC final : public Side {
 public:
  using Function = void (*)(const float *const *arguments, float *result, std::size_t first_row, std::size_t end_row,
                            std::size_t columns);

  static Result<std::unique_ptr<Side>> make(const std::string &library, const std::string &name, const Ours &ours,
                                            ThreadPool &pool) {
    void *loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays until the process ends
    if (loaded == nullptr) {
      return make_error(ErrorCode::Io, "{}", dlerror());
    }
    const auto function = reinterpret_cast<Function>(dlsym(loaded, name.c_str()));
    if (function == nullptr) {
      return make_error(ErrorCode::NotFound, "{} has no function {}", library, name);
    }
    const auto compiled_by = reinterpret_cast<const char *const *>(dlsym(loaded, "compiled_by"));
    BP_ASSIGN(const std::vector<Literal> arguments, ours.arguments());
    BP_ASSIGN(const std::vector<Literal> results, ours.results());
    auto side = std::unique_ptr<InC>(new InC(function, compiled_by == nullptr ? "" : *compiled_by, pool));
    for (const Literal &argument : arguments) {
      if (!argument.shape().is_array() || argument.shape().element_type() != ir::ElementType::F32) {
        return make_error(ErrorCode::Unsupported, "an argument is {}, expected f32", ir::to_string(argument.shape()));
      }
      const std::span<const std::byte> bytes = argument.bytes();
      side->memory_.emplace_back(bytes.begin(), bytes.end());
      side->arguments_.push_back(reinterpret_cast<const float *>(side->memory_.back().data()));
    }
    const ir::Shape &first = arguments.empty() ? results[0].shape() : arguments[0].shape();
    if (results.size() != 1 || first.byte_size() != results[0].shape().byte_size()) {
      return make_error(ErrorCode::Unsupported, "expected one result with the shape of the first argument");
    }
    const auto count = static_cast<std::size_t>(first.element_count());
    side->columns_ = first.rank() < 2 ? 1 : static_cast<std::size_t>(first.size(first.rank() - 1));
    side->rows_ = count / side->columns_;
    side->result_.assign(count * sizeof(float), std::byte(0));
    side->run();
    BP_ASSIGN(Literal theirs, ir::load(side->result_, results[0].shape()));
    BP_ASSIGN(side->difference_, difference_of(theirs, results[0]));
    return std::unique_ptr<Side>(std::move(side));
  }

  Status add_runs(int count, std::vector<double> &seconds) override {
    run();
    for (int i = 0; i < count; ++i) {
      const auto start = std::chrono::steady_clock::now();
      run();
      seconds.push_back(command::seconds_since(start));
    }
    return {};
  }
  json::object about() const override { return {{"version", version_}, {"difference", difference_}}; }

 private:
  using Buffer = std::vector<std::byte, boost::alignment::aligned_allocator<std::byte, 64>>;

  InC(Function function, std::string version, ThreadPool &pool)
      : function_(function), version_(std::move(version)), pool_(pool) {}

  void run() {
    const std::size_t parts = pool_.size();
    auto *result = reinterpret_cast<float *>(result_.data());
    pool_.parallel(static_cast<std::uint32_t>(parts), [&](std::uint32_t part, std::uint32_t) {
      function_(arguments_.data(), result, rows_ * part / parts, rows_ * (part + 1) / parts, columns_);
    });
  }

  Function function_;
  std::string version_;
  ThreadPool &pool_;
  std::vector<Buffer> memory_;
  std::vector<const float *> arguments_;
  Buffer result_;
  std::size_t rows_ = 0, columns_ = 0;
  double difference_ = 0;
};

// A folder for this process, deleted by the destructor.
class ExchangeFolder {
 public:
  ExchangeFolder() : path_(filesystem::temp_directory_path() / fmt::format("backplane-race-{}", ::getpid())) {}
  ~ExchangeFolder() {
    std::error_code ignored;
    filesystem::remove_all(path_, ignored);
  }
  ExchangeFolder(const ExchangeFolder &) = delete;
  ExchangeFolder &operator=(const ExchangeFolder &) = delete;
  // Writes inputs and results as peers read them.
  Status fill(const Ours &ours) const {
    std::error_code ignored;
    filesystem::remove_all(path_, ignored);
    BP_TRY(make_directory(path_.string()));
    BP_ASSIGN(const std::vector<Literal> arguments, ours.arguments());
    BP_TRY(write("input", arguments));
    BP_ASSIGN(const std::vector<Literal> results, ours.results());
    return write("output", results);
  }
  std::string path() const { return path_.string(); }

 private:
  Status write(std::string_view kind, const std::vector<Literal> &arrays) const {
    for (std::size_t number = 0; number < arrays.size(); ++number) {
      const std::span<const std::byte> bytes = arrays[number].bytes();
      BP_TRY(write_file((path_ / fmt::format("{}.{}", kind, number)).string(),
                        {reinterpret_cast<const char *>(bytes.data()), bytes.size()}));
    }
    return {};
  }

  filesystem::path path_;
};

// A process at each turn, which ends with it: threads of its libraries do not spin while others run.
class Script final : public Side {
 public:
  Script(std::string peer, std::string file, const Ours &ours, const Setting &setting)
      : peer_(std::move(peer)), file_(std::move(file)), ours_(ours), setting_(setting) {}

  Status add_runs(int count, std::vector<double> &seconds) override {
    const ExchangeFolder folder;
    BP_TRY(folder.fill(ours_));
    answer_ = ask(folder.path(), count);
    if (const json::value *error = answer_.if_contains("error")) {
      return make_error(ErrorCode::Unsupported, "{}", std::string(error->as_string()));
    }
    if (const json::value *found = answer_.if_contains("seconds"); found != nullptr && found->is_array()) {
      std::ranges::transform(found->as_array(), std::back_inserter(seconds),
                             [](const json::value &one) { return one.to_number<double>(); });
      answer_.erase("seconds");
    }
    return {};
  }
  json::object about() const override { return answer_; }

 private:
  // Returns what the peer's script prints: one JSON object, whose field `error` gives the reason if it failed.
  json::object ask(const std::string &folder, int repeat) const {
    const std::size_t colon = peer_.find(':');
    const std::string &python = setting_.python,
                      script = fmt::format("{}/{}_peer.py", setting_.scripts, peer_.substr(0, colon));
    std::string answer, said;
    try {
      const boost::filesystem::path program =
          python.find('/') == std::string::npos ? boost::process::search_path(python) : python;
      boost::process::ipstream out;
      // As in this process, results get memory that is already mapped.
      boost::process::environment environment = boost::this_process::environment();
      environment["MALLOC_ARENA_MAX"] = "1";
      environment["MALLOC_MMAP_MAX_"] = "0";
      environment["MALLOC_TOP_PAD_"] = "268435456";
      environment["MALLOC_TRIM_THRESHOLD_"] = "100000000000";
      boost::process::child child(program, script, file_, folder, peer_.substr(colon + 1), std::to_string(repeat),
                                  boost::process::std_out > out, boost::process::std_err > boost::process::null,
                                  environment);
      for (std::string line; std::getline(out, line);) {
        answer = line;
      }
      child.wait();
    } catch (const std::exception &error) {
      said = error.what();
    }
    json::error_code failure;
    json::value value = json::parse(answer, failure);
    if (failure || !value.is_object()) {
      return {{"error", fmt::format("{} {} printed no JSON object as its last line: {}", python, script, said)}};
    }
    return std::move(value.as_object());
  }

  std::string peer_, file_;
  const Ours &ours_;
  const Setting &setting_;
  json::object answer_;
};

// Replaces each parameter but the first by a constant. The parameters stay, and nothing reads them.
Status make_weights_constant(Module &module) {
  BP_ASSIGN(const std::vector<Literal> arguments, interpreter::random_arguments(module, 1));
  const ir::ComputationId entry = module.entry().id();
  const auto before = module.entry().instruction_ids(), parameters = module.entry().parameter_ids();
  std::vector<ir::InstructionId> order(before.begin(), before.end()), constants,
      weights(parameters.begin(), parameters.end());
  for (const Literal &argument : arguments) {
    constants.push_back(constants.empty() ? weights[0] : module.add_constant(entry, argument));
  }
  std::vector<ir::InstructionId> replacements(module.instruction_id_limit(), ir::no_instruction);
  for (std::size_t i = 1; i < constants.size(); ++i) {
    replacements[index(weights[i])] = constants[i];
  }
  module.replace_uses(replacements);
  order.insert(order.begin(), constants.begin() + (constants.empty() ? 0 : 1), constants.end());
  module.set_instruction_order(entry, std::move(order));
  module.unique_names();
  return {};
}

}  // namespace

Figures Figures::of(const std::vector<double> &seconds) {
  Figures figures{median(seconds), *std::ranges::min_element(seconds)};
  std::vector<double> distances;
  std::ranges::transform(seconds, std::back_inserter(distances),
                         [&](double one) { return std::abs(one - figures.run); });
  figures.spread = median(std::move(distances));
  return figures;
}

Result<std::unique_ptr<Ours>> Ours::make(const std::string &file, const Setting &setting) {
  BP_ASSIGN(const std::string text, read_file(file));
  BP_ASSIGN(Module module, text::parse_module(text));
  Module program = module;
  if (setting.has_constant_weights) {
    BP_TRY(make_weights_constant(program));
  }
  const auto start = std::chrono::steady_clock::now();
  CompileOptions options = setting.options;
  options.device_only = true;
  BP_ASSIGN(Compiled compiled, setting.backend.compile(program, options));
  const double seconds = command::seconds_since(start);
  if (compiled.executable.program() == nullptr) {
    return make_error(ErrorCode::Unsupported, "{}: the core leaves nothing for the device to do", file);
  }
  BP_ASSIGN(auto timed, conformance::TimedProgram::make(compiled, program, 1, &setting.clock));
  return std::unique_ptr<Ours>(new Ours(std::move(module), std::move(compiled), std::move(timed), seconds));
}

Status Ours::add_runs(int count, std::vector<double> &seconds) {
  BP_ASSIGN([[maybe_unused]] const auto warm, timed_->run());
  for (int i = 0; i < count; ++i) {
    timed_->restore_donated();
    BP_ASSIGN(const conformance::RunClock::Reading reading, timed_->run());
    seconds.push_back(reading.seconds);
  }
  return {};
}

Result<std::vector<Literal>> Ours::arguments() const {
  return interpreter::random_arguments(module_, 1);
}

Result<std::vector<Literal>> Ours::results() const {
  BP_ASSIGN(std::vector<Literal> given, arguments());
  BP_ASSIGN(const Literal result, compiled_.executable.run(std::move(given)));
  return arrays_of(result);
}

std::optional<std::string> problem_of_peer(const std::string &peer) {
  if (peer == "backplane:no-fusion") {
    return std::nullopt;
  }
  for (const std::string_view kind : {"c:", "onnxruntime:", "torch:", "tvm:", "xla:"}) {
    if (peer.starts_with(kind) && peer.size() > kind.size()) {
      return std::nullopt;
    }
  }
  return fmt::format(
      "--peer is '{}', expected backplane:no-fusion, c:LIBRARY, onnxruntime:cpu, torch:PLATFORM, tvm:cpu or "
      "xla:PLATFORM",
      peer);
}

Result<std::unique_ptr<Side>> make_peer(const std::string &peer, const std::string &file, const Ours &ours,
                                        const Setting &setting) {
  if (peer == "backplane:no-fusion") {
    return Unfused::make(file, ours, setting);
  }
  if (peer.starts_with("c:")) {
    return InC::make(peer.substr(2), filesystem::path(file).stem().string(), ours, setting.pool);
  }
  return std::unique_ptr<Side>(new Script(peer, file, ours, setting));
}

}  // namespace bp::bench
