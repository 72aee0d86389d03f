#include "conformance/suite/random_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "conformance/suite/library.h"
#include "conformance/suite/sample_programs.h"
#include "core/debugging/random_scope.h"
#include "core/interpreter/random_inputs.h"

namespace bp::conformance {
namespace {

using debugging::Random;
using Bytes = std::vector<std::byte>;

// Limits on objects that exist at the same time.
constexpr std::size_t max_libraries = 2, max_devices = 3, max_programs = 6, max_pieces = 8, max_pending = 6;

template <class T>
T &pick(std::vector<T> &choices, std::uint32_t number) {
  return choices[number % choices.size()];
}

// The state of the objects, and the calls that are legal for them. Members are declared in the order of their creation.
class Sequence {
 public:
  Sequence(const Subject &subject, const std::vector<TestProgram> &test_programs)
      : subject_(subject), test_programs_(test_programs), parts_(test_programs.size()) {}
  Sequence(const Sequence &) = delete;
  Sequence &operator=(const Sequence &) = delete;
  ~Sequence() {
    for (const PendingSubmission &submission : pending_) {
      static_cast<void>(submission.device->timelines().wait(submission.point));
    }
  }

  Status run(const Step &step) {
    static const std::vector<Status (Sequence::*)(const Step &)> actions = [] {
      std::vector<Status (Sequence::*)(const Step &)> all;
      const auto add = [&](int weight, Status (Sequence::*action)(const Step &)) {
        all.insert(all.end(), weight, action);
      };
      add(2, &Sequence::load_library_again);
      add(1, &Sequence::drop_library);
      add(5, &Sequence::create_device);
      add(1, &Sequence::create_idle_device);
      add(1, &Sequence::destroy_idle_device);
      add(2, &Sequence::destroy_device);
      add(7, &Sequence::load_program);
      add(10, &Sequence::run_program);
      add(4, &Sequence::destroy_program);
      add(7, &Sequence::allocate);
      add(4, &Sequence::copy);
      add(4, &Sequence::look_at_piece);
      add(3, &Sequence::release);
      add(5, &Sequence::submit_run);
      add(8, &Sequence::submit_copies);
      add(6, &Sequence::wait);
      return all;
    }();
    return (this->*actions[step.kind % actions.size()])(step);
  }

  // Releases everything, in an order chosen by `random`.
  Status end(Random &random) {
    const auto any = [&] { return Step{0, number(random), number(random), number(random)}; };
    while (!pending_.empty()) {
      BP_TRY(wait(any()));
    }
    while (!programs_.empty() || !pieces_.empty()) {
      BP_TRY(random.chance(2) ? destroy_program(any()) : release(any()));
    }
    while (!devices_.empty() || !idle_.empty() || !libraries_.empty()) {
      BP_TRY(drop_library(any()));
      BP_TRY(random.chance(2) ? destroy_device(any()) : destroy_idle_device(any()));
    }
    return {};
  }

  std::vector<std::string> take_calls() { return std::move(calls_); }

 private:
  struct Device {
    DevicePointer device;
    int number;
  };
  // A device created by the factory, perhaps not initialized.
  struct IdleDevice {
    std::shared_ptr<const host::Plugin> library;
    std::unique_ptr<host::HostServices> services;
    OwnedDevice device;
    int number;
  };
  struct Program {
    std::unique_ptr<DirectProgram> program;
    std::size_t test_program;
    DevicePointer device;
    int number;
    int submissions = 0;  // number of submissions that use it
  };
  struct Piece {
    runtime::Block block;
    Bytes content;
    DevicePointer device;
    int number;
    std::uint32_t queue = BP_NONE;  // queue of the submissions that use it
    int submissions = 0;
  };
  // Commands that were submitted and not waited for.
  struct PendingSubmission {
    DevicePointer device;
    bp_point_t point{};
    std::string what;
    std::vector<int> used;  // numbers of programs and blocks
    std::unique_ptr<DirectRun> run;
    DirectProgram::Outputs expected_outputs;
    std::unique_ptr<Bytes> copied;  // destination of copies to the host
    Bytes expected_copied;
  };

  static std::uint32_t number(Random &random) {
    return static_cast<std::uint32_t>(random.below(std::int64_t{1} << 32));
  }

  void note(std::string call) {
    std::fprintf(stderr, "%s; ", call.c_str());
    calls_.push_back(std::move(call));
  }

  Status load_library_again(const Step &) {
    if (libraries_.size() == max_libraries) {
      return {};
    }
    note("load and init the library");
    BP_ASSIGN(std::shared_ptr<const host::Plugin> library, load_library(subject_));
    libraries_.push_back(std::move(library));
    return {};
  }

  // The library is deinitialized when the last of its devices is destroyed.
  Status drop_library(const Step &step) {
    if (!libraries_.empty()) {
      note("unload the library");
      libraries_.erase(libraries_.begin() + static_cast<std::ptrdiff_t>(step.first % libraries_.size()));
    }
    return {};
  }

  Status create_device(const Step &step) {
    if (libraries_.empty() || devices_.size() == max_devices) {
      return {};
    }
    note(fmt::format("make device {}", ++last_number_));
    BP_ASSIGN(DevicePointer device, make_device(pick(libraries_, step.first), subject_));
    devices_.push_back({std::move(device), last_number_});
    return {};
  }

  Status create_idle_device(const Step &step) {
    if (libraries_.empty() || idle_.size() == max_devices) {
      return {};
    }
    const bool is_initialized = step.second % 2 != 0;
    note(fmt::format("create device {}{}", ++last_number_, is_initialized ? " and init it" : ""));
    IdleDevice idle{pick(libraries_, step.first), std::make_unique<host::HostServices>(silent_host()), nullptr,
                    last_number_};
    std::vector<bp_option_t> options;
    for (const auto &[key, value] : subject_.choice().settings) {
      options.push_back({key.c_str(), value.c_str()});
    }
    BP_ASSIGN(idle.device, conformance::make_device(*idle.library->factory(), idle.services->abi(),
                                                    subject_.device_id(), options, is_initialized));
    idle_.push_back(std::move(idle));
    return {};
  }

  Status destroy_idle_device(const Step &step) {
    if (!idle_.empty()) {
      const auto found = idle_.begin() + static_cast<std::ptrdiff_t>(step.first % idle_.size());
      note(fmt::format("destroy device {}", found->number));
      found->device.reset();
      idle_.erase(found);
    }
    return {};
  }

  Status destroy_device(const Step &step) {
    const auto is_unused = [&](const Device &device) {
      const auto is_on = [&](const auto &object) { return object.device == device.device; };
      return std::ranges::none_of(programs_, is_on) && std::ranges::none_of(pieces_, is_on) &&
             std::ranges::none_of(pending_, is_on);
    };
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const std::size_t at = (step.first + i) % devices_.size();
      if (is_unused(devices_[at])) {
        note(fmt::format("destroy device {}", devices_[at].number));
        devices_.erase(devices_.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      }
    }
    return {};
  }

  // Loads an existing artifact, perhaps made by another device, or a new one.
  Status load_program(const Step &step) {
    if (devices_.empty() || test_programs_.empty() || programs_.size() == max_programs) {
      return {};
    }
    const Device &device = pick(devices_, step.first);
    const std::size_t m = step.second % test_programs_.size();
    if (parts_[m] == nullptr || step.third % 4 == 0) {
      note(fmt::format("compile {} on device {}", test_programs_[m].name, device.number));
      BP_ASSIGN(parts_[m], DirectParts::compile(device.device, test_programs_[m].module));
    }
    note(fmt::format("load {} on device {}: program {}", test_programs_[m].name, device.number, ++last_number_));
    BP_ASSIGN(std::unique_ptr<DirectProgram> program, DirectProgram::load(device.device, parts_[m]));
    programs_.push_back({std::move(program), m, device.device, last_number_});
    return {};
  }

  static DirectProgram::Arrangement arrangement(std::uint32_t choice) {
    return {choice % 2 == 0 ? GuardedBlock::Side::AtEnd : GuardedBlock::Side::AtStart,
            static_cast<std::byte>(choice >> 8), choice / 2 % 2 == 0};
  }

  Status expect_same(const DirectProgram::Outputs &found, const DirectProgram::Outputs &expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (found[i] != expected[i]) {
        return make_error(ErrorCode::PluginFailure, "output {} differs in bits from a run alone", i);
      }
    }
    return {};
  }

  Status run_program(const Step &step) {
    if (programs_.empty()) {
      return {};
    }
    const Program &program = pick(programs_, step.first);
    const TestProgram &test_program = test_programs_[program.test_program];
    const std::size_t set = step.second % 2;
    note(fmt::format("run program {}, inputs {}", program.number, set));
    BP_ASSIGN(const DirectProgram::Outputs outputs,
              program.program->run(test_program.arguments[set], arrangement(step.third)));
    return expect_same(outputs, test_program.expected[set]);
  }

  Status destroy_program(const Step &step) {
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      const std::size_t at = (step.first + i) % programs_.size();
      if (programs_[at].submissions == 0) {
        note(fmt::format("destroy program {}", programs_[at].number));
        programs_.erase(programs_.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      }
    }
    return {};
  }

  Status allocate(const Step &step) {
    if (devices_.empty() || pieces_.size() == max_pieces) {
      return {};
    }
    const Device &device = pick(devices_, step.first);
    const bp_device_memory_t *memory = device.device->memory();
    if (memory == nullptr) {
      return {};
    }
    const auto space = static_cast<std::uint32_t>(step.second % memory->space_count);
    if ((memory->spaces[space].flags & BP_SPACE_PER_RUN) != 0) {
      return {};
    }
    const std::uint64_t size = 1 + step.third % (step.second % 3 == 0 ? 100'000 : 300);
    const std::size_t alignment = std::size_t{1} << (step.third >> 20) % 9;
    note(fmt::format("allocate {} bytes on device {}: piece {}", size, device.number, ++last_number_));
    Result<runtime::Block> allocated = runtime::Block::allocate_on(*device.device, space, size, alignment);
    if (!allocated.ok()) {
      // The skeleton of a plugin may not implement this yet.
      return allocated.error().code() == ErrorCode::Unsupported ? Status() : Status(std::move(allocated).error());
    }
    runtime::Block block = std::move(allocated).value();
    Bytes content(size);
    for (std::size_t i = 0; i < size; ++i) {
      content[i] = static_cast<std::byte>(i * 31 + static_cast<std::size_t>(last_number_) * 7);
    }
    BP_TRY(runtime::copy(*device.device, block.location(), runtime::host_location(content.data()), size));
    pieces_.push_back({std::move(block), std::move(content), device.device, last_number_});
    return {};
  }

  // A part of a block, and a part of equal size of another block on the same device; nullptr if there are no two
  // blocks.
  struct Move {
    Piece *from = nullptr, *to = nullptr;
    std::uint64_t from_offset = 0, to_offset = 0, size = 0;
    bp_loc_t source() const { return {from->block.location().memory, from_offset}; }
    bp_loc_t target() const { return {to->block.location().memory, to_offset}; }
    void mirror() const { std::memcpy(to->content.data() + to_offset, from->content.data() + from_offset, size); }
  };
  // `queue`: queue of the submissions that may be using the blocks; BP_NONE: no submission may.
  Move choose_move(const Step &step, const DevicePointer &device, std::uint32_t queue) {
    std::vector<Piece *> free;
    for (Piece &piece : pieces_) {
      if (piece.device == device && (piece.submissions == 0 || (piece.queue == queue && queue != BP_NONE))) {
        free.push_back(&piece);
      }
    }
    if (free.size() < 2) {
      return {};
    }
    Move move;
    move.from = pick(free, step.second);
    std::erase(free, move.from);
    move.to = pick(free, step.second >> 8);
    move.size = std::min(move.from->content.size(), move.to->content.size());
    move.size = 1 + step.third % move.size;
    move.from_offset = (step.third >> 4) % (move.from->content.size() - move.size + 1);
    move.to_offset = (step.third >> 12) % (move.to->content.size() - move.size + 1);
    return move;
  }

  Status copy(const Step &step) {
    if (pieces_.empty()) {
      return {};
    }
    const DevicePointer device = pick(pieces_, step.first).device;
    const Move move = choose_move(step, device, BP_NONE);
    if (move.from == nullptr) {
      return {};
    }
    note(fmt::format("copy {} bytes from {} of piece {} to {} of piece {}", move.size, move.from_offset,
                     move.from->number, move.to_offset, move.to->number));
    BP_TRY(runtime::copy(*device, move.target(), move.source(), move.size));
    move.mirror();
    return {};
  }

  Status look_at_piece(const Step &step) {
    if (pieces_.empty() || pick(pieces_, step.first).submissions != 0) {
      return {};
    }
    const Piece &piece = pick(pieces_, step.first);
    note(fmt::format("read piece {}", piece.number));
    Bytes found(piece.content.size());
    BP_TRY(runtime::copy(*piece.device, runtime::host_location(found.data()), piece.block.location(), found.size()));
    return expect_content(found, piece.content, fmt::format("piece {}", piece.number));
  }

  static Status expect_content(const Bytes &found, const Bytes &expected, std::string_view what) {
    const auto differs = std::ranges::mismatch(found, expected);
    if (differs.in1 == found.end()) {
      return {};
    }
    return make_error(ErrorCode::PluginFailure, "byte {} of {} is {}, expected {}", differs.in1 - found.begin(), what,
                      static_cast<int>(*differs.in1), static_cast<int>(*differs.in2));
  }

  Status release(const Step &step) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const std::size_t at = (step.first + i) % pieces_.size();
      if (pieces_[at].submissions == 0) {
        BP_TRY(look_at_piece({0, static_cast<std::uint32_t>(at), 0, 0}));
        note(fmt::format("release piece {}", pieces_[at].number));
        pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      }
    }
    return {};
  }

  Status submit(PendingSubmission submission, std::uint32_t queue, std::span<const bp_command_t> commands) {
    submission.point = {submission.device->timelines().create(), 1};
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
      return submission.device->queue()->submit(submission.device->abi(), queue, commands.data(),
                                                static_cast<std::uint32_t>(commands.size()), submission.point, diag);
    });
    BP_TRY(diagnostics.result(status, submission.device->id(), "submit"));
    use(submission, 1);
    pending_.push_back(std::move(submission));
    return {};
  }

  void use(const PendingSubmission &submission, int more) {
    for (const int number : submission.used) {
      for (Program &program : programs_) {
        program.submissions += program.number == number ? more : 0;
      }
      for (Piece &piece : pieces_) {
        piece.submissions += piece.number == number ? more : 0;
      }
    }
  }

  Status submit_run(const Step &step) {
    if (programs_.empty() || pending_.size() == max_pending) {
      return {};
    }
    const Program &program = pick(programs_, step.first);
    const std::uint32_t queue = find_queue(*program.device, 1u << BP_COMMAND_RUN, step.third >> 16);
    if (queue == BP_NONE) {
      return {};
    }
    const TestProgram &test_program = test_programs_[program.test_program];
    const std::size_t set = step.second % 2;
    PendingSubmission submission;
    submission.device = program.device;
    submission.what = fmt::format("the run of program {}", program.number);
    submission.used = {program.number};
    note(fmt::format("submit a run of program {}, inputs {}", program.number, set));
    BP_ASSIGN(submission.run, program.program->prepare(test_program.arguments[set], arrangement(step.third)));
    submission.expected_outputs = test_program.expected[set];
    bp_command_t command{};
    command.kind = BP_COMMAND_RUN;
    command.program = program.program->abi();
    command.run = submission.run->abi();
    return submit(std::move(submission), queue, std::span(&command, 1));
  }

  // Fills a part of a block, copies that to another block, and copies the whole other block to the host, in one
  // submission.
  Status submit_copies(const Step &step) {
    if (pieces_.empty() || pending_.size() == max_pending) {
      return {};
    }
    const DevicePointer device = pick(pieces_, step.first).device;
    const std::uint32_t queue = find_queue(*device, 1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL, step.third >> 16);
    const Move move = queue == BP_NONE ? Move() : choose_move(step, device, queue);
    if (move.from == nullptr) {
      return {};
    }
    PendingSubmission submission;
    submission.device = device;
    submission.what =
        fmt::format("the copies from piece {} to piece {} and the host", move.from->number, move.to->number);
    submission.used = {move.from->number, move.to->number};
    move.from->queue = move.to->queue = queue;
    const std::uint32_t pattern_size = 1u << (step.first >> 16) % 4;
    note(fmt::format(
        "submit: fill {} bytes at {} of piece {} with {}, copy them to {} of piece {}, and copy that piece to the host",
        move.size / pattern_size * pattern_size, move.from_offset, move.from->number, pattern_size, move.to_offset,
        move.to->number));
    const std::uint64_t pattern = (std::uint64_t{step.second} << 32 | step.third) * 0x9e3779b97f4a7c15;
    for (std::uint64_t i = 0; i < move.size / pattern_size * pattern_size; ++i) {
      move.from->content[move.from_offset + i] = static_cast<std::byte>(pattern >> 8 * (i % pattern_size));
    }
    move.mirror();
    submission.expected_copied = move.to->content;
    submission.copied = std::make_unique<Bytes>(move.to->content.size());
    bp_command_t commands[3]{};
    commands[0].kind = BP_COMMAND_FILL;
    commands[0].to = move.source();
    commands[0].size = move.size / pattern_size * pattern_size;
    commands[0].pattern = pattern;
    commands[0].pattern_size = pattern_size;
    commands[1] = copy_command(move.target(), move.source(), move.size);
    commands[2] = copy_command(runtime::host_location(submission.copied->data()), move.to->block.location(),
                               submission.copied->size());
    return submit(std::move(submission), queue, commands);
  }

  Status wait(const Step &step) {
    if (pending_.empty()) {
      return {};
    }
    const auto found = pending_.begin() + static_cast<std::ptrdiff_t>(step.first % pending_.size());
    const PendingSubmission submission = std::move(*found);
    pending_.erase(found);
    note(fmt::format("wait for {}", submission.what));
    const auto signal = submission.device->timelines().wait(submission.point);
    submission.device->timelines().destroy(submission.point.timeline);
    use(submission, -1);
    if (!signal || signal->status != BP_OK) {
      return make_error(ErrorCode::PluginFailure, "{} fails with status {}: {}", submission.what,
                        signal ? signal->status : BP_INTERNAL, signal ? signal->message : "");
    }
    if (submission.run != nullptr) {
      BP_ASSIGN(const DirectProgram::Outputs outputs, submission.run->finish());
      return expect_same(outputs, submission.expected_outputs);
    }
    return expect_content(*submission.copied, submission.expected_copied, "the copy on the host");
  }

  const Subject &subject_;
  const std::vector<TestProgram> &test_programs_;
  std::vector<std::shared_ptr<const DirectParts>> parts_;  // by test_program
  int last_number_ = 0;
  std::vector<std::string> calls_;

  std::vector<std::shared_ptr<const host::Plugin>> libraries_;
  std::vector<IdleDevice> idle_;
  std::vector<Device> devices_;
  std::vector<Program> programs_;
  std::vector<Piece> pieces_;
  std::vector<PendingSubmission> pending_;
};

}  // namespace

std::vector<Step> random_steps(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<Step> steps(count);
  for (Step &step : steps) {
    for (std::uint32_t *number : {&step.kind, &step.first, &step.second, &step.third}) {
      *number = static_cast<std::uint32_t>(random.below(std::int64_t{1} << 32));
    }
  }
  return steps;
}

Result<std::vector<TestProgram>> make_test_programs(const Subject &subject, std::uint64_t seed) {
  constexpr int max_tried = 8;
  constexpr std::size_t max_kept = 3;
  Random random(seed);
  BP_ASSIGN(const std::shared_ptr<const host::Plugin> library, load_library(subject));
  BP_ASSIGN(const DevicePointer device, make_device(library, subject));
  std::vector<TestProgram> test_programs;
  for (int tried = 0; tried < max_tried && test_programs.size() < max_kept; ++tried) {
    TestProgram test_program;
    test_program.name = random.of(sample_program_names());
    BP_ASSIGN(test_program.module, sample_program(test_program.name));
    const auto parts = DirectParts::compile(device, test_program.module);
    if (!parts.ok() || *parts == nullptr) {
      continue;  // other stages judge whether that is right
    }
    BP_ASSIGN(const std::unique_ptr<DirectProgram> program, DirectProgram::load(device, *parts));
    for (std::size_t set : {0, 1}) {
      BP_ASSIGN(test_program.arguments[set], interpreter::random_arguments(test_program.module, seed + set));
      BP_ASSIGN(test_program.expected[set], program->run(test_program.arguments[set], {}));
    }
    test_programs.push_back(std::move(test_program));
  }
  return test_programs;
}

CallsOutcome run_steps(const Subject &subject, const std::vector<TestProgram> &test_programs,
                       const std::vector<Step> &steps) {
  Sequence sequence(subject, test_programs);
  Status status;
  for (std::size_t i = 0; i < steps.size() && status.ok(); ++i) {
    status = sequence.run(steps[i]);
  }
  if (status.ok()) {
    Random random(steps.empty() ? 0 : steps.back().third);
    status = sequence.end(random);
  }
  return {status.ok() ? "" : status.error().to_string(), sequence.take_calls()};
}

}  // namespace bp::conformance
