// Counts nothing: in place of allocation_counter.cc, for executables that leave malloc alone.
#include "tools/measure/allocation_counter.h"

namespace bp::measure {

AllocationCounter::Pause::Pause() = default;
AllocationCounter::Pause::~Pause() = default;

AllocationCounter::AllocationCounter() = default;
AllocationCounter::~AllocationCounter() = default;
std::int64_t AllocationCounter::live() const {
  return 0;
}
std::int64_t AllocationCounter::peak() const {
  return 0;
}
std::int64_t AllocationCounter::count() const {
  return 0;
}
bool AllocationCounter::is_valid() const {
  return false;
}
bool AllocationCounter::is_linked() {
  return false;
}

}  // namespace bp::measure
