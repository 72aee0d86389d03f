// Bytes with an owner: a vector, a mapped file, or a part of either.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace bp {

// Copies share the bytes, which nobody changes.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}
  explicit SharedBytes(std::vector<std::byte> bytes) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    bytes_ = *owner;
    owner_ = std::move(owner);
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const { return {reinterpret_cast<const char *>(bytes_.data()), bytes_.size()}; }
  std::size_t size() const { return bytes_.size(); }
  const std::shared_ptr<const void> &owner() const { return owner_; }
  // Returns a part, which keeps the whole.
  SharedBytes part(std::size_t offset, std::size_t size) const { return {bytes_.subspan(offset, size), owner_}; }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

}  // namespace bp
