// An artifact is a header and the three tables as they are in memory, little-endian. The checksum detects damage. The
// check of every instruction ensures that the simulator stays inside the scratch memory and the tables, whatever the
// bytes are. The simulator itself checks what depends on the run: locations in memory and index registers.
#include "plugins/npu/artifact.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "plugins/npu/vector_unit.h"

namespace bp::npu {
namespace {

struct Header {
  char magic[8];
  std::uint64_t checksum;  // of everything after it
  std::uint64_t size;      // bytes of the artifact
  std::uint32_t version;
  std::uint32_t allocation_count, scratch_bytes;
  std::uint32_t tensor_count, axis_count, instruction_count;
};
static_assert(sizeof(Header) == 48 && sizeof(Tensor) == 160 && sizeof(Axis) == 20 && sizeof(Instruction) == 48);
constexpr char magic[] = "BPNPUEXE";
constexpr std::uint32_t version = 1;

// FNV-1a. A change of one byte always changes the hash, because each step is invertible.
std::uint64_t checksum(std::span<const char> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}
constexpr std::size_t checked_from = offsetof(Header, size);

template <class T>
void append(std::string &bytes, const std::vector<T> &table) {
  bytes.append(reinterpret_cast<const char *>(table.data()), table.size() * sizeof(T));
}
template <class T>
const char *take(const char *from, std::uint32_t count, std::vector<T> &table) {
  table.resize(count);
  if (count != 0) {
    std::memcpy(table.data(), from, count * sizeof(T));
  }
  return from + count * sizeof(T);
}

// Returns the number of bytes of the allocation up to the end of the tensor.
std::uint64_t end_of(const Tensor &tensor) {
  std::uint64_t last = tensor.offset;
  for (std::uint32_t d = 0; d < tensor.rank; ++d) {
    const Dimension &dimension = tensor.dimensions[d];
    if (dimension.size == 0) {
      return tensor.offset;
    }
    last += byte_offset(dimension, dimension.size - 1);
  }
  return last + tensor.width;
}

bool is_type(std::uint32_t dtype) {
  return set_of(dtype) != 0;
}

// Checks one program.
class Check {
 public:
  explicit Check(const Program &program) : program_(program) {}

  bool all() const {
    return program_.scratch_bytes <= scratch_limit &&
           std::ranges::all_of(program_.tensors, [&](const Tensor &tensor) { return is_sound(tensor); }) &&
           std::ranges::all_of(program_.instructions, [&](const Instruction &i) { return is_sound(i); });
  }

 private:
  bool is_sound(const Tensor &tensor) const {
    const auto is_dimension = [](const Dimension &d) {
      constexpr std::uint64_t far = std::uint64_t{1} << 48;  // so that offsets do not overflow
      return d.size < 1u << 31 && d.tile != 0 && d.tile < 1u << 31 && d.inner < far / d.tile &&
             d.outer < far / (d.size / d.tile + 1);
    };
    return tensor.allocation < program_.allocation_count && tensor.rank <= max_rank && tensor.offset < 1ull << 48 &&
           (tensor.width == 1 || tensor.width == 2 || tensor.width == 4 || tensor.width == 8) &&
           std::all_of(tensor.dimensions, tensor.dimensions + tensor.rank, is_dimension);
  }

  bool has_room(std::uint32_t address, std::uint64_t bytes) const {
    return address <= program_.scratch_bytes && bytes <= program_.scratch_bytes - address;
  }
  // Whether the vector or matrix unit may read or write `count` elements at the address.
  bool has_elements(std::uint32_t address, std::uint64_t count, std::uint32_t dtype) const {
    return address % scratch_alignment == 0 && count <= scratch_limit && has_room(address, count * width_of(dtype));
  }

  bool is_sound(const Instruction &i) const {
    switch (i.opcode) {
      case Opcode::Load:
      case Opcode::Store: return is_transfer(i);
      case Opcode::Ramp: return is_type(i.type) && has_elements(i.to, i.columns, i.type);
      case Opcode::Vector: return is_vector(i);
      case Opcode::Reduce:
        return is_type(i.type) && reduces(i.function, i.type) && i.result_type == sum_type(i.type) &&
               i.rows <= scratch_limit && has_elements(i.to, i.rows, i.result_type) &&
               has_elements(i.from[0], std::uint64_t{i.rows} * i.columns, i.type);
      case Opcode::Multiply: return is_product(i);
      case Opcode::Index:
        return i.rows < index_registers && has_elements(i.from[0], 1, BP_DTYPE_S32) && i.option < 1u << 31;
      case Opcode::Branch:
        return is_type(i.type) && has_elements(i.from[0], 1, i.type) && i.columns <= program_.instructions.size();
      case Opcode::Jump: return i.columns <= program_.instructions.size();
      case Opcode::Call: return true;
    }
    return false;
  }

  bool is_transfer(const Instruction &i) const {
    if (i.tensor >= program_.tensors.size()) {
      return false;
    }
    const Tensor &tensor = program_.tensors[i.tensor];
    if (i.axes > program_.axes.size() || program_.axes.size() - i.axes < tensor.rank) {
      return false;
    }
    std::uint64_t last = 0;
    for (std::uint32_t d = 0; d < tensor.rank; ++d) {
      const Axis &axis = program_.axes[i.axes + d];
      last += std::uint64_t{axis.pitch} * (axis.count - 1);
      if (axis.count == 0 || axis.count >= 1u << 31 || axis.step == 0 || axis.step == INT32_MIN ||
          last > scratch_limit || (axis.index_register != none && axis.index_register >= index_registers)) {
        return false;
      }
    }
    return has_room(i.to, last + tensor.width);
  }

  bool is_vector(const Instruction &i) const {
    const VectorFunction *function = find_function(i.function);
    if (function == nullptr || (function->types & set_of(i.type)) == 0) {
      return false;
    }
    const bool is_decision = i.function == BP_OP_COMPARE || i.function == BP_OP_IS_FINITE;
    const std::uint32_t result_type = is_decision ? std::uint32_t{BP_DTYPE_PRED} : i.type;
    if (!is_type(i.result_type) || (i.function != BP_OP_CONVERT && i.result_type != result_type) ||
        !has_elements(i.to, i.columns, i.result_type)) {
      return false;
    }
    for (std::uint32_t k = 0; k < function->operands; ++k) {
      const bool is_choice = k == 0 && i.function == BP_OP_SELECT;
      if (!has_elements(i.from[k], i.columns, is_choice ? std::uint32_t{BP_DTYPE_PRED} : i.type)) {
        return false;
      }
    }
    return true;
  }

  bool is_product(const Instruction &i) const {
    constexpr std::uint32_t most = 1 << 12;  // so that products do not overflow
    if ((i.type != BP_DTYPE_BF16 && i.type != BP_DTYPE_S8) || i.result_type != sum_type(i.type) ||
        std::max({i.rows, i.columns, i.depth}) > most) {
      return false;
    }
    const std::uint32_t tile = tile_columns(i.type);
    const auto tiles = [&](std::uint32_t rows, std::uint32_t columns) {
      return quotient_up(rows, tile_rows) * quotient_up(columns, tile) * tile_rows * tile;
    };
    return has_elements(i.from[0], tiles(i.rows, i.depth), i.type) &&
           has_elements(i.from[1], tiles(i.depth, i.columns), i.type) &&
           has_elements(i.to, tiles(i.rows, i.columns), i.result_type);
  }

  const Program &program_;
};

}  // namespace

std::string write_artifact(const Program &program) {
  Header header{};
  std::memcpy(header.magic, magic, sizeof header.magic);
  header.version = version;
  header.allocation_count = program.allocation_count;
  header.scratch_bytes = program.scratch_bytes;
  header.tensor_count = static_cast<std::uint32_t>(program.tensors.size());
  header.axis_count = static_cast<std::uint32_t>(program.axes.size());
  header.instruction_count = static_cast<std::uint32_t>(program.instructions.size());
  std::string bytes(sizeof header, '\0');
  append(bytes, program.tensors);
  append(bytes, program.axes);
  append(bytes, program.instructions);
  header.size = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum = checksum(std::span(bytes).subspan(checked_from));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

plugin::Result<Program> read_artifact(std::span<const char> bytes) {
  const auto refuse = [](const std::string &why) { return plugin::Error(BP_INVALID, why); };
  Header header;
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), magic, sizeof header.magic) != 0) {
    return refuse("this is not an artifact of this backend");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != version) {
    return refuse("the artifact is of version " + std::to_string(header.version) + ", expected " +
                  std::to_string(version));
  }
  const std::uint64_t tables = sizeof(Tensor) * std::uint64_t{header.tensor_count} +
                               sizeof(Axis) * std::uint64_t{header.axis_count} +
                               sizeof(Instruction) * std::uint64_t{header.instruction_count};
  if (header.size != bytes.size() || bytes.size() - sizeof header != tables) {
    return refuse("the artifact has " + std::to_string(bytes.size()) + " bytes, expected " +
                  std::to_string(header.size));
  }
  if (checksum(bytes.subspan(checked_from)) != header.checksum) {
    return refuse("the artifact is damaged: its checksum is wrong");
  }
  Program program;
  const char *at = bytes.data() + sizeof header;
  at = take(at, header.tensor_count, program.tensors);
  at = take(at, header.axis_count, program.axes);
  take(at, header.instruction_count, program.instructions);
  program.allocation_count = header.allocation_count;
  program.scratch_bytes = header.scratch_bytes;
  if (!Check(program).all()) {
    return refuse("the artifact has an instruction that the machine cannot run");
  }
  for (const Tensor &tensor : program.tensors) {
    if (tensor.space == 1) {
      std::uint64_t &bytes = program.in_scratchpad[tensor.allocation];
      bytes = std::max(bytes, end_of(tensor));
    }
  }
  return program;
}

}  // namespace bp::npu
