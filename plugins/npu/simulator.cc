#include "plugins/npu/simulator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "backplane/ext/draft/profile.h"
#include "plugin_api/cpp/run_services.h"
#include "plugins/npu/cycles.h"
#include "plugins/npu/vector_unit.h"

namespace bp::npu {
namespace {

using plugin::Error;
using plugin::Status;

constexpr int stale_pattern = 0xa5;  // value of each byte of the scratchpad when a run begins

// Copies `count` elements of `width` bytes each, which are `from_pitch` and `to_pitch` bytes apart.
template <std::size_t width>
void copy_elements(std::byte *to, std::int64_t to_pitch, const std::byte *from, std::int64_t from_pitch,
                   std::uint32_t count) {
  if (to_pitch == width && from_pitch == width) {
    std::memcpy(to, from, count * width);
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    std::memcpy(to, from, width);
    to += to_pitch;
    from += from_pitch;
  }
}
void copy_elements(std::uint32_t width, std::byte *to, std::int64_t to_pitch, const std::byte *from,
                   std::int64_t from_pitch, std::uint32_t count) {
  switch (width) {
    case 1: return copy_elements<1>(to, to_pitch, from, from_pitch, count);
    case 2: return copy_elements<2>(to, to_pitch, from, from_pitch, count);
    case 4: return copy_elements<4>(to, to_pitch, from, from_pitch, count);
    default: return copy_elements<8>(to, to_pitch, from, from_pitch, count);
  }
}

// Reports how long each instruction of the module took, if the run is profiled. Consecutive work for the same
// instruction is one record.
class Recorder {
 public:
  Recorder(const bp_run_t &run, std::uint64_t clock)
      : run_(run),
        profile_(run.get_extension == nullptr
                     ? nullptr
                     : static_cast<const bp_run_profile_t *>(run.get_extension(&run, BP_EXT_PROFILE))),
        begin_(clock) {}

  // Called when work for this instruction begins, at `clock`.
  void at(std::uint32_t origin, std::uint64_t clock) {
    if (profile_ == nullptr || origin == origin_) {
      return;
    }
    if (origin_ != none && clock > begin_) {
      profile_->record(&run_, origin_, 0, begin_, clock);
    }
    origin_ = origin;
    begin_ = clock;
  }

 private:
  const bp_run_t &run_;
  const bp_run_profile_t *profile_;
  std::uint32_t origin_ = none;
  std::uint64_t begin_;
};

// One run of one program.
class Execution {
 public:
  // `turn` is given up while the application runs an instruction.
  Execution(const Memory &memory, const Program &program, const bp_run_t &run, std::byte *scratch,
            Turnstile::Turn &turn)
      : memory_(memory),
        program_(program),
        run_(run),
        turn_(turn),
        end_(run),
        host_(run),
        counters_(run),
        scratch_(scratch) {}

  // Runs the program, advances the clock, and counts its cycles. Fails if an instruction accesses memory outside of a
  // piece.
  Status run(std::uint64_t &clock, std::uint64_t &cycles_of_run) {
    Recorder recorder(run_, clock);
    for (std::uint32_t at = 0; at < program_.instructions.size();) {
      const Instruction &instruction = program_.instructions[at];
      recorder.at(instruction.origin, clock);
      if (end_.is_over()) {
        return Error(BP_CANCELLED, "ended before machine instruction " + std::to_string(at), instruction.origin);
      }
      const std::uint64_t taken = cycles(program_, instruction);
      clock += taken;
      cycles_of_run += taken;
      count(instruction);
      ++at;
      switch (instruction.opcode) {
        case Opcode::Load:
        case Opcode::Store: BP_TRY(transfer(instruction)); break;
        case Opcode::Multiply: multiply(instruction); break;
        case Opcode::Index:
          registers_[instruction.rows] =
              std::clamp(element(BP_DTYPE_S32, instruction.from[0]), 0, static_cast<std::int32_t>(instruction.option));
          break;
        case Opcode::Branch:
          if (element(instruction.type, instruction.from[0]) != static_cast<std::int32_t>(instruction.option)) {
            at = instruction.columns;
          }
          break;
        case Opcode::Jump: at = instruction.columns; break;
        case Opcode::Call: BP_TRY(call(instruction)); break;
        default: compute(instruction, scratch_);
      }
    }
    recorder.at(none, clock);
    return {};
  }

 private:
  void count(const Instruction &instruction) const {
    if (!counters_.are_wanted()) {
      return;
    }
    const std::uint64_t taken = cycles(program_, instruction);
    counters_.add(cycle_counter, instruction.origin, taken);
    if (const std::uint64_t bytes = bytes_moved(program_, instruction); bytes > 0) {
      counters_.add(dma_counter, instruction.origin, bytes);
    }
    if (instruction.opcode == Opcode::Multiply) {
      counters_.add(matrix_counter, instruction.origin, taken);
    }
  }

  Status call(const Instruction &instruction) {
    turn_.leave();
    const bp_status status = host_.call(instruction.origin);
    turn_.take();
    return status == BP_OK ? Status() : Error(status, "the application did not run this", instruction.origin);
  }

  std::int32_t element(std::uint32_t dtype, std::uint32_t address) const {
    std::int32_t value = 0;
    std::memcpy(&value, scratch_ + address, width_of(dtype));
    return value;
  }

  Error fault(const Instruction &instruction, const std::string &what) const {
    const auto number = &instruction - program_.instructions.data();
    return Error(BP_INTERNAL,
                 std::string("machine instruction ") + std::to_string(number) + " (" + to_string(instruction.opcode) +
                     ") " + what,
                 instruction.origin);
  }

  Status transfer(const Instruction &instruction) {
    const Tensor &tensor = program_.tensors[instruction.tensor];
    const Axis *axes = program_.axes.data() + instruction.axes;  // a scalar has none
    const auto access = instruction.opcode == Opcode::Load ? Memory::Access::Read : Memory::Access::Write;
    const auto piece = memory_.find(run_.allocations[tensor.allocation], access);
    if (!piece) {
      return fault(instruction, "uses allocation " + std::to_string(tensor.allocation) +
                                    ", which is not a piece of memory" +
                                    (access == Memory::Access::Read ? "" : " that may be written"));
    }
    std::uint64_t last = tensor.offset;  // the first byte of the last element of the box
    std::array<std::uint32_t, max_rank> first{};
    for (std::uint32_t d = 0; d < tensor.rank; ++d) {
      const Axis &axis = axes[d];
      const std::int64_t from =
          std::int64_t{axis.start} + (axis.index_register == none ? 0 : registers_[axis.index_register]);
      const std::int64_t to = from + std::int64_t{axis.step} * (axis.count - 1);
      if (std::min(from, to) < 0 || std::max(from, to) >= tensor.dimensions[d].size) {
        return fault(instruction, "accesses indices " + std::to_string(from) + " to " + std::to_string(to) +
                                      " of a dimension of " + std::to_string(tensor.dimensions[d].size));
      }
      first[d] = static_cast<std::uint32_t>(from);
      last += byte_offset(tensor.dimensions[d], tensor.dimensions[d].size - 1);
    }
    if (last + tensor.width > piece->size()) {
      return fault(instruction, "accesses byte " + std::to_string(last + tensor.width - 1) + " of a piece of " +
                                    std::to_string(piece->size()));
    }
    walk(instruction, tensor, axes, first.data(), tensor.rank, piece->data() + tensor.offset,
         scratch_ + instruction.to);
    return {};
  }

  // Copies the last `rank` dimensions of the box, the outermost first.
  void walk(const Instruction &instruction, const Tensor &tensor, const Axis *axes, const std::uint32_t *first,
            std::uint32_t rank, std::byte *memory, std::byte *scratch) {
    const bool is_load = instruction.opcode == Opcode::Load;
    if (rank == 0) {
      copy_elements(tensor.width, is_load ? scratch : memory, 0, is_load ? memory : scratch, 0, 1);
      return;
    }
    const std::uint32_t d = tensor.rank - rank;
    const Dimension &dimension = tensor.dimensions[d];
    const Axis &axis = axes[d];
    std::int64_t index = first[d];
    for (std::uint32_t done = 0; done < axis.count;) {
      std::uint32_t count = 1;
      std::byte *at = memory + byte_offset(dimension, static_cast<std::uint64_t>(index));
      if (rank == 1) {
        // Copy up to the end of the tile.
        const std::int64_t inside = index % dimension.tile;
        const std::int64_t steps = axis.step > 0 ? (dimension.tile - 1 - inside) / axis.step : inside / -axis.step;
        count = static_cast<std::uint32_t>(std::min<std::int64_t>(steps + 1, axis.count - done));
        const std::int64_t pitch = axis.step * static_cast<std::int64_t>(dimension.inner);
        copy_elements(tensor.width, is_load ? scratch : at, is_load ? axis.pitch : pitch, is_load ? at : scratch,
                      is_load ? pitch : axis.pitch, count);
      } else {
        walk(instruction, tensor, axes, first, rank - 1, at, scratch);
      }
      done += count;
      index += std::int64_t{axis.step} * count;
      scratch += std::size_t{axis.pitch} * count;
    }
  }

  void multiply(const Instruction &instruction) {
    if (instruction.type == BP_DTYPE_S8) {
      multiply_tiles<std::int8_t, std::uint32_t>(instruction,
                                                 [](std::int8_t x) { return static_cast<std::uint32_t>(x); });
    } else {
      multiply_tiles<std::uint16_t, float>(instruction, from_bf16);
    }
  }

  // Multiplies tile by tile. The padding of tiles after the ends of the matrices is not read. Sums of s8 wrap.
  template <class Element, class Sum, class Widen>
  void multiply_tiles(const Instruction &i, Widen widen) {
    constexpr std::uint32_t columns = sizeof(Element) == 1 ? 32 : 16;
    constexpr std::uint32_t tile_size = tile_rows * columns;
    const auto *lhs = reinterpret_cast<const Element *>(scratch_ + i.from[0]);
    const auto *rhs = reinterpret_cast<const Element *>(scratch_ + i.from[1]);
    auto *sums = reinterpret_cast<Sum *>(scratch_ + i.to);
    const auto tiles_across = static_cast<std::uint32_t>(quotient_up(i.columns, columns));
    const auto tiles_deep = static_cast<std::uint32_t>(quotient_up(i.depth, columns));
    for (std::uint32_t row = 0; row < i.rows; ++row) {
      const std::uint32_t in_tile = row % tile_rows * columns;
      const Element *lhs_row = lhs + row / tile_rows * tiles_deep * tile_size + in_tile;
      Sum *sums_row = sums + row / tile_rows * tiles_across * tile_size + in_tile;
      for (std::uint32_t across = 0; across < tiles_across; ++across) {
        const std::uint32_t count = std::min(columns, i.columns - across * columns);
        std::array<Sum, columns> sum{};
        if (i.option == 1) {
          std::copy_n(sums_row + across * tile_size, columns, sum.data());
        }
        for (std::uint32_t k = 0; k < i.depth; ++k) {
          const Sum x = widen(lhs_row[k / columns * tile_size + k % columns]);
          const Element *y = rhs + (k / tile_rows * tiles_across + across) * tile_size + k % tile_rows * columns;
          for (std::uint32_t column = 0; column < count; ++column) {
            sum[column] += x * widen(y[column]);
          }
        }
        std::copy_n(sum.data(), columns, sums_row + across * tile_size);
      }
    }
  }

  const Memory &memory_;
  const Program &program_;
  const bp_run_t &run_;
  Turnstile::Turn &turn_;
  const plugin::EarlyEnd end_;
  const plugin::HostCalls host_;
  const plugin::RunCounters counters_;
  std::byte *scratch_;
  std::array<std::int32_t, index_registers> registers_{};
};

}  // namespace

void Turnstile::Turn::take() {
  std::unique_lock lock(turnstile_.mutex_);
  Turn **place = &turnstile_.first_;
  while (*place != nullptr && (*place)->priority_ >= priority_) {
    place = &(*place)->next_;
  }
  next_ = *place;
  *place = this;
  turnstile_.changed_.wait(lock, [&] { return !turnstile_.is_busy_ && turnstile_.first_ == this; });
  turnstile_.first_ = next_;
  turnstile_.is_busy_ = true;
}

void Turnstile::Turn::leave() {
  {
    const std::lock_guard lock(turnstile_.mutex_);
    turnstile_.is_busy_ = false;
  }
  turnstile_.changed_.notify_all();
}

Status Simulator::run(const Program &program, const bp_run_t &run, std::uint64_t &cycles) {
  if (run.allocation_count != program.allocation_count) {
    return Error(BP_INVALID, "the run has " + std::to_string(run.allocation_count) + " allocations, expected " +
                                 std::to_string(program.allocation_count));
  }
  Turnstile::Turn turn(turnstile_, plugin::priority_of(run));
  std::byte *scratch = nullptr;
  if (program.scratch_bytes != 0) {
    const auto piece = memory_.find(run.scratch, Memory::Access::Write);
    if (!piece || piece->size() < program.scratch_bytes) {
      return Error(BP_INVALID, "the run's scratch memory is not a piece of at least " +
                                   std::to_string(program.scratch_bytes) + " bytes");
    }
    scratch = piece->data();
    std::memset(scratch, stale_pattern, program.scratch_bytes);
  }
  for (const auto &[allocation, bytes] : program.in_scratchpad) {
    if (const auto piece = memory_.find(run.allocations[allocation], Memory::Access::Write)) {
      std::memset(piece->data(), stale_pattern, std::min<std::uint64_t>(bytes, piece->size()));
    }
  }
  cycles = 0;
  return Execution(memory_, program, run, scratch, turn).run(clock_, cycles);
}

}  // namespace bp::npu
