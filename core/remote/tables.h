// Tables: the data that descriptions and extensions contain besides functions, encoded as bytes, and copies that own
// this data.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/layers/interposer.h"
#include "core/remote/listing.h"
#include "core/remote/wire.h"

namespace bp::remote {

// --- descriptions ---

void write_description(Writer &writer, const bp_device_desc_t *description);  // `description` may be nullptr

// A copy of a description. It cannot be moved, because it contains pointers to its own members.
class Description {
 public:
  explicit Description(Reader &reader);
  Description(const Description &) = delete;
  Description &operator=(const Description &) = delete;

  // Returns nullptr if nullptr was written.
  const bp_device_desc_t *abi() const { return is_there_ ? &abi_ : nullptr; }
  void describe(Listing &listing) const;

 private:
  const char *text(Reader &reader);

  bool is_there_;
  bp_device_desc_t abi_{};
  std::deque<std::string> texts_;
  std::deque<std::vector<const char *>> lists_;
  std::vector<bp_option_desc_t> options_;
};

// --- extensions ---

// Whether calls of this extension can be sent to another process. The other extensions are vendors' own.
bool is_known_extension(std::string_view id);
// Returns the ids of the extensions whose calls can be sent to another process.
std::span<const char *const> known_extensions();

// Writes the data of an extension. The device's get_extension() must have been called for this id before.
void write_extension(Writer &writer, const layers::LayeredDevice &device, std::string_view id);

// The tables of a device's extensions. Their functions are nullptr.
class Extensions {
 public:
  // Reads what write_extension() wrote.
  void read(Reader &reader, std::string_view id);
  // Returns the table, which lives as long as this object, or nullptr if it was not read.
  const void *find(std::string_view id) const;
  void describe(Listing &listing, std::string_view id) const;

  // Data that the code which sends the calls may change; it must call update() after that.
  std::vector<bp_space_t> spaces;
  std::vector<std::uint32_t> queues;
  bool has_memory = false, has_queue = false;
  void update();

 private:
  const char *text(Reader &reader);

  std::deque<std::string> texts_;
  std::vector<std::string_view> plain_;  // ids of extensions whose tables contain only functions
  std::vector<bp_routine_t> routines_;
  bp_fusion_limits_t limits_{};
  bool has_fusion_ = false, has_routines_ = false;
  bp_device_memory_t memory_{};
  bp_device_queue_t queue_{};
  bp_device_fusion_t fusion_{};
  bp_device_custom_call_t custom_call_{};
};

}  // namespace bp::remote
