// Acme: a backend that compiles, for a device with memory of its own.
// {queue
// It has queues, too, so that the host need not wait for copies and programs.
// }queue
// The device is simulated: its memory is an array of the host. The artifact is a list of steps, each of which is one
// instruction with the locations of its operands and its result in memory; a program runs by running the steps. Replace
// the steps by code for your hardware, and what is marked by "simulated" by calls of its driver.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backplane/cpp/module_view.h"
#include "backplane/cpp/single_device.h"

// The manifest and `description` must agree: the loader compares them.
BP_PLUGIN_MANIFEST(R"({
  "abi": "1.0.0",
  "vendor": "Acme",
  "version": "0.1.0",
  "opset": 1,
  "devices": [{
    "id": "com.acme.device",
    "aliases": ["acme"],
    "name": "Acme",
// {memory
    "extensions": ["bp.memory/1", "bp.compiler/1"]
// }memory
// {queue
    "extensions": ["bp.memory/1", "bp.compiler/1", "bp.queue/1", "bp.native-sync/1"]
// }queue
  }]
})");

namespace {

using bp::plugin::Error;
using bp::plugin::Instruction;
using bp::plugin::ModuleView;
using bp::plugin::Result;
using bp::plugin::Status;
using bp::plugin::Value;

constexpr std::string_view device_id = "com.acme.device";

// The artifact: a header and the steps.
struct Header {
  char magic[8];
  std::uint32_t version, step_count;
  std::uint64_t checksum;  // over the device id and the steps
};

struct Place {
  std::uint64_t offset;
  std::uint32_t allocation, reserved;
};

struct Step {
  std::uint32_t op, operand_count;
  std::uint64_t size;  // bytes of the result, and of each operand
  Place operands[2], result;
};

constexpr char magic[8] = "STEPS";
constexpr std::uint32_t version = 1;

// FNV-1a, to detect damaged artifacts and those of other devices.
std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t checksum = 0xcbf29ce484222325u;
  for (const std::string_view part : {device_id, bytes}) {
    for (const char byte : part) {
      checksum = (checksum ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    }
  }
  return checksum;
}

std::string_view bytes_of(const std::vector<Step> &steps) {
  return {reinterpret_cast<const char *>(steps.data()), steps.size() * sizeof(Step)};
}

// --- claim ---

// Returns why an instruction is not claimed, or null if it is.
const char *reason_against(Instruction instruction) {
  const std::uint16_t op = instruction.op();
  if (op != BP_OP_ADD && op != BP_OP_MULTIPLY && op != BP_OP_COPY) {
    return "there is no step for this op";
  }
  // Equal shapes have equal layouts, so corresponding elements have the same offset.
  const bp::plugin::Shape shape = instruction.result().shape();
  for (const Value operand : instruction.operands()) {
    if (operand.shape().index() != shape.index()) {
      return "expected operands in the layout of the result";
    }
  }
  if (op != BP_OP_COPY && shape.dtype() != BP_DTYPE_F32) {
    return "expected f32";
  }
  for (const bp_attr_t &attribute : instruction.attributes()) {
    if (attribute.key < BP_ATTR_HINT) {
      return "expected no attributes";
    }
  }
  return nullptr;
}

// --- compile ---

Place place_of(Value value) {
  return {value.offset(), value.allocation(), 0};
}

std::vector<Step> make_steps(ModuleView module) {
  std::vector<Step> steps;
  for (const Instruction instruction : module.entry().instructions()) {
    const std::uint16_t op = instruction.op();
    if (op == BP_OP_PARAMETER || op == BP_OP_CONSTANT || op == BP_OP_BITCAST) {
      continue;  // their values are already in memory
    }
    Step step = {op, instruction.operand_count(), instruction.result().size(), {}, place_of(instruction.result())};
    for (std::uint32_t n = 0; n < instruction.operand_count(); ++n) {
      step.operands[n] = place_of(instruction.operand(n));
    }
    steps.push_back(step);
  }
  return steps;
}

std::string write_artifact(const std::vector<Step> &steps) {
  Header header = {{}, version, static_cast<std::uint32_t>(steps.size()), checksum_of(bytes_of(steps))};
  std::ranges::copy(magic, header.magic);
  return std::string(reinterpret_cast<const char *>(&header), sizeof header) + std::string(bytes_of(steps));
}

// --- memory ---

// Which addresses of the device's memory are taken. Threads: all functions may be called from any thread.
class Memory {
 public:
  Memory() : bytes_(new char[size]) {}

  // Returns the lowest address at which there is room.
  Result<bp_memory_t> alloc(std::uint64_t wanted, std::uint64_t alignment) {
    const std::lock_guard lock(mutex_);
    const auto aligned = [&](std::uint64_t address) { return (address + alignment - 1) & ~(alignment - 1); };
    std::uint64_t address = aligned(first_address);
    for (const auto &[begin, end] : pieces_) {
      if (address + wanted <= begin) {
        break;
      }
      address = aligned(end);
    }
    if (wanted > size || address + wanted > first_address + size) {
      return Error(BP_NO_MEMORY, "the memory of the device is full");
    }
    pieces_[address] = address + wanted;
    return bp_memory_t{address, nullptr, address};
  }
  void release(std::uint64_t address) {
    const std::lock_guard lock(mutex_);
    pieces_.erase(address);
  }

  // Whether the location is in host memory, or in a piece that has so many bytes after it.
  bool has(bp_loc_t at, std::uint64_t bytes) const {
    const std::lock_guard lock(mutex_);
    const auto piece = pieces_.find(at.memory);
    return at.memory == 0 || (piece != pieces_.end() && at.offset <= piece->second - at.memory &&
                              bytes <= piece->second - at.memory - at.offset);
  }
  // Simulated: how the device reaches a location. The handle of a piece of its memory is the piece's address on the
  // device, which the host cannot use; memory 0 is that of the host.
  char *reach(bp_loc_t at) const {
    return at.memory == 0 ? reinterpret_cast<char *>(at.offset)
                          : bytes_.get() + (at.memory - first_address) + at.offset;
  }

  static constexpr std::uint64_t size = 64 << 20;
  static constexpr bp_space_t spaces[] = {{"dram", size, 64, 0, 0, 10.0f}};

 private:
  static constexpr std::uint64_t first_address = 4096;

  std::unique_ptr<char[]> bytes_;                  // simulated: the memory
  std::map<std::uint64_t, std::uint64_t> pieces_;  // those that are taken: where they begin and end
  mutable std::mutex mutex_;
};

// --- load and run ---

template <class Operation>
void elementwise(const Step &step, const float *x, const float *y, float *out, Operation operation) {
  std::transform(x, x + step.size / sizeof(float), y, out, operation);
}

struct Program {
  bp_program_t abi{};
  const Memory &memory;
  std::vector<Step> steps;

  // Simulated: what the device does when it runs a program.
  Status run(const bp_run_t &run) const {
    const auto address = [&](const Place &place) {
      return reinterpret_cast<float *>(memory.reach(run.allocations[place.allocation]) + place.offset);
    };
    for (const Step &step : steps) {
      const float *x = address(step.operands[0]), *y = address(step.operands[step.operand_count - 1]);
      float *out = address(step.result);
      switch (step.op) {
        case BP_OP_ADD: elementwise(step, x, y, out, std::plus<>()); break;
        case BP_OP_MULTIPLY: elementwise(step, x, y, out, std::multiplies<>()); break;
        default: std::memmove(out, x, step.size);
      }
    }
    return {};
  }
};

bool is_of(const Step &step, std::uint32_t allocation_count) {
  const auto inside = [&](const Place &place) { return place.allocation < allocation_count; };
  return inside(step.result) && std::ranges::all_of(step.operands, inside) && step.operand_count - 1 < 2;
}

Result<std::vector<Step>> read_artifact(std::span<const char> artifact, std::uint32_t allocation_count) {
  Header header;
  if (artifact.size() < sizeof header) {
    return Error(BP_INVALID, "the artifact is too short");
  }
  std::memcpy(&header, artifact.data(), sizeof header);
  const std::string_view bytes(artifact.data() + sizeof header, artifact.size() - sizeof header);
  if (!std::ranges::equal(header.magic, magic) || header.version != version) {
    return Error(BP_INVALID, "the artifact is not of this version of the plugin");
  }
  if (bytes.size() != header.step_count * sizeof(Step) || checksum_of(bytes) != header.checksum) {
    return Error(BP_INVALID, "the artifact is damaged");
  }
  std::vector<Step> steps(header.step_count);
  std::ranges::copy(bytes, reinterpret_cast<char *>(steps.data()));
  for (const Step &step : steps) {
    if (!is_of(step, allocation_count)) {
      return Error(BP_INVALID, "the artifact is of another program");
    }
  }
  return steps;
}

// --- the device ---

class Device {
 public:
  static constexpr bp_device_desc_t description = {BP_VERSION_INIT, 1,       device_id.data(), "Acme",  "Acme",
                                                   "0.1.0",         nullptr, nullptr,          nullptr, 0};

  // {queue
  // One queue copies while the other one runs programs. A thread of the host starts the commands of each.
  static constexpr std::uint32_t queue_kinds[] = {1u << BP_COMMAND_COPY | 1u << BP_COMMAND_FILL, 1u << BP_COMMAND_RUN};

  // }queue
  // Returns everything besides the version that answers depend on.
  Result<std::string> init() { return "1"; }

  Status claim(const bp_module_t *module, bp::plugin::Claims &claims) const {
    for (const Instruction instruction : ModuleView(module).instructions()) {
      if (const char *reason = reason_against(instruction)) {
        claims.refuse(instruction.index(), reason);
      } else {
        claims.take(instruction.index(), 100);
      }
    }
    return {};
  }
  Result<std::string> compile(const bp_module_t *module) const {
    return write_artifact(make_steps(ModuleView(module)));
  }
  Result<std::unique_ptr<Program>> load(std::span<const char> artifact, std::uint32_t allocation_count) {
    BP_ASSIGN(std::vector<Step> steps, read_artifact(artifact, allocation_count));
    auto program = std::make_unique<Program>(Program{{}, memory_, std::move(steps)});
    program->abi.resident_size = sizeof(Program) + artifact.size();
    program->abi.scratch_alignment = 1;
    return program;
  }

  std::span<const bp_space_t> spaces() const { return Memory::spaces; }
  Result<bp_memory_t> alloc(std::uint32_t space, std::uint64_t size, std::uint32_t alignment) {
    if (space != 0) {
      return Error(BP_INVALID, "there is no memory space " + std::to_string(space) + ", expected 0");
    }
    return memory_.alloc(size, std::max(alignment, Memory::spaces[0].alignment));
  }
  void release(std::uint64_t memory) { memory_.release(memory); }
  Status copy(bp_loc_t to, bp_loc_t from, std::uint64_t size) {
    if (size == 0) {
      return {};
    }
    if (!memory_.has(to, size) || !memory_.has(from, size)) {
      return Error(BP_INVALID, "a copy is not inside a piece of memory");
    }
    std::copy_n(memory_.reach(from), size, memory_.reach(to));
    return {};
  }

  // {queue
  // Runs a command, on the thread of its queue.
  Status start(std::uint32_t /*queue*/, const bp_command_t &command) {
    switch (command.kind) {
      case BP_COMMAND_RUN: return bp::plugin::program_of<Program>(command.program).run(*command.run);
      case BP_COMMAND_COPY: return copy(command.to, command.from, command.size);
      default: return fill(command);
    }
  }

  // }queue
 private:
  // {queue
  Status fill(const bp_command_t &command) {
    if (!memory_.has(command.to, command.size)) {
      return Error(BP_INVALID, "a fill is not inside a piece of memory");
    }
    char *to = memory_.reach(command.to);
    for (std::uint64_t i = 0; i < command.size; ++i) {
      to[i] = static_cast<char>(command.pattern >> 8 * (i % command.pattern_size));
    }
    return {};
  }

  // }queue
  Memory memory_;
};

}  // namespace

const bp_plugin_entry_t bp_entry = bp::plugin::SingleDevice<Device>::entry;
