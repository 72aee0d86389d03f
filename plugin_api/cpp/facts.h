// Facts: what a device tells about itself (bp.device-info/draft-1), with the units of the standard facts.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "backplane/ext/draft/device_info.h"

namespace bp::plugin {

class Facts {
 public:
  explicit Facts(const bp_fact_receiver_t *receiver) : receiver_(receiver) {}

  // Tell a standard fact, whose unit is that of BP_STANDARD_FACTS. `space`: for a fact about memory.
  void tell(const char *name, std::uint64_t value, std::uint32_t space = BP_NONE) {
    send({name, unit_of(name), nullptr, value, 0, BP_FACT_INTEGER, space});
  }
  void tell(const char *name, double value) { send({name, unit_of(name), nullptr, 0, value, BP_FACT_REAL, BP_NONE}); }
  void tell(const char *name, const char *value) { send({name, unit_of(name), value, 0, 0, BP_FACT_TEXT, BP_NONE}); }
  // Tells any fact, such as one of the vendor's own, whose name begins with '.'.
  void send(const bp_fact_t &fact) { receiver_->tell(receiver_, &fact); }

 private:
  static const char *unit_of(std::string_view name) {
    for (const bp_fact_kind_t &kind : BP_STANDARD_FACTS) {
      if (name == kind.name) {
        return kind.unit;
      }
    }
    throw std::invalid_argument("there is no standard fact " + std::string(name));
  }

  const bp_fact_receiver_t *receiver_;
};

}  // namespace bp::plugin
