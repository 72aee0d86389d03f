#include "core/compile/layout_preferences.h"

#include <cmath>
#include <cstring>
#include <optional>

#include "core/host/byte_sink.h"
#include "core/host/diagnostics.h"
#include "core/passes/layout/layout_groups.h"

namespace bp::compile {
namespace {

// Reads the device's output from front to back.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }
  // Returns false if there are fewer bytes than that.
  template <class T>
  bool read(T *values, std::size_t count) {
    const std::size_t size = count * sizeof(T);
    if (bytes_.size() < size) {
      return false;
    }
    if (size != 0) {  // memcpy requires valid addresses even for size 0
      std::memcpy(values, bytes_.data(), size);
    }
    bytes_ = bytes_.subspan(size);
    return true;
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

// Decodes the format of bp_shape.layout: minor to major, number of tiles, rank and sizes of each tile. Returns nullopt
// if it is not a valid layout of that rank.
std::optional<ir::Layout> to_layout(std::span<const std::int64_t> words, std::size_t rank) {
  if (words.size() < rank + 1) {
    return std::nullopt;
  }
  ir::Layout layout;
  std::vector<bool> seen(rank);
  for (std::int64_t dimension : words.first(rank)) {
    if (dimension < 0 || static_cast<std::size_t>(dimension) >= rank || seen[static_cast<std::size_t>(dimension)]) {
      return std::nullopt;
    }
    seen[static_cast<std::size_t>(dimension)] = true;
    layout.minor_to_major.push_back(dimension);
  }
  std::int64_t tiles = words[rank];
  words = words.subspan(rank + 1);
  for (; tiles > 0 && !words.empty(); --tiles) {
    const auto tile_rank = words[0];
    words = words.subspan(1);
    if (tile_rank < 1 || static_cast<std::size_t>(tile_rank) > words.size()) {
      return std::nullopt;
    }
    ir::Tile tile;
    for (std::int64_t size : words.first(static_cast<std::size_t>(tile_rank))) {
      if (size < 1 && size != -1) {
        return std::nullopt;
      }
      tile.sizes.push_back(size);
    }
    layout.tiles.push_back(std::move(tile));
    words = words.subspan(static_cast<std::size_t>(tile_rank));
  }
  return tiles == 0 && words.empty() ? std::optional(layout) : std::nullopt;
}

}  // namespace

Result<std::vector<passes::LayoutPreference>> ask_for_layouts(const host::Device &device, const ir::Module &module,
                                                              const host::Image &image) {
  std::vector<passes::LayoutPreference> preferences;
  host::ByteSink sink;
  host::Diagnostics diagnostics;
  bp_status status = diagnostics.call([&](const bp_diag_t *diag) {
    return device.layout()->preferences(device.abi(), image.module(), sink.abi(), diag);
  });
  BP_TRY(diagnostics.result(status, device.id(), "preferences", image, module));
  const std::vector<std::byte> bytes = sink.take();
  auto wrong = [&](std::string_view about, std::string_view what) {
    return make_error(ErrorCode::PluginFailure, "backend {}: in its preference {} for {}, {}", device.id(),
                      preferences.size(), about, what);
  };
  for (Reader reader(bytes); !reader.at_end();) {
    bp_layout_preference_t written;
    if (!reader.read(&written, 1) || written.word_count > reader.left() / sizeof(std::int64_t)) {
      return wrong("a layout", fmt::format("the stream ends after {} bytes", bytes.size()));
    }
    std::vector<std::int64_t> words(written.word_count);
    reader.read(words.data(), words.size());
    if (written.instr >= image.view().instruction_count()) {
      return wrong("a layout", fmt::format("there is no instruction {}, expected less than {}", written.instr,
                                           image.view().instruction_count()));
    }
    const plugin::Instruction about = image.view().instruction(written.instr);
    const bool is_result = (written.slot & BP_SLOT_RESULT) != 0;
    const std::uint32_t slot = written.slot & ~BP_SLOT_RESULT;
    const std::uint32_t slots = is_result ? about.result_count() : about.operand_count();
    if (slot >= slots) {
      return wrong(about.name(), fmt::format("there is no {} {}, expected less than {}",
                                             is_result ? "result" : "operand", slot, slots));
    }
    const plugin::Value value = is_result ? about.result(slot) : about.operand(slot);
    const std::optional<ir::Layout> layout = to_layout(words, value.shape().rank());
    if (!layout) {
      return wrong(about.name(),
                   fmt::format("{} words are not a layout of {} dimensions", words.size(), value.shape().rank()));
    }
    if (std::isnan(written.gain_ns)) {
      return wrong(about.name(), "the gain is not a number");
    }
    const ir::Instruction instruction = module.instruction(image.sources()[written.instr]);
    const bool has_arrays_only =
        is_result ? passes::arrays_of(instruction.shape()).size() == slots : instruction.operand_count() == slots;
    if (has_arrays_only) {
      preferences.push_back({instruction.id(), is_result, slot, *layout, static_cast<double>(written.gain_ns)});
    }
  }
  return preferences;
}

}  // namespace bp::compile
