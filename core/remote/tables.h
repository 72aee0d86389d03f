// Tables: the data that the extensions of a device contain besides functions.
#pragma once

#include "core/remote/codec.h"
#include "core/remote/listing.h"

namespace bp::remote {

// Whether calls of this extension can be sent to another process. The other extensions are vendors' own.
bool is_known_extension(std::string_view id);
// Returns the ids of the extensions whose calls can be sent to another process.
std::span<const char *const> known_extensions();

// Writes the data of an extension, if there is any. The device's get_extension() must have been called for this id
// before.
void write_extension(Writer &writer, const layers::LayeredDevice &device, std::string_view id);

// The tables of a device's extensions. Their functions are nullptr.
class Extensions {
 public:
  // Reads what write_extension() wrote.
  void read(Reader &reader, std::string_view id);
  // Adds an extension without data.
  void add(std::string_view id) { plain_.emplace_back(id); }
  // Returns the table, which lives as long as this object, or nullptr if the device does not have it.
  const void *find(std::string_view id) const;
  void list(Listing &listing) const;

  // Data that the client may change before it shows them to its callers.
  std::optional<std::vector<bp_space_t>> spaces;
  std::optional<std::vector<std::uint32_t>> queues;
  std::optional<std::vector<bp_external_support_t>> external_support;
  // Rebuilds the tables from this data. To be called after a change.
  void update();

 private:
  Arena arena_;
  std::vector<std::string> plain_;  // ids of extensions whose tables contain only functions
  std::optional<std::vector<bp_routine_t>> routines_;
  std::optional<bp_device_fusion_t> fusion_;
  std::optional<bp_device_host_call_t> host_call_;
  bp_device_memory_t memory_{};
  bp_device_queue_t queue_{};
  bp_device_custom_call_t custom_call_{};
  std::optional<std::vector<bp_counter_desc_t>> counters_;
  bp_device_counters_t counter_table_{};
  bp_device_external_memory_t external_memory_{};
};

}  // namespace bp::remote
