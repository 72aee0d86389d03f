// Tables: what descriptions and extensions hold beside functions, as bytes, and copies of it that own themselves.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/layers/interposer.h"
#include "core/remote/listing.h"
#include "core/remote/wire.h"

namespace bp::remote {

// --- descriptions ---

void write_description(Writer &writer, const bp_device_desc_t *description);  // may be null

// Does not move: the copy points into itself.
class Description {
 public:
  explicit Description(Reader &reader);
  Description(const Description &) = delete;
  Description &operator=(const Description &) = delete;

  // Null if there was none.
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

// Whether calls of this extension can be carried; others are the vendor's own.
bool is_known_extension(std::string_view id);
// The extensions whose calls can be carried.
std::span<const char *const> known_extensions();

// Of a device whose get_extension() was just asked for this one.
void write_extension(Writer &writer, const layers::LayeredDevice &device, std::string_view id);

// The tables of a device's extensions. Their functions are null.
class Extensions {
 public:
  // Reads what write_extension() wrote.
  void read(Reader &reader, std::string_view id);
  // Null if it was not read. Lives as long as this.
  const void *find(std::string_view id) const;
  void describe(Listing &listing, std::string_view id) const;

  // For what stands between: changed by who carries the calls.
  std::vector<bp_space_t> spaces;
  std::vector<std::uint32_t> queues;
  bool has_memory = false, has_queue = false;
  void update();  // after a change

 private:
  const char *text(Reader &reader);

  std::deque<std::string> texts_;
  std::vector<std::string_view> plain_;  // that hold functions only
  std::vector<bp_routine_t> routines_;
  bp_fusion_limits_t limits_{};
  bool has_fusion_ = false, has_routines_ = false;
  bp_device_memory_t memory_{};
  bp_device_queue_t queue_{};
  bp_device_fusion_t fusion_{};
  bp_device_custom_call_t custom_call_{};
};

}  // namespace bp::remote
