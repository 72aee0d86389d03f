// ByteSink: a bp_ostream that collects the bytes that a plugin writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backplane/base/status.h"

namespace bp::host {

// Cannot be moved: the plugin has its address during the call.
class ByteSink {
 public:
  ByteSink() : abi_{this, &ByteSink::write} {}
  ByteSink(const ByteSink &) = delete;
  ByteSink &operator=(const ByteSink &) = delete;

  const bp_ostream_t *abi() const { return &abi_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  // Maximum size of one write: a terabyte is a mistake, and no allocation is attempted.
  static constexpr std::uint64_t max_bytes = std::uint64_t{1} << 40;

  static bp_status write(const bp_ostream_t *stream, const void *bytes, std::uint64_t size) noexcept {
    auto &all = static_cast<ByteSink *>(stream->ctx)->bytes_;
    const auto *begin = static_cast<const std::byte *>(bytes);
    if (begin == nullptr && size != 0) {
      return BP_INVALID;
    }
    if (size > max_bytes) {
      return BP_NO_MEMORY;
    }
    try {
      all.insert(all.end(), begin, begin + size);
    } catch (...) {
      return BP_NO_MEMORY;
    }
    return BP_OK;
  }

  bp_ostream_t abi_;
  std::vector<std::byte> bytes_;
};

}  // namespace bp::host
