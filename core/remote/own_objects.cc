#include "core/remote/own_objects.h"

#include <cstring>

namespace bp::remote {

void OwnDevice::arrange_memory() {
  has_memory = extensions.has_memory;
  for (bp_space_t &space : extensions.spaces) {
    space.flags &= ~static_cast<std::uint32_t>(BP_SPACE_HOST_VISIBLE);
  }
  if (!has_memory && extensions.find(BP_EXT_COMPILER) != nullptr) {
    extensions.has_memory = true;
    extensions.spaces.push_back({"shared", 0, shared_alignment, BP_SPACE_HOST_VISIBLE, 0, 0});
    if (extensions.has_queue) {
      for (std::uint32_t &kinds : extensions.queues) {
        kinds &= 1u << BP_COMMAND_RUN;
      }
      copy_queue = static_cast<std::uint32_t>(extensions.queues.size());
      extensions.queues.push_back(1u << BP_COMMAND_COPY);
    }
  }
  extensions.update();
}

Result<std::byte *> OwnDevice::address(bp_loc_t place, std::uint64_t size) {
  if (place.memory == 0) {
    return reinterpret_cast<std::byte *>(place.offset);
  }
  const std::shared_ptr<OwnPiece> found = piece(place.memory);
  if (found == nullptr || place.offset > found->size || size > found->size - place.offset) {
    return invalid_input("{} bytes at {} are not all of one piece", size, place.offset);
  }
  return found->share.data() + place.offset;
}

Status OwnDevice::copy(bp_loc_t to, bp_loc_t from, std::uint64_t size) {
  BP_ASSIGN(std::byte * target, address(to, size));
  BP_ASSIGN(const std::byte *source, address(from, size));
  std::memmove(target, source, size);
  return {};
}

}  // namespace bp::remote
