#include "core/remote/wire.h"

namespace bp::remote {
namespace {

// Contents below this size are not stored, but part of the bytes.
constexpr std::size_t min_kept_bytes = 64;

enum ContentForm : std::uint8_t { Inline = 0, Kept = 1 };

}  // namespace

void Writer::text(const char *text) {
  number(static_cast<std::uint8_t>(text != nullptr));
  if (text != nullptr) {
    this->text(std::string_view(text));
  }
}

void Writer::content(Bytes content, const Sha256 *own_hash) {
  if (store_ == nullptr || content.size() < min_kept_bytes) {
    number(std::uint8_t{Inline});
    text(std::string_view(reinterpret_cast<const char *>(content.data()), content.size()));
    return;
  }
  number(std::uint8_t{Kept});
  number(store_->keep(content, own_hash));
}

void Reader::fail(std::string message) {
  if (error_.empty()) {
    error_ = std::move(message);
  }
  bytes_ = {};
}

Bytes Reader::take(std::size_t size) {
  if (size > bytes_.size()) {
    fail(fmt::format("{} bytes are left of the call, expected at least {}", bytes_.size(), size));
    return {};
  }
  const Bytes taken = bytes_.first(size);
  bytes_ = bytes_.subspan(size);
  return taken;
}

std::size_t Reader::count(std::size_t min_bytes) {
  const auto count = number<std::uint64_t>();
  if (count > bytes_.size() / min_bytes) {
    fail(fmt::format("a list has {} elements, but {} bytes are left of the call", count, bytes_.size()));
    return 0;
  }
  return count;
}

std::string_view Reader::text() {
  const Bytes taken = take(count());
  return {reinterpret_cast<const char *>(taken.data()), taken.size()};
}

std::optional<std::string> Reader::optional_text() {
  if (number<std::uint8_t>() == 0) {
    return std::nullopt;
  }
  return std::string(text());
}

Bytes Reader::content() {
  if (number<std::uint8_t>() == Inline) {
    return std::as_bytes(std::span(text()));
  }
  const auto hash = number<Sha256>();
  if (!ok()) {
    return {};
  }
  const std::optional<Bytes> found = source_ == nullptr ? std::nullopt : source_->find(hash);
  if (!found.has_value()) {
    fail(fmt::format("the content {:02x} is missing", fmt::join(hash.begin(), hash.begin() + 4, "")));
    return {};
  }
  return *found;
}

}  // namespace bp::remote
